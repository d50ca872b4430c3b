//! Errors of reading and writing documents (docs/format/exchange.md §1).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_capsule::integrity::IntegrityError;
use counterfoil_types::document::Fault;
use counterfoil_types::json::JsonError;
use counterfoil_types::words;

words! {
    /// The kinds of documents, named as their `type`.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum DocumentKind {
        /// `memory_request`
        Request = "memory_request",
        /// `memory_response`
        Response = "memory_response",
        /// `memory_verify`
        Verify = "memory_verify",
        /// `verify_result`
        VerifyResult = "verify_result",
        /// `attestation`
        Attestation = "attestation",
        /// `vouch`
        Vouch = "vouch",
        /// `vouch_revocation`
        Revocation = "vouch_revocation",
        /// `capability`
        Capability = "capability",
    }
}

/// Bytes are not the expected document. No agent is to blame: any agent can have written them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// No JSON, or a signed document that is not in canonical form.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// Another type.
    #[error("this is a {found:?} and a {expected} was asked for")]
    Type {
        /// The expected kind.
        expected: DocumentKind,
        /// The type of the document, at most 64 characters.
        found: String,
    },
    /// Another version.
    #[error("version {found} is not read here; send one of {supported:?}")]
    Version {
        /// The version of the document as JSON, at most 64 characters.
        found: String,
        /// The versions that are read.
        supported: Vec<&'static str>,
    },
    /// A member that has another form than it must have, or is missing.
    #[error("{0}")]
    Member(Fault),
    /// A member that the format does not have.
    #[error("{at} is not a member of a {kind}; remove it")]
    Unknown {
        /// JSON Pointer (RFC 6901) of the member.
        at: String,
        /// Kind of the document that has it.
        kind: DocumentKind,
    },
    /// Members that contradict each other (R20, R22).
    #[error("{0}")]
    Incoherent(&'static str),
    /// The proof is malformed or does not hold.
    #[error(transparent)]
    Proof(#[from] IntegrityError),
}

impl DocumentError {
    /// The error of a member at a JSON Pointer, empty for the document itself.
    pub(super) fn at(pointer: impl Into<String>, must: impl Into<String>) -> Self {
        Self::Member(Fault::new(pointer, must))
    }

    /// The error of a fault in a document of a kind.
    pub(super) fn of_fault(fault: Fault, kind: DocumentKind) -> Self {
        match fault.requirement() {
            Some(_) => Self::Member(fault),
            None => Self::Unknown {
                at: fault.pointer().to_string(),
                kind,
            },
        }
    }

    /// The same error, of a document that lies at `outer` in another one.
    pub(super) fn under(self, outer: &str) -> Self {
        match self {
            Self::Member(fault) => Self::Member(fault.under(outer)),
            Self::Unknown { at, kind } => Self::Unknown {
                at: [outer, &at].concat(),
                kind,
            },
            other => other,
        }
    }
}
