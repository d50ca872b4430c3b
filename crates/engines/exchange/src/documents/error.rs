//! Why bytes are not the document that was asked for (docs/format/exchange.md §1).

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use counterfoil_capsule::integrity::IntegrityError;
use counterfoil_types::json::JsonError;
use serde::{Deserialize, Serialize};

/// The kinds of documents, named as their `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DocumentKind {
    /// `memory_request`
    #[serde(rename = "memory_request")]
    Request,
    /// `memory_response`
    #[serde(rename = "memory_response")]
    Response,
    /// `memory_verify`
    #[serde(rename = "memory_verify")]
    Verify,
    /// `verify_result`
    VerifyResult,
    /// `attestation`
    Attestation,
    /// `vouch`
    Vouch,
    /// `vouch_revocation`
    #[serde(rename = "vouch_revocation")]
    Revocation,
    /// `capability`
    Capability,
}

impl DocumentKind {
    /// Whether drafts of it are read (§7).
    pub(crate) const fn has_drafts(self) -> bool {
        matches!(
            self,
            Self::Request | Self::Response | Self::Verify | Self::VerifyResult | Self::Attestation
        )
    }

    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Request,
        Self::Response,
        Self::Verify,
        Self::VerifyResult,
        Self::Attestation,
        Self::Vouch,
        Self::Revocation,
        Self::Capability,
    ];

    /// The value of `type`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Request => "memory_request",
            Self::Response => "memory_response",
            Self::Verify => "memory_verify",
            Self::VerifyResult => "verify_result",
            Self::Attestation => "attestation",
            Self::Vouch => "vouch",
            Self::Revocation => "vouch_revocation",
            Self::Capability => "capability",
        }
    }
}

impl fmt::Display for DocumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where in a document, as a JSON Pointer (RFC 6901).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member(pub(crate) String);

impl Member {
    /// The document itself.
    pub(crate) const fn root() -> Self {
        Self(String::new())
    }

    fn under(self, outer: &str) -> Self {
        Self([outer, &self.0].concat())
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() {
            "the document"
        } else {
            &self.0
        })
    }
}

impl DocumentError {
    /// The same, of a document that lies in another one.
    pub(crate) fn under(self, outer: &str) -> Self {
        match self {
            Self::Member { at, must } => Self::Member {
                at: at.under(outer),
                must,
            },
            Self::Unknown { at, kind } => Self::Unknown {
                at: at.under(outer),
                kind,
            },
            other => other,
        }
    }
}

/// Why bytes are not the document that was asked for. Nobody is blamed: anyone can have written them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// No JSON, or not in its canonical form where it is signed.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// Another type.
    #[error("this is a {found:?} and a {expected} was asked for")]
    Type {
        /// What was asked for.
        expected: DocumentKind,
        /// The beginning of what stands there.
        found: String,
    },
    /// Another version.
    #[error("version {found} is not read here; send one of {supported:?}")]
    Version {
        /// What stands there, as JSON, shortened.
        found: String,
        /// What is read.
        supported: Vec<&'static str>,
    },
    /// A member that is not what it must be, or is missing.
    #[error("{at} must be {must}")]
    Member {
        /// Where.
        at: Member,
        /// What it must be.
        must: String,
    },
    /// A member that the format does not have.
    #[error("{at} is not a member of a {kind}; remove it")]
    Unknown {
        /// Where.
        at: Member,
        /// Of what.
        kind: DocumentKind,
    },
    /// Members that contradict each other (R20, R22).
    #[error("{0}")]
    Incoherent(&'static str),
    /// The proof is none, or does not hold.
    #[error(transparent)]
    Proof(#[from] IntegrityError),
}
