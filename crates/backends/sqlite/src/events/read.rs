//! Reads the events, from the first or from where a reader stopped.

use counterfoil_capsule::documents::ContradictionKind;
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::json::Value;
use rusqlite::params;

use crate::SqliteStore;
use crate::statement::Statements;

/// The most events that one read gives.
const MAX_READ: u64 = 10_000;

/// An event as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
    /// Its number here, from 1, in the order in which they were written down.
    pub number: u64,
    /// Number of sightings.
    pub count: u64,
    /// Time of the last sighting, in microseconds since 1970.
    pub last: u64,
    /// The document (`docs/format/events.md`).
    pub document: Value,
}

impl SqliteStore {
    /// Events after the one numbered `after` (0: from the first), of one `kind` or of all, in the order in which they were
    /// written down, at most 10,000 at once.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn events(
        &self,
        after: u64,
        kind: Option<ContradictionKind>,
    ) -> Result<Vec<EventRow>, StoreError> {
        let kind = kind.map(ContradictionKind::name);
        let rows: Vec<(u64, u64, u64, String)> = self
            .read(move |connection| {
                connection.list(
                    "SELECT event.id, coalesce(count, 1), coalesce(last, at), document
                     FROM event LEFT JOIN event_count USING (id)
                     WHERE event.id > ?1 AND (?2 IS NULL OR kind = ?2)
                     ORDER BY event.id LIMIT ?3",
                    params![after, kind, MAX_READ],
                )
            })
            .await?;
        let event = |(number, count, last, document): (u64, u64, u64, String)| {
            let document = serde_json::from_str(&document).map_err(|error| {
                StoreError::corrupt(StoreLocation::entry("event", number), error)
            })?;
            Ok(EventRow {
                number,
                count,
                last,
                document,
            })
        };
        rows.into_iter().map(event).collect()
    }
}
