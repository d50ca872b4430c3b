//! Audits capsules, bodies and tree nodes, entry by entry, in log order.

use std::collections::BTreeMap;
use std::thread;

use counterfoil_capsule::{
    BodyRef, ChainId, Check, Header, Link, StoredParts, Surroundings, Timestamp, Verdict,
    check_capsule,
};
use counterfoil_store::log::Frontier;
use counterfoil_store::{Place, StoreError, StoredCapsule};
use counterfoil_types::{DidKey, Sha256Hash};
use rusqlite::{Connection, Row};

use super::report::Findings;
use crate::error::{at, from_sqlite};
use crate::ledger::concatenated;
use crate::rows::{self, CAPSULE_COLUMNS};

/// How many entries are read before they are checked together.
const CHUNK: usize = 1024;
const THREADS: usize = 4;

/// The log as it follows from the capsules.
#[derive(Default)]
pub(super) struct Ground {
    pub(super) frontier: Frontier,
    pub(super) leaves: Vec<Sha256Hash>,
    /// How many entries were read, and what they say of agents and chains.
    read: u64,
    agents: BTreeMap<DidKey, Timestamp>,
    chains: BTreeMap<ChainId, u64>,
}

pub(super) fn examine(
    connection: &Connection,
    findings: &mut Findings,
) -> Result<Ground, StoreError> {
    let mut ground = Ground::default();
    let sql = format!(
        "SELECT {CAPSULE_COLUMNS}, hashes FROM capsule
         LEFT JOIN body USING (idx) LEFT JOIN log USING (idx) ORDER BY capsule.idx"
    );
    let mut statement = connection.prepare(&sql).map_err(from_sqlite)?;
    let mut rows = statement.query([]).map_err(from_sqlite)?;
    let mut chunk = Vec::with_capacity(CHUNK);
    while let Some(row) = rows.next().map_err(at(Place::table("capsule")))? {
        chunk.push(ground.read(connection, row, findings)?);
        if chunk.len() == CHUNK {
            ground.add(&chunk, findings);
            chunk.clear();
        }
    }
    ground.add(&chunk, findings);
    for table in ["capsule", "body", "log"] {
        require_rows(connection, table, ground.frontier.size(), findings)?;
    }
    Ok(ground)
}

/// An entry as it is stored, with what it is checked against.
struct Read {
    index: u64,
    stored: Option<StoredCapsule>,
    hashes: Option<Vec<u8>>,
    predecessor: Option<Header>,
    agent_before: Option<Timestamp>,
}

impl Ground {
    /// Reads an entry. Chains and agents go on with what it says.
    fn read(
        &mut self,
        connection: &Connection,
        row: &Row<'_>,
        findings: &mut Findings,
    ) -> Result<Read, StoreError> {
        let index = self.read;
        self.read += 1;
        let found: i64 = row.get(0).map_err(at(Place::entry("capsule", index)))?;
        if u64::try_from(found) != Ok(index) {
            findings.add(
                "capsule",
                Some(index),
                format!("entry {found} stands in its place"),
            );
        }
        let mut read = Read {
            index,
            hashes: row.get(9).map_err(at(Place::entry("log", index)))?,
            stored: findings.damage(rows::stored_capsule(index, row))?,
            predecessor: None,
            agent_before: None,
        };
        if let Some(stored) = &read.stored {
            let header = &stored.header;
            read.agent_before = self.agents.insert(header.agent(), header.timestamp());
            if let Some(last) = self.chains.insert(header.chain(), index) {
                if header.seq() == 0 {
                    findings.add("capsule", Some(index), "the chain begins twice");
                }
                let before = findings.damage(rows::capsule(connection, last))?;
                read.predecessor = before.flatten().map(|stored| stored.header);
            }
        }
        Ok(read)
    }

    /// Checks entries, and lets the tree grow by them.
    fn add(&mut self, chunk: &[Read], findings: &mut Findings) {
        for (read, checked) in chunk.iter().zip(check_all(chunk)) {
            for (table, detail) in checked.differences {
                findings.add(table, Some(read.index), detail);
            }
            let expected = concatenated(&self.frontier.append(checked.leaf));
            self.leaves.push(checked.leaf);
            if read.hashes.as_ref() != Some(&expected) {
                findings.add(
                    "log",
                    Some(read.index),
                    "the hashes are not those of the tree",
                );
            }
        }
    }
}

