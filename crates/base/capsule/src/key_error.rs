//! Errors of proofs, signatures and key chains, with the stable word for programs (capsules 4.8, B17-B25).

use alloc::boxed::Box;
use counterfoil_types::{Blake3Hash, DidKey};

use crate::error::CapsuleError;
use crate::integrity::ProofError;

/// A proof, a signature or a record of a key chain is refused, or left open. A history is unchanged.
///
/// A proof or signature that does not hold never blames the agent that the document names: anyone can write a name beside one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The document is not one of its kind.
    #[error(transparent)]
    Document(#[from] CapsuleError),
    /// The proof of the document does not hold, or the document cannot be signed.
    #[error(transparent)]
    Proof(#[from] ProofError),
    /// The signature of a capsule does not hold.
    #[error("the signature of capsule {capsule} does not hold; it says nothing about {agent}")]
    CapsuleSignature {
        /// Agent whose signature was expected.
        agent: DidKey,
        /// The capsule.
        capsule: Blake3Hash,
    },
    /// A signature that cannot be decided without the agent's key chain.
    #[error("key number {number} of {agent} is not known; fetch its key chain")]
    UnknownKey {
        /// Agent of the key.
        agent: DidKey,
        /// Its number.
        number: u64,
    },
    /// The `keys` of a proof of equivocation are no key chain.
    #[error("the key chain that it brings does not hold ({0}); ask for the whole one")]
    Brought(Box<KeyError>),
    /// The authority of a decision is not one of those that are trusted here.
    #[error(
        "{authority} is not an authority of this store: ask one that is, or add its did:key to \
         the file of authorities"
    )]
    Authority {
        /// Authority that the document names.
        authority: DidKey,
    },
    /// The proof of a decision does not hold.
    #[error("the proof of the decision does not hold ({0}): ask for the decision as it was signed")]
    Decision(Box<KeyError>),
    /// The header is of a capsule of another kind than the document.
    #[error("the capsule is not of the kind {document}; read the document of its own capsule")]
    Kind {
        /// The kind of the document.
        document: &'static str,
    },
    /// Another agent than the owner of the key chain.
    #[error("the document is about {found}, the key chain is that of {owner}; look in the other's")]
    Agent {
        /// Agent of the chain.
        owner: DidKey,
        /// Whom the document or its header names.
        found: DidKey,
    },
    /// A second key chain, or a document made for another chain.
    #[error("the document belongs to another chain; an agent has one key chain")]
    Chain,
    /// The first record is no inception at number 0, or a later one is.
    #[error("a key chain begins with its one key_inception; read it from there")]
    Inception,
    /// Some records before this one are not known.
    #[error("the key chain is known to number {known} and this is {found}; fetch those between")]
    Gap {
        /// The last known number in the chain.
        known: u64,
        /// The number of the record.
        found: u64,
    },
    /// Not the record after the last one.
    #[error(
        "number {found} of the key chain is taken; two different records of one number are a fork"
    )]
    Sequence {
        /// The number of the record.
        found: u64,
    },
    /// Not made for the place after the last record.
    #[error(
        "the document or its header names another capsule before it; it was made for another place"
    )]
    Previous,
    /// The header does not announce what the document commits to.
    #[error("ext.next_key and ext.recovery_key of the header are not those of the document")]
    Announced,
    /// A rotation to another number than the next one, or a mark on a key that is not there.
    #[error(
        "key number {found} is not possible with {current} as the current one; check the number"
    )]
    Number {
        /// The current key's number.
        current: u64,
        /// Number in the document.
        found: u64,
    },
    /// The revealed key is not the one that was committed to.
    #[error(
        "{revealed} is not the key that was committed to as the next one; only that one can follow"
    )]
    NextKey {
        /// The key that a rotation reveals.
        revealed: DidKey,
    },
    /// The key is not the recovery key that was committed to.
    #[error("{revealed} is not the recovery key that was committed to; use that one")]
    RecoveryKey {
        /// The key that is given for it.
        revealed: DidKey,
    },
    /// A rotation names another recovery key, which stays the same.
    #[error("a rotation keeps the commitment to the recovery key; leave it as it is")]
    RecoveryChanged,
    /// A key that this agent had before, or a commitment to one.
    #[error("key number {number} was this key already; rotate to one that was never used")]
    Reused {
        /// The number that it had.
        number: u64,
    },
    /// Signed with a key that was the agent's and is not any more, or by someone else.
    #[error(
        "key number {number} may not sign here, the current one is {current}; sign with that one"
    )]
    NotAuthorised {
        /// The number of the key that signs.
        number: u64,
        /// The current key's number.
        current: u64,
    },
    /// A key number that is not known yet.
    #[error("key number {number} is not known yet, {current} is the last; fetch the key chain")]
    Missing {
        /// The number of the key that signs.
        number: u64,
        /// The last known number.
        current: u64,
    },
}

impl KeyError {
    /// The word for programs, `E_` in front.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Document(_) | Self::Kind { .. } => "E_SCHEMA",
            Self::Proof(error) => error.code(),
            Self::CapsuleSignature { .. } => "E_SIGNATURE",
            Self::Brought(error) | Self::Decision(error) => error.code(),
            Self::Agent { .. } => "E_AGENT",
            Self::Chain => "E_KEY_CHAIN",
            Self::Inception => "E_KEY_INCEPTION",
            Self::Gap { .. } => "E_MISSING_PARENT",
            Self::Sequence { .. } => "E_SEQUENCE",
            Self::Previous => "E_PREVIOUS",
            Self::Announced => "E_KEY_COMMITMENT",
            Self::Number { .. } => "E_KEY_NUMBER",
            Self::NextKey { .. } => "E_NEXT_KEY",
            Self::RecoveryKey { .. } | Self::RecoveryChanged => "E_RECOVERY_KEY",
            Self::Reused { .. } => "E_KEY_REUSED",
            Self::NotAuthorised { .. } | Self::Authority { .. } => "E_KEY_NOT_AUTHORISED",
            Self::Missing { .. } | Self::UnknownKey { .. } => "E_MISSING_KEY",
        }
    }

    /// Returns whether more records, or a later program, may decide otherwise: never a reason to delete.
    pub const fn is_indeterminate(&self) -> bool {
        match self {
            Self::Gap { .. } | Self::Missing { .. } | Self::UnknownKey { .. } => true,
            Self::Proof(error) => error.is_indeterminate(),
            Self::Document(error) => matches!(error, CapsuleError::Version { .. }),
            Self::Brought(error) | Self::Decision(error) => error.is_indeterminate(),
            _ => false,
        }
    }
}
