//! What can be said of one row alone: header, entry, leaf, signature, and the bodies of a seed.

use counterfoil_capsule::dangerous::{check_bodies, check_content, check_signature};
use counterfoil_capsule::{
    Absent, Header, IndeterminateReason, Kind, LogEntry, StoredParts, Surroundings, Verdict,
};
use counterfoil_types::Sha256Hash;
use counterfoil_verifier::merkle::leaf_hash;

use super::known::RecordIndex;
use super::row::RawRow;

/// A row that was looked at.
pub(super) struct Line {
    pub(super) index: u64,
    pub(super) hashes: Option<Vec<u8>>,
    pub(super) misplaced: Option<i64>,
    pub(super) what: What,
}

pub(super) enum What {
    /// A header that can be read.
    Capsule(Box<ExaminedCapsule>),
    /// No header: a stub, or damage.
    Nothing,
    /// A header that cannot be read, or of a kind that is not known.
    Unreadable(Verdict),
}

/// A capsule with its findings so far.
pub(super) struct ExaminedCapsule {
    pub(super) header: Header,
    pub(super) entry: LogEntry,
    pub(super) leaf: Sha256Hash,
    pub(super) signed: bool,
    pub(super) found: Vec<Verdict>,
    pub(super) bodies: Bodies,
    /// True if its bodies are still to be looked at.
    pub(super) open: bool,
}

/// The bodies as they are stored.
#[derive(Default)]
pub(super) struct Bodies {
    pub(super) payload: Option<Vec<u8>>,
    pub(super) salt: Option<[u8; 32]>,
    pub(super) delta: Option<Vec<u8>>,
    pub(super) delta_salt: Option<[u8; 32]>,
    /// Missing bodies that the header names.
    pub(super) lost_payload: bool,
    pub(super) lost_delta: bool,
}

impl Bodies {
    pub(super) fn parts(&self) -> StoredParts<'_> {
        StoredParts {
            payload: self.payload.as_deref(),
            salt: self.salt.as_ref(),
            delta: self.delta.as_deref(),
            delta_salt: self.delta_salt.as_ref(),
            absent: Absent::Erased,
            ..StoredParts::default()
        }
    }
}

pub(super) fn examine(row: RawRow, each_signature: bool, known: &RecordIndex) -> Line {
    let misplaced = (u64::try_from(row.found) != Ok(row.index)).then_some(row.found);
    let (index, hashes) = (row.index, row.hashes.clone());
    let what = match &row.header {
        None => What::Nothing,
        Some(header) => match Header::parse(header) {
            Err(error) => What::Unreadable(error.verdict()),
            Ok(header) => seen(header, row, each_signature, known),
        },
    };
    Line {
        index,
        hashes,
        misplaced,
        what,
    }
}

fn seen(header: Header, row: RawRow, each_signature: bool, known: &RecordIndex) -> What {
    if let Kind::Unknown(_) = header.kind() {
        let reason = IndeterminateReason::UnknownKind;
        return What::Unreadable(Verdict::Indeterminate { reason });
    }
    let root = row
        .field_root
        .as_deref()
        .and_then(|root| root.try_into().ok());
    let root = Sha256Hash::from_bytes(root.unwrap_or_default());
    let entry = match LogEntry::of(&header, root, row.field_count.unwrap_or_default()) {
        Ok(entry) => entry,
        Err(error) => return What::Unreadable(error.verdict()),
    };
    let text = entry.to_text();
    let mut found = Vec::new();
    let signed = each_signature;
    if signed {
        let key = known.key_of(&header);
        found.extend(check_signature(
            key.as_ref(),
            text.as_bytes(),
            row.signature.as_deref(),
        ));
    }
    let mut seen = ExaminedCapsule {
        leaf: leaf_hash(text.as_bytes()),
        signed,
        found,
        bodies: bodies(row),
        open: header.previous().is_some(),
        entry,
        header,
    };
    if !seen.open {
        seen.bodies(each_signature);
        let Bodies {
            lost_payload,
            lost_delta,
            ..
        } = seen.bodies;
        seen.bodies = Bodies {
            lost_payload,
            lost_delta,
            ..Bodies::default()
        };
    }
    What::Capsule(Box::new(seen))
}

impl ExaminedCapsule {
    /// The bodies of a seed: nothing came before it.
    fn bodies(&mut self, each_signature: bool) {
        let lost = self.bodies.payload.is_none() || self.bodies.salt.is_none();
        self.bodies.lost_payload = lost;
        let parts = self.bodies.parts();
        let found = match each_signature {
            false => check_bodies(&self.header, &parts),
            true => check_content(&self.header, &self.entry, &parts, &Surroundings::default()),
        };
        self.found.extend(found);
    }
}

fn bodies(row: RawRow) -> Bodies {
    let salt = |salt: Option<Vec<u8>>| salt.and_then(|salt| salt.try_into().ok());
    Bodies {
        payload: row.payload,
        salt: salt(row.salt),
        delta: row.delta,
        delta_salt: salt(row.delta_salt),
        ..Bodies::default()
    }
}
