//! Audits what no tree covers: branches, events, what is held, and the stubs' receipts (C8, C9, C10).

use counterfoil_capsule::dangerous::check_signature;
use counterfoil_capsule::documents::{ArchiveReceipt, Contradiction};
use counterfoil_capsule::{AgentKeys, CapsuleDocument, Header, Kind, RecordKind, Verdict, key_of};
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::json::{Limits, parse};
use counterfoil_verifier::merkle;
use rusqlite::{Connection, Row};

use super::report::Findings;
use crate::error::at;
use crate::rows;
use crate::validate::agent_keys;

pub(super) fn examine(connection: &Connection, findings: &mut Findings) -> Result<(), StoreError> {
    let keys = agent_keys(connection)?;
    for (table, sql) in [FORKS, HELD, EVENTS] {
        if connection.prepare(sql).is_err() {
            findings.add(table, None, "its rows cannot be read");
            return Ok(());
        }
    }
    each(connection, FORKS, Placed::of, &mut |row| {
        if let Some(detail) = of_fork(&row, &keys) {
            findings.add("fork", None, detail);
        }
    })?;
    each(connection, HELD, Placed::of, &mut |row| {
        if let Some(detail) = of_held(&row) {
            findings.add("held", None, detail);
        }
    })?;
    each(connection, EVENTS, Event::of, &mut |row| {
        if let Some(detail) = of_event(&row, &keys) {
            findings.add("event", u64::try_from(row.id).ok(), detail);
        }
    })?;
    of_stubs(connection, findings)
}

const FORKS: (&str, &str) = (
    "fork",
    "SELECT rowid, hash, hash, agent, chain, seq, document, '', previous
     FROM fork ORDER BY rowid",
);
const HELD: (&str, &str) = (
    "held",
    "SELECT rowid, hash, capsule, agent, chain, seq, document, class, NULL
     FROM held ORDER BY rowid",
);
const EVENTS: (&str, &str) = (
    "event",
    "SELECT id, dedupe, kind, source, document FROM event ORDER BY id",
);

/// One row after the other, so that a table of any size is read in little memory.
fn each<T>(
    connection: &Connection,
    (table, sql): (&'static str, &str),
    of: fn(&Row<'_>) -> rusqlite::Result<T>,
    take: &mut dyn FnMut(T),
) -> Result<(), StoreError> {
    let mut read = || -> rusqlite::Result<()> {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(of(row)?);
        }
        Ok(())
    };
    read().map_err(at(StoreLocation::table(table)))
}

/// A row that names the place of a capsule beside its document.
struct Placed {
    number: i64,
    hash: Vec<u8>,
    capsule: Option<Vec<u8>>,
    agent: Option<String>,
    chain: Option<Vec<u8>>,
    seq: Option<i64>,
    document: String,
    class: String,
    previous: Option<Vec<u8>>,
}

impl Placed {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: row.get(0)?,
            hash: row.get(1)?,
            capsule: row.get(2)?,
            agent: row.get(3)?,
            chain: row.get(4)?,
            seq: row.get(5)?,
            document: row.get(6)?,
            class: row.get(7)?,
            previous: row.get(8)?,
        })
    }

    /// Tests whether the columns say what the header says.
    fn is_of(&self, header: &Header) -> bool {
        self.capsule.as_deref() == Some(header.hash().as_bytes().as_slice())
            && self.agent.as_deref() == Some(header.agent().to_string().as_str())
            && self.chain.as_deref() == Some(header.chain().as_bytes().as_slice())
            && self.seq.and_then(|seq| u64::try_from(seq).ok()) == Some(header.seq())
    }
}