/// What the check of one entry has found.
struct Checked {
    leaf: Sha256Hash,
    differences: Vec<(&'static str, String)>,
}

/// Checks entries on several threads: a signature takes longer than all else.
fn check_all(chunk: &[Read]) -> Vec<Checked> {
    let check_part = |part: &[Read]| part.iter().map(Read::check).collect::<Vec<_>>();
    let share = chunk.len().div_ceil(THREADS).max(1);
    thread::scope(|scope| {
        let threads: Vec<_> = chunk
            .chunks(share)
            .map(|part| {
                let thread = thread::Builder::new().spawn_scoped(scope, move || check_part(part));
                (part, thread.ok())
            })
            .collect();
        let parts = threads.into_iter().map(|(part, thread)| {
            // A thread that did not start or did not end well is made up for here.
            let checked = thread.and_then(|thread| thread.join().ok());
            checked.unwrap_or_else(|| check_part(part))
        });
        parts.collect::<Vec<_>>().into_iter().flatten().collect()
    })
}

impl Read {
    fn check(&self) -> Checked {
        let mut differences = Vec::new();
        let Some(stored) = &self.stored else {
            // The tree goes on with the leaf that is stored, so that one damaged capsule does not
            // hide the rest.
            let leaf = stored_leaf(self.hashes.as_deref());
            return Checked { leaf, differences };
        };
        let verdict = check(
            stored,
            &Surroundings {
                predecessor: self.predecessor.as_ref(),
                agent_before: self.agent_before,
                now: None,
            },
        );
        if verdict != Verdict::Valid {
            differences.push((table_of(verdict), verdict.to_string()));
        }
        if !delta_holds(stored) {
            let detail = "the delta is not the one that was sealed";
            differences.push(("body", detail.to_owned()));
        }
        let leaf = stored.entry.leaf_hash();
        Checked { leaf, differences }
    }
}

fn check(stored: &StoredCapsule, around: &Surroundings<'_>) -> Verdict {
    let entry = stored.entry.to_text();
    let payload = stored.payload.as_ref();
    let parts = StoredParts {
        header: stored.header.canonical().as_bytes(),
        entry: entry.as_bytes(),
        signature: Some(&stored.signature),
        payload: payload.map(|payload| payload.text.as_bytes()),
        salt: payload.map(|payload| &payload.salt),
    };
    check_capsule(&parts, around)
}

/// The table whose row a failed check is about.
fn table_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Invalid {
            check: Check::Body | Check::State,
            ..
        } => "body",
        Verdict::Indeterminate { .. } => "body",
        _ => "capsule",
    }
}

/// Whether the delta is the one that the header names, and there is one exactly where it names one.
fn delta_holds(stored: &StoredCapsule) -> bool {
    let named = named_delta(&stored.header);
    match (&stored.delta, named) {
        (None, None) => true,
        (Some(delta), Some(named)) => {
            let format = named.label().unwrap_or_default();
            BodyRef::delta(&delta.salt, &delta.text, format).is_ok_and(|found| found == *named)
        }
        _ => false,
    }
}

fn named_delta(header: &Header) -> Option<&BodyRef> {
    match header.link() {
        Link::Successor(successor) => Some(successor.delta()),
        _ => None,
    }
}

fn stored_leaf(hashes: Option<&[u8]>) -> Sha256Hash {
    let leaf = hashes
        .and_then(|hashes| hashes.first_chunk::<32>())
        .copied();
    Sha256Hash::from_bytes(leaf.unwrap_or_default())
}

fn require_rows(
    connection: &Connection,
    table: &'static str,
    expected: u64,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let count: u64 = connection
        .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get(0)
        })
        .map_err(at(Place::table(table)))?;
    if count != expected {
        findings.add(table, None, format!("{count} rows for {expected} entries"));
    }
    Ok(())
}
