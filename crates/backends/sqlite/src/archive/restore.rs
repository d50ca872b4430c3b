//! Restore: a segment is verified whole before a row of it is put back, and its manifest is believed when a record in
//! the log names it (capsules 4.6, D55, D56, D58).

use std::path::{Path, PathBuf};

use counterfoil_capsule::documents::{ArchiveManifest, ArchiveReceipt};
use counterfoil_capsule::{CapsuleDocument, Document, IndeterminateReason, RecordKind, Verdict};
use counterfoil_store::log::NodeReader;
use counterfoil_store::{StoreError, is_whole};
use rusqlite::{Connection, params};

use super::segment::{self, read_manifest, refused, segment_name};
use super::{SegmentReport, files, verdict};
use crate::bodies::is_erased;
use crate::packed::Packed;
use crate::rebuild;
use crate::records::content_of;
use crate::rows::{self, LogRows};
use crate::statement::Statements;
use crate::store::SqliteStore;
use crate::stubs;

impl SqliteStore {
    /// Puts what segments of `folder` hold back in its place. Bytes, lines, receipt, log, chain
    /// and signatures are compared before anything is written. Erased content stays erased, and
    /// forgotten Worlds stay forgotten. Segments stay where they are.
    ///
    /// # Errors
    /// [`StoreError::SegmentRefused`] when a segment is not one that was archived here: then nothing
    /// of any of them is restored. When files or store cannot be read or written.
    pub async fn restore(
        &self,
        folder: PathBuf,
        names: Vec<String>,
    ) -> Result<Vec<SegmentReport>, StoreError> {
        self.unit(move |unit| {
            let connection = unit.transaction();
            let segments = names.iter().map(|name| restore(connection, &folder, name));
            let segments: Vec<SegmentReport> = segments.collect::<Result<_, _>>()?;
            if segments.iter().any(|it| it.restored + it.erased > 0) {
                rebuild::again(unit.transaction())?;
            }
            Ok(segments)
        })
        .await
    }

    /// Removes the files of a segment of which everything is back. Its receipt stays in the log.
    ///
    /// # Errors
    /// [`StoreError::SegmentRefused`] when something of it is still archived, or when the log has no
    /// such receipt; when it cannot be removed.
    pub async fn discard_segment(&self, folder: PathBuf, name: &str) -> Result<(), StoreError> {
        let name = segment_name(name)?;
        let mut known = self.segments().await?;
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
        files::remove(&folder, &name)
    }
}

fn restore(
    connection: &Connection,
    folder: &Path,
    named: &str,
) -> Result<SegmentReport, StoreError> {
    let name = segment_name(named)?;
    let (manifest, receipt) = trusted_manifest(connection, folder, &name)?;
    let documents = segment::read(folder, &manifest)?;
    let mut done = SegmentReport {
        name,
        receipt: Some(receipt),
        capsules: manifest.count,
        ..SegmentReport::default()
    };
    for document in &documents {
        let (chain, seq) = (document.header().chain(), document.header().seq());
        let index = rows::in_chain(connection, &chain, seq)?
            .ok_or_else(|| refused(&done.name, "it holds a capsule that is not of this log"))?;
        let erased = is_erased(connection, index)?;
        let was_stub = put_back(connection, index, document, erased, &done.name)?;
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
    connection: &Connection,
    index: u64,
    document: &CapsuleDocument,
    erased: bool,
    name: &str,
) -> Result<bool, StoreError> {
    let header = document.header();
    let Some(stub) = stubs::read(connection, index)? else {
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
    if !stub.is_of(header) || LogRows(connection).node(0, index)? != entry.leaf_hash() {
        return Err(other());
    }
    // Predecessor and place are not checked: the log holds the place, and the stub the predecessor.
    if !matches!(
        verdict(connection, document)?,
        Verdict::Valid
            | Verdict::Indeterminate {
                reason: IndeterminateReason::MissingParent | IndeterminateReason::BodyErased
            }
    ) {
        return Err(other());
    }
    let before = header.seq().checked_sub(1);
    let before = before.map(|seq| rows::in_chain(connection, &header.chain(), seq));
    let before = before.transpose()?.flatten();
    let replaced = before.map(|before| is_erased(connection, before));
    let replaced = replaced.transpose()? == Some(true);
    let delta = document.delta().filter(|_| !erased && !replaced);
    let payload = document.payload().filter(|_| !erased);
    // What follows from the version before is not kept whole, if that is here.
    let follows = match before {
        Some(before) if delta.is_some() && !is_whole(header) => connection.has(
            "SELECT 1 FROM body WHERE idx = ?1 AND salt IS NOT NULL",
            [before],
        )?,
        _ => false,
    };
    let (field_root, field_count) = document.fields();
    connection.run(
        "UPDATE capsule SET header = ?2, signature = ?3, field_root = ?4, field_count = ?5
             WHERE idx = ?1",
        params![
            index,
            header.canonical(),
            signature,
            field_root.as_bytes(),
            field_count,
        ],
    )?;
    connection.run(
        "UPDATE body SET payload = ?2, salt = ?3, delta = ?4, delta_salt = ?5
             WHERE idx = ?1",
        params![
            index,
            payload
                .filter(|_| !follows)
                .map(|body| Packed::of_content(header.seq(), &body.text)),
            payload.map(|body| body.salt),
            delta.map(|body| Packed::small(&body.text)),
            delta.map(|body| body.salt),
        ],
    )?;
    connection.run("DELETE FROM stub WHERE idx = ?1", [index])?;
    Ok(true)
}

/// The manifest of a segment in `folder`, with the log index of the receipt that vouches for it.
///
/// # Errors
/// [`StoreError::SegmentRefused`] for a manifest that no receipt in the log names.
pub(crate) fn trusted_manifest(
    connection: &Connection,
    folder: &Path,
    name: &str,
) -> Result<(ArchiveManifest, u64), StoreError> {
    let manifest = read_manifest(folder, name)?;
    let named: Vec<u64> = connection.list(
        "SELECT idx FROM receipt WHERE manifest = ?1 ORDER BY idx",
        [manifest.hash().as_bytes()],
    )?;
    for index in named {
        if vouches(connection, index, &manifest)? {
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
fn vouches(
    connection: &Connection,
    index: u64,
    manifest: &ArchiveManifest,
) -> Result<bool, StoreError> {
    let Some(stored) = rows::capsule(connection, index)? else {
        return Ok(false);
    };
    let receipt = content_of(
        &stored.header,
        stored.payload.as_ref(),
        RecordKind::ArchiveReceipt,
    );
    let receipt = receipt.and_then(|receipt| ArchiveReceipt::parse(&receipt).ok());
    Ok(receipt.is_some_and(|receipt| receipt.is_of(manifest))
        && LogRows(connection).node(0, index)? == stored.entry.leaf_hash()
        && verdict(connection, &stored.document())? == Verdict::Valid)
}
