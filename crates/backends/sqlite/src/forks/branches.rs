//! The branches of a forked chain, and from where on it is frozen (capsules 4.5).

use std::collections::HashSet;

use counterfoil_capsule::{CapsuleDocument, ChainId, Header};
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::{Blake3Hash, DidKey};
use rusqlite::{Connection, params};

use crate::rows;
use crate::statement::Statements;

/// The most capsules that are kept of all other branches of a chain.
const MAX_BRANCH: u64 = 10_000;
/// The most bytes that are kept of them.
const MAX_BRANCH_BYTES: u64 = 64 << 20;
/// The most that are kept for one place of a chain: two prove the fork, more add nothing.
const MAX_PLACE: u64 = 16;
/// Number of these that keep their content.
const MAX_PLACE_WHOLE: u64 = 4;

/// A capsule beside the accepted chain.
#[derive(Debug, Clone)]
pub(crate) struct Branch {
    pub(crate) document: CapsuleDocument,
    pub(crate) source: String,
    pub(crate) at: u64,
}

impl Branch {
    pub(crate) const fn header(&self) -> &Header {
        self.document.header()
    }
}

/// A place of a chain for which its agent signed more than one capsule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// Owner of the chain.
    pub agent: DidKey,
    /// The chain.
    pub chain: ChainId,
    /// The first number at which the branches differ.
    pub seq: u64,
    /// The accepted capsule of that number.
    pub accepted: Option<Blake3Hash>,
    /// The others.
    pub others: Vec<Blake3Hash>,
    /// Number of capsules of all other branches.
    pub capsules: u64,
    /// Time of the first sighting, in microseconds since 1970.
    pub seen: u64,
    /// First capsule of the branch that a resolution keeps, and the log index of that record; `None`: undecided, and the
    /// chain takes no more.
    pub resolved: Option<(Blake3Hash, u64)>,
}

/// Keeps a capsule beside the chain. `false` when there is no room for more. What a resolution
/// keeps has room always.
pub(crate) fn insert(connection: &Connection, branch: &Branch) -> Result<bool, StoreError> {
    let header = branch.header();
    let kept = settled_branch(connection, header)?.is_some_and(|(keep, _)| keep == header.hash());
    let (rows, bytes, place): (u64, u64, u64) = connection.get(
        "SELECT count(*), coalesce(sum(octet_length(document)), 0), count(*) FILTER (WHERE seq = ?2)
         FROM fork WHERE chain = ?1",
        params![header.chain().as_bytes(), header.seq()],
    )?;
    let document = match kept || place < MAX_PLACE_WHOLE {
        true => branch.document.to_text(),
        false => branch.document.clone().without_bodies().to_text(),
    };
    let size = u64::try_from(document.len()).unwrap_or(u64::MAX);
    let fits =
        place < MAX_PLACE && rows < MAX_BRANCH && bytes.saturating_add(size) <= MAX_BRANCH_BYTES;
    if !kept && !fits {
        return Ok(false);
    }
    connection.run(
        "INSERT INTO fork (hash, agent, chain, seq, previous, document, source, at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (hash) DO NOTHING",
        params![
            header.hash().as_bytes(),
            header.agent().to_string(),
            header.chain().as_bytes(),
            header.seq(),
            header.previous().map(|hash| *hash.as_bytes()),
            document,
            branch.source,
            branch.at,
        ],
    )?;
    Ok(true)
}

/// Returns the header of a capsule beside its chain: in another branch, or abandoned.
pub(crate) fn known(
    connection: &Connection,
    hash: Blake3Hash,
) -> Result<Option<Header>, StoreError> {
    if let Some(branch) = branch(connection, hash)? {
        return Ok(Some(branch.header().clone()));
    }
    let index: Option<u64> = connection.find(
        "SELECT idx FROM abandoned WHERE hash = ?1",
        [hash.as_bytes()],
    )?;
    index
        .map(|index| rows::present_header(connection, index))
        .transpose()
}

/// The capsule of another branch.
pub(crate) fn branch(
    connection: &Connection,
    hash: Blake3Hash,
) -> Result<Option<Branch>, StoreError> {
    Ok(list(connection, "hash = ?1", hash.as_bytes())?.pop())
}

