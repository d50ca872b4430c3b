//! Capsules that are not accepted: not decidable yet, or refused (capsules 4.6, C10). Bounded, and the
//! only rows that are ever collected.

use std::collections::HashMap;

use counterfoil_store::StoreError;
use counterfoil_store::collect::HeldClass;
use counterfoil_types::Blake3Hash;
use rusqlite::{Connection, Row, params};

use crate::error::from_sqlite;
use crate::statement::Statements;

/// The most that is held of a class: rows, and bytes of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
}

/// Share of the waiting room that one source or one agent may fill: a quarter.
const PART: u64 = 4;
/// Room for documents of each version or kind that this program does not know: 8 MiB.
const UNREAD_PART: u64 = 32;
/// Version of the program that judges: unknown documents are judged again only by another version.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// Limit of rows and bytes (D57).
const fn limit(class: HeldClass) -> Limit {
    match class {
        HeldClass::Pending => Limit {
            rows: 100_000,
            bytes: 256 << 20,
        },
        HeldClass::Quarantine => Limit {
            rows: 5_000,
            bytes: 32 << 20,
        },
    }
}

/// The class of this name in the table, which has no others.
pub(crate) fn class_named(name: &str) -> HeldClass {
    match name {
        "pending" => HeldClass::Pending,
        _ => HeldClass::Quarantine,
    }
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
    pub(crate) place: Option<HeldPlace>,
    pub(crate) document: String,
    pub(crate) code: String,
    pub(crate) source: String,
    pub(crate) at: u64,
}

/// Place that the document claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeldPlace {
    pub(crate) agent: String,
    pub(crate) chain: [u8; 16],
    pub(crate) seq: u64,
}

/// Number of rows and bytes, and their limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Share {
    limit: Limit,
    rows: u64,
    bytes: u64,
}

impl Share {
    fn read(
        connection: &Connection,
        limit: Limit,
        filter: &str,
        values: impl rusqlite::Params,
    ) -> Result<Self, StoreError> {
        let sql = format!(
            "SELECT count(*), coalesce(sum(octet_length(document)), 0) FROM held WHERE {filter}"
        );
        let (rows, bytes) = connection.get(&sql, values)?;
        Ok(Self { limit, rows, bytes })
    }

    /// With one more of so many bytes, if that fits.
    fn with(self, bytes: u64) -> Option<Self> {
        let (rows, bytes) = (self.rows + 1, self.bytes.saturating_add(bytes));
        let fits = rows <= self.limit.rows && bytes <= self.limit.bytes;
        fits.then_some(Self {
            rows,
            bytes,
            ..self
        })
    }
}

/// Room of a class. Of the waiting room, one source and one agent get a part each, so that
/// none fills the room of all; and documents that need no signature get a small part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Room {
    class: HeldClass,
    whole: Share,
    shares: HashMap<String, Share>,
}

impl Room {
    pub(crate) fn of(connection: &Connection, class: HeldClass) -> Result<Self, StoreError> {
        let whole = Share::read(connection, limit(class), "class = ?1", [class.name()])?;
        Ok(Self {
            class,
            whole,
            shares: HashMap::new(),
        })
    }

    /// Takes a place for a document, if there is one.
    pub(crate) fn take(
        &mut self,
        connection: &Connection,
        held: &HeldDocument,
    ) -> Result<bool, StoreError> {
        let bytes = u64::try_from(held.document.len()).unwrap_or(u64::MAX);
        let Some(whole) = self.whole.with(bytes) else {
            return Ok(false);
        };
        let mut taken = Vec::new();
        for (name, share) in self.shares_of(connection, held)? {
            let Some(share) = share.with(bytes) else {
                return Ok(false);
            };
            taken.push((name, share));
        }
        self.whole = whole;
        self.shares.extend(taken);
        Ok(true)
    }

    fn shares_of(
        &self,
        connection: &Connection,
        held: &HeldDocument,
    ) -> Result<Vec<(String, Share)>, StoreError> {
        if self.class == HeldClass::Quarantine {
            return Ok(Vec::new());
        }
        let limit = part(self.whole.limit, PART);
        let mut shares = Vec::new();
        let mut share = |name: String, limit, filter, value: &str| -> Result<(), StoreError> {
            let known = self.shares.get(&name).copied();
            let known = known.map_or_else(|| Share::read(connection, limit, filter, [value]), Ok);
            shares.push((name, known?));
            Ok(())
        };
        let name = format!("source {}", held.source);
        let filter = "class = 'pending' AND source = ?1";
        share(name, limit, filter, &held.source)?;
        match (&held.place, held.code.as_str()) {
            // Anyone may have written it, so it counts for nobody.
            (_, code @ ("unknown_version" | "unknown_kind" | "unknown")) => {
                let limit = part(self.whole.limit, UNREAD_PART);
                let filter = "class = 'pending' AND code = ?1";
                share(format!("code {code}"), limit, filter, code)?;
            }
            (_, code @ "missing_key") => {
                let filter = "class = 'pending' AND code = ?1";
                share(format!("code {code}"), limit, filter, code)?;
            }
            (Some(place), _) => {
                let filter = "class = 'pending' AND agent = ?1 AND code <> 'missing_key'";
                share(
                    format!("agent {}", place.agent),
                    limit,
                    filter,
                    &place.agent,
                )?;
            }
            (None, _) => {}
        }
        Ok(shares)
    }
}

