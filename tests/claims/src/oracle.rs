//! The oracle: a list of entries, and what there is beside it.

use crate::answer::{Answer, Done, Refused};
use crate::calendar::{DAY, Micros};
use crate::entry::{Act, Entry, Source};
use crate::names::Named;
use crate::request::{Cardinality, Cited, Id, Request, Wish};
use crate::scene::{Scene, is_empty};

/// Days that a queued claim waits.
const EXPIRES_DAYS: i64 = 30;

/// All that is remembered.
#[derive(Debug, Clone, Default)]
pub struct Oracle {
    pub(crate) entries: Vec<Entry>,
    /// For each World the number of its chain.
    worlds: Vec<usize>,
    /// When each agent recorded a World last.
    world_stamps: Vec<(u8, Micros)>,
    registered: Vec<(String, Cardinality)>,
    /// Records about names, in their order.
    pub(crate) named: Vec<Named>,
    pub(crate) has_oracle: bool,
}

impl Oracle {
    /// An empty memory; `has_oracle`: somebody settles what is contested.
    #[must_use]
    pub fn new(has_oracle: bool, registered: Vec<(String, Cardinality)>) -> Self {
        Self {
            has_oracle,
            registered,
            ..Self::default()
        }
    }

    /// A World was recorded, in the chain of that number.
    pub fn remember(&mut self, agent: u8, now: Micros, chain: usize) {
        let stamp = self.next_stamp(agent, now);
        self.worlds.push(chain);
        self.world_stamps.push((agent, stamp));
    }

    /// A request: what becomes of it at `now`.
    pub fn write(&mut self, now: Micros, request: &Request) -> Answer {
        let stamp = self.next_stamp(request.agent, now);
        // The door of a caller, before all else.
        if let Wish::State(said) = &request.wish
            && said.valid.as_ref().is_some_and(is_empty)
            && !said.extracted
        {
            return Answer::Refused(vec![Refused::IncoherentWindow]);
        }
        if let Some(answer) = self.answered(request) {
            return answer;
        }
        match &request.wish {
            Wish::State(statement) => self.state(stamp, request, statement),
            Wish::Assert(target, asserted, evidence) => {
                self.assert(stamp, request, target, asserted, evidence)
            }
        }
    }

    /// Every unit, in the order of the log.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The later of `now` and what the agent recorded last.
    #[must_use]
    pub fn present(&self, agent: u8, now: Micros) -> Micros {
        self.last_recorded(agent).map_or(now, |last| last.max(now))
    }

    /// The claims that wait at `present`, the oldest first.
    #[must_use]
    pub fn pending(&self, agent: u8, present: Micros) -> Vec<Id> {
        let scene = self.scene(agent, Micros::MAX);
        let waiting = scene.entries.iter();
        waiting
            .filter(|entry| is_pending(&scene, entry, present))
            .map(|entry| entry.id)
            .collect()
    }

    pub(crate) fn scene(&self, agent: u8, as_of: Micros) -> Scene<'_> {
        let all = self.entries.iter();
        Scene {
            entries: all
                .filter(|entry| entry.agent == agent && entry.stamp <= as_of)
                .collect(),
        }
    }

    pub(crate) fn registered(&self, predicate: &str) -> Option<Cardinality> {
        let mut all = self.registered.iter();
        all.find(|(name, _)| name == predicate)
            .map(|(_, cardinality)| *cardinality)
    }

    /// What is cited, each with its source; `None` where one is no memory.
    pub(crate) fn anchors(&self, cited: &[Cited]) -> Option<Vec<(Cited, Source)>> {
        cited
            .iter()
            .map(|one| match one {
                Cited::World(number) => {
                    let chain = self.worlds.get(*number)?;
                    Some((*one, Source::Chain(*chain)))
                }
                Cited::Unit(_) => None,
            })
            .collect()
    }

    /// Adds a unit to the end of its line; the answer with its name.
    pub(crate) fn push(&mut self, mut unit: Entry, mut done: Done) -> Done {
        let on_line = |entry: &&Entry| entry.agent == unit.agent && entry.line == unit.line;
        unit.number = self.entries.iter().filter(on_line).count();
        unit.id = self.entries.len();
        done.written = Some(unit.id);
        (unit.disposition, unit.row, unit.answer) = (done.disposition, done.row, done.clone());
        self.entries.push(unit);
        done
    }

    /// When any World was recorded last.
    pub(crate) fn last_world(&self) -> Micros {
        let stamps = self.world_stamps.iter().map(|(_, stamp)| *stamp);
        stamps.max().unwrap_or_default()
    }

    fn next_stamp(&self, agent: u8, now: Micros) -> Micros {
        self.last_recorded(agent)
            .map_or(now, |last| now.max(last + 1))
    }

    fn last_recorded(&self, agent: u8) -> Option<Micros> {
        let units = self.entries.iter().map(|entry| (entry.agent, entry.stamp));
        let all = units.chain(self.world_stamps.iter().copied());
        all.filter(|(whose, _)| *whose == agent)
            .map(|(_, stamp)| stamp)
            .max()
    }

    /// What was answered under the request's key.
    fn answered(&self, request: &Request) -> Option<Answer> {
        let key = request.key.as_ref()?;
        let first = self.entries.iter().find(|entry| {
            entry.agent == request.agent && entry.request.key.as_ref() == Some(key)
        })?;
        Some(if first.request == *request {
            Answer::Done(first.answer.clone())
        } else {
            Answer::Refused(vec![Refused::KeyReused])
        })
    }
}

/// Whether a claim waits for a verdict.
pub(crate) fn is_pending(scene: &Scene<'_>, claim: &Entry, present: Micros) -> bool {
    let named = scene.entries.iter().any(|entry| match &entry.act {
        Act::Affirm { target, rivals } => *target == claim.id || rivals.contains(&claim.id),
        Act::Deny { target } | Act::Undecided { target } => *target == claim.id,
        _ => false,
    });
    claim.statement().is_some()
        && claim.disposition == crate::answer::Disposition::QueuedForAdjudication
        && !named
        && present - claim.stamp < EXPIRES_DAYS * DAY
}
