//! Errors of reading and writing documents (docs/format/exchange.md §1).

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_capsule::integrity::ProofError;
use counterfoil_types::document::Fault;
use counterfoil_types::json::JsonError;
use counterfoil_types::{DidKey, words};

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

/// Bytes are not the expected document or record. No agent is to blame: any agent can have written them.
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
    Proof(#[from] ProofError),
    /// A text is not in the form of an id, a hash or a domain.
    #[error("{0}")]
    Name(&'static str),
    /// The proof of a document about another agent does not hold.
    #[error("the proof of this {0} does not hold; ask for the document again")]
    Unproven(DocumentKind),
    /// A record was signed by another agent than this one.
    #[error("this record is signed by {found}, and the records of this store by {expected}")]
    Foreign {
        /// Key of the agent whose store this is.
        expected: DidKey,
        /// Key that signed.
        found: DidKey,
    },
    /// Neither a vouch nor a revocation nor an own record.
    #[error("this is a {found:?}; send vouches and vouch_revocations")]
    NoRecord {
        /// The type of the document, at most 64 characters.
        found: String,
    },
    /// A version of an own record that is not read here.
    #[error("version {found:?} of a {kind} is not read here; write \"1\"")]
    RecordVersion {
        /// Type of the record.
        kind: &'static str,
        /// The version of the record, at most 64 characters.
        found: String,
    },
    /// A stored record does not read as it was signed. Trust cannot be computed without it.
    #[error(
        "record {number} about other agents is not as it was kept ({error}); restore the database from a backup"
    )]
    Stored {
        /// Number of the record from 0, in the order of the store.
        number: usize,
        /// Its error.
        error: Box<Self>,
    },
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
