//! Chains as they travel: one exported capsule a line, in log order (capsules, "The exported document").

use std::collections::HashSet;
use std::ops::Range;

use counterfoil_capsule::documents::{Redaction, Tombstone};
use counterfoil_capsule::keys::ForkResolution;
use counterfoil_capsule::{ChainId, Document, Kind, RecordKind};
use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{Blake3Hash, DidKey, WorldId};
use rusqlite::{Connection, params};

use crate::derivation::Sides;
use crate::forks;
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

/// Log indices that an export still has to read, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportPlan {
    selection: Selection,
    entries: Entries,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Entries {
    All(Range<u64>),
    Some(Vec<u64>),
}

impl ExportPlan {
    /// Tests whether all has been taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.entries {
            Entries::All(range) => range.is_empty(),
            Entries::Some(indices) => indices.is_empty(),
        }
    }

    /// Number of entries that are left.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.entries {
            Entries::All(range) => range.end.saturating_sub(range.start),
            Entries::Some(indices) => u64::try_from(indices.len()).unwrap_or(u64::MAX),
        }
    }

    fn next(&self) -> Vec<u64> {
        match &self.entries {
            Entries::All(range) => range.clone().take(CHUNK_ENTRIES).collect(),
            Entries::Some(indices) => indices.iter().copied().take(CHUNK_ENTRIES).collect(),
        }
    }

    fn advance(&mut self, taken: usize) {
        match &mut self.entries {
            Entries::All(range) => range.start += u64::try_from(taken).unwrap_or(u64::MAX),
            Entries::Some(indices) => drop(indices.drain(..taken.min(indices.len()))),
        }
    }
}

impl SqliteStore {
    /// Plans an export of `selection` as of this moment.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn export_plan(&self, selection: Selection) -> Result<ExportPlan, StoreError> {
        self.read(move |connection| {
            let entries = match selection {
                Selection::All => Entries::All(0..rows::log_head(connection)?.size),
                Selection::Agent(agent) => Entries::Some(of_agent(connection, &agent)?),
                Selection::Chain(chain) => Entries::Some(of_chain(connection, &chain)?),
            };
            Ok(ExportPlan { selection, entries })
        })
        .await
    }

    /// Returns the next lines of an export, one exported capsule each, without line feed, some megabytes at most and none
    /// when all was given; and how many entries lie in an archive and are not in the lines.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn export_lines(
        &self,
        plan: &mut ExportPlan,
    ) -> Result<(Vec<String>, u64), StoreError> {
        let next = plan.next();
        let (lines, taken) = self
            .read(move |connection| lines(connection, &next))
            .await?;
        plan.advance(taken);
        Ok(lines)
    }

    /// The capsules that stand beside the exported chains, in other branches: evidence that another
    /// store needs to see the same forks.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn export_branches(&self, plan: &ExportPlan) -> Result<Vec<String>, StoreError> {
        let selection = plan.selection;
        self.read(move |connection| branches(connection, selection))
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
    connection.get("SELECT EXISTS (SELECT 1 FROM stub WHERE idx = ?1)", [index])
}

fn of_agent(connection: &Connection, agent: &DidKey) -> Result<Vec<u64>, StoreError> {
    // Headers are canonical, and `agent` is their first member.
    let begins = format!(r#"{{"agent":"{agent}","#);
    connection.list(
        "SELECT idx FROM capsule WHERE substr(whole_header(header, packed), 1, length(?1)) = ?1
         UNION SELECT idx FROM stub WHERE agent = ?2 ORDER BY 1",
        params![begins, agent.to_string()],
    )
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
    let about = About::of(connection, chain, owner, &found)?;
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
    owner: String,
    hashes: HashSet<Blake3Hash>,
    worlds: HashSet<WorldId>,
}

impl About {
    fn of(
        connection: &Connection,
        chain: &ChainId,
        owner: String,
        indices: &[u64],
    ) -> Result<Self, StoreError> {
        let mut about = Self {
            chain: *chain,
            owner,
            hashes: HashSet::new(),
            worlds: HashSet::new(),
        };
        for &index in indices {
            if is_archived(connection, index)? {
                continue;
            }
            let header = rows::present_header(connection, index)?;
            about.hashes.insert(header.hash());
            about.worlds.extend(header.world().cloned());
        }
        Ok(about)
    }

    fn names(&self, record: &StoredCapsule) -> bool {
        let Kind::Record(kind) = record.header.kind() else {
            return false;
        };
        let value = || -> Option<Value> {
            parse(record.payload.as_ref()?.text.as_bytes(), Limits::CONTENT).ok()
        };
        match kind {
            RecordKind::KeyInception | RecordKind::KeyRotation | RecordKind::KeyCompromise => {
                record.header.agent().to_string() == self.owner
            }
            RecordKind::ForkResolution => value()
                .and_then(|value| ForkResolution::parse(&value).ok())
                .is_some_and(|it| it.chain == self.chain),
            RecordKind::Redaction => value()
                .and_then(|value| Redaction::parse(&value).ok())
                .is_some_and(|it| self.hashes.contains(&it.capsule)),
            RecordKind::Tombstone => value()
                .and_then(|value| Tombstone::parse(&value).ok())
                .is_some_and(|it| self.worlds.contains(&it.world)),
            _ => false,
        }
    }
}

fn branches(connection: &Connection, selection: Selection) -> Result<Vec<String>, StoreError> {
    let all = forks::all(connection)?;
    let wanted = |header: &counterfoil_capsule::Header| match selection {
        Selection::All => true,
        Selection::Agent(agent) => header.agent() == agent,
        Selection::Chain(chain) => header.chain() == chain,
    };
    let mut lines = Vec::new();
    for branch in all.iter().filter(|branch| wanted(branch.header())) {
        let header = branch.header();
        let slot = lookup::slot(connection, &header.chain(), header.seq())?;
        if slot.is_none_or(|slot| slot.hash != header.hash()) {
            lines.push(branch.document.to_text());
        }
    }
    Ok(lines)
}
