//! Chains as they travel: one exported capsule a line, in log order (capsules, "The exported document").

use std::collections::HashSet;

use counterfoil_capsule::documents::{Redaction, Tombstone};
use counterfoil_capsule::keys::ForkResolution;
use counterfoil_capsule::{ChainId, Document, Kind, RecordKind};
use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_types::json::{Limits, parse};
use counterfoil_types::{Blake3Hash, DidKey, WorldId};
use rusqlite::{Connection, params};

use crate::derivation::Sides;
use crate::forks;
use crate::keys::is_of_keys;
use crate::lookup;
use crate::statement::Statements;
use crate::{SqliteStore, rows};

/// About how many bytes one read gives.
const CHUNK_BYTES: usize = 4 << 20;
/// Maximum number of entries of one read.
const CHUNK_ENTRIES: usize = 512;

/// Selection of capsules for an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// The whole log.
    All,
    /// All that an agent signed.
    Agent(DidKey),
    /// A chain, and the records that it needs elsewhere: the keys of its agent, and records
    /// about it (resolutions, redactions, tombstones).
    Chain(ChainId),
}

impl SqliteStore {
    /// Returns the log indices of `selection` as of this moment, in their order.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn export_plan(&self, selection: Selection) -> Result<Vec<u64>, StoreError> {
        self.read(move |connection| match selection {
            Selection::All => Ok((0..rows::log_head(connection)?.size).collect()),
            Selection::Agent(agent) => {
                // Headers are canonical, and `agent` is their first member.
                let begins = format!(r#"{{"agent":"{agent}","#);
                connection.list(
                    "SELECT idx FROM capsule
                     WHERE substr(whole_header(header, packed), 1, length(?1)) = ?1
                     UNION SELECT idx FROM stub WHERE agent = ?2 ORDER BY 1",
                    params![begins, agent.to_string()],
                )
            }
            Selection::Chain(chain) => of_chain(connection, &chain),
        })
        .await
    }

    /// Returns the next lines of an export, one exported capsule each, without line feed, some megabytes at most and none
    /// when all was given; and how many entries lie in an archive and are not in the lines. Takes the entries that were
    /// read out of `plan`.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn export_lines(
        &self,
        plan: &mut Vec<u64>,
    ) -> Result<(Vec<String>, u64), StoreError> {
        let next: Vec<u64> = plan.iter().copied().take(CHUNK_ENTRIES).collect();
        let (lines, taken) = self
            .read(move |connection| lines(connection, &next))
            .await?;
        plan.drain(..taken.min(plan.len()));
        Ok(lines)
    }

    /// The capsules that stand beside the exported chains, in other branches: evidence that another
    /// store needs to see the same forks.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn export_branches(&self, selection: Selection) -> Result<Vec<String>, StoreError> {
        self.read(move |connection| {
            let all = forks::all(connection)?;
            let mut lines = Vec::new();
            for branch in &all {
                let header = branch.header();
                let is_wanted = match selection {
                    Selection::All => true,
                    Selection::Agent(agent) => header.agent() == agent,
                    Selection::Chain(chain) => header.chain() == chain,
                };
                let slot = lookup::slot(connection, &header.chain(), header.seq())?;
                if is_wanted && slot.is_none_or(|slot| slot.hash != header.hash()) {
                    lines.push(branch.document.to_text());
                }
            }
            Ok(lines)
        })
        .await
    }
}

fn lines(
    connection: &Connection,
    indices: &[u64],
) -> Result<((Vec<String>, u64), usize), StoreError> {
    let (mut lines, mut archived) = (Vec::new(), 0);
    let mut scan = rows::Scan::default();
    let (mut bytes, mut taken) = (0, 0);
    for &index in indices {
        if bytes > CHUNK_BYTES {
            break;
        }
        taken += 1;
        if is_archived(connection, index)? {
            archived += 1;
        } else if let Some(stored) = scan.capsule(connection, index)? {
            let text = stored.document().to_text();
            bytes += text.len();
            lines.push(text);
        }
    }
    Ok(((lines, archived), taken))
}

fn is_archived(connection: &Connection, index: u64) -> Result<bool, StoreError> {
    connection.has("SELECT 1 FROM stub WHERE idx = ?1", [index])
}

fn of_chain(connection: &Connection, chain: &ChainId) -> Result<Vec<u64>, StoreError> {
    let mut found: Vec<u64> = connection.list(
        "SELECT idx FROM chain WHERE chain = ?1
         UNION SELECT idx FROM abandoned WHERE chain = ?1 ORDER BY 1",
        params![chain.as_bytes()],
    )?;
    let Some(owner) = lookup::owner(Sides::both(connection), chain)? else {
        return Ok(found);
    };
    let (mut hashes, mut worlds) = (HashSet::new(), HashSet::new());
    for &index in &found {
        if !is_archived(connection, index)? {
            let header = rows::present_header(connection, index)?;
            hashes.insert(header.hash());
            worlds.extend(header.world().cloned());
        }
    }
    let about = About {
        chain: *chain,
        owner,
        hashes,
        worlds,
    };
    let records: Vec<u64> = connection.list(
        "SELECT idx FROM capsule WHERE instr(header, '\"kind\":\"') > 0",
        [],
    )?;
    for index in records {
        if is_archived(connection, index)? {
            continue;
        }
        let record = rows::capsule(connection, index)?;
        if record.is_some_and(|record| about.names(&record)) {
            found.push(index);
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Subjects of records of other chains that belong to an exported chain.
struct About {
    chain: ChainId,
    owner: DidKey,
    hashes: HashSet<Blake3Hash>,
    worlds: HashSet<WorldId>,
}

impl About {
    fn names(&self, record: &StoredCapsule) -> bool {
        let Kind::Record(kind) = record.header.kind() else {
            return false;
        };
        let payload = record.payload.as_ref();
        let value = payload.map(|payload| parse(payload.text.as_bytes(), Limits::CONTENT));
        let Some(Ok(value)) = value else {
            return is_of_keys(kind) && record.header.agent() == self.owner;
        };
        match kind {
            RecordKind::ForkResolution => {
                ForkResolution::parse(&value).is_ok_and(|it| it.chain == self.chain)
            }
            RecordKind::Redaction => {
                Redaction::parse(&value).is_ok_and(|it| self.hashes.contains(&it.capsule))
            }
            RecordKind::Tombstone => {
                Tombstone::parse(&value).is_ok_and(|it| self.worlds.contains(&it.world))
            }
            kind => is_of_keys(kind) && record.header.agent() == self.owner,
        }
    }
}
