//! What an operation comes to where the script stands: picks become units, operations requests.

use counterfoil_claims_tests::calendar::Granule;
use counterfoil_claims_tests::entry::Entry;
use counterfoil_claims_tests::request::{
    Asserted, Cited, Id, NOBODY, Request, Statement, Target, Wish,
};

use super::{Ask, BEGIN, DATES, Evidence, Op, Pick, Said, VALUES, Verb, When, line_name};
use crate::backend::{Asked, LineName};

impl Ask {
    pub(crate) fn resolve(&self, entries: &[Entry]) -> Asked {
        let instant = |when: When| match when {
            When::Date(date, at_end, shift) => {
                let granule = Granule::read(DATES[date]).unwrap();
                shift + if at_end { granule.end } else { granule.begin }
            }
            When::Stamp(number, shift) => {
                let stamp = entries.get(number % entries.len().max(1));
                shift + stamp.map_or(BEGIN, |entry| entry.stamp)
            }
        };
        Asked {
            valid_at: self.valid_at.map(instant),
            as_of: self.as_of.map(instant),
        }
    }
}

impl Pick {
    /// The unit that is meant; `None` when there is none of the kind.
    pub(crate) fn resolve(
        self,
        entries: &[Entry],
        agent: u8,
        line: Option<&LineName>,
    ) -> Option<Id> {
        let nth = |number: usize, kind: &dyn Fn(&&Entry) -> bool| {
            let ids: Vec<Id> = entries.iter().filter(kind).map(|entry| entry.id).collect();
            ids.get(number % ids.len().max(1)).copied()
        };
        let is_claim = |entry: &&Entry| entry.agent == agent && entry.statement().is_some();
        match self {
            Self::OnLine(number) => nth(number, &|entry| {
                is_claim(entry) && line.is_none_or(|line| entry.line == *line)
            }),
            Self::Claim(number) => nth(number, &is_claim),
            Self::Unit(number) => nth(number, &|_| true),
            Self::Nobody => Some(NOBODY),
        }
    }
}

impl Op {
    /// The request, if it is one and there is what it speaks of.
    pub(crate) fn request(&self, entries: &[Entry]) -> Option<Request> {
        match self {
            Self::State(said) => Some(Request {
                agent: said.agent,
                who: said.who,
                key: said.key.map(|key| format!("key-{key}")),
                wish: Wish::State(said.statement(entries)),
            }),
            Self::Assert {
                agent,
                who,
                key,
                target,
                by_line,
                asserted,
                evidence,
            } => {
                let claim = target.resolve(entries, *agent, None)?;
                let line = entries.get(claim).map(|entry| entry.line.clone());
                let resolve = |pick: &Pick| pick.resolve(entries, *agent, line.as_ref());
                let evidence = match evidence {
                    None => Vec::new(),
                    Some(Evidence::World(number)) => vec![Cited::World(*number)],
                    Some(Evidence::Claim(pick)) => vec![Cited::Unit(resolve(pick)?)],
                };
                let asserted = match asserted {
                    Verb::End(date) => Asserted::End(date.map(|date| DATES[date].to_owned())),
                    Verb::Reopen => Asserted::Reopen,
                    Verb::Supersede(by) => Asserted::Supersede(resolve(by)?),
                    Verb::Release => Asserted::Release,
                    Verb::Retract(says_why) => {
                        Asserted::Retract(says_why.then(|| "a slip".to_owned()))
                    }
                    Verb::Affirm => Asserted::Affirm,
                    Verb::Deny => Asserted::Deny,
                    Verb::Undecided => Asserted::Undecided,
                };
                let target = match line.filter(|_| *by_line) {
                    Some((subject, predicate)) => Target::Line(subject, predicate),
                    None => Target::Claim(claim),
                };
                Some(Request {
                    agent: *agent,
                    who: *who,
                    key: key.map(|key| format!("key-{key}")),
                    wish: Wish::Assert(target, asserted, evidence),
                })
            }
            _ => None,
        }
    }
}

impl Said {
    fn statement(&self, entries: &[Entry]) -> Statement {
        let on = line_name(self.line);
        let resolve = |picks: &[Pick]| {
            let mut ids = Vec::new();
            for pick in picks {
                let id = pick.resolve(entries, self.agent, Some(&on));
                ids.extend(id.filter(|id| !ids.contains(id)));
            }
            ids
        };
        let anchors = self.anchors.iter().copied().map(Cited::World);
        Statement {
            valid: self.valid.clone(),
            said: self.cardinality,
            supersedes: resolve(&self.supersedes),
            anchors: anchors.collect(),
            derived_from: resolve(&self.derived_from),
            extracted: self.extracted,
            replaces: self.replaces,
            asks: self.asks,
            ..Statement::of(&on.0, &on.1, VALUES[self.value])
        }
    }
}
