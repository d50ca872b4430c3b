//! The branches of a forked chain, and from where on it is frozen (capsules 4.5).

use std::collections::HashSet;

use counterfoil_capsule::{CapsuleDocument, ChainId, Header};
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::{Blake3Hash, DidKey};

use crate::entries::present_header;
use crate::journal;
use crate::port::rows::{AbandonedRow, ForkRow, ResolutionRow};
use crate::port::{Field, Select, Txn};

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

    fn of(row: ForkRow) -> Result<Self, StoreError> {
        let damaged = |_| {
            let place = StoreLocation::table("fork");
            StoreError::corrupt(place, "a branch is no capsule any more")
        };
        Ok(Self {
            document: CapsuleDocument::parse(row.document.as_bytes()).map_err(damaged)?,
            source: row.source,
            at: row.at,
        })
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

fn of<T: Field>(column: &'static str, value: T) -> Select {
    Select::of::<ForkRow>().with(column, value)
}

/// Keeps a capsule beside the chain. `false` when there is no room for more. What a resolution
/// keeps has room always.
pub(crate) fn insert(txn: &dyn Txn, branch: &Branch) -> Result<bool, StoreError> {
    let header = branch.header();
    let kept = settled_branch(txn, header)?.is_some_and(|(keep, _)| keep == header.hash());
    let chain = of("chain", header.chain());
    let (rows, bytes) = txn.measure(&chain, "document")?;
    let (place, _) = txn.measure(&chain.with("seq", header.seq()), "document")?;
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
    journal::add(
        txn,
        &ForkRow {
            hash: header.hash(),
            agent: header.agent(),
            chain: header.chain(),
            seq: header.seq(),
            previous: header.previous(),
            document,
            source: branch.source.clone(),
            at: branch.at,
        },
    )?;
    Ok(true)
}

/// Returns the header of a capsule beside its chain: in another branch, or abandoned.
pub(crate) fn known(txn: &dyn Txn, hash: Blake3Hash) -> Result<Option<Header>, StoreError> {
    if let Some(branch) = branch(txn, hash)? {
        return Ok(Some(branch.header().clone()));
    }
    let abandoned: Option<AbandonedRow> = txn.find(&[&hash])?;
    abandoned
        .map(|row| present_header(txn, row.idx))
        .transpose()
}

/// The capsule of another branch.
pub(crate) fn branch(txn: &dyn Txn, hash: Blake3Hash) -> Result<Option<Branch>, StoreError> {
    let row: Option<ForkRow> = txn.find(&[&hash])?;
    row.map(Branch::of).transpose()
}

/// Capsules of other branches, in the order of their numbers.
fn list(txn: &dyn Txn, select: &Select) -> Result<Vec<Branch>, StoreError> {
    let mut rows: Vec<ForkRow> = txn.list(select)?;
    rows.sort_by_key(|row| (row.seq, row.hash));
    rows.into_iter().map(Branch::of).collect()
}

/// The chains that have other branches, in the order of their ids.
pub(crate) fn chains(txn: &dyn Txn) -> Result<Vec<ChainId>, StoreError> {
    let mut chains: Vec<[u8; 16]> = txn.column(Select::of::<ForkRow>(), &["chain"])?;
    chains.sort_unstable();
    chains.dedup();
    let chains = chains.into_iter().map(ChainId::from_bytes);
    Ok(chains.filter_map(Result::ok).collect())
}

/// The log indices of abandoned capsules of a chain, in their order.
pub(crate) fn abandoned(txn: &dyn Txn, chain: &ChainId) -> Result<Vec<u64>, StoreError> {
    let select = Select::of::<AbandonedRow>().with("chain", *chain);
    let mut found: Vec<u64> = txn.column(select, &["idx"])?;
    found.sort_unstable();
    Ok(found)
}

/// All capsules of other branches of a chain, in the order of their numbers.
pub(crate) fn of_chain(txn: &dyn Txn, chain: &ChainId) -> Result<Vec<Branch>, StoreError> {
    list(txn, &of("chain", *chain))
}

/// The capsules of other branches for one place of a chain.
pub(crate) fn at(txn: &dyn Txn, chain: &ChainId, seq: u64) -> Result<Vec<Branch>, StoreError> {
    list(txn, &of("chain", *chain).with("seq", seq))
}

/// The first number for which the chain has an undecided fork: from there on it takes no more.
pub(crate) fn frozen_at(txn: &dyn Txn, chain: &ChainId) -> Result<Option<u64>, StoreError> {
    // Documents are not read for this.
    type Place = (u64, Blake3Hash, Option<Blake3Hash>);
    let columns = &["seq", "hash", "previous"];
    let mut branches: Vec<Place> = txn.column(of("chain", *chain), columns)?;
    branches.sort_unstable();
    let hashes: HashSet<Blake3Hash> = branches.iter().map(|(_, hash, _)| *hash).collect();
    // A branch begins where no other goes before it. One that is decided freezes nothing, nor does
    // one that continues an abandoned branch.
    for (seq, _, previous) in branches {
        if previous.is_some_and(|previous| hashes.contains(&previous))
            || txn.find::<ResolutionRow>(&[chain, &seq])?.is_some()
            || is_abandoned(txn, previous)?
        {
            continue;
        }
        return Ok(Some(seq));
    }
    Ok(None)
}

fn is_abandoned(txn: &dyn Txn, capsule: Option<Blake3Hash>) -> Result<bool, StoreError> {
    match capsule {
        Some(hash) => Ok(txn.find::<AbandonedRow>(&[&hash])?.is_some()),
        None => Ok(false),
    }
}

/// The capsules of other branches that are this one, or follow it.
pub(crate) fn around(txn: &dyn Txn, hash: Blake3Hash) -> Result<Vec<Branch>, StoreError> {
    let mut around = list(txn, &of("hash", hash))?;
    around.extend(list(txn, &of("previous", hash))?);
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
pub(crate) fn is_settled(txn: &dyn Txn, root: &Header) -> Result<bool, StoreError> {
    Ok(settled_branch(txn, root)?.is_some() || is_abandoned(txn, root.previous())?)
}

/// Returns the capsule that a resolution keeps at the place of this one, and the record of the resolution.
pub(crate) fn settled_branch(
    txn: &dyn Txn,
    header: &Header,
) -> Result<Option<(Blake3Hash, u64)>, StoreError> {
    let row: Option<ResolutionRow> = txn.find(&[&header.chain(), &header.seq()])?;
    Ok(row.map(|row| (row.keep, row.record)))
}
