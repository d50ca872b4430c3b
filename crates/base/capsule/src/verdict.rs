//! What a check of a capsule can say: valid, invalid, or not decidable yet (capsules 4.6, 4.8).

use core::fmt;

/// The outcome of checking one capsule.
///
/// `Invalid` is final. `Indeterminate` may become either when more is known, and is never a
/// reason to delete something. Only an invalid capsule whose signature holds says anything about
/// the agent it names: anyone can put a name under a bad signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Every check that could be made held.
    Valid,
    /// A check failed.
    Invalid {
        /// Check that failed.
        check: Check,
        /// Fault.
        code: Code,
    },
    /// Something that a check needs is not there.
    Indeterminate {
        /// What.
        reason: IndeterminateReason,
    },
}

/// The checks, in the order in which they are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Check {
    /// Header and entry have the members and lines of their format.
    Schema,
    /// Nothing is larger than it may be.
    Limits,
    /// Bytes are their own canonical form.
    Canonical,
    /// The version is known.
    Version,
    /// The agent is an Ed25519 key that a signature can be checked against.
    Key,
    /// The signature holds over the entry, and the entry names this header.
    Signature,
    /// Number, chain, agent and previous capsule fit.
    Sequence,
    /// The mutation hash is that of previous capsule and delta.
    Mutation,
    /// The timestamp is later than the one before.
    Chronology,
    /// Payload and delta are those that the header names.
    Body,
    /// The payload is what the entry says about it, and what the delta makes of the one before.
    State,
    /// Rules of the checking store.
    Policy,
}

/// Fault as a stable word for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Code {
    /// A member is absent, unknown, or not what it must be.
    Schema,
    /// The entry has another form.
    EntryForm,
    /// Too large, too deep, too many.
    Limit,
    /// Not the canonical spelling; duplicate members and unsafe integers among them.
    NotCanonical,
    /// The agent is not the `did:key` of an Ed25519 key.
    KeyType,
    /// A key of small order or no point of the curve.
    KeyWeak,
    /// A key of the agent's that had been rotated away from.
    KeyNotAuthorised,
    /// There is no signature.
    SignatureMissing,
    /// The signature does not hold.
    Signature,
    /// The signed entry names another header, World or content.
    Entry,
    /// `seq` and the chain do not fit.
    Sequence,
    /// `previous` is not the hash of the capsule before.
    Previous,
    /// Another agent than the owner of the chain.
    Agent,
    /// `delta` and `mutation` do not fit.
    Mutation,
    /// Not later than the capsule before.
    Chronology,
    /// The payload is not the one that was sealed.
    State,
    /// The delta is not the one that was sealed.
    DeltaHash,
    /// The delta does not lead from the content before to this one.
    Delta,
    /// The state is not that of the version that a rollback names.
    Rollback,
    /// The payload of a record is not a document of its kind.
    Record,
    /// The payload is not a World, or another one.
    World,
    /// The field tree of the payload is another one than the entry names.
    Fields,
}

/// Information that is missing to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum IndeterminateReason {
    /// The capsule before it.
    MissingParent,
    /// The key that signs for the agent at this place.
    MissingKey,
    /// A program that knows this version or digest.
    UnknownVersion,
    /// A program that knows this kind of capsule.
    UnknownKind,
    /// Time: it is more than five minutes ahead.
    FutureTimestamp,
    /// The payload or the delta, which was erased.
    BodyErased,
    /// The delta, which was erased with the content before it; the payload is there and holds.
    DeltaErased,
    /// The content of the version that it restores, which was erased; its own is there and holds.
    RestoredErased,
    /// The payload or the delta, which is in an archive.
    BodyArchived,
}

impl Verdict {
    /// Returns whether a check failed, which is final.
    #[must_use]
    pub const fn is_invalid(&self) -> bool {
        matches!(self, Self::Invalid { .. })
    }

    pub(crate) const fn invalid(check: Check, code: Code) -> Self {
        Self::Invalid { check, code }
    }

    pub(crate) const fn pending(reason: IndeterminateReason) -> Self {
        Self::Indeterminate { reason }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Valid => f.write_str("valid"),
            Self::Invalid { check, code } => write!(f, "invalid: {} ({check})", code.as_str()),
            Self::Indeterminate { reason } => write!(f, "indeterminate: {reason}"),
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Schema => "schema",
            Self::Limits => "limits",
            Self::Canonical => "canonical",
            Self::Version => "version",
            Self::Key => "key",
            Self::Signature => "signature",
            Self::Sequence => "sequence",
            Self::Mutation => "mutation",
            Self::Chronology => "chronology",
            Self::Body => "body",
            Self::State => "state",
            Self::Policy => "policy",
        })
    }
}

impl Code {
    /// The word, `E_` in front.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Schema => "E_SCHEMA",
            Self::EntryForm => "E_ENTRY_FORM",
            Self::Limit => "E_LIMIT",
            Self::NotCanonical => "E_NOT_CANONICAL",
            Self::KeyType => "E_KEY_TYPE",
            Self::KeyWeak => "E_KEY_WEAK",
            Self::KeyNotAuthorised => "E_KEY_NOT_AUTHORISED",
            Self::SignatureMissing => "E_SIGNATURE_MISSING",
            Self::Signature => "E_SIGNATURE",
            Self::Entry => "E_ENTRY",
            Self::Sequence => "E_SEQUENCE",
            Self::Previous => "E_PREVIOUS",
            Self::Agent => "E_AGENT",
            Self::Mutation => "E_MUTATION",
            Self::Chronology => "E_CHRONOLOGY",
            Self::State => "E_STATE",
            Self::DeltaHash => "E_DELTA_HASH",
            Self::Delta => "E_DELTA",
            Self::Rollback => "E_ROLLBACK",
            Self::Record => "E_RECORD",
            Self::World => "E_WORLD",
            Self::Fields => "E_FIELDS",
        }
    }
}

impl fmt::Display for IndeterminateReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MissingParent => "the capsule before it is missing",
            Self::MissingKey => "the agent's key at this place is unknown",
            Self::UnknownVersion => "of a later version",
            Self::UnknownKind => "of a kind that is not known",
            Self::FutureTimestamp => "more than five minutes ahead of the clock",
            Self::BodyErased => "the content was erased",
            Self::DeltaErased => "the change that led to it was erased",
            Self::RestoredErased => "the version that it restores was erased",
            Self::BodyArchived => "the content is archived",
        })
    }
}
