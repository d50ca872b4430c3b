//! The certificate of an erasure: what is gone, what still proves that it was, what remains (D58).

use counterfoil_capsule::documents::Redaction;
use counterfoil_capsule::{BodyRef, ChainId, Header, Timestamp};
use counterfoil_store::log::inclusion;
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::{Blake3Hash, DidKey, WorldId};
use counterfoil_verifier::tlog_proof::TlogProof;
use rusqlite::Connection;

use super::copies::{self, RemainingCopies};
use super::redaction::redaction_of;
use super::{ErasedSet, bodies};
use crate::records::RecordAt;
use crate::rows::{self, LogHead, LogRows};
use crate::scrub::ScrubReport;

/// Result of an erasure, and known remains.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Certificate {
    /// ErasedSet capsules, by this call or before, in the order of the log.
    pub capsules: Vec<ErasedCapsule>,
    /// RemainingCopies that are known to remain.
    pub copies: RemainingCopies,
    /// Result of removing old bytes from the file.
    pub scrubbed: ScrubReport,
}

/// One capsule whose bodies are gone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErasedCapsule {
    /// The World whose content it was.
    pub world_id: Option<WorldId>,
    /// Its place in the log.
    pub index: u64,
    /// Its hash, which its header still has.
    pub capsule: Blake3Hash,
    /// Its chain.
    pub chain: ChainId,
    /// Its number in the chain.
    pub seq: u64,
    /// Agent that wrote it.
    pub agent: DidKey,
    /// Transaction time.
    pub recorded_at: Timestamp,
    /// True if this call erased it; otherwise an earlier one did.
    pub erased_now: bool,
    /// The address of its content, which its header still has.
    pub payload: Blake3Hash,
    /// Size of its content, in bytes.
    pub payload_bytes: u64,
    /// Size of its delta, in bytes; `None` for the first of a chain.
    pub delta_bytes: Option<u64>,
    /// Log index and bytes of the next version's delta, which held the erased content and is gone as well.
    pub next_delta: Option<(u64, u64)>,
    /// The entry that stays: it names the capsule, the address of the content and its size.
    pub entry: String,
    /// Inclusion proof of the entry.
    pub proof: TlogProof,
    /// Record of its erasure.
    pub redaction: RecordAt<Redaction>,
}

/// Returns the certificate of `erased`.
pub(super) fn of(
    connection: &Connection,
    erased: ErasedSet,
    scrubbed: ScrubReport,
) -> Result<Certificate, StoreError> {
    let head = rows::log_head(connection)?;
    let mut copies = RemainingCopies {
        same_data: erased.same.worlds.clone(),
        ..RemainingCopies::default()
    };
    let mut capsules = Vec::with_capacity(erased.indices.len());
    for &index in &erased.indices {
        // A version in a segment that was erased before it went there keeps its certificate in
        // the log; here is nothing left to tell of it.
        if bodies::state(connection, index)? == bodies::BodyState::Archived {
            continue;
        }
        let capsule = capsule(connection, &head, index, erased.now.contains(&index))?;
        let segments = copies::segments(connection, capsule.chain, capsule.seq)?;
        // One that was made later was made without it.
        let earlier = segments
            .into_iter()
            .filter(|(_, receipt)| *receipt < capsule.redaction.index);
        copies.segments.extend(earlier);
        capsules.push(capsule);
    }
    copies.segments.dedup();
    if let Some(first) = capsules.first() {
        copies.versions = copies::versions(connection, first.chain, &erased.indices, &erased.same)?;
    }
    copies.held = copies::held(connection, &capsules, &erased.same)?;
    let hashes: Vec<String> = capsules.iter().map(|it| it.capsule.to_string()).collect();
    copies.derived = copies::derived(connection, &hashes)?;
    Ok(Certificate {
        capsules,
        copies,
        scrubbed,
    })
}

fn capsule(
    connection: &Connection,
    head: &LogHead,
    index: u64,
    erased_now: bool,
) -> Result<ErasedCapsule, StoreError> {
    let missing = |what| StoreError::corrupt(StoreLocation::entry("capsule", index), what);
    let stored = rows::capsule(connection, index)?.ok_or_else(|| missing("there is no capsule"))?;
    let redaction = redaction_of(connection, index)?;
    let header = &stored.header;
    Ok(ErasedCapsule {
        world_id: header.world().cloned(),
        index,
        capsule: header.hash(),
        chain: header.chain(),
        seq: header.seq(),
        agent: header.agent(),
        recorded_at: header.timestamp(),
        erased_now,
        payload: header.payload().hash(),
        payload_bytes: header.payload().size(),
        delta_bytes: header.delta().map(BodyRef::size),
        next_delta: next_delta(connection, header)?,
        entry: stored.entry.to_text(),
        proof: TlogProof {
            index,
            hashes: inclusion(&LogRows(connection), index, head.size)?,
            checkpoint: head.checkpoint.clone(),
        },
        redaction: redaction.ok_or_else(|| missing("its content is gone without a redaction"))?,
    })
}

fn next_delta(connection: &Connection, header: &Header) -> Result<Option<(u64, u64)>, StoreError> {
    let chain = header.chain();
    let next = rows::in_chain(connection, &chain, header.seq() + 1)?;
    let Some(index) = next else { return Ok(None) };
    if bodies::state(connection, index)? == bodies::BodyState::Archived {
        return Ok(None);
    }
    let bytes = rows::present_header(connection, index)?
        .delta()
        .map(BodyRef::size);
    Ok(bytes.map(|bytes| (index, bytes)))
}
