//! Beliefs, computed on read: about any time, as known at any time (I3, I7).

use std::collections::BTreeSet;
use std::sync::Arc;

use counterfoil_claim_memory::{ClaimMemoryError, prove_belief, prove_with_trust};
use counterfoil_claims::belief::{
    Belief, BeliefChange, BeliefStatus, HistoryEntry, SideClaim, changes, unit_to_json,
};
use counterfoil_claims::time::{Boundary, Micros};
use counterfoil_claims::{Identifier, Line, ProvenanceClass, Unit};
use counterfoil_store::{AsOf, all_contested, believe_whole_subject, units_of_names};
use counterfoil_types::DidKey;
use counterfoil_types::json::Value;
use serde::{Serialize, Serializer};

use super::access::ClaimReader;
use super::answer::why;
use crate::error::{Error, ErrorKind};
use crate::floor;
use crate::memory::Memory;
use crate::report::{Report, object};

/// Times and agent of a question about beliefs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BeliefQuery {
    /// Time that the question is about, microseconds since 1970; `as_of` by default.
    pub at: Option<Micros>,
    /// Claims recorded after this time do not count, microseconds since 1970; now by default.
    pub as_of: Option<u64>,
    /// Agent whose beliefs are asked for; this memory's own by default.
    pub agent: Option<DidKey>,
}

impl BeliefQuery {
    /// A question about the first moment of `at`, as known at that of `as_of`: dates as people write them, `2020`, `2020-03`,
    /// `2020-03-15` or RFC 3339.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a text that is no date, and for an `as_of` before 1970.
    pub fn of_dates(at: Option<&str>, as_of: Option<&str>) -> Result<Self, Error> {
        let begin = |date: &str| {
            let date = Boundary::parse(date);
            date.map(|it| it.begin())
                .map_err(|error| Error::new(ErrorKind::Input, error))
        };
        let recorded = |date: &str| {
            u64::try_from(begin(date)?)
                .map_err(|_| Error::input("nothing was recorded before 1970", "give a later date"))
        };
        Ok(Self {
            at: at.map(begin).transpose()?,
            as_of: as_of.map(recorded).transpose()?,
            agent: None,
        })
    }
}

impl From<&BeliefQuery> for AsOf {
    fn from(query: &BeliefQuery) -> Self {
        Self {
            valid_at: query.at,
            as_of_us: query.as_of,
        }
    }
}

/// Several beliefs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Beliefs {
    /// One for each line.
    pub beliefs: Vec<Belief>,
    /// True if there are more beliefs beyond the limit; `None` without a limit.
    pub more: Option<bool>,
}

/// Units that decide a belief, and every change of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WhyBelief {
    /// The belief.
    pub belief: Belief,
    /// Units of its sides, each with the claim as the belief has it and the gate's reason.
    pub deciding: Vec<(Unit, SideClaim, String)>,
    /// Changes of the belief, the oldest first.
    pub changes: Vec<BeliefChange>,
    /// `changes` lists all of them.
    pub complete: bool,
    /// All units of the line that were known.
    pub units: Vec<Unit>,
}

/// Claims of a line with their states.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LineHistory {
    /// The line.
    pub line: Line,
    /// Number of claims on it.
    pub count: usize,
    /// The newest claims, at most the limit.
    pub claims: Vec<HistoryEntry>,
}

impl Memory {
    /// Computes the belief about a subject and a predicate, by the claims of this scope and of no narrower one.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for names that are empty or too long.
    pub async fn believe(
        &self,
        subject: &str,
        predicate: &str,
        query: &BeliefQuery,
    ) -> Result<Belief, Error> {
        let reader = ClaimReader::open(self, query.agent).await?;
        let line = reader.line(subject, predicate)?;
        let belief = reader.believe(line, query.into()).await?;
        Ok(belief)
    }

    /// Computes the beliefs about a subject and a predicate in this scope and in each narrower one, that of this scope first.
    /// Nothing that was said in one has to do with another. Where nothing was said at all, there is one belief, without a value.
    ///
    /// # Errors
    /// As [`believe`](Self::believe).
    pub async fn believe_within(
        &self,
        subject: &str,
        predicate: &str,
        query: &BeliefQuery,
    ) -> Result<Beliefs, Error> {
        let reader = ClaimReader::open(self, query.agent).await?;
        let (line, settings) = (
            reader.line(subject, predicate)?,
            Arc::clone(&reader.settings),
        );
        let within = reader
            .store
            .believe_within(line.clone(), query.into(), settings);
        let mut beliefs = within.await?;
        if beliefs.is_empty() {
            beliefs.push(reader.believe(line, query.into()).await?);
        }
        Ok(Beliefs {
            beliefs,
            more: None,
        })
    }

