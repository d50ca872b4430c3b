//! Capsules that are not accepted: not decidable yet, or refused (capsules 4.6, C10). Bounded, and the
//! only rows that are ever collected.

use std::collections::HashMap;

use counterfoil_store::StoreError;
use counterfoil_store::collect::HeldClass;
use counterfoil_types::Blake3Hash;
use rusqlite::{Connection, params};

use crate::statement::Statements;

/// Number of rows, and bytes of their documents.
type Share = (u64, u64);

/// Share of the waiting room that one source or one agent may fill: a quarter.
const PART: u64 = 4;
/// Room for documents of each version or kind that this program does not know: 8 MiB.
const UNREAD_PART: u64 = 32;
/// Version of the program that judges: unknown documents are judged again only by another version.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// The most that is held of a class (D57).
const fn limit(class: HeldClass) -> Share {
    match class {
        HeldClass::Pending => (100_000, 256 << 20),
        HeldClass::Quarantine => (5_000, 32 << 20),
    }
}

/// The share with one more row of so many bytes, if that is within `limit`.
const fn with((rows, all): Share, bytes: u64, limit: Share) -> Option<Share> {
    let share = (rows + 1, all.saturating_add(bytes));
    if share.0 <= limit.0 && share.1 <= limit.1 {
        Some(share)
    } else {
        None
    }
}

/// The class of this name in the table, which has no others.
pub(crate) fn class_named(name: &str) -> HeldClass {
    name.parse().unwrap_or(HeldClass::Quarantine)
}

/// A capsule that waits, or a refused document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeldDocument {
    /// The hash of the received document: one that is refused for its body or its signature must
    /// not stand in the way of the same capsule unharmed.
    pub(crate) hash: [u8; 32],
    /// The capsule's own hash, where it has one.
    pub(crate) capsule: Option<Blake3Hash>,
    pub(crate) class: HeldClass,
    /// Agent, chain and number that the document claims.
    pub(crate) place: Option<(String, [u8; 16], u64)>,
    pub(crate) document: String,
    pub(crate) code: String,
    pub(crate) source: String,
    pub(crate) at: u64,
}

/// Room of a class. Of the waiting room, one source and one agent get a part each, so that
/// none fills the room of all; and documents that need no signature get a small part.
pub(crate) struct Room {
    class: HeldClass,
    /// Shares by filter and value.
    shares: HashMap<(&'static str, String), Share>,
}

impl Room {
    pub(crate) fn of(connection: &Connection, class: HeldClass) -> Result<Self, StoreError> {
        let mut room = Self {
            class,
            shares: HashMap::new(),
        };
        let all = ("class = ?1", class.name().to_owned());
        let share = room.share(connection, &all)?;
        room.shares.insert(all, share);
        Ok(room)
    }

