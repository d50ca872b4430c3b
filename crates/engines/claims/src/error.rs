//! Refusals of submissions, assertions and questions.

use alloc::string::String;

use counterfoil_types::{ShapeError, WorldId, variant_words};

use crate::Identifier;

/// Refusal of a submission, an assertion or a question. Nothing was written; change the request as the message says.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// A subject or predicate.
    #[error("the {what} must be {must}")]
    Identifier {
        /// Which.
        what: &'static str,
        /// Requirement.
        must: &'static str,
    },
    /// A value.
    #[error("the value must be {must}")]
    Value {
        /// Requirement.
        must: &'static str,
    },
    /// A confidence.
    #[error("{0}")]
    Confidence(ShapeError),
    /// A window in which no instant lies.
    #[error(
        "no instant lies in the window; exchange --from and --until, write the day of a moment, or leave one out"
    )]
    IncoherentWindow,
    /// A text that is no date, or an instant that has none.
    #[error("{must}")]
    Date {
        /// Requirement.
        must: &'static str,
    },
    /// Too many references.
    #[error("{what} may name {limit}, not {found}")]
    TooMany {
        /// Name of the list.
        what: &'static str,
        /// Limit.
        limit: usize,
        /// Number of entries.
        found: usize,
    },
    /// A reference that occurs twice in a list.
    #[error("{what} names {reference} twice")]
    Twice {
        /// Name of the list.
        what: &'static str,
        /// Which.
        reference: WorldId,
    },
    /// An idempotency key.
    #[error("an idempotency key has 1 to 256 bytes and no control characters")]
    Key,
    /// A reason of a retraction.
    #[error("a reason has 1 to 512 bytes and no control characters")]
    Reason,
    /// An idempotency key that was used for something else.
    #[error("the key {key:?} was used for another request; its answer was {reference}")]
    KeyReused {
        /// The key.
        key: String,
        /// The claim of the first request.
        reference: WorldId,
    },
    /// No claim of this agent has that name.
    #[error("there is no claim {0} of this agent; `claim ledger` lists them")]
    ClaimNotFound(WorldId),
    /// The claim is of another line.
    #[error("{0} is a claim about something else, or under another name of the subject")]
    OtherLine(WorldId),
    /// A World that is cited and not there, or is a claim itself.
    #[error("{0} cannot be cited: cite a memory of this store that is no claim")]
    AnchorNotFound(WorldId),
    /// A claim or World cannot stand behind itself.
    #[error("{0} cannot take its own place")]
    Itself(WorldId),
    /// Another value than its source has said for the same time, of a submission that asks.
    #[error(
        "{subject} {predicate} is something else by what the same source has said, in {reference}: say whether it has changed, \
         was wrong, or both hold"
    )]
    SecondValue {
        /// Subject.
        subject: Identifier,
        /// Predicate.
        predicate: Identifier,
        /// The newest claim of the source that contradicts it.
        reference: WorldId,
    },
    /// A value that is to replace others where the predicate holds many.
    #[error(
        "{predicate} holds many values: say whether {subject} has one more, or which of them it replaces"
    )]
    ManyValues {
        /// Subject.
        subject: Identifier,
        /// Predicate.
        predicate: Identifier,
    },
    /// More than one claim is live, or none.
    #[error("{found} claims are live on this line: name one by its reference")]
    Ambiguous {
        /// Number of live claims.
        found: u64,
    },
    /// The provenance does not entitle to the assertion.
    #[error(
        "a {provenance} may not assert this of {reference}; use the channel of who said it, or of the user"
    )]
    InsufficientProvenance {
        /// Class of the provenance.
        provenance: &'static str,
        /// Claim that it is about.
        reference: WorldId,
    },
    /// A verdict without evidence, or with a model's.
    #[error(
        "a verdict rests on evidence from outside: cite a memory with --evidence; a model's word is none"
    )]
    InadmissibleEvidence,
    /// Nothing waits under that handle.
    #[error(
        "{0} waits for no verdict and is not contested; `pending` and `contested` list what does"
    )]
    HandleNotFound(WorldId),
    /// The store could not answer; nothing is decided.
    #[error("the store could not be read: {0}")]
    View(String),
}

variant_words! {
    /// The codes of all, in the order of their declaration.
    CODES;
    /// Stable code of the refusal: one of [`ClaimError::CODES`].
    code of ClaimError {
        Identifier = "identifier",
        Value = "value",
        Confidence = "confidence",
        IncoherentWindow = "incoherent_window",
        Date = "date",
        TooMany = "too_many",
        Twice = "twice",
        Key = "key",
        Reason = "reason",
        KeyReused = "key_reused",
        ClaimNotFound = "claim_not_found",
        OtherLine = "other_line",
        AnchorNotFound = "anchor_not_found",
        Itself = "itself",
        SecondValue = "second_value",
        ManyValues = "many_values",
        Ambiguous = "ambiguous",
        InsufficientProvenance = "insufficient_provenance",
        InadmissibleEvidence = "inadmissible_evidence",
        HandleNotFound = "handle_not_found",
        View = "view",
    }
}
