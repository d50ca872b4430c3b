//! Erasure: content, salts and deltas are taken away for good, header and log stay (capsules 4.6, C20).
//!
//! One transaction appends the redaction, takes the bodies away, and derives the index again without them. Old bytes in
//! free pages and in the write-ahead log are removed afterwards ([`Backend::scrub`]).

mod certificate;
mod copies;
mod derived;

use std::collections::BTreeMap;
use std::sync::Arc;

use counterfoil_capsule::documents::{RedactedField, Redaction};
use counterfoil_capsule::{Document, Header, RecordKind, Signer};
use counterfoil_store::{ContentState, Draft, StoreError};
use counterfoil_types::{WorldId, words};

pub(crate) use certificate::redaction_of;
pub use certificate::{Certificate, ErasedCapsule};
pub use derived::{DerivedKind, DerivedMemory};

use copies::{content_of, version_indices};

use crate::backend::Backend;
use crate::bodies::{keep_whole, take_delta};
use crate::entries::{self, in_chain, present_header};
use crate::port::rows::ErasedUnitRow;
use crate::port::{BodyRow, Txn};
use crate::{Unit, commit, forks, stubs};

words! {
    /// Treatment of memories that were made from an erased one.
    pub enum DerivedPolicy {
        /// They are erased as well.
        Take = "take",
        /// They stay, and the certificate names each.
        Keep = "keep",
    }
}

/// Extent of an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErasureScope {
    /// True to erase every version of the memory, false for the named one alone.
    pub all_versions: bool,
    /// Treatment of the memories that were made from it.
    pub derived: DerivedPolicy,
}

/// Erases, removes the old bytes, and returns the certificate; `None` when there is no such memory.
pub(crate) async fn run(
    backend: &impl Backend,
    signer: Arc<dyn Signer>,
    world_id: WorldId,
    reason: String,
    scope: ErasureScope,
) -> Result<Option<Certificate>, StoreError> {
    let done = backend.write(move |unit| erase(unit, &*signer, &world_id, &reason, scope));
    let Some(erased) = done.await? else {
        return Ok(None);
    };
    // Committed: an error from here on is reported in the certificate.
    let not_scrubbed = backend.scrub().await;
    let certificate = backend.read(move |txn| certificate_of(txn, erased, not_scrubbed));
    let mut certificate = certificate.await?;
    let gone = certificate.capsules.iter().flat_map(|erased| {
        let delta = erased.next_delta.map(|(next, _)| next);
        let entries = [Some(erased.index), delta].into_iter().flatten();
        entries.map(|index| (index, erased.redaction.0))
    });
    certificate.destinations = commit::destroy_keys(backend, gone.collect()).await?;
    Ok(Some(certificate))
}

/// Returns the memories that were made from a memory, or from any version of it; `None` when there is no such memory.
pub(crate) fn derived(
    txn: &dyn Txn,
    world_id: &WorldId,
    all_versions: bool,
) -> Result<Option<Vec<DerivedMemory>>, StoreError> {
    let roots = roots(txn, world_id, all_versions)?;
    let list = |roots: Vec<u64>| Ok(derived::of(txn, &roots)?.into_list());
    roots.map(list).transpose()
}

/// Returns the log indices of a memory, ascending; `None` when there is no such memory.
fn roots(
    txn: &dyn Txn,
    world_id: &WorldId,
    all_versions: bool,
) -> Result<Option<Vec<u64>>, StoreError> {
    let Some(index) = entries::index_of(txn, world_id)? else {
        return Ok(None);
    };
    match all_versions {
        true => version_indices(txn, index).map(Some),
        false => Ok(Some(vec![index])),
    }
}

/// Capsules that are erased, by this call or before.
struct ErasedSet {
    /// Log indices of the versions of the memory, ascending.
    roots: Vec<u64>,
    /// The same, and those of the memories that were taken with it, ascending.
    indices: Vec<u64>,
    /// Those that were erased now.
    now: Vec<u64>,
    /// Copies of the content, which cannot be found any more once it is erased.
    same: copies::Same,
    /// Sources of the memories that were taken with it, by log index.
    sources: BTreeMap<u64, WorldId>,
    /// Memories that were made from it and stay.
    kept: Vec<DerivedMemory>,
}