    fn share(
        &self,
        connection: &Connection,
        key: &(&'static str, String),
    ) -> Result<Share, StoreError> {
        if let Some(share) = self.shares.get(key) {
            return Ok(*share);
        }
        let sql = format!(
            "SELECT count(*), coalesce(sum(octet_length(document)), 0) FROM held WHERE {}",
            key.0
        );
        connection.get(&sql, [&key.1])
    }

    /// Takes a place for a document, if there is one.
    pub(crate) fn take(
        &mut self,
        connection: &Connection,
        held: &HeldDocument,
    ) -> Result<bool, StoreError> {
        let whole = limit(self.class);
        let part = |of| (whole.0 / of, whole.1 / of);
        let mut needed = vec![("class = ?1", self.class.name(), whole)];
        if self.class == HeldClass::Pending {
            let of_source = "class = 'pending' AND source = ?1";
            needed.push((of_source, &held.source, part(PART)));
            let of_code = "class = 'pending' AND code = ?1";
            let of_agent = "class = 'pending' AND agent = ?1 AND code <> 'missing_key'";
            match (&held.place, held.code.as_str()) {
                // Anyone may have written it, so it counts for nobody.
                (_, code @ ("unknown_version" | "unknown_kind" | "unknown")) => {
                    needed.push((of_code, code, part(UNREAD_PART)));
                }
                (_, code @ "missing_key") => needed.push((of_code, code, part(PART))),
                (Some((agent, ..)), _) => needed.push((of_agent, agent, part(PART))),
                (None, _) => {}
            }
        }
        let bytes = u64::try_from(held.document.len()).unwrap_or(u64::MAX);
        let mut taken = Vec::new();
        for (filter, value, limit) in needed {
            let key = (filter, value.to_owned());
            let Some(share) = with(self.share(connection, &key)?, bytes, limit) else {
                return Ok(false);
            };
            taken.push((key, share));
        }
        self.shares.extend(taken);
        Ok(true)
    }
}

/// Holds a document. One that is held already keeps its bytes and gets the new code.
pub(crate) fn insert(connection: &Connection, held: &HeldDocument) -> Result<(), StoreError> {
    let place = held.place.as_ref();
    connection.run(
        "INSERT INTO held
                 (hash, class, agent, chain, seq, document, code, source, at, capsule, program)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
             ON CONFLICT (hash) DO UPDATE
             SET class = excluded.class, code = excluded.code, program = excluded.program
             WHERE class <> excluded.class OR code <> excluded.code
                OR program <> excluded.program",
        params![
            held.hash,
            held.class.name(),
            place.map(|(agent, ..)| agent),
            place.map(|(_, chain, _)| chain),
            place.map(|(.., seq)| seq),
            held.document,
            held.code,
            held.source,
            held.at,
            held.capsule.map(|hash| *hash.as_bytes()),
            PROGRAM,
        ],
    )
}

/// Returns the class of the document under a hash.
pub(crate) fn class_of(
    connection: &Connection,
    hash: &[u8; 32],
) -> Result<Option<HeldClass>, StoreError> {
    connection
        .find("SELECT class FROM held WHERE hash = ?1", [hash])
        .map(|class: Option<String>| class.as_deref().map(class_named))
}

/// Removes a capsule that was accepted, or that is kept with the forks.
pub(crate) fn release(connection: &Connection, capsule: Blake3Hash) -> Result<(), StoreError> {
    connection.run("DELETE FROM held WHERE capsule = ?1", [capsule.as_bytes()])
}

/// Hashes of waiting documents: they are read one by one.
pub(crate) fn waiting_with(
    connection: &Connection,
    filter: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<[u8; 32]>, StoreError> {
    let sql = format!(
        "SELECT hash FROM held WHERE class = 'pending' AND {filter}
         ORDER BY code = 'missing_parent' DESC, chain, seq LIMIT 10000"
    );
    connection.list(&sql, values)
}

/// Hashes of documents that may be decidable by now for another reason than an arrival: the time has come, the program
/// was updated, or an import ended between a parent and its children. At most `most`, beginning at
/// `from`: where there are more, another time another part of them has its turn.
pub(crate) fn ripe(
    connection: &Connection,
    from: &[u8; 32],
    most: usize,
) -> Result<Vec<[u8; 32]>, StoreError> {
    connection.list(
        "SELECT hash FROM (
             SELECT hash, code, chain, seq FROM held WHERE class = 'pending' AND (
                 code IN ('future_timestamp', 'body_erased')
                 OR (code IN ('unknown_version', 'unknown_kind') AND program <> ?1)
                 OR (code = 'missing_key'
                     AND EXISTS (SELECT 1 FROM key WHERE key.agent = held.agent))
                 OR (code = 'missing_key' AND agent IS NULL)
                 OR (code = 'forked'
                     AND EXISTS (SELECT 1 FROM resolution
                                 WHERE resolution.chain = held.chain))
                 OR EXISTS (SELECT 1 FROM chain
                            WHERE chain.chain = held.chain AND chain.seq = held.seq - 1))
             ORDER BY hash < ?2, hash LIMIT ?3)
         ORDER BY code = 'missing_parent' DESC, chain, seq",
        params![PROGRAM, from, i64::try_from(most).unwrap_or(i64::MAX)],
    )
}

/// Returns a waiting document, if it still waits.
pub(crate) fn waiting(
    connection: &Connection,
    hash: &[u8; 32],
) -> Result<Option<HeldDocument>, StoreError> {
    connection.find_with(
        "SELECT hash, class, agent, chain, seq, document, code, source, at, capsule FROM held
         WHERE hash = ?1 AND class = 'pending'",
        [hash],
        |row| {
            let agent: Option<String> = row.get(2)?;
            let (chain, seq): (Option<[u8; 16]>, Option<u64>) = (row.get(3)?, row.get(4)?);
            let place = agent.zip(chain).zip(seq);
            let capsule: Option<[u8; 32]> = row.get(9)?;
            Ok(HeldDocument {
                hash: row.get(0)?,
                class: class_named(&row.get::<_, String>(1)?),
                place: place.map(|((agent, chain), seq)| (agent, chain, seq)),
                document: row.get(5)?,
                code: row.get(6)?,
                source: row.get(7)?,
                at: row.get(8)?,
                capsule: capsule.map(Blake3Hash::from_bytes),
            })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_takes_so_many_rows_and_bytes_and_no_more() {
        let limit = (3, 100);
        let share = with((0, 0), 60, limit).unwrap();
        assert_eq!(with(share, 41, limit), None);
        let full = with(share, 40, limit).and_then(|share| with(share, 0, limit));
        assert_eq!(full, Some((3, 100)));
        assert_eq!(with((3, 0), 0, limit), None);
    }

    fn waits(source: &str, agent: &str, code: &str) -> HeldDocument {
        HeldDocument {
            hash: [0; 32],
            capsule: None,
            class: HeldClass::Pending,
            place: Some((agent.to_owned(), [0; 16], 1)),
            document: "x".repeat(1 << 20),
            code: code.to_owned(),
            source: source.to_owned(),
            at: 0,
        }
    }

    /// 256 MiB are for all: 64 for a source, 64 for an agent, 8 for what cannot be read.
    #[test]
    fn nobody_fills_the_room_of_all() {
        let mut connection = Connection::open_in_memory().unwrap();
        crate::schema::create(&mut connection).unwrap();
        let mut room = Room::of(&connection, HeldClass::Pending).unwrap();
        let mut fill = |source: &str, agent: &str, code: &str| {
            let held = waits(source, agent, code);
            let take = |_: &u64| room.take(&connection, &held).unwrap();
            (0..300).take_while(take).count()
        };
        assert_eq!(fill("one", "a", "unknown_version"), 8);
        assert_eq!(fill("one", "a", "missing_key"), 56);
        assert_eq!(fill("one", "b", "missing_parent"), 0, "its source is full");
        assert_eq!(
            fill("two", "a", "missing_parent"),
            64,
            "nobody signed for a"
        );
        assert_eq!(fill("three", "a", "missing_parent"), 0);
        assert_eq!(fill("three", "b", "missing_parent"), 64);
        assert_eq!(fill("four", "c", "missing_parent"), 64);
        assert_eq!(fill("five", "d", "missing_parent"), 0, "all of it is full");
    }
}
