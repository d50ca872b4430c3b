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
use rusqlite::{Connection, params};

use crate::SqliteStore;
use crate::keys::key_chain;
use crate::statement::Statements;

/// The most events that one read gives.
const MAX_READ: u64 = 10_000;

/// Maximum number of new events of one kind that one source may cause in a minute: junk, which needs no signature,
/// must not hide that an agent has signed two capsules for one place.
const PER_MINUTE: u64 = 100;
/// A minute, in microseconds.
const MINUTE: u64 = 60_000_000;

/// Detector, time and randomness of an event.
pub(crate) struct Observer<'a> {
    pub(crate) detector: DidKey,
    pub(crate) now_micros: u64,
    pub(crate) entropy: &'a dyn Entropy,
}

impl SqliteStore {
    /// Events after the one numbered `after` (0: from the first), of one `kind` or of all, in the order in which they were
    /// written down, at most 10,000 at once. Of each its number, from 1; the number of sightings; and its document
    /// (`docs/format/events.md`).
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn events(
        &self,
        after: u64,
        kind: Option<ContradictionKind>,
    ) -> Result<Vec<(u64, u64, Value)>, StoreError> {
        let kind = kind.map(ContradictionKind::name);
        let rows: Vec<(u64, u64, String)> = self
            .read(move |connection| {
                connection.list(
                    "SELECT event.id, coalesce(count, 1), document
                     FROM event LEFT JOIN event_count USING (id)
                     WHERE event.id > ?1 AND (?2 IS NULL OR kind = ?2)
                     ORDER BY event.id LIMIT ?3",
                    params![after, kind, MAX_READ],
                )
            })
            .await?;
        let rows = rows.into_iter().map(|(number, count, document)| {
            let document = serde_json::from_str(&document).map_err(|error| {
                StoreError::corrupt(StoreLocation::entry("event", number), error)
            })?;
            Ok((number, count, document))
        });
        rows.collect()
    }

    /// Writes a contradiction down, unless it is known already: then it is counted. Whom it blames
    /// follows from its evidence and the keys that this log has. Logs a new one with `tracing`. None is made of a
    /// contradiction about an event, and what one source causes too often is counted in a summary.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be written.
    pub async fn observe(&self, detector: DidKey, seen: Observation) -> Result<(), StoreError> {
        self.unit(move |unit| {
            let options = unit.options().clone();
            let observer = Observer {
                detector,
                now_micros: unit.now_micros(),
                entropy: &*options.entropy,
            };
            observer.write(unit.connection(), seen)
        })
        .await
    }
}

impl Observer<'_> {
    /// Writes it down inside of the caller's transaction.
    pub(crate) fn write(
        &self,
        connection: &Connection,
        seen: Observation,
    ) -> Result<(), StoreError> {
        if seen.is_about_itself() || self.count(connection, seen.dedupe_key())? {
            return Ok(());
        }
        let recent: u64 = connection.get(
            "SELECT count(*) FROM event
                 WHERE source = ?1 AND at > ?2 AND kind = ?3",
            params![
                seen.source.key(),
                self.now_micros.saturating_sub(MINUTE),
                seen.kind.name()
            ],
        )?;
        if recent < PER_MINUTE {
            return self.insert(connection, seen);
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
        if !self.count(connection, summary.dedupe_key())? {
            self.insert(connection, summary)?;
        }
        Ok(())
    }

    /// One more of an event that is there.
    fn count(&self, connection: &Connection, dedupe: Blake3Hash) -> Result<bool, StoreError> {
        let counted = connection.change(
            "INSERT INTO event_count (id, count, last)
                 SELECT id, 2, ?2 FROM event WHERE dedupe = ?1
                 ON CONFLICT (id) DO UPDATE SET count = count + 1, last = excluded.last",
            params![dedupe.as_bytes(), self.now_micros],
        )?;
        Ok(counted > 0)
    }

    fn insert(&self, connection: &Connection, seen: Observation) -> Result<(), StoreError> {
        let (dedupe, source) = (seen.dedupe_key(), seen.source.key());
        let keys = keys(connection, &seen)?;
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
        let event = Contradiction::new(seen, id, by, &keys).map_err(|error| {
            StoreError::Bug(match error {
                CapsuleError::AboutContradiction => "an event about an event",
                _ => "an event that has no document",
            })
        })?;
        let document = json::canonical(&event.to_value())
            .map_err(|_| StoreError::Bug("an event without a canonical form"))?;
        connection.run(
            "INSERT INTO event (dedupe, at, kind, source, document)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                dedupe.as_bytes(),
                self.now_micros,
                event.observation().kind.name(),
                source,
                document,
            ],
        )?;
        announce(&event, &source);
        Ok(())
    }
}

/// The keys of whom it is about, where its evidence is signed after a rotation.
fn keys(
    connection: &Connection,
    seen: &Observation,
) -> Result<BTreeMap<DidKey, Vec<DidKey>>, StoreError> {
    let mut shown = seen.evidence.iter().filter_map(Evidence::capsule);
    let rotated = shown.any(|capsule| capsule.header().key_number() > 0);
    let known = match seen.subject.capsule() {
        Some(named) if rotated => key_chain(connection, &named.agent)?,
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