const fn part(limit: Limit, of: u64) -> Limit {
    Limit {
        rows: limit.rows / of,
        bytes: limit.bytes / of,
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
            place.map(|place| &place.agent),
            place.map(|place| place.chain),
            place.map(|place| place.seq),
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

/// Hashes of documents that wait at a place of a chain.
pub(crate) fn at_place(
    connection: &Connection,
    chain: &[u8; 16],
    seq: u64,
) -> Result<Vec<[u8; 32]>, StoreError> {
    select(
        connection,
        "class = 'pending' AND chain = ?1 AND seq = ?2",
        params![chain, seq],
    )
}

/// Hashes of an agent's documents that wait for the same thing.
pub(crate) fn of_agent(
    connection: &Connection,
    agent: &str,
    code: &str,
) -> Result<Vec<[u8; 32]>, StoreError> {
    select(
        connection,
        "class = 'pending' AND code = ?2 AND agent = ?1",
        params![agent, code],
    )
}

/// Hashes of a chain's documents that wait for the same thing.
pub(crate) fn of_chain(
    connection: &Connection,
    chain: &[u8; 16],
    code: &str,
) -> Result<Vec<[u8; 32]>, StoreError> {
    select(
        connection,
        "class = 'pending' AND code = ?2 AND chain = ?1",
        params![chain, code],
    )
}

/// Hashes of waiting documents of one capsule.
pub(crate) fn of_capsule(
    connection: &Connection,
    capsule: Blake3Hash,
) -> Result<Vec<[u8; 32]>, StoreError> {
    select(
        connection,
        "class = 'pending' AND capsule = ?1",
        params![capsule.as_bytes()],
    )
}

/// Hashes of documents that may be decidable by now for another reason than an arrival: the time has come, the program
/// was updated, or an import ended between a parent and its children. At most `most`, beginning at
/// `from`: where there are more, another time another part of them has its turn.
pub(crate) fn ripe(
    connection: &Connection,
    from: &[u8; 32],
    most: usize,
) -> Result<Vec<[u8; 32]>, StoreError> {
    connection
        .prepare_cached(
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
        )
        .and_then(|mut statement| {
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            statement
                .query_map(params![PROGRAM, from, most], |row| row.get(0))?
                .collect()
        })
        .map_err(from_sqlite)
}

/// Returns a waiting document, if it still waits.
pub(crate) fn waiting(
    connection: &Connection,
    hash: &[u8; 32],
) -> Result<Option<HeldDocument>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM held WHERE hash = ?1 AND class = 'pending'");
    connection.find_with(&sql, [hash], held)
}

const COLUMNS: &str = "hash, class, agent, chain, seq, document, code, source, at, capsule";

/// The hashes of what waits: documents are read one by one.
fn select(
    connection: &Connection,
    filter: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<[u8; 32]>, StoreError> {
    let sql = format!(
        "SELECT hash FROM held WHERE {filter}
         ORDER BY code = 'missing_parent' DESC, chain, seq LIMIT 10000"
    );
    connection.list(&sql, values)
}

fn held(row: &Row<'_>) -> rusqlite::Result<HeldDocument> {
    let agent: Option<String> = row.get(2)?;
    let (chain, seq): (Option<[u8; 16]>, Option<u64>) = (row.get(3)?, row.get(4)?);
    let place = agent.zip(chain).zip(seq);
    let place = place.map(|((agent, chain), seq)| HeldPlace { agent, chain, seq });
    Ok(HeldDocument {
        hash: row.get(0)?,
        class: class_named(&row.get::<_, String>(1)?),
        place,
        document: row.get(5)?,
        code: row.get(6)?,
        source: row.get(7)?,
        at: row.get(8)?,
        capsule: row
            .get::<_, Option<[u8; 32]>>(9)?
            .map(Blake3Hash::from_bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_takes_so_many_rows_and_bytes_and_no_more() {
        let limit = Limit {
            rows: 3,
            bytes: 100,
        };
        let empty = Share {
            limit,
            rows: 0,
            bytes: 0,
        };
        let share = empty.with(60).unwrap();
        assert_eq!(share.with(60), None);
        let full = share.with(40).and_then(|share| share.with(0)).unwrap();
        assert_eq!(full.with(0), None);
    }

    fn waits(source: &str, agent: &str, code: &str) -> HeldDocument {
        HeldDocument {
            hash: [0; 32],
            capsule: None,
            class: HeldClass::Pending,
            place: Some(HeldPlace {
                agent: agent.to_owned(),
                chain: [0; 16],
                seq: 1,
            }),
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
