//! Restore: a segment is verified whole before a row of it is put back, and its manifest is believed when a record in
//! the log names it (capsules 4.6, D55, D56, D58).

use std::path::Path;

use counterfoil_capsule::documents::{ArchiveManifest, ArchiveReceipt};
use counterfoil_capsule::{
    CapsuleDocument, Document, IndeterminateReason, RecordKind, SaltedBody, Verdict,
};
use counterfoil_store::{StoreError, is_whole};

use super::files;
use super::plan::{SegmentReport, verdict};
use super::segment::{self, read_manifest, refused, segment_name};
use crate::contents::is_erased;
use crate::entries::{self, in_chain};
use crate::port::rows::{ReceiptRow, StubRow};
use crate::port::{BodyRow, Select, Txn};
use crate::records::content_of;
use crate::{Unit, stubs};

/// Puts the capsules of segments back, all or none.
pub(crate) fn restore_all(
    unit: &Unit<'_>,
    folder: &Path,
    names: &[String],
) -> Result<Vec<SegmentReport>, StoreError> {
    let segments = names.iter().map(|name| restore(unit.txn(), folder, name));
    let segments: Vec<SegmentReport> = segments.collect::<Result<_, _>>()?;
    if segments.iter().any(|it| it.restored + it.erased > 0) {
        unit.derive_again()?;
    }
    Ok(segments)
}

/// Removes the files of a segment of which everything is back.
pub(crate) fn discard(
    mut known: Vec<SegmentReport>,
    folder: &Path,
    named: &str,
) -> Result<(), StoreError> {
    let name = segment_name(named)?;
    known.retain(|segment| segment.name == name);
    if known.is_empty() {
        return Err(refused(&name, "the log has no receipt of it"));
    }
    if known.iter().any(|segment| segment.archived > 0) {
        return Err(refused(
            &name,
            "capsules of it are nowhere else: restore it before it is removed",
        ));
    }
    files::remove(folder, &name)
}

fn restore(txn: &dyn Txn, folder: &Path, named: &str) -> Result<SegmentReport, StoreError> {
    let name = segment_name(named)?;
    let (manifest, receipt) = trusted_manifest(txn, folder, &name)?;
    let documents = segment::read_segment(folder, &manifest)?;
    let mut done = SegmentReport {
        name,
        receipt: Some(receipt),
        capsules: manifest.count,
        ..SegmentReport::default()
    };
    for document in &documents {
        let (chain, seq) = (document.header().chain(), document.header().seq());
        let index = in_chain(txn, &chain, seq)?
            .ok_or_else(|| refused(&done.name, "it holds a capsule that is not of this log"))?;
        let erased = is_erased(txn, index)?;
        let was_stub = put_back(txn, index, document, erased, &done.name)?;
        match (erased && document.payload().is_some(), was_stub) {
            (true, _) => done.erased += 1,
            (false, true) => done.restored += 1,
            (false, false) => {}
        }
    }
    Ok(done)
}

/// Puts a capsule back in the place of its stub. Returns false if there is none.
fn put_back(
    txn: &dyn Txn,
    index: u64,
    document: &CapsuleDocument,
    erased: bool,
    name: &str,
) -> Result<bool, StoreError> {
    let header = document.header();
    let Some(stub) = stubs::read(txn, index)? else {
        return Ok(false);
    };
    let other = || {
        refused(
            name,
            format_args!("its capsule of entry {index} is not the one that was archived"),
        )
    };
    let (Ok(entry), Some(signature)) = (document.entry(), document.signature()) else {
        return Err(other());
    };
    if !stub.is_of(header) || txn.node(0, index)? != entry.leaf_hash() {
        return Err(other());
    }
    // Predecessor and place are not checked: the log holds the place, and the stub the predecessor.
    if !matches!(
        verdict(txn, document)?,
        Verdict::Valid
            | Verdict::Indeterminate {
                reason: IndeterminateReason::MissingParent | IndeterminateReason::BodyErased
            }
    ) {
        return Err(other());
    }
    let before = header.seq().checked_sub(1);
    let before = before.map(|seq| in_chain(txn, &header.chain(), seq));
    let before = before.transpose()?.flatten();
    let replaced = before.map(|before| is_erased(txn, before));
    let replaced = replaced.transpose()? == Some(true);
    let delta = document.delta().filter(|_| !erased && !replaced);
    let payload = document.payload().filter(|_| !erased);
    // What follows from the version before is not kept whole, if that is here.
    let follows = match before {
        Some(before) if delta.is_some() && !is_whole(header) => txn.has_body(before)?.1,
        _ => false,
    };
    let (field_root, field_count) = document.fields();
    let entry = (header.canonical(), signature, &field_root, field_count);
    txn.set_entry(index, Some(entry))?;
    let bytes = |body: &SaltedBody| body.text.clone().into_bytes();
    txn.set_body(
        index,
        &BodyRow {
            payload: payload.filter(|_| !follows).map(bytes),
            salt: payload.map(|body| body.salt.to_vec()),
            delta: delta.map(bytes),
            delta_salt: delta.map(|body| body.salt.to_vec()),
        },
    )?;
    txn.remove::<StubRow>(&[&index])?;
    Ok(true)
}

/// The manifest of a segment in `folder`, with the log index of the receipt that vouches for it.
///
/// # Errors
/// [`StoreError::SegmentRefused`] for a manifest that no receipt in the log names.
pub(crate) fn trusted_manifest(
    txn: &dyn Txn,
    folder: &Path,
    name: &str,
) -> Result<(ArchiveManifest, u64), StoreError> {
    let manifest = read_manifest(folder, name)?;
    let named = Select::of::<ReceiptRow>().with("manifest", manifest.hash());
    for index in txn.column(named, &["idx"])? {
        if vouches(txn, index, &manifest)? {
            return Ok((manifest, index));
        }
    }
    Err(refused(
        name,
        "no receipt in this store's log names its manifest, so nothing says that it is what was \
         archived here",
    ))
}

/// Tests whether the record at `index` is the receipt of that manifest: signed, whole, and the leaf of
/// the log at that index. The derived row alone proves nothing.
fn vouches(txn: &dyn Txn, index: u64, manifest: &ArchiveManifest) -> Result<bool, StoreError> {
    let Some(stored) = entries::unchecked(txn, index)? else {
        return Ok(false);
    };
    let receipt = content_of(
        &stored.header,
        stored.payload.as_ref(),
        RecordKind::ArchiveReceipt,
    );
    let receipt = receipt.and_then(|receipt| ArchiveReceipt::parse(&receipt).ok());
    Ok(receipt.is_some_and(|receipt| receipt.is_of(manifest))
        && txn.node(0, index)? == stored.entry.leaf_hash()
        && verdict(txn, &stored.document())? == Verdict::Valid)
}
