//! What a `memory_request` and a `memory_verify` have in common: who asks whom, under which nonce (R1).

use counterfoil_capsule::integrity::Purpose;

use super::read::{Binding, Opened, examined, hashed_unsigned};
use super::{Audience, DocumentError, Form, Party, RequestHash, RequestHeader, Signature};

/// What the hash of a request begins with.
const REQUEST: &str = "counterfoil/exchange/v1 request\n";

/// Who asks whom, and when.
pub(super) struct Asked<'a> {
    pub(super) header: &'a RequestHeader,
    pub(super) requester: &'a Party,
    pub(super) audience: &'a Audience,
}

impl Asked<'_> {
    /// What its proof must be for.
    pub(super) fn proved(&self) -> Binding {
        let nonce = self.header.nonce.as_ref();
        Binding::of(Purpose::Authentication, self.audience, nonce)
    }

    /// Whom the answer is for.
    pub(super) const fn asker(&self, form: Form) -> Audience {
        match (form, self.requester.public_key) {
            (Form::One, Some(key)) => Audience::One(key),
            _ => Audience::Everyone,
        }
    }

    /// What the proof of an answer must be for.
    pub(super) fn answered(&self, form: Form) -> Binding {
        let nonce = self.header.nonce.as_ref();
        Binding::of(Purpose::Assertion, &self.asker(form), nonce)
    }

    /// Checks the proof against key, audience and nonce of the document itself.
    pub(super) fn signature(&self, bytes: &[u8], form: Form) -> Signature {
        examined(bytes, form, self.requester.public_key, &self.proved())
    }
}

/// What answers refer to.
pub(super) fn asked_hash(opened: &Opened) -> Result<RequestHash, DocumentError> {
    let digest = hashed_unsigned(REQUEST, &opened.value)?;
    Ok(RequestHash::from_digest(digest))
}
