//! Reads the members of a closed JSON object: unknown ones are refused.

use alloc::string::String;

use base64::{Engine, engine::general_purpose::STANDARD};
use counterfoil_types::document::Fault;
use counterfoil_types::json::{Map, Value};

use crate::error::CapsuleError;

/// The members of one object of the document `what`.
#[derive(Clone, Copy)]
pub(crate) struct Members<'a> {
    what: &'static str,
    members: &'a Map,
}

impl<'a> Members<'a> {
    /// An object whose members are all among `known`.
    pub(crate) fn closed(
        what: &'static str,
        value: &'a Value,
        known: &[&str],
    ) -> Result<Self, CapsuleError> {
        let object = value.as_object();
        let members = object.ok_or_else(|| CapsuleError::at(what, "", "an object"))?;
        match members.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(CapsuleError::document(what, Fault::unknown(name))),
            None => Ok(Self { what, members }),
        }
    }

    pub(crate) fn optional(self, name: &str) -> Option<&'a Value> {
        self.members.get(name)
    }

    pub(crate) fn required(
        self,
        member: &'static str,
        must: &'static str,
    ) -> Result<&'a Value, CapsuleError> {
        self.optional(member)
            .ok_or_else(|| self.wrong(member, must))
    }

    pub(crate) fn text(self, member: &'static str) -> Result<&'a str, CapsuleError> {
        let must = "a string";
        self.required(member, must)?
            .as_str()
            .ok_or_else(|| self.wrong(member, must))
    }

    /// Bytes in strict base64.
    pub(crate) fn base64<const N: usize>(
        self,
        member: &'static str,
        must: &'static str,
    ) -> Result<[u8; N], CapsuleError> {
        base64_of(self.text(member)?).ok_or_else(|| self.wrong(member, must))
    }

    pub(crate) fn wrong(self, member: &'static str, must: &'static str) -> CapsuleError {
        CapsuleError::at(
            self.what,
            &alloc::format!("/{}", member.replace('.', "/")),
            must,
        )
    }
}

pub(crate) fn to_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Exactly `N` bytes in strict base64 (RFC 4648 §4): padded, no trailing bits, no URL alphabet.
pub(crate) fn base64_of<const N: usize>(text: &str) -> Option<[u8; N]> {
    STANDARD.decode(text).ok()?.try_into().ok()
}
