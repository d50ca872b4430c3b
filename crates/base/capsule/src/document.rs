//! Documents of records and keys: `type` and `version` around the members of a struct, and proofs where they are signed.

use core::ops::Deref;

use counterfoil_types::DidKey;
use counterfoil_types::document::{self, Fault};
use counterfoil_types::json::Value;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::CapsuleError;
use crate::integrity::{Binding, sign, verify};
use crate::key::Signer;
use crate::key_error::KeyError;
use crate::timestamp::Timestamp;

const VERSION: &str = "1";
const WITHOUT_PROOF: &[&str] = &["type", "version"];
/// Members of the envelope of a signed document.
pub(crate) const WITH_PROOF: &[&str] = &["type", "version", "proof"];

/// Members of a document of one type, without `type`, `version` and `proof`.
///
/// The struct is read and written by serde: closed (`deny_unknown_fields`), each member by its type.
pub trait Document: Serialize + DeserializeOwned {
    /// Value of `type`.
    const TYPE: &'static str;

    /// Checks the members against one another.
    ///
    /// # Errors
    /// The first member that contradicts another.
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Reads a document that carries no proof.
    ///
    /// # Errors
    /// The first member that is wrong.
    fn parse(value: &Value) -> Result<Self, CapsuleError> {
        read_beside(value, WITHOUT_PROOF)
    }

    /// The document, without a proof.
    fn to_value(&self) -> Value {
        let mut value = document::write(self);
        if let Some(members) = value.as_object_mut() {
            members.insert("type".into(), Self::TYPE.into());
            members.insert("version".into(), VERSION.into());
        }
        value
    }
}

/// Returns a document whose members fit one another.
pub(crate) fn checked<T: Document>(document: T) -> Result<T, CapsuleError> {
    match document.check() {
        Ok(()) => Ok(document),
        Err(fault) => Err(CapsuleError::document(T::TYPE, fault)),
    }
}

/// Reads a document whose members `envelope` are no members of `T`.
pub(crate) fn read_beside<T: Document>(
    value: &Value,
    envelope: &'static [&'static str],
) -> Result<T, CapsuleError> {
    let wrong = |fault| CapsuleError::document(T::TYPE, fault);
    let text = |member| value.get(member).and_then(Value::as_str);
    match (text("type"), text("version")) {
        (_, Some(found)) if found != VERSION => Err(CapsuleError::Version {
            what: T::TYPE,
            found: found.chars().take(32).collect(),
        }),
        (Some(kind), Some(_)) if kind == T::TYPE => {
            checked(document::read_without(value, envelope).map_err(wrong)?)
        }
        (Some(kind), None) if kind == T::TYPE => Err(wrong(Fault::new("/version", "\"1\""))),
        _ => Err(wrong(Fault::new("/type", alloc::format!("{:?}", T::TYPE)))),
    }
}

/// A document with its proofs: the members as a struct, and the JSON value that the proofs are over.
///
/// To have read one says nothing about the proofs: [`verify`](Self::verify) checks them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed<T> {
    members: T,
    document: Value,
}

impl<T: Document> Signed<T> {
    /// Signs a document with each of `signers` in turn: all assert it, for everyone.
    ///
    /// # Errors
    /// [`KeyError::Proof`] for a document without canonical form, and for more signers than
    /// one document carries proofs.
    pub fn sign(members: T, signers: &[&dyn Signer], created: Timestamp) -> Result<Self, KeyError> {
        let unsigned = members.to_value();
        let document = signers.iter().try_fold(unsigned, |document, signer| {
            sign(document, *signer, created, &Binding::ASSERTION)
        })?;
        Ok(Self { members, document })
    }

    /// Reads a document: closed members, each what its type says. Proofs may be absent and are not checked.
    ///
    /// # Errors
    /// The first member that is wrong.
    pub fn parse(value: &Value) -> Result<Self, CapsuleError> {
        Ok(Self {
            members: read_beside(value, WITH_PROOF)?,
            document: value.clone(),
        })
    }

    /// Takes a document that carries no proof.
    pub(crate) fn without_proof(members: T) -> Self {
        let document = members.to_value();
        Self { members, document }
    }

    /// Checks that the document carries a good proof by one of `keys`, which asserts it in the name of `agent`.
    ///
    /// # Errors
    /// As [`integrity::verify`](crate::integrity::verify()).
    pub fn verify(&self, agent: DidKey, keys: &[DidKey]) -> Result<DidKey, KeyError> {
        Ok(verify(&self.document, agent, keys, &Binding::ASSERTION)?)
    }
}

impl<T> Signed<T> {
    /// The document, proofs included.
    pub const fn to_value(&self) -> &Value {
        &self.document
    }

    /// Returns whether the document carries a `proof`, good or bad.
    pub(crate) fn has_proof(&self) -> bool {
        self.document.get("proof").is_some()
    }
}

impl<T> Deref for Signed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.members
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use core::fmt::Debug;

    use super::*;

    /// Each document comes back as it was written, and the first one with another value at any of the places is refused.
    pub(crate) fn is_closed<T: Document + PartialEq + Debug>(good: &[T], wrong: &[(&str, Value)]) {
        for document in good {
            assert_eq!(T::parse(&document.to_value()).as_ref(), Ok(document));
        }
        for (place, value) in wrong {
            let mut bad = good[0].to_value();
            match bad.pointer_mut(place) {
                Some(member) => *member = value.clone(),
                None => bad[&place[1..]] = value.clone(),
            }
            assert!(T::parse(&bad).is_err(), "{place}: {value}");
        }
    }
}
