//! Reading members one by one, against a budget of bytes (`proof.md` §3, steps 1 and 2).

use alloc::vec::Vec;

use counterfoil_types::json::{Map, Value};
use counterfoil_types::{Sha256Hash, VerificationMethod, VerificationProof};

use crate::limits::{MAX_PROOF_BYTES, quoted};
use crate::refusal::Refusal;
use crate::text::{base64_array, decimal};

/// An object that has no members but those that were named.
#[derive(Clone, Copy)]
pub(super) struct Object<'a> {
    place: &'static str,
    members: &'a Map,
}

impl<'a> Object<'a> {
    pub(super) fn closed(
        place: &'static str,
        value: &'a Value,
        names: &[&str],
    ) -> Result<Self, Refusal> {
        let expected = "an object";
        let members = value
            .as_object()
            .ok_or(Refusal::WrongType { place, expected })?;
        match members.keys().find(|name| !names.contains(&name.as_str())) {
            Some(name) => Err(Refusal::UnknownMember {
                place,
                member: quoted(name),
            }),
            None => Ok(Self { place, members }),
        }
    }

    pub(super) fn get(self, name: &str) -> Option<&'a Value> {
        self.members.get(name)
    }

    fn required(self, name: &'static str) -> Result<&'a Value, Refusal> {
        let (place, member) = (self.place, name);
        self.get(name)
            .ok_or(Refusal::MissingMember { place, member })
    }

    pub(super) fn array(
        self,
        name: &'static str,
        place: &'static str,
    ) -> Result<&'a [Value], Refusal> {
        let expected = "an array";
        let elements = self.required(name)?.as_array().map(Vec::as_slice);
        elements.ok_or(Refusal::WrongType { place, expected })
    }
}

/// Budget of text, in bytes.
pub(super) struct Reader {
    bytes: usize,
}

impl Reader {
    pub(super) const fn new() -> Self {
        Self {
            bytes: MAX_PROOF_BYTES,
        }
    }

    /// The data of a proof of one method.
    pub(super) fn data<'a>(
        &self,
        proof: &'a VerificationProof,
        method: &VerificationMethod,
        names: &[&str],
    ) -> Result<Object<'a>, Refusal> {
        expect_method(proof, method)?;
        let data = proof.proof().ok_or(Refusal::DataMissing)?;
        Object::closed("proof", data, names)
    }

    pub(super) fn text<'a>(
        &mut self,
        object: Object<'a>,
        name: &'static str,
        place: &'static str,
    ) -> Result<&'a str, Refusal> {
        self.spend(object.required(name)?, place)
    }

    fn spend<'a>(&mut self, value: &'a Value, place: &'static str) -> Result<&'a str, Refusal> {
        let expected = "a string";
        let text = value
            .as_str()
            .ok_or(Refusal::WrongType { place, expected })?;
        let left = self.bytes.checked_sub(text.len());
        self.bytes = left.ok_or_else(|| Refusal::too_much("bytes of text", MAX_PROOF_BYTES))?;
        Ok(text)
    }

    /// `sha256:<64 hex>`, as in the entry.
    pub(super) fn root(
        &mut self,
        object: Object<'_>,
        name: &'static str,
    ) -> Result<Sha256Hash, Refusal> {
        let text = self.text(object, name, name)?;
        let expected = "sha256: and 64 lower-case hexadecimal digits";
        let place = name;
        text.parse()
            .map_err(|_| Refusal::Misspelled { place, expected })
    }

    pub(super) fn decimal(
        &mut self,
        object: Object<'_>,
        name: &'static str,
        place: &'static str,
    ) -> Result<u64, Refusal> {
        let text = self.text(object, name, place)?;
        let expected = "a decimal number in a string";
        decimal(text).ok_or(Refusal::Misspelled { place, expected })
    }

    pub(super) fn base64_hash(
        &mut self,
        value: &Value,
        place: &'static str,
    ) -> Result<Sha256Hash, Refusal> {
        let expected = "32 bytes in base64";
        let hash = base64_array(self.spend(value, place)?);
        hash.map(Sha256Hash::from_bytes)
            .ok_or(Refusal::Misspelled { place, expected })
    }
}

/// Names of methods are compared byte for byte.
pub(crate) fn expect_method(
    proof: &VerificationProof,
    method: &VerificationMethod,
) -> Result<(), Refusal> {
    if proof.method() == method {
        return Ok(());
    }
    Err(Refusal::WrongMethod {
        expected: method.clone(),
        found: proof.method().clone(),
    })
}
