//! Contradictions that were seen here: written once, counted after that, never changed (capsules 4.8).
//!
//! An event is a local observation and no part of the log. It blames an agent only when its evidence
//! verifies with that agent's keys, which are read here and never given by a caller; otherwise it
//! names who sent it.

use std::collections::BTreeMap;

use counterfoil_capsule::documents::{
    Contradiction, ContradictionKind, Evidence, Observation, Observed, Suspect,
};
use counterfoil_capsule::{CapsuleError, CapsuleId, Timestamp};
use counterfoil_store::{Entropy, StoreError, StoreLocation};
use counterfoil_types::json::{self, Value};
use counterfoil_types::{Blake3Hash, DidKey};

use crate::entries::Sides;
use crate::journal;
use crate::keys::key_chain;
use crate::port::rows::{EventCountRow, EventRow};
use crate::port::{Row, Select, Txn};

/// Maximum number of events that one read returns.
const MAX_READ: u64 = 10_000;
/// Maximum number of new events of one kind that one source may cause in a minute: junk, which needs no signature,
/// must not hide that an agent has signed two capsules for one place.
const PER_MINUTE: u64 = 100;
/// A minute, in microseconds.
const MINUTE: u64 = 60_000_000;

/// Returns number, number of sightings, and document of the events after the one numbered `after`.
pub(crate) fn list(
    txn: &dyn Txn,
    after: u64,
    kind: Option<ContradictionKind>,
) -> Result<Vec<(u64, u64, Value)>, StoreError> {
    let mut select = Select::of::<EventRow>().from("id", after.saturating_add(1));
    if let Some(kind) = kind {
        select = select.with("kind", kind.name());
    }
    read(txn, &select.first(MAX_READ))
}

fn read(txn: &dyn Txn, select: &Select) -> Result<Vec<(u64, u64, Value)>, StoreError> {
    let rows = txn.list::<EventRow>(select)?.into_iter();
    rows.map(|EventRow { id, document, .. }| {
        journal::check(
            txn,
            EventRow::TABLE.name,
            i64::try_from(id).unwrap_or(i64::MAX),
        )?;
        let count: Option<EventCountRow> = txn.find(&[&id])?;
        let document = serde_json::from_str(&document)
            .map_err(|error| StoreError::corrupt(StoreLocation::entry("event", id), error))?;
        Ok((id, count.map_or(1, |row| row.count), document))
    })
    .collect()
}

/// Detector, time and randomness of an event.
pub(crate) struct Observer<'a> {
    pub(crate) detector: DidKey,
    pub(crate) now_micros: u64,
    pub(crate) entropy: &'a dyn Entropy,
}

