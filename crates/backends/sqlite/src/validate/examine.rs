//! Checks of one row alone: header, entry, leaf, signature, and the bodies of a seed.

use counterfoil_capsule::dangerous::{check_bodies, check_content, check_signature};
use counterfoil_capsule::documents::CapsuleName;
use counterfoil_capsule::{
    Header, IndeterminateReason, Kind, LogEntry, StoredParts, Surroundings, Verdict,
};
use counterfoil_types::{Sha256Hash, WorldId};
use counterfoil_verifier::merkle::leaf_hash;

use super::known::{Lost, RecordIndex};
use super::links::Before;
use super::row::RawRow;

/// One entry, judged.
#[derive(Default)]
pub(crate) struct Judgement {
    pub(crate) index: u64,
    pub(crate) named: Option<(CapsuleName, Option<WorldId>)>,
    /// In the order of the checks; empty when it is valid.
    pub(crate) found: Vec<Verdict>,
    /// True if only a stub is here.
    pub(crate) stub: bool,
    /// True if records in the log say that whatever it lacks was erased.
    pub(crate) recorded: bool,
    /// True if its row in the log holds the hashes of the tree; `None` without such a row.
    pub(crate) hashes_hold: Option<bool>,
    /// Index in its row, if another one.
    pub(crate) misplaced: Option<i64>,
}

/// An entry on its way through the pass.
pub(super) struct Entry {
    pub(super) judged: Judgement,
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
    pub(super) lost: Lost,
}

impl Bodies {
    pub(super) fn parts(&self) -> StoredParts<'_> {
        StoredParts {
            payload: self.payload.as_deref(),
            salt: self.salt.as_ref(),
            delta: self.delta.as_deref(),
            delta_salt: self.delta_salt.as_ref(),
            ..StoredParts::default()
        }
    }
}

pub(super) fn examine(mut row: RawRow, each_signature: bool, known: &RecordIndex) -> Entry {
    let mut entry = Entry {
        judged: Judgement {
            index: row.index,
            misplaced: (u64::try_from(row.found) != Ok(row.index)).then_some(row.found),
            ..Judgement::default()
        },
        hashes: row.hashes.take(),
        bare: row.header.is_none(),
        seen: None,
        before: Before::default(),
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
    row: RawRow,
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
    let salt = |salt: Option<Vec<u8>>| salt.and_then(|salt| salt.try_into().ok());
    let mut bodies = Bodies {
        payload: row.payload,
        salt: salt(row.salt),
        delta: row.delta,
        delta_salt: salt(row.delta_salt),
        lost: Lost::default(),
    };
    let open = header.previous().is_some();
    if !open {
        // The bodies of a seed: nothing came before it.
        let parts = bodies.parts();
        found.extend(match each_signature {
            false => check_bodies(&header, &parts),
            true => check_content(&header, &entry, &parts, &Surroundings::default()),
        });
        let lost = Lost {
            payload: bodies.payload.is_none() || bodies.salt.is_none(),
            delta: false,
        };
        bodies = Bodies {
            lost,
            ..Bodies::default()
        };
    }
    Ok(ExaminedCapsule {
        leaf: leaf_hash(text.as_bytes()),
        signed: each_signature,
        found,
        bodies,
        open,
        entry,
        header,
    })
}
