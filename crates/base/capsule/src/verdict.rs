//! Results of a check of a capsule: valid, invalid, or not decidable yet (capsules 4.6, 4.8).

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

counterfoil_types::words! {
    /// The checks, in the order in which they are made.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Check {
        /// Header and entry have the members and lines of their format.
        Schema = "schema",
        /// Nothing is larger than it may be.
        Limits = "limits",
        /// Bytes are their own canonical form.
        Canonical = "canonical",
        /// The version is known.
        Version = "version",
        /// The agent is an Ed25519 key that a signature can be checked against.
        Key = "key",
        /// The signature holds over the entry, and the entry names this header.
        Signature = "signature",
        /// Number, chain, agent and previous capsule fit.
        Sequence = "sequence",
        /// The mutation hash is that of previous capsule and delta.
        Mutation = "mutation",
        /// The timestamp is later than the one before.
        Chronology = "chronology",
        /// Payload and delta are those that the header names.
        Body = "body",
        /// The payload is what the entry says about it, and what the delta makes of the one before.
        State = "state",
        /// Rules of the checking store.
        Policy = "policy",
    }
}

counterfoil_types::words! {
    /// Fault as a stable word for programs.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum Code {
        /// A member is absent, unknown, or not what it must be.
        Schema = "E_SCHEMA",
        /// The entry has another form.
        EntryForm = "E_ENTRY_FORM",
        /// Too large, too deep, too many.
        Limit = "E_LIMIT",
        /// Not the canonical spelling; duplicate members and unsafe integers among them.
        NotCanonical = "E_NOT_CANONICAL",
        /// The agent is not the `did:key` of an Ed25519 key.
        KeyType = "E_KEY_TYPE",
        /// A key of small order or no point of the curve.
        KeyWeak = "E_KEY_WEAK",
        /// A key of the agent's that had been rotated away from.
        KeyNotAuthorised = "E_KEY_NOT_AUTHORISED",
        /// There is no signature.
        SignatureMissing = "E_SIGNATURE_MISSING",
        /// The signature does not hold.
        Signature = "E_SIGNATURE",
        /// The signed entry names another header, World or content.
        Entry = "E_ENTRY",
        /// `seq` and the chain do not fit.
        Sequence = "E_SEQUENCE",
        /// `previous` is not the hash of the capsule before.
        Previous = "E_PREVIOUS",
        /// Another capsule of the agent has this id.
        Id = "E_ID",
        /// Another agent than the owner of the chain.
        Agent = "E_AGENT",
        /// `delta` and `mutation` do not fit.
        Mutation = "E_MUTATION",
        /// A capsule of a complete feed is not shown.
        FeedMissing = "E_FEED_MISSING",
        /// The commitment is to another number, or another capsule before it.
        FeedLink = "E_FEED_LINK",
        /// A capsule that is missing in the list of a complete feed.
        FeedUnlisted = "E_FEED_UNLISTED",
        /// Not later than the capsule before.
        Chronology = "E_CHRONOLOGY",
        /// The payload is not the one that was sealed.
        State = "E_STATE",
        /// The delta is not the one that was sealed.
        DeltaHash = "E_DELTA_HASH",
        /// The delta does not lead from the content before to this one.
        Delta = "E_DELTA",
        /// The state is not that of the version that a rollback names.
        Rollback = "E_ROLLBACK",
        /// The payload of a record is not a document of its kind.
        Record = "E_RECORD",
        /// The payload is not a World, or another one.
        World = "E_WORLD",
        /// The field tree of the payload is another one than the entry names.
        Fields = "E_FIELDS",
        /// The log's signed checkpoint does not hold the entry.
        NotInLog = "E_NOT_IN_LOG",
        /// Stored data is gone that no record accounts for.
        Missing = "E_MISSING",
    }
}

counterfoil_types::words! {
    /// Information that is missing to decide.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum IndeterminateReason {
        /// The capsule before it.
        MissingParent = "the capsule before it is missing",
        /// The key that signs for the agent at this place.
        MissingKey = "the agent's key at this place is unknown",
        /// A program that knows this version or digest.
        UnknownVersion = "of a later version",
        /// A program that knows this kind of capsule.
        UnknownKind = "of a kind that is not known",
        /// Time: it is more than five minutes ahead.
        FutureTimestamp = "more than five minutes ahead of the clock",
        /// The payload or the delta, which was erased.
        BodyErased = "the content was erased",
        /// The delta, which was erased with the content before it; the payload is there and holds.
        DeltaErased = "the change that led to it was erased",
        /// The content of the version that it restores, which was erased; its own is there and holds.
        RestoredErased = "the version that it restores was erased",
        /// The payload or the delta, which is in an archive.
        BodyArchived = "the content is archived",
    }
}

impl Verdict {
    /// Returns whether a check failed, which is final.
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
            Self::Invalid { check, code } => write!(f, "invalid: {code} ({check})"),
            Self::Indeterminate { reason } => write!(f, "indeterminate: {reason}"),
        }
    }
}