    /// Computes the beliefs of every line of a subject in this scope and in narrower ones.
    ///
    /// # Errors
    /// As [`believe`](Self::believe).
    pub async fn believe_all(&self, named: &str, query: &BeliefQuery) -> Result<Beliefs, Error> {
        let reader = ClaimReader::open(self, query.agent).await?;
        let (store, subject) = (reader.store.as_ref(), Identifier::new("subject", named)?);
        let beliefs = believe_whole_subject(
            store,
            reader.agent,
            (&subject, &reader.scope),
            query.into(),
            &reader.settings,
        );
        let beliefs = beliefs.await?;
        Ok(Beliefs {
            beliefs,
            more: None,
        })
    }

    /// Lists contested beliefs, at most `max`.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a `max` of 0.
    pub async fn contested(&self, query: &BeliefQuery, max: usize) -> Result<Beliefs, Error> {
        if max == 0 {
            return Err(Error::input("--max 0 lists nothing", "choose --max from 1"));
        }
        let reader = ClaimReader::open(self, query.agent).await?;
        let (store, limit) = (reader.store.as_ref(), max.saturating_add(1));
        let beliefs = all_contested(
            store,
            (reader.agent, &reader.scope),
            query.into(),
            limit,
            &reader.settings,
        );
        let mut beliefs = beliefs.await?;
        let more = Some(beliefs.len() > max);
        beliefs.truncate(max);
        Ok(Beliefs { beliefs, more })
    }

    /// Explains a belief: the units that decide it, and at most `max` of its last changes.
    ///
    /// # Errors
    /// As [`believe`](Self::believe).
    pub async fn why(
        &self,
        subject: &str,
        predicate: &str,
        query: &BeliefQuery,
        max: usize,
    ) -> Result<WhyBelief, Error> {
        let reader = ClaimReader::open(self, query.agent).await?;
        let line = reader.line(subject, predicate)?;
        let belief = reader.believe(line.clone(), query.into()).await?;
        let (store, known) = (reader.store.as_ref(), belief.question.as_of_us);
        let units = units_of_names(store, &line, known, &reader.settings).await?;
        let (changes, complete) = changes(&line, &units, belief.question, max, &reader.settings);
        let claims = belief.sides.iter().flat_map(|side| &side.claims);
        let deciding = claims.filter_map(|claim| {
            let unit = units.iter().find(|it| *it.reference() == claim.reference)?;
            let gate = why(unit.disposition(), unit.row(), unit.because());
            Some((unit.clone(), claim.clone(), gate))
        });
        let deciding = deciding.collect();
        Ok(WhyBelief {
            belief,
            deciding,
            changes,
            complete,
            units,
        })
    }

    /// Lists the claims of a line with their states, at most the newest `max`.
    ///
    /// # Errors
    /// As [`believe`](Self::believe).
    pub async fn line_history(
        &self,
        subject: &str,
        predicate: &str,
        query: &BeliefQuery,
        max: usize,
    ) -> Result<LineHistory, Error> {
        let reader = ClaimReader::open(self, query.agent).await?;
        let line = reader.line(subject, predicate)?;
        let settings = Arc::clone(&reader.settings);
        let all = reader
            .store
            .claim_history(line.clone(), query.into(), settings);
        let mut claims = all.await?;
        let count = claims.len();
        claims.drain(..count.saturating_sub(max));
        let as_of_us = query.as_of.unwrap_or(u64::MAX);
        let subject = reader
            .settings
            .aliases
            .main(&line.subject, as_of_us)
            .clone();
        let line = Line { subject, ..line };
        Ok(LineHistory {
            line,
            count,
            claims,
        })
    }

    /// Proves a belief: the document that `counterfoil-verify belief` checks without this store.
    ///
    /// Receipts continue the log of size `floor`, 0 for none; by default the floor in the anchors that were given out.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] where nothing was stated or too much, [`ErrorKind::Unproven`] where a unit is missing.
    pub async fn prove(
        &self,
        subject: &str,
        predicate: &str,
        query: &BeliefQuery,
        floor: Option<u64>,
    ) -> Result<Report, Error> {
        let reader = ClaimReader::open(self, query.agent).await?;
        let floor = floor::asked(self.home(), floor)?;
        if let Some(floor) = floor {
            floor.must_lie_in(reader.store.size().await?)?;
        }
        let (store, floor) = (reader.store.as_ref(), floor.map(floor::Asked::size));
        let (line, settings) = (
            reader.line(subject, predicate)?,
            Arc::clone(&reader.settings),
        );
        // Records about other agents are of no scope.
        let proven = match self.scope().is_empty() {
            true => prove_with_trust(store, line, query.into(), settings, floor).await,
            false => prove_belief(store, line, query.into(), settings, floor).await,
        };
        let (belief, document) = proven.map_err(failure)?;
        let contested = belief.status == BeliefStatus::Contested;
        let notice = "the belief is contested: the proof shows all sides".to_owned();
        Ok(Report::new(&document)?.noticed(contested.then_some(notice)))
    }

