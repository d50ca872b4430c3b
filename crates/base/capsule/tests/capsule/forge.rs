//! Makes capsules that no sealer would write, for the adversarial cases.

use counterfoil_capsule::{
    Check, Code, IndeterminateReason, SealedCapsule, Signer, Verdict, header_hash,
};
use counterfoil_verifier::entry::Entry;

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
    let entry = Entry {
        world: sealed.entry.world().unwrap().clone(),
        capsule: header_hash(header.as_bytes()),
        content: sealed.entry.content,
        content_size: sealed.entry.content_size,
        field_root: sealed.entry.field_root,
        field_count: sealed.entry.field_count,
    };
    let entry = entry.to_text();
    let signature = signer.sign(entry.as_bytes()).to_vec();
    Bytes {
        header: header.into(),
        entry: entry.into(),
        signature,
        ..Bytes::of(sealed)
    }
}

pub(crate) const NOT_CANONICAL: Verdict = invalid(Check::Canonical, Code::NotCanonical);
pub(crate) const SCHEMA: Verdict = invalid(Check::Schema, Code::Schema);

pub(crate) fn world_json(data: &str) -> Vec<u8> {
    let world = r#"{"worldId":"w","schemaHash":"s","snapshotHash":"h","createdAt":1,"createdBy":null,"data":"#;
    format!("{world}{data}}}").into()
}
