//! Checks of one entry alone: header, leaf, signature, and the bodies of a seed.

use counterfoil_capsule::dangerous::{check_bodies, check_content, check_signature};
use counterfoil_capsule::documents::CapsuleName;
use counterfoil_capsule::{
    Header, IndeterminateReason, Kind, LogEntry, StoredParts, Surroundings, Verdict,
};
use counterfoil_types::{Sha256Hash, WorldId};
use counterfoil_verifier::merkle::leaf_hash;

use super::known::{Lost, RecordIndex};
use super::links::Before;
use crate::port::{BodyRow, EntryRow};

/// Findings about one entry.
#[derive(Default)]
pub(super) struct Judgement {
    pub(super) index: u64,
    pub(super) named: Option<(CapsuleName, Option<WorldId>)>,
    /// In the order of the checks; empty when it is valid.
    pub(super) found: Vec<Verdict>,
    /// True if only a stub is here.
    pub(super) stub: bool,
    /// True if records in the log say that all its missing bodies were erased.
    pub(super) recorded: bool,
    /// True if its row in the log holds the hashes of the tree; `None` without such a row.
    pub(super) hashes_hold: Option<bool>,
    /// Log index of its row, if another one.
    pub(super) misplaced: Option<i64>,
}

/// An entry on its way through the pass.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) judged: Judgement,
    /// Log index of its row.
    pub(super) row: i64,
    pub(super) hashes: Option<Vec<u8>>,
    /// True without a header: a stub, or damage.
    pub(super) bare: bool,
    /// `None` for a header that cannot be read, or of a kind that is not known.
    pub(super) seen: Option<Box<ExaminedCapsule>>,
    pub(super) before: Before,
}

/// A capsule with its findings so far.
pub(super) struct ExaminedCapsule {
    pub(super) header: Header,
    pub(super) entry: LogEntry,
    pub(super) leaf: Sha256Hash,
    /// True if the signature and the field tree of the content are checked.
    pub(super) signed: bool,
    pub(super) found: Vec<Verdict>,
    /// Content and delta of a later version; those of a seed are checked at once.
    pub(super) body: BodyRow,
    /// Missing bodies that the header names.
    pub(super) lost: Lost,
}

impl ExaminedCapsule {
    /// Tests whether it follows another version, on which its bodies depend.
    pub(super) fn is_later(&self) -> bool {
        self.header.previous().is_some()
    }
}

pub(super) fn parts(body: &BodyRow) -> StoredParts<'_> {
    StoredParts {
        payload: body.payload.as_deref(),
        salt: body.salt.as_deref().and_then(|it| it.try_into().ok()),
        delta: body.delta.as_deref(),
        delta_salt: body.delta_salt.as_deref().and_then(|it| it.try_into().ok()),
        ..StoredParts::default()
    }
}

pub(super) fn examine(mut row: EntryRow, each_signature: bool, known: &RecordIndex) -> Entry {
    let mut entry = Entry {
        row: row.index,
        hashes: row.hashes.take(),
        bare: row.header.is_none(),
        ..Entry::default()
    };
    if let Some(header) = row.header.take() {
        let header = Header::parse(&header).map_err(|error| error.verdict());
        match header.and_then(|header| seen(header, row, each_signature, known)) {
            Ok(seen) => entry.seen = Some(Box::new(seen)),
            Err(verdict) => entry.judged.found.push(verdict),
        }
    }
    entry
}

fn seen(
    header: Header,
    row: EntryRow,
    each_signature: bool,
    known: &RecordIndex,
) -> Result<ExaminedCapsule, Verdict> {
    if let Kind::Unknown(_) = header.kind() {
        let reason = IndeterminateReason::UnknownKind;
        return Err(Verdict::Indeterminate { reason });
    }
    let root = row.field_root.as_deref();
    let root = root.and_then(|root| root.try_into().ok());
    let root = Sha256Hash::from_bytes(root.unwrap_or_default());
    let entry = LogEntry::of(&header, root, row.field_count.unwrap_or_default())
        .map_err(|error| error.verdict())?;
    let text = entry.to_text();
    let mut found = Vec::new();
    if each_signature {
        let key = known.key_of(&header);
        let signature = row.signature.as_deref();
        found.extend(check_signature(key.as_ref(), text.as_bytes(), signature));
    }
    let mut body = row.body;
    body.salt = body.salt.filter(|salt| salt.len() == 32);
    let has_payload = body.payload.is_some() && body.salt.is_some();
    let lost = Lost::of(&header, has_payload, body.delta.is_some());
    if header.previous().is_none() {
        let (parts, around) = (parts(&body), Surroundings::default());
        found.extend(match each_signature {
            false => check_bodies(&header, &parts),
            true => check_content(&header, &entry, &parts, &around),
        });
        body = BodyRow::default();
    }
    Ok(ExaminedCapsule {
        leaf: leaf_hash(text.as_bytes()),
        signed: each_signature,
        found,
        body,
        lost,
        entry,
        header,
    })
}