fn erase(
    unit: &mut Unit<'_>,
    signer: &dyn Signer,
    world_id: &WorldId,
    reason: &str,
    scope: ErasureScope,
) -> Result<Option<ErasedSet>, StoreError> {
    let txn = unit.txn();
    let Some(roots) = roots(txn, world_id, scope.all_versions)? else {
        return Ok(None);
    };
    let (mut derived, mut kept) = (derived::of(txn, &roots)?, Vec::new());
    if scope.derived == DerivedPolicy::Keep {
        kept = std::mem::take(&mut derived).into_list();
    }
    let mut indices: Vec<u64> = roots
        .iter()
        .chain(derived.entries.keys())
        .copied()
        .collect();
    indices.sort_unstable();
    let mut now = Vec::new();
    for &index in &indices {
        if erasable(txn, index)? {
            now.push(index);
        }
    }
    let same = copies::same(txn, &roots, &indices, &now)?;
    // The newest first: a version after an erased one need not be made whole.
    let newest_first = now.iter().rev();
    let drafts = newest_first.map(|&index| take(txn, index, signer, reason));
    let mut drafts = drafts.collect::<Result<Vec<_>, _>>()?;
    for (document, _) in &derived.branches {
        forks::keep_header(txn, document)?;
    }
    if !drafts.is_empty() {
        drafts.reverse();
        unit.append(signer, &drafts)?;
        unit.derive_again()?;
    }
    let sources = derived.entries.into_iter();
    Ok(Some(ErasedSet {
        roots,
        indices,
        now,
        same,
        sources: sources
            .map(|(index, memory)| (index, memory.source))
            .collect(),
        kept,
    }))
}

/// Returns the certificate of `erased`.
fn certificate_of(
    txn: &dyn Txn,
    erased: ErasedSet,
    not_scrubbed: Option<String>,
) -> Result<Certificate, StoreError> {
    let head = txn.head()?;
    let mut certificate = Certificate {
        not_scrubbed,
        ..Certificate::default()
    };
    for &index in &erased.indices {
        // A version that was erased before it went into a segment keeps its certificate in the log.
        if content_of(txn, index)? == ContentState::Archived {
            continue;
        }
        let mut capsule = certificate::capsule(txn, &head, index)?;
        capsule.erased_now = erased.now.contains(&index);
        capsule.source = erased.sources.get(&index).cloned();
        certificate.capsules.push(capsule);
    }
    let capsules = &certificate.capsules;
    certificate.segments = copies::segments(txn, capsules)?;
    if let Some(&root) = erased.roots.first() {
        let chain = entries::state(txn, root)?.chain;
        certificate.versions = copies::versions(txn, &chain, &erased.roots, &erased.same)?;
    }
    certificate.held = copies::held(txn, capsules, &erased.same)?;
    certificate.exchanges = copies::exchanges(txn, capsules)?;
    certificate.derived = erased.kept;
    certificate.same_data = erased.same.worlds;
    Ok(certificate)
}

/// Takes the bodies of a capsule away, and drafts the record of it.
fn take(txn: &dyn Txn, index: u64, signer: &dyn Signer, reason: &str) -> Result<Draft, StoreError> {
    let header = present_header(txn, index)?;
    let mut fields = vec![RedactedField::Payload, RedactedField::PayloadSalt];
    if header.previous().is_some() {
        fields.extend([RedactedField::Delta, RedactedField::DeltaSalt]);
    }
    if take_bodies(txn, index, &header)? {
        fields.extend([RedactedField::NextDelta, RedactedField::NextDeltaSalt]);
    }
    let redaction = Redaction::new(
        header.hash(),
        header.world().cloned(),
        index,
        fields,
        reason,
        signer.agent(),
    );
    let redaction = redaction.map_err(|source| StoreError::Seal {
        subject: "the redaction".to_owned(),
        source,
    })?;
    Ok(Draft::record(RecordKind::Redaction, redaction.to_value()))
}

/// Takes the bodies of the capsule at `index` away, and copies of them beside its chain. Returns true if the delta of a
/// capsule after it is gone as well.
pub(crate) fn take_bodies(txn: &dyn Txn, index: u64, header: &Header) -> Result<bool, StoreError> {
    let next = make_next_independent(txn, header)?;
    let beside = forks::take_bodies(txn, header)?;
    // Read while its content is there.
    let place = txn.unit_place(index)?;
    txn.set_body(index, &BodyRow::default())?;
    if let Some(world) = header.world() {
        txn.take_exchanged(world)?;
    }
    if let Some((number, beside)) = place {
        txn.add(&ErasedUnitRow {
            idx: index,
            number,
            beside,
        })?;
    }
    Ok(next || beside)
}

/// Tests whether there is something to erase.
///
/// # Errors
/// [`StoreError::Archived`] when it is not here.
fn erasable(txn: &dyn Txn, index: u64) -> Result<bool, StoreError> {
    match stubs::read(txn, index)? {
        None => Ok(content_of(txn, index)? == ContentState::Present),
        Some(_) if redaction_of(txn, index)?.is_some() => Ok(false),
        Some(stub) => Err(stub.archived(txn)?),
    }
}

/// Makes the version after `header` independent of it: its content is written out, and its delta, which holds the
/// content that it replaced, is taken away. Returns false if there was none.
fn make_next_independent(txn: &dyn Txn, header: &Header) -> Result<bool, StoreError> {
    let Some(next) = in_chain(txn, &header.chain(), header.seq() + 1)? else {
        return Ok(false);
    };
    // In an abandoned branch the number is another capsule's; one in an archive has no body here.
    let follows = entries::header(txn, next)?.and_then(|next| next.previous());
    if follows != Some(header.hash()) {
        return Ok(false);
    }
    keep_whole(txn, next)?;
    take_delta(txn, next)
}