fn of_fork(row: &Placed, keys: &impl AgentKeys) -> Option<String> {
    let detail = |what: &str| Some(format!("row {}: {what}", row.number));
    let Ok(document) = CapsuleDocument::parse(row.document.as_bytes()) else {
        return detail("the branch is no capsule any more");
    };
    let header = document.header();
    let previous = header.previous().map(|hash| hash.as_bytes().to_vec());
    if !row.is_of(header) || row.previous != previous {
        return detail("the columns are not those of the capsule");
    }
    let entry = document
        .entry()
        .map(|entry| entry.to_text())
        .unwrap_or_default();
    let signature = document.signature().map(<[u8; 64]>::as_slice);
    let key = key_of(header, keys);
    match check_signature(key.as_ref(), entry.as_bytes(), signature) {
        Some(found @ Verdict::Invalid { .. }) => detail(&found.to_string()),
        _ => None,
    }
}

fn of_held(row: &Placed) -> Option<String> {
    let detail = |what: &str| Some(format!("row {}: {what}", row.number));
    let same = *merkle::leaf_hash(row.document.as_bytes()).as_bytes() == *row.hash;
    if row.capsule.is_none() {
        // Of what is refused only the beginning is kept.
        let whole = row.class == "pending";
        return detail("the document is not what came in").filter(|_| whole && !same);
    }
    let Ok(document) = CapsuleDocument::parse(row.document.as_bytes()) else {
        return detail("what is held is no capsule any more");
    };
    if !row.is_of(document.header()) {
        return detail("the columns are not those of the capsule");
    }
    // What is refused is kept without bodies, and an erasure takes those of what waits.
    let mutated = document.header().previous().is_some();
    let whole = document.payload().is_some() && (!mutated || document.delta().is_some());
    detail("the document is not what came in").filter(|_| whole && !same)
}

struct Event {
    id: i64,
    dedupe: Vec<u8>,
    kind: String,
    source: String,
    document: String,
}

impl Event {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            dedupe: row.get(1)?,
            kind: row.get(2)?,
            source: row.get(3)?,
            document: row.get(4)?,
        })
    }
}

fn of_event(row: &Event, keys: &impl AgentKeys) -> Option<String> {
    let Ok(value) = parse(row.document.as_bytes(), Limits::CONTENT) else {
        return Some("the document cannot be read".to_owned());
    };
    let event = match Contradiction::parse(&value, keys) {
        Ok(event) => event,
        Err(error) => return Some(format!("the document is no event any more: {error}")),
    };
    let seen = event.observation();
    let same = *seen.dedupe_key().as_bytes() == *row.dedupe
        && seen.kind.name() == row.kind
        && seen.source.key() == row.source;
    (!same).then(|| "the columns are not those of the document".to_owned())
}

/// A stub has to be among what its receipt says was moved: in its range, and not more than its number.
fn of_stubs(connection: &Connection, findings: &mut Findings) -> Result<(), StoreError> {
    let sql = "SELECT receipt, min(idx), max(idx), count(*) FROM stub GROUP BY receipt";
    let mut moved: Vec<(u64, u64, u64, u64)> = Vec::new();
    each(
        connection,
        ("stub", sql),
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        &mut |row| moved.push(row),
    )?;
    for (receipt, first, last, number) in moved {
        let stored = findings.damage(rows::capsule(connection, receipt));
        let Ok(Some(Some(stored))) = stored else {
            // Archived itself, or damaged: that is told elsewhere.
            continue;
        };
        let payload = stored.payload.as_ref().map(|payload| payload.text.as_str());
        let document = payload.and_then(|text| parse(text.as_bytes(), Limits::CONTENT).ok());
        let document = document.and_then(|document| ArchiveReceipt::parse(&document).ok());
        let Some(document) =
            document.filter(|_| stored.header.kind() == Kind::Record(RecordKind::ArchiveReceipt))
        else {
            findings.add("stub", Some(first), "what it names is no receipt");
            continue;
        };
        let within = |entries: counterfoil_capsule::documents::Entries| {
            entries.from <= first && last <= entries.to
        };
        if number > document.count || !document.entries.is_none_or(within) {
            let detail = "its receipt names other entries";
            findings.add("stub", Some(first), detail);
        }
    }
    Ok(())
}
