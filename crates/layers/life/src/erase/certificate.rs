//! Certificate of an erasure: what is gone, the proofs of it, and copies that remain (D58).

use counterfoil_capsule::documents::Redaction;
use counterfoil_capsule::{BodyRef, Document, Header};
use counterfoil_store::log::inclusion;
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::{Blake3Hash, WorldId};
use counterfoil_verifier::tlog_proof::TlogProof;

use super::derived::DerivedMemory;
use crate::entries::{Scan, header, in_chain};
use crate::ground::Destination;
use crate::port::Txn;
use crate::port::rows::RedactedRow;
use crate::records::record_at;

/// Log index, header and content of a redaction.
pub(super) type RedactionAt = (u64, Header, Redaction);

/// Result of an erasure, and copies that remain as far as this store knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Certificate {
    /// Capsules that are erased, by this call or before, in the order of the log.
    pub capsules: Vec<ErasedCapsule>,
    /// Number and World of other versions that are not erased: unchanged parts are in them. True for one with all of the
    /// content: it was rolled back to what is erased, or has the same data.
    pub versions: Vec<(u64, WorldId, bool)>,
    /// File name and receipt (log index) of segments that were made with the content in them, whether or not their files
    /// are still there.
    pub segments: Vec<(String, u64)>,
    /// Hash and class (`pending` or `quarantine`) of documents that were not accepted and hold the content or a change from
    /// it, at most 100.
    pub held: Vec<(Blake3Hash, String)>,
    /// Other Worlds with the same data, at most 100. Only known when it is erased for the first
    /// time.
    pub same_data: Vec<WorldId>,
    /// Memories that were made from the erased ones and stay, each of them.
    pub derived: Vec<DerivedMemory>,
    /// Ids of exchanges in which an erased memory came. Their questions stay: they are older than the memory.
    pub exchanges: Vec<String>,
    /// Folders that the content was shipped to. One without an obstacle gives it no more: its key is destroyed.
    pub destinations: Vec<Destination>,
    /// Reason for which the file may still hold old bytes; `None` when it was written anew.
    pub not_scrubbed: Option<String>,
}

/// One capsule whose bodies are gone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErasedCapsule {
    /// Its header, which stays: hash and size of what is gone, place in its chain, agent, time.
    pub header: Header,
    /// Its place in the log.
    pub index: u64,
    /// The memory that it was made from, if it was taken with that one.
    pub source: Option<WorldId>,
    /// True if this call erased it; otherwise an earlier one did.
    pub erased_now: bool,
    /// Log index and bytes of the next version's delta, which held the erased content and is gone as well.
    pub next_delta: Option<(u64, u64)>,
    /// The entry that stays: it names the capsule, the address of the content and its size.
    pub entry: String,
    /// Inclusion proof of the entry.
    pub proof: TlogProof,
    /// Record of its erasure: log index, header and content.
    pub redaction: RedactionAt,
}

/// Returns the part of a certificate for the erased capsule at `index`, in the log with `head`.
pub(super) fn capsule(
    txn: &dyn Txn,
    head: &(u64, String),
    index: u64,
) -> Result<ErasedCapsule, StoreError> {
    let stored = Scan::default().present(txn, index)?;
    let mut next_delta = None;
    let (chain, seq) = (stored.header.chain(), stored.header.seq());
    if let Some(next) = in_chain(txn, &chain, seq + 1)?
        && let Some(header) = header(txn, next)?
    {
        next_delta = header.delta().map(|delta| (next, BodyRef::size(delta)));
    }
    let redaction = redaction_of(txn, index)?.ok_or_else(|| {
        StoreError::corrupt(
            StoreLocation::entry("capsule", index),
            "its content is gone without a redaction",
        )
    })?;
    let (size, checkpoint) = head;
    Ok(ErasedCapsule {
        entry: stored.entry.to_text(),
        header: stored.header,
        index,
        source: None,
        erased_now: false,
        next_delta,
        proof: TlogProof {
            index,
            hashes: inclusion(txn, index, *size)?,
            checkpoint: checkpoint.clone(),
        },
        redaction,
    })
}

/// Returns the redaction of the capsule at `index`, if its content is erased.
pub(crate) fn redaction_of(txn: &dyn Txn, index: u64) -> Result<Option<RedactionAt>, StoreError> {
    let row: Option<RedactedRow> = txn.find(&[&index])?;
    let read = |row: RedactedRow| {
        record_at(txn, row.record, "it is no redaction", |value| {
            Redaction::parse(value).ok()
        })
    };
    row.map(read).transpose()
}
