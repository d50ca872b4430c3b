//! Writes events down: once each, at most 100 a minute from one source, then a summary (capsules 4.8).

use counterfoil_capsule::documents::{
    Contradiction, ContradictionKind, Detection, Evidence, Observation, Observed, Suspect,
};
use counterfoil_capsule::keys::KeyHistory;
use counterfoil_capsule::{CapsuleId, EvidenceError, Timestamp};
use counterfoil_store::{Entropy, StoreError};
use counterfoil_types::{Blake3Hash, DidKey, json};
use rusqlite::{Connection, params};

use crate::SqliteStore;
use crate::keys::key_chain;
use crate::statement::Statements;

/// Maximum number of new events of one kind that one source may cause in a minute: junk, which needs no signature,
/// must not hide that an agent has signed two capsules for one place.
const PER_MINUTE: u64 = 100;
/// A minute, in microseconds.
const MINUTE: u64 = 60_000_000;

/// Result of recording a contradiction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObserveReport {
    /// It is a new event.
    New,
    /// It was known; the event counts one more.
    Again,
    /// Its source has caused too many; a summary counts it.
    Summarised,
    /// It is about an event, and no event is made of that.
    Refused,
}

/// Detector, time and randomness of an event.
pub(crate) struct Observer<'a> {
    pub(crate) detector: DidKey,
    pub(crate) now_micros: u64,
    pub(crate) entropy: &'a dyn Entropy,
}

impl SqliteStore {
    /// Writes a contradiction down, unless it is known already: then it is counted. Whom it blames
    /// follows from its evidence and the keys that this log has. Says so to `tracing` when it is new.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn observe(
        &self,
        detector: DidKey,
        seen: Observation,
    ) -> Result<ObserveReport, StoreError> {
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
    ) -> Result<ObserveReport, StoreError> {
        if seen.is_about_itself() {
            return Ok(ObserveReport::Refused);
        }
        if self.count(connection, seen.dedupe_key())? {
            return Ok(ObserveReport::Again);
        }
        if self.recent(connection, &seen)? >= PER_MINUTE {
            self.summarise(connection, &seen)?;
            return Ok(ObserveReport::Summarised);
        }
        self.insert(connection, seen)?;
        Ok(ObserveReport::New)
    }

    /// One more of an event that is there.
    fn count(&self, connection: &Connection, dedupe: Blake3Hash) -> Result<bool, StoreError> {
        let counted = || -> Result<bool, StoreError> {
            let id: Option<i64> = connection.find(
                "SELECT id FROM event WHERE dedupe = ?1",
                [dedupe.as_bytes()],
            )?;
            let Some(id) = id else {
                return Ok(false);
            };
            connection.change(
                "INSERT INTO event_count (id, count, last) VALUES (?1, 2, ?2)
                     ON CONFLICT (id) DO UPDATE SET count = count + 1, last = excluded.last",
                params![id, self.now_micros],
            )?;
            Ok(true)
        };
        counted()
    }

    fn recent(&self, connection: &Connection, seen: &Observation) -> Result<u64, StoreError> {
        let source = seen.source.key();
        let since = self.now_micros.saturating_sub(MINUTE);
        connection.get(
            "SELECT count(*) FROM event
                 WHERE source = ?1 AND at > ?2 AND kind = ?3",
            params![source, since, seen.kind.name()],
        )
    }

    /// One event a source and minute says that there were more.
    fn summarise(
        &self,
        connection: &Connection,
        suppressed: &Observation,
    ) -> Result<(), StoreError> {
        let minute = self.now_micros / MINUTE;
        let window = Evidence::hash_of(format!("{} {minute}", suppressed.source.key()).as_bytes());
        let summary = Observation {
            kind: ContradictionKind::Summary,
            code: "RATE_LIMIT".to_owned(),
            subject: Suspect::Bytes {
                hash: window.hash(),
            },
            source: suppressed.source.clone(),
            expected: Some(Observed::Number(PER_MINUTE)),
            actual: None,
            evidence: vec![window],
        };
        if !self.count(connection, summary.dedupe_key())? {
            self.insert(connection, summary)?;
        }
        Ok(())
    }

    fn insert(&self, connection: &Connection, seen: Observation) -> Result<(), StoreError> {
        let (dedupe, source) = (seen.dedupe_key(), seen.source.key());
        let keys = keys(connection, &seen)?;
        let event = Contradiction::new(seen, self.detection()?, &keys).map_err(|error| {
            StoreError::Bug(match error {
                EvidenceError::AboutContradiction => "an event about an event",
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

    fn detection(&self) -> Result<Detection, StoreError> {
        let mut random = [0; 10];
        self.entropy
            .fill(&mut random)
            .map_err(|error| StoreError::Unavailable {
                doing: "drawing the id of an event",
                detail: error.to_string(),
            })?;
        Ok(Detection {
            id: CapsuleId::from_parts(self.now_micros / 1000, random),
            detector: self.detector,
            detected_at: Timestamp::from_micros(self.now_micros)
                .map_err(StoreError::ClockImplausible)?,
        })
    }
}

/// The keys of whom it is about, where its evidence is signed after a rotation.
fn keys(connection: &Connection, seen: &Observation) -> Result<Option<KeyHistory>, StoreError> {
    let mut shown = seen.evidence.iter().filter_map(Evidence::capsule);
    let rotated = shown.any(|capsule| capsule.header().key_number() > 0);
    let known = match seen.subject.capsule() {
        Some(named) if rotated => key_chain(connection, &named.agent)?,
        _ => None,
    };
    Ok(known.map(|known| known.history))
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
