//! Makes capsules that no sealer would write, for the adversarial cases.

use counterfoil_capsule::{
    Check, Code, IndeterminateReason, SealedCapsule, Signer, Verdict, header_hash,
};

use crate::common::{Bytes, note, seal};

pub(crate) const fn invalid(check: Check, code: Code) -> Verdict {
    Verdict::Invalid { check, code }
}

pub(crate) const fn pending(reason: IndeterminateReason) -> Verdict {
    Verdict::Indeterminate { reason }
}

/// The verdict on a good capsule whose header has `from` replaced by `to`. Nobody signed that.
pub(crate) fn with_header(from: &str, to: &str) -> Verdict {
    let mut bytes = Bytes::of(&seal(&note()));
    let header = String::from_utf8(bytes.header).unwrap();
    assert!(header.contains(from), "{header}");
    bytes.header = header.replacen(from, to, 1).into();
    bytes.check()
}

/// A header that its agent really signed, entry and all, though no sealer would write it.
pub(crate) fn signed_by(signer: &dyn Signer, header: &str) -> Bytes {
    signed_over(signer, header, &seal(&note()))
}

/// The same over the content of another capsule.
pub(crate) fn signed_over(signer: &dyn Signer, header: &str, sealed: &SealedCapsule) -> Bytes {
    let mut entry = sealed.entry.as_world().unwrap();
    entry.capsule = header_hash(header.as_bytes());
    let entry = entry.to_text();
    let signature = signer.sign(entry.as_bytes()).to_vec();
    Bytes {
        header: header.into(),
        entry: entry.into(),
        signature,
        ..Bytes::of(sealed)
    }
}

pub(crate) const LIMIT: Verdict = invalid(Check::Limits, Code::Limit);
pub(crate) const KEY_TYPE: Verdict = invalid(Check::Key, Code::KeyType);
pub(crate) const KEY_WEAK: Verdict = invalid(Check::Key, Code::KeyWeak);
pub(crate) const SIGNATURE: Verdict = invalid(Check::Signature, Code::Signature);
pub(crate) const UNSIGNED: Verdict = invalid(Check::Signature, Code::SignatureMissing);
pub(crate) const ENTRY: Verdict = invalid(Check::Signature, Code::Entry);
pub(crate) const SEQUENCE: Verdict = invalid(Check::Sequence, Code::Sequence);
pub(crate) const PREVIOUS: Verdict = invalid(Check::Sequence, Code::Previous);
pub(crate) const AGENT: Verdict = invalid(Check::Sequence, Code::Agent);
pub(crate) const MUTATION: Verdict = invalid(Check::Mutation, Code::Mutation);
pub(crate) const CHRONOLOGY: Verdict = invalid(Check::Chronology, Code::Chronology);
pub(crate) const PAYLOAD: Verdict = invalid(Check::Body, Code::State);
pub(crate) const DELTA_HASH: Verdict = invalid(Check::Body, Code::DeltaHash);
pub(crate) const DELTA: Verdict = invalid(Check::State, Code::Delta);
pub(crate) const ROLLBACK: Verdict = invalid(Check::State, Code::Rollback);
pub(crate) const RECORD: Verdict = invalid(Check::State, Code::Record);
pub(crate) const FIELDS: Verdict = invalid(Check::State, Code::Fields);
pub(crate) const NOT_CANONICAL: Verdict = invalid(Check::Canonical, Code::NotCanonical);
pub(crate) const SCHEMA: Verdict = invalid(Check::Schema, Code::Schema);
pub(crate) const PARENT: Verdict = pending(IndeterminateReason::MissingParent);
pub(crate) const ERASED: Verdict = pending(IndeterminateReason::BodyErased);
pub(crate) const LATER: Verdict = pending(IndeterminateReason::UnknownVersion);
pub(crate) const AHEAD: Verdict = pending(IndeterminateReason::FutureTimestamp);

pub(crate) fn world_json(data: &str) -> Vec<u8> {
    let world = r#"{"worldId":"w","schemaHash":"s","snapshotHash":"h","createdAt":1,"createdBy":null,"data":"#;
    format!("{world}{data}}}").into()
}