/// Capsules of other branches, in the order of their numbers; `filter` has one parameter.
fn list(connection: &Connection, filter: &str, value: &[u8]) -> Result<Vec<Branch>, StoreError> {
    let sql = format!("SELECT document, source, at FROM fork WHERE {filter} ORDER BY seq, hash");
    let rows: Vec<(String, String, u64)> = connection.list(&sql, [value])?;
    let parsed = |(document, source, at): (String, String, u64)| {
        let document = CapsuleDocument::parse(document.as_bytes()).map_err(|_| {
            StoreError::corrupt(
                StoreLocation::table("fork"),
                "a branch is no capsule any more",
            )
        })?;
        Ok(Branch {
            document,
            source,
            at,
        })
    };
    rows.into_iter().map(parsed).collect()
}

/// All capsules of other branches, chain by chain.
pub(crate) fn all(connection: &Connection) -> Result<Vec<Branch>, StoreError> {
    let mut all = Vec::new();
    for chain in chains(connection)? {
        all.extend(of_chain(connection, &chain)?);
    }
    Ok(all)
}

/// The chains that have other branches, in the order of their ids.
pub(super) fn chains(connection: &Connection) -> Result<Vec<ChainId>, StoreError> {
    let chains: Vec<[u8; 16]> =
        connection.list("SELECT DISTINCT chain FROM fork ORDER BY chain", [])?;
    let chains = chains.into_iter().map(ChainId::from_bytes);
    Ok(chains.filter_map(Result::ok).collect())
}

/// The log indices of abandoned capsules of a chain, in their order.
pub(super) fn abandoned(connection: &Connection, chain: &ChainId) -> Result<Vec<u64>, StoreError> {
    connection.list(
        "SELECT idx FROM abandoned WHERE chain = ?1 ORDER BY idx",
        [chain.as_bytes()],
    )
}

/// All capsules of other branches of a chain, in the order of their numbers.
pub(crate) fn of_chain(
    connection: &Connection,
    chain: &ChainId,
) -> Result<Vec<Branch>, StoreError> {
    list(connection, "chain = ?1", chain.as_bytes())
}

/// The first number for which the chain has an undecided fork: from there on it takes no more.
pub(crate) fn frozen_at(
    connection: &Connection,
    chain: &ChainId,
) -> Result<Option<u64>, StoreError> {
    // A branch begins where no other goes before it. One that is decided freezes nothing, nor does
    // what continues an abandoned branch. Documents are not read for this.
    connection.find(
        "SELECT seq FROM fork WHERE chain = ?1
           AND NOT EXISTS (SELECT 1 FROM fork AS before
                           WHERE before.hash = fork.previous AND before.chain = fork.chain)
           AND NOT EXISTS (SELECT 1 FROM resolution
                           WHERE resolution.chain = fork.chain AND resolution.seq = fork.seq)
           AND NOT EXISTS (SELECT 1 FROM abandoned WHERE abandoned.hash = fork.previous)
         ORDER BY seq LIMIT 1",
        [chain.as_bytes()],
    )
}

/// The capsules of other branches that are this one, or follow it.
pub(super) fn around(connection: &Connection, hash: Blake3Hash) -> Result<Vec<Branch>, StoreError> {
    let mut around = list(connection, "hash = ?1", hash.as_bytes())?;
    around.extend(list(connection, "previous = ?1", hash.as_bytes())?);
    Ok(around)
}

/// The first capsules of the branches: those whose predecessor is in no branch.
pub(crate) fn roots(branches: &[Branch]) -> Vec<&Branch> {
    let hashes = branches.iter().map(|branch| branch.header().hash());
    let hashes: HashSet<Blake3Hash> = hashes.collect();
    let is_in = |previous: Blake3Hash| hashes.contains(&previous);
    let roots = branches.iter();
    roots
        .filter(|branch| !branch.header().previous().is_some_and(is_in))
        .collect()
}

/// Tests whether a resolution decides about this capsule, the first of a branch: another one is kept at
/// its place, or it continues an abandoned branch, or it is the one that is kept.
pub(crate) fn is_settled(connection: &Connection, root: &Header) -> Result<bool, StoreError> {
    if settled_branch(connection, root)?.is_some() {
        return Ok(true);
    }
    match root.previous() {
        Some(previous) => connection.has(
            "SELECT 1 FROM abandoned WHERE hash = ?1",
            [previous.as_bytes()],
        ),
        None => Ok(false),
    }
}

/// Returns the capsule that a resolution keeps at the place of this one, and the record of the resolution.
pub(crate) fn settled_branch(
    connection: &Connection,
    header: &Header,
) -> Result<Option<(Blake3Hash, u64)>, StoreError> {
    connection.find_with(
        "SELECT keep, record FROM resolution WHERE chain = ?1 AND seq = ?2",
        params![header.chain().as_bytes(), header.seq()],
        |row| Ok((row.get(0).map(Blake3Hash::from_bytes)?, row.get(1)?)),
    )
}
