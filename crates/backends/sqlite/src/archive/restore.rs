//! Restore: a segment is verified whole before a row of it is put back (capsules 4.6, D55, D56, D58).

use std::path::{Path, PathBuf};

use counterfoil_capsule::{
    CapsuleDocument, IndeterminateReason, SaltedBody, Surroundings, Verdict,
};
use counterfoil_store::log::NodeReader;
use counterfoil_store::{StoreError, StoreLocation, is_whole};
use rusqlite::{Connection, params};

use super::segment::{self, refused, segment_name};
use super::{files, receipts};
use crate::bodies::is_erased;
use crate::error::at;
use crate::packed::Packed;
use crate::rebuild;
use crate::rows::{self, LogRows};
use crate::statement::Statements;
use crate::store::SqliteStore;
use crate::stubs;
use crate::unit::Unit;

/// Result of restoring one segment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestoreReport {
    /// The name of its file.
    pub name: String,
    /// The log index of its receipt.
    pub receipt: u64,
    /// Number of capsules that came back.
    pub restored: u64,
    /// Number of capsules that were here already.
    pub present: u64,
    /// Number of capsules that have been erased since they were archived, and stay erased, although this segment
    /// still holds their bodies.
    pub erased: u64,
}

impl RestoreReport {
    fn brought_something(&self) -> bool {
        self.restored + self.erased > 0
    }
}

impl SqliteStore {
    /// Puts what segments of `folder` hold back in its place. Bytes, lines, receipt, log, chain
    /// and signatures are compared before anything is written. Erased content stays erased, and
    /// what is forgotten stays forgotten. Segments stay where they are.
    ///
    /// # Errors
    /// [`StoreError::SegmentRefused`] when a segment is not one that was archived here: then nothing
    /// of any of them is restored. When files or store cannot be read or written.
    pub async fn restore(
        &self,
        folder: PathBuf,
        names: Vec<String>,
    ) -> Result<Vec<RestoreReport>, StoreError> {
        self.unit(move |unit| {
            let segments = names.iter().map(|name| restore(unit, &folder, name));
            let segments: Vec<RestoreReport> = segments.collect::<Result<_, _>>()?;
            if segments.iter().any(RestoreReport::brought_something) {
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
        let known = self.segments().await?;
        let of_name = || known.iter().filter(|segment| segment.name == name);
        if of_name().count() == 0 {
            return Err(refused(&name, "the log has no receipt of it"));
        }
        if of_name().any(|segment| segment.archived > 0) {
            return Err(refused(
                &name,
                "capsules of it are nowhere else: restore it before it is removed",
            ));
        }
        files::remove(&folder, &name)
    }
}

fn restore(unit: &Unit<'_>, folder: &Path, named: &str) -> Result<RestoreReport, StoreError> {
    let connection = unit.transaction();
    let name = segment_name(named)?;
    let (manifest, receipt) = receipts::trusted_manifest(connection, folder, &name)?;
    let documents = segment::read(folder, &manifest)?;
    let mut done = RestoreReport {
        name,
        receipt,
        restored: 0,
        present: 0,
        erased: 0,
    };
    for document in &documents {
        let index = index_of(connection, document)?
            .ok_or_else(|| refused(&done.name, "it holds a capsule that is not of this log"))?;
        match put_back(connection, index, document, &done.name)? {
            Outcome::Present => done.present += 1,
            Outcome::Restored => done.restored += 1,
            Outcome::StaysErased => done.erased += 1,
        }
    }
    Ok(done)
}

/// Result of putting one capsule back.
enum Outcome {
    Present,
    Restored,
    StaysErased,
}

fn put_back(
    connection: &Connection,
    index: u64,
    document: &CapsuleDocument,
    name: &str,
) -> Result<Outcome, StoreError> {
    let header = document.header();
    let erased = is_erased(connection, index)?;
    let still_held = erased && document.payload().is_some();
    let Some(stub) = stubs::read(connection, index)? else {
        return Ok(if still_held {
            Outcome::StaysErased
        } else {
            Outcome::Present
        });
    };
    let other = || {
        refused(
            name,
            format_args!("its capsule of entry {index} is not the one that was archived"),
        )
    };
    let entry = document.entry().map_err(|_| other())?;
    if !stub.is_of(header) || LogRows(connection).node(0, index)? != entry.leaf_hash() {
        return Err(other());
    }
    if !holds(connection, document)? {
        return Err(other());
    }
    let before = header.seq().checked_sub(1);
    let before = before.map(|seq| rows::in_chain(connection, &header.chain(), seq));
    let before = before.transpose()?.flatten();
    let replaced = before.map(|before| is_erased(connection, before));
    let delta = document
        .delta()
        .filter(|_| !erased && !matches!(replaced, Some(Ok(true))));
    let payload = document.payload().filter(|_| !erased);
    replaced.transpose()?;
    // What follows from the version before is not kept whole, if that is here.
    let follows = match before {
        Some(before) if delta.is_some() && !is_whole(header) => connection
            .has(
                "SELECT 1 FROM body WHERE idx = ?1 AND salt IS NOT NULL",
                [before],
            )
            .map_err(at(StoreLocation::entry("body", before)))?,
        _ => false,
    };
    let signature = document.signature().ok_or_else(other)?;
    insert(
        connection,
        index,
        document,
        signature,
        (payload, follows),
        delta,
    )?;
    Ok(if still_held {
        Outcome::StaysErased
    } else {
        Outcome::Restored
    })
}

/// Tests whether signature and bodies are valid. Predecessor and place are not checked: the log holds the
/// place, and the stub the predecessor.
fn holds(connection: &Connection, document: &CapsuleDocument) -> Result<bool, StoreError> {
    let around = Surroundings {
        key: Some(rows::key_of(connection, document.header())?),
        ..Surroundings::default()
    };
    Ok(match document.check(&around) {
        Verdict::Valid => true,
        Verdict::Indeterminate { reason } => matches!(
            reason,
            IndeterminateReason::MissingParent | IndeterminateReason::BodyErased
        ),
        _ => false,
    })
}

fn insert(
    connection: &Connection,
    index: u64,
    document: &CapsuleDocument,
    signature: &[u8; 64],
    (payload, follows): (Option<&SaltedBody>, bool),
    delta: Option<&SaltedBody>,
) -> Result<(), StoreError> {
    let (field_root, field_count) = document.fields();
    connection.change(
        "UPDATE capsule SET header = ?2, signature = ?3, field_root = ?4, field_count = ?5
             WHERE idx = ?1",
        params![
            index,
            document.header().canonical(),
            signature,
            field_root.as_bytes(),
            field_count,
        ],
    )?;
    connection.change(
        "UPDATE body SET payload = ?2, salt = ?3, delta = ?4, delta_salt = ?5
             WHERE idx = ?1",
        params![
            index,
            payload
                .filter(|_| !follows)
                .map(|body| Packed::of_content(document.header().seq(), &body.text)),
            payload.map(|body| body.salt),
            delta.map(|body| Packed::small(&body.text)),
            delta.map(|body| body.salt),
        ],
    )?;
    connection.run("DELETE FROM stub WHERE idx = ?1", [index])
}

fn index_of(
    connection: &Connection,
    document: &CapsuleDocument,
) -> Result<Option<u64>, StoreError> {
    let header = document.header();
    rows::in_chain(connection, &header.chain(), header.seq())
}