    /// Returns the local names of the agents whose claims are sides of a belief, as far as they have one.
    pub async fn names_in(&self, belief: &Belief) -> Vec<(DidKey, String)> {
        let sides = belief.sides.iter().chain(&belief.alternatives);
        let claims = sides.flat_map(|side| &side.claims);
        let peer = |claim: &SideClaim| match claim.provenance.class() {
            ProvenanceClass::Peer { agent, .. } => Some(agent),
            _ => None,
        };
        let keys: BTreeSet<DidKey> = claims.filter_map(peer).collect();
        if keys.is_empty() {
            return Vec::new();
        }
        // A belief can be shown without names.
        let Ok(records) = self.whole().trust_records().await else {
            return Vec::new();
        };
        let named = |key: DidKey| Some((key, records.of_key(&key)?.name?.to_string()));
        keys.into_iter().filter_map(named).collect()
    }
}

/// Party that has to act when there is no proof.
fn failure(error: ClaimMemoryError) -> Error {
    match error {
        ClaimMemoryError::Refused(refusal) => refusal.into(),
        error @ ClaimMemoryError::NoUnits => {
            Error::input(error, "ask about something that was stated")
        }
        error
        @ (ClaimMemoryError::TooManyUnits { .. } | ClaimMemoryError::ProofTooLarge { .. }) => {
            Error::new(ErrorKind::Input, error)
        }
        error @ ClaimMemoryError::SeveralNames { .. } => Error::unproven(
            error,
            "`counterfoil claim aliases` lists them; `counterfoil claim alias NAME --none` takes one back",
        ),
        error @ ClaimMemoryError::Apart { .. } => Error::unproven(
            error,
            "`counterfoil history SUBJECT PREDICATE` shows what was written",
        ),
        error @ ClaimMemoryError::UnitGone { .. } => Error::unproven(
            error,
            "bring it back with `counterfoil restore`, or ask as of a time before it",
        ),
        // Its text names the next step.
        error @ ClaimMemoryError::Forgotten => Error::new(ErrorKind::Unproven, error),
        ClaimMemoryError::Store(error) => error.into(),
        other => Error::new(ErrorKind::Place, other),
    }
}

/// Writes an entry of a history, with the name of its subject where that is not the main one.
pub(super) fn said_of(entry: &HistoryEntry, main: &Identifier) -> Value {
    let mut document = entry.to_json();
    let name = &entry.claim.line().subject;
    if let Some(members) = document.as_object_mut().filter(|_| name != main) {
        members.insert("saidOf".into(), name.as_str().into());
    }
    document
}

impl Serialize for Beliefs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let beliefs: Vec<Value> = self.beliefs.iter().map(Belief::to_json).collect();
        let document = object().with("beliefs", beliefs);
        document.with_some("more", self.more).serialize(serializer)
    }
}

impl Serialize for WhyBelief {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let deciding = self.deciding.iter().map(|(unit, _, gate)| {
            let mut document = unit_to_json(unit);
            if let Some(members) = document.as_object_mut() {
                members.insert("why".into(), gate.as_str().into());
            }
            document
        });
        let changes = self.changes.iter().map(BeliefChange::to_json);
        object()
            .with("belief", self.belief.to_json())
            .with("decidedBy", deciding.collect::<Vec<_>>())
            .with("changes", changes.collect::<Vec<_>>())
            .with("complete", self.complete)
            .serialize(serializer)
    }
}

impl Serialize for LineHistory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let claims = self
            .claims
            .iter()
            .map(|entry| said_of(entry, &self.line.subject));
        let claims: Vec<Value> = claims.collect();
        object()
            .with("agent", self.line.agent)
            .with("subject", self.line.subject.as_str())
            .with("predicate", self.line.predicate.as_str())
            .with("count", self.count)
            .with("claims", claims)
            .serialize(serializer)
    }
}
