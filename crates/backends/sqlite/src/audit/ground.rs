//! Audits capsules, bodies and tree nodes, entry by entry, in log order.

use std::collections::BTreeMap;

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

/// The log as it follows from the capsules.
#[derive(Default)]
pub(super) struct Ground {
    pub(super) frontier: Frontier,
    pub(super) leaves: Vec<Sha256Hash>,
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
    while let Some(row) = rows.next().map_err(at(Place::table("capsule")))? {
        ground.entry(connection, row, findings)?;
    }
    for table in ["capsule", "body", "log"] {
        require_rows(connection, table, ground.frontier.size(), findings)?;
    }
    Ok(ground)
}

impl Ground {
    fn entry(
        &mut self,
        connection: &Connection,
        row: &Row<'_>,
        findings: &mut Findings,
    ) -> Result<(), StoreError> {
        let index = self.frontier.size();
        let found: i64 = row.get(0).map_err(at(Place::entry("capsule", index)))?;
        if u64::try_from(found) != Ok(index) {
            findings.add(
                "capsule",
                Some(index),
                format!("entry {found} stands in its place"),
            );
        }
        let hashes: Option<Vec<u8>> = row.get(9).map_err(at(Place::entry("log", index)))?;
        let stored = findings.damage(rows::stored_capsule(index, row))?;
        let leaf = match &stored {
            Some(stored) => {
                self.capsule(connection, stored, findings)?;
                stored.entry.leaf_hash()
            }
            // The tree goes on with the leaf that is stored, so that one damaged capsule does not
            // hide the rest.
            None => stored_leaf(hashes.as_deref()),
        };
        let expected = self.frontier.append(leaf);
        self.leaves.push(leaf);
        if hashes.is_none_or(|hashes| hashes != concatenated(&expected)) {
            findings.add("log", Some(index), "the hashes are not those of the tree");
        }
        Ok(())
    }

    fn capsule(
        &mut self,
        connection: &Connection,
        stored: &StoredCapsule,
        findings: &mut Findings,
    ) -> Result<(), StoreError> {
        let header = &stored.header;
        let predecessor = match self.chains.get(&header.chain()) {
            Some(&last) => findings.damage(rows::capsule(connection, last))?.flatten(),
            None => None,
        };
        let around = Surroundings {
            predecessor: predecessor.as_ref().map(|stored| &stored.header),
            agent_before: self.agents.get(&header.agent()).copied(),
            now: None,
        };
        let verdict = check(stored, &around);
        if verdict != Verdict::Valid {
            findings.add(table_of(verdict), Some(stored.index), verdict.to_string());
        }
        if !delta_holds(stored) {
            findings.add(
                "body",
                Some(stored.index),
                "the delta is not the one that was sealed",
            );
        }
        if self.chains.contains_key(&header.chain()) && header.seq() == 0 {
            findings.add("capsule", Some(stored.index), "the chain begins twice");
        }
        self.chains.insert(header.chain(), stored.index);
        self.agents.insert(header.agent(), header.timestamp());
        Ok(())
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
