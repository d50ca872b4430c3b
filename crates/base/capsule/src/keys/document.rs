//! The documents of a key chain, distinguished by their type (capsules 4.7).

use counterfoil_types::DidKey;
use counterfoil_types::json::Value;

use super::{KeyCompromise, KeyInception, KeyRotation};
use crate::document::Signed;
use crate::error::CapsuleError;
use crate::extensions::Extensions;
use crate::record::RecordKind;

/// A document of a key chain. [`KeyHistory`](super::KeyHistory) checks its proofs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyDocument {
    /// It begins the chain.
    Inception(Signed<KeyInception>),
    /// The next key takes over.
    Rotation(Signed<KeyRotation>),
    /// A key was in other hands.
    Compromise(Signed<KeyCompromise>),
}

impl KeyDocument {
    /// Reads the payload of a record of this kind. `None` when records of this kind do not stand in
    /// a key chain.
    ///
    /// # Errors
    /// The first thing that is wrong with the document.
    pub fn parse(kind: RecordKind, payload: &Value) -> Option<Result<Self, CapsuleError>> {
        match kind {
            RecordKind::KeyInception => Some(Signed::parse(payload).map(Self::Inception)),
            RecordKind::KeyRotation => Some(Signed::parse(payload).map(Self::Rotation)),
            RecordKind::KeyCompromise => Some(Signed::parse(payload).map(Self::Compromise)),
            _ => None,
        }
    }

    /// The kind of the record that holds it.
    pub const fn kind(&self) -> RecordKind {
        match self {
            Self::Inception(_) => RecordKind::KeyInception,
            Self::Rotation(_) => RecordKind::KeyRotation,
            Self::Compromise(_) => RecordKind::KeyCompromise,
        }
    }

    /// The document, proofs included: the payload of the record.
    pub const fn to_value(&self) -> &Value {
        match self {
            Self::Inception(document) => document.to_value(),
            Self::Rotation(document) => document.to_value(),
            Self::Compromise(document) => document.to_value(),
        }
    }

    /// Agent whose keys it is about.
    pub fn agent(&self) -> DidKey {
        match self {
            Self::Inception(document) => document.agent,
            Self::Rotation(document) => document.agent,
            Self::Compromise(document) => document.agent,
        }
    }

    /// Members that the header of its capsule must announce in `ext`, where a payload can't be erased.
    pub fn extensions(&self) -> Extensions {
        let (next_key, recovery_key) = match self {
            Self::Inception(document) => (document.next_key, document.recovery_key),
            Self::Rotation(document) => (document.next_key, document.recovery_key),
            Self::Compromise(_) => return Extensions::default(),
        };
        Extensions {
            next_key: Some(next_key),
            recovery_key: Some(recovery_key),
            ..Extensions::default()
        }
    }
}
