//! What the documents of keys have in common: type, version, and members of few forms, strictly read.

use alloc::string::{String, ToString};

use counterfoil_types::json::{Map, Value};
use counterfoil_types::{Blake3Hash, DidKey, MAX_SAFE_INTEGER, Sha256Hash, WorldId};

use crate::error::CapsuleError;
use crate::id::ChainId;
use crate::member::Members;
use crate::record::RecordKind;

const VERSION: &str = "1";
/// The most bytes of a `reason`.
pub const MAX_REASON: usize = 1024;

/// The members of one document of `kind`.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a>(Members<'a>);

impl<'a> Reading<'a> {
    /// An object of this kind and version 1, with no member but `type`, `version` and `known`.
    pub(crate) fn of(
        kind: RecordKind,
        value: &'a Value,
        known: &[&str],
    ) -> Result<Self, CapsuleError> {
        Self::named(kind.name(), value, known)
    }

    /// The same for a document that is no record.
    pub(crate) fn named(
        what: &'static str,
        value: &'a Value,
        known: &[&str],
    ) -> Result<Self, CapsuleError> {
        if let Some(found) = value.get("version").and_then(Value::as_str)
            && found != VERSION
        {
            return Err(CapsuleError::DocumentVersion {
                what,
                found: found.chars().take(32).collect(),
            });
        }
        let known: alloc::vec::Vec<&str> =
            known.iter().copied().chain(["type", "version"]).collect();
        let members = Members::closed(what, value, &known)?;
        if members.text("type")? != what {
            return Err(members.wrong("type", "the name of the document"));
        }
        members.text("version")?;
        Ok(Self(members))
    }

    /// An object inside of a document, with no member but `known`.
    pub(crate) fn part(
        what: &'static str,
        value: &'a Value,
        known: &[&str],
    ) -> Result<Self, CapsuleError> {
        Members::closed(what, value, known).map(Self)
    }

    pub(crate) fn world(self, member: &'static str) -> Result<WorldId, CapsuleError> {
        let world = WorldId::new(self.0.text(member)?);
        world.map_err(|_| self.0.wrong(member, "a WorldId of 1 to 1024 bytes"))
    }

    pub(crate) fn sha256(self, member: &'static str) -> Result<Sha256Hash, CapsuleError> {
        let hash = self.0.text(member)?.parse();
        hash.map_err(|_| {
            self.0
                .wrong(member, "sha256: and 64 lower-case hexadecimal digits")
        })
    }

    pub(crate) fn key(self, member: &'static str) -> Result<DidKey, CapsuleError> {
        let key = self.0.text(member)?.parse();
        key.map_err(|_| self.0.wrong(member, "did:key of an Ed25519 key"))
    }

    pub(crate) fn optional_key(self, member: &'static str) -> Result<Option<DidKey>, CapsuleError> {
        let present = self.0.optional(member).is_some();
        present.then(|| self.key(member)).transpose()
    }

    pub(crate) fn hash(self, member: &'static str) -> Result<Blake3Hash, CapsuleError> {
        let hash = self.0.text(member)?.parse();
        hash.map_err(|_| {
            self.0
                .wrong(member, "blake3: and 64 lower-case hexadecimal digits")
        })
    }

    pub(crate) fn chain(self) -> Result<ChainId, CapsuleError> {
        self.0.text("chain")?.parse()
    }

    pub(crate) fn number(self, member: &'static str) -> Result<u64, CapsuleError> {
        let must = "an integer from 0 to 9007199254740991";
        let number = self.0.required(member, must)?.as_u64();
        number
            .filter(|number| *number <= MAX_SAFE_INTEGER)
            .ok_or_else(|| self.0.wrong(member, must))
    }

    pub(crate) fn text(self, member: &'static str) -> Result<&'a str, CapsuleError> {
        self.0.text(member)
    }

    /// A word for people: at most [`MAX_REASON`] bytes, no control characters.
    pub(crate) fn reason(self) -> Result<String, CapsuleError> {
        let reason = self.0.text("reason")?;
        if !is_reason(reason) {
            return Err(self.wrong("reason", REASON));
        }
        Ok(reason.to_string())
    }

    pub(crate) fn value(self, member: &'static str) -> Option<&'a Value> {
        self.0.optional(member)
    }

    pub(crate) const fn wrong(self, member: &'static str, must: &'static str) -> CapsuleError {
        self.0.wrong(member, must)
    }
}

pub(crate) const REASON: &str = "1 to 1024 bytes of text without control characters";

pub(crate) fn is_reason(text: &str) -> bool {
    (1..=MAX_REASON).contains(&text.len()) && !text.chars().any(char::is_control)
}

/// A document before it is signed.
pub(crate) fn unsigned<const N: usize>(
    kind: RecordKind,
    members: [(&'static str, Value); N],
) -> Value {
    document(kind.name(), members)
}

/// A document of that type, version 1.
pub(crate) fn document(
    what: &str,
    members: impl IntoIterator<Item = (&'static str, Value)>,
) -> Value {
    let common = [("type", what.into()), ("version", VERSION.into())];
    let members = common.into_iter().chain(members);
    let members: Map = members
        .map(|(name, value)| (name.to_string(), value))
        .collect();
    Value::Object(members)
}

/// A key, a digest or an id as it stands in a document.
pub(crate) fn written(value: impl core::fmt::Display) -> Value {
    value.to_string().into()
}
