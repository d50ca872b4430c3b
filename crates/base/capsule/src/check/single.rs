//! Single checks, for a validator that makes all of them, in another order and on several threads.
//!
//! None of them says anything alone: that is for [`check_capsule`](crate::check_capsule).

use alloc::vec::Vec;

use counterfoil_types::DidKey;
use counterfoil_types::json::Value;

use super::{Examination, StoredParts, Surroundings};
use crate::header::Header;
use crate::log_entry::LogEntry;
use crate::verdict::{Check, IndeterminateReason, Verdict};

/// Key number, sequence and chronology: what the place says.
pub fn check_place(header: &Header, around: &Surroundings<'_>) -> Vec<Verdict> {
    let parts = StoredParts::default();
    let mut examination = Examination::new(&parts, around);
    examination.authorised(header.key_number(), header.chain());
    examination.sequence(header);
    examination.chronology(header);
    examination.found
}

/// The signature, strictly; `key` is the one of the number that the header names.
pub fn check_signature(
    key: Option<&DidKey>,
    entry: &[u8],
    signature: Option<&[u8]>,
) -> Option<Verdict> {
    let parts = StoredParts {
        entry,
        signature,
        ..StoredParts::default()
    };
    let around = Surroundings::default();
    let mut examination = Examination::new(&parts, &around);
    match key {
        Some(key) => examination.signature(key),
        None => examination.pending(IndeterminateReason::MissingKey),
    }
    examination.found.pop()
}

/// The hashes of both bodies; they are not read.
pub fn check_bodies(header: &Header, parts: &StoredParts<'_>) -> Vec<Verdict> {
    let around = Surroundings::default();
    let mut examination = Examination::new(parts, &around);
    let _ = examination.payload(header);
    let _ = examination.delta(header);
    examination.found
}

/// All that is to be said of the bodies: hashes, field tree, document, delta and rollback.
pub fn check_content(
    header: &Header,
    entry: &LogEntry,
    parts: &StoredParts<'_>,
    around: &Surroundings<'_>,
) -> Vec<Verdict> {
    let mut examination = Examination::new(parts, around);
    examination.content(header, Some(entry));
    examination.found
}

/// Checks the result of the delta, and that a rollback restores the version that it names. `content` is
/// the content of the capsule; the delta is the one that its header names.
pub fn check_transition(
    header: &Header,
    delta: Option<&[u8]>,
    content: Option<&Value>,
    around: &Surroundings<'_>,
) -> Vec<Verdict> {
    let parts = StoredParts::default();
    let mut examination = Examination::new(&parts, around);
    if let (Some(named), Some(delta)) = (header.delta(), delta) {
        examination.transition(header, named, content, delta);
    }
    examination.rollback(header, content);
    examination.found
}

/// Findings in the order of the checks, each once.
pub fn in_order(mut found: Vec<Verdict>) -> Vec<Verdict> {
    found.sort_by_key(check_of);
    found.dedup();
    found
}

const fn check_of(verdict: &Verdict) -> Check {
    match verdict {
        Verdict::Valid => Check::Policy,
        Verdict::Invalid { check, .. } => *check,
        Verdict::Indeterminate { reason } => match reason {
            IndeterminateReason::MissingParent => Check::Sequence,
            IndeterminateReason::MissingKey => Check::Key,
            IndeterminateReason::UnknownVersion => Check::Version,
            IndeterminateReason::UnknownKind => Check::Schema,
            IndeterminateReason::FutureTimestamp => Check::Chronology,
            IndeterminateReason::BodyErased
            | IndeterminateReason::DeltaErased
            | IndeterminateReason::RestoredErased
            | IndeterminateReason::BodyArchived => Check::Body,
        },
    }
}