impl Observer<'_> {
    /// Writes it down inside of the caller's transaction.
    pub(crate) fn write(&self, txn: &dyn Txn, seen: Observation) -> Result<(), StoreError> {
        if seen.is_about_itself() || self.count(txn, seen.dedupe_key())? {
            return Ok(());
        }
        let recent = Select::of::<EventRow>()
            .with("source", seen.source.key())
            .with("kind", seen.kind.name())
            .from("at", self.now_micros.saturating_sub(MINUTE) + 1);
        if txn.measure(&recent, "kind")?.0 < PER_MINUTE {
            return self.insert(txn, seen);
        }
        // One event a source and minute says that there were more.
        let minute = self.now_micros / MINUTE;
        let window = Evidence::hash_of(format!("{} {minute}", seen.source.key()).as_bytes());
        let summary = Observation {
            kind: ContradictionKind::Summary,
            code: "RATE_LIMIT".to_owned(),
            subject: Suspect::Bytes {
                hash: window.hash(),
            },
            source: seen.source,
            expected: Some(Observed::Number(PER_MINUTE)),
            actual: None,
            evidence: vec![window],
        };
        match self.count(txn, summary.dedupe_key())? {
            true => Ok(()),
            false => self.insert(txn, summary),
        }
    }

    /// Counts one more sighting; `false` when there is no such event yet.
    fn count(&self, txn: &dyn Txn, dedupe: Blake3Hash) -> Result<bool, StoreError> {
        let known = Select::of::<EventRow>().with("dedupe", dedupe);
        let Some(id) = txn.column::<u64, 1>(known, &["id"])?.pop() else {
            return Ok(false);
        };
        let before: Option<EventCountRow> = txn.find(&[&id])?;
        let count = before.map_or(1, |row| row.count) + 1;
        let last = self.now_micros;
        txn.put(&EventCountRow { id, count, last }).map(|()| true)
    }

    /// Returns the document of a contradiction: that of its event, or a new one where its source had caused too many
    /// for one.
    pub(crate) fn document(&self, txn: &dyn Txn, seen: Observation) -> Result<Value, StoreError> {
        let known = Select::of::<EventRow>().with("dedupe", seen.dedupe_key());
        match read(txn, &known)?.pop() {
            Some((_, _, document)) => Ok(document),
            None => Ok(self.event(txn, seen)?.to_value()),
        }
    }

    /// Makes the event, with the agent that its evidence blames.
    fn event(&self, txn: &dyn Txn, seen: Observation) -> Result<Contradiction, StoreError> {
        let keys = keys(txn, &seen)?;
        let mut random = [0; 10];
        self.entropy
            .fill(&mut random)
            .map_err(|error| StoreError::Unavailable {
                doing: "drawing the id of an event",
                detail: error.to_string(),
            })?;
        let id = CapsuleId::from_parts(self.now_micros / 1000, random);
        let at = Timestamp::from_micros(self.now_micros).map_err(StoreError::ClockImplausible)?;
        let by = (self.detector, at);
        Contradiction::new(seen, id, by, &keys).map_err(|error| {
            StoreError::Bug(match error {
                CapsuleError::AboutContradiction => "an event about an event",
                _ => "an event that has no document",
            })
        })
    }

    fn insert(&self, txn: &dyn Txn, seen: Observation) -> Result<(), StoreError> {
        let (dedupe, source) = (seen.dedupe_key(), seen.source.key());
        let event = self.event(txn, seen)?;
        let document = json::canonical(&event.to_value())
            .map_err(|_| StoreError::Bug("an event without a canonical form"))?;
        let last = Select::of::<EventRow>().reversed().first(1);
        let last: Option<u64> = txn.column(last, &["id"])?.pop();
        let row = EventRow {
            id: last.unwrap_or_default() + 1,
            dedupe,
            at: self.now_micros,
            kind: event.observation().kind.name().to_owned(),
            source,
            document,
        };
        journal::add(txn, &row)?;
        announce(&event, &row.source);
        Ok(())
    }
}

/// The keys of the blamed agent, where its evidence is signed after a rotation.
fn keys(txn: &dyn Txn, seen: &Observation) -> Result<BTreeMap<DidKey, Vec<DidKey>>, StoreError> {
    let mut shown = seen.evidence.iter().filter_map(Evidence::capsule);
    let rotated = shown.any(|capsule| capsule.header().key_number() > 0);
    let known = match seen.subject.capsule() {
        Some(named) if rotated => key_chain(Sides::both(txn), &named.agent)?,
        _ => None,
    };
    Ok(known
        .map(|known| known.history.by_agent())
        .unwrap_or_default())
}

/// Logs the event. Nothing private: no payload, no evidence.
fn announce(event: &Contradiction, source: &str) {
    let seen = event.observation();
    let named = seen.subject.capsule();
    tracing::warn!(
        target: "counterfoil::contradiction",
        kind = seen.kind.name(),
        code = seen.code.as_str(),
        source,
        attributable = event.is_attributable(),
        agent = named.map(|it| tracing::field::display(it.agent)),
        chain = named.map(|it| tracing::field::display(it.chain)),
        seq = named.map(|it| it.seq),
        "contradiction"
    );
}
