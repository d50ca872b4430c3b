//! Refusals of proofs of `eddsa-jcs-2022`, with the stable word for programs (capsules 4.8, B17-B22).

use alloc::string::String;

use counterfoil_types::DidKey;
use counterfoil_types::document::Fault;
use counterfoil_types::json::JsonError;

/// A proof of a document is refused, or left open.
///
/// It never blames the agent that the document names: anyone can write a name beside a proof.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// The document is not one that can be signed: no object, or without canonical form.
    #[error("only a JSON object can carry a proof; wrap the value in one")]
    NotAnObject,
    /// The document has no canonical form.
    #[error("the document has no canonical form: {0}")]
    Json(#[from] JsonError),
    /// `proof` is neither an object nor an array of objects, or has none.
    #[error("proof must be an object or an array of 1 to {limit} objects; sign the document anew")]
    Proofs {
        /// The most proofs of one document.
        limit: usize,
    },
    /// The document carries no proof at all.
    #[error("the document of {agent} carries no proof; ask for one that is signed")]
    ProofMissing {
        /// Agent that was expected to sign.
        agent: DidKey,
    },
    /// All proofs are by other keys.
    #[error(
        "none of the {proofs} proofs is by a key of {agent} that may sign this; ask its agent for one"
    )]
    OtherKeys {
        /// Agent that was expected to sign.
        agent: DidKey,
        /// Number of proofs.
        proofs: usize,
    },
    /// A key of small order or no point of the curve.
    #[error("{key} is a weak key, which no signature is checked against; use another key")]
    KeyWeak {
        /// The key.
        key: DidKey,
    },
    /// The proof is of another type.
    #[error("the proof is of another type than DataIntegrityProof; sign with eddsa-jcs-2022")]
    ProofType,
    /// A cryptosuite that this version does not know: open, not refused.
    #[error("the proof is of the cryptosuite {found:?}; update counterfoil to check it")]
    UnknownSuite {
        /// The suite's name.
        found: String,
    },
    /// A member of the proof is absent, unknown, or not what it must be.
    #[error("proof: {0}; sign the document anew")]
    Member(#[from] Fault),
    /// The proof was made for something else.
    #[error("the proof is for {found:?} and {expected} was asked for; it proves nothing here")]
    Purpose {
        /// Purpose that was asked for.
        expected: &'static str,
        /// Purpose of the proof.
        found: String,
    },
    /// The proof was made for another audience or for another question.
    #[error("the proof's {member} is not the one that was asked for; it was made for another use")]
    Binding {
        /// `domain` or `challenge`.
        member: &'static str,
    },
    /// The proof was made under another `@context` than the document has.
    #[error("the proof's @context is not the document's; sign the document anew")]
    Context,
    /// The signature does not hold.
    #[error("the signature of {key} does not hold over this document; it was changed or forged")]
    Signature {
        /// The key that the proof names.
        key: DidKey,
    },
}

impl ProofError {
    /// The word for programs, `E_` in front.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotAnObject | Self::Proofs { .. } | Self::ProofType | Self::Member(_) => {
                "E_SCHEMA"
            }
            Self::Json(_) => "E_NOT_CANONICAL",
            Self::ProofMissing { .. } => "E_SIGNATURE_MISSING",
            Self::OtherKeys { .. } => "E_KEY_NOT_AUTHORISED",
            Self::KeyWeak { .. } => "E_KEY_WEAK",
            Self::UnknownSuite { .. } => "E_UNKNOWN_SUITE",
            Self::Purpose { .. } => "E_PURPOSE",
            Self::Binding { .. } => "E_BINDING",
            Self::Context => "E_CONTEXT",
            Self::Signature { .. } => "E_SIGNATURE",
        }
    }

    /// Returns whether a later program may decide otherwise: never a reason to delete.
    pub const fn is_indeterminate(&self) -> bool {
        matches!(self, Self::UnknownSuite { .. })
    }
}
