//! Reasons of a decision about a trace as a whole (§7.4.1).

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use counterfoil_trace::TraceError;
use counterfoil_trace::types::{UnixMillis, WorldId};
use counterfoil_verifier::Refusal;
use counterfoil_verifier::envelope::EnvelopeError;
use counterfoil_verifier::equivocation::Equivocation;

use crate::Verdict;
use crate::time::{duration, rfc3339};

/// One reason of a [`ReviewDecision`](crate::ReviewDecision); its message names the proposer's next step.
///
/// Texts in the variants come from the proposal: escape them before a terminal sees them.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DecisionReason {
    /// Every memory is proven.
    #[error("{} proven", memories(*count))]
    AllProven {
        /// Number of memories.
        count: usize,
    },
    /// Memories that no log and no signature shows, which the policy accepts.
    #[error("{} accepted without a log or a signature, which the policy allows", memories(*count))]
    Accepted {
        /// Number of memories.
        count: usize,
    },
    /// Nothing was selected (MR-05), or no trace is there and none is required.
    #[error("no memory was used")]
    NoMemory,
    /// No memory, which leaves the decision open.
    #[error("no memory was used: recall what the intent rests on, or decide by hand")]
    NoMemoryOpen,
    /// No memory, under a policy that refuses that.
    #[error("no memory was used: recall what the intent rests on")]
    NoMemoryRefused,
    /// Memories that are not proven, which the policy lets through.
    #[error("{} unproven, which the policy allows and counts for nothing", memories(*count))]
    UnprovenAllowed {
        /// Number of memories.
        count: usize,
    },
    /// Memories that are not proven leave the decision open.
    #[error("{} unproven: recall with evidence, or decide by hand", memories(*count))]
    UnprovenOpen {
        /// Number of memories.
        count: usize,
    },
    /// Memories that are not proven, under a policy that refuses them (SR-03).
    #[error("{} unproven: recall with evidence, or leave out what has none", memories(*count))]
    UnprovenRefused {
        /// Number of memories.
        count: usize,
    },
    /// Memories that are refused; each one's report has the reason.
    #[error("{} refused: see the reason of each, and recall again", memories(*count))]
    MemoriesRefused {
        /// Number of memories.
        count: usize,
    },
    /// The proposal has no trace (M-2, CR-01).
    #[error(
        "the proposal has no trace.context.memory: attach the trace of what was recalled, \
         with selected [] if nothing was"
    )]
    TraceMissing,
    /// `context.memory` is not a trace.
    #[error("context.memory is not a trace: {0}")]
    TraceInvalid(TraceError),
    /// `context.memoryTraces` is not a list of traces.
    #[error("context.memoryTraces is not a list of traces: {0}")]
    PartsInvalid(TraceError),
    /// `context.memoryTraces` without `context.memory`.
    #[error("context.memoryTraces is there without context.memory: attach their merge as memory")]
    PartsWithoutTrace,
    /// `context.memoryTraces` can't be one proposal's recalls.
    #[error("context.memoryTraces do not belong together: {0}")]
    PartsApart(TraceError),
    /// `context.memory` is something else than its parts (ATTACH-2).
    #[error(
        "context.memory is not what context.memoryTraces merge to: \
         attach exactly the merge, or leave memoryTraces out"
    )]
    NotTheMerge,
    /// `context.checkpoints` is not a list of signed notes.
    #[error("context.checkpoints is not a list of signed notes: {0}")]
    CheckpointsInvalid(TraceError),
    /// `context.withheld` is not a list of JSON pointers.
    #[error("context.withheld is not a list of JSON pointers: {0}")]
    WithheldInvalid(TraceError),
    /// `context.attestations` is malformed, or a key history in it does not hold.
    #[error("context.attestations cannot be used: {0}")]
    AttestationsInvalid(Refusal),
    /// More memories than the policy lets one proposal use.
    #[error("the trace selects {count} memories and the policy allows {limit}: recall fewer")]
    TooManyMemories {
        /// Number of selected memories.
        count: usize,
        /// Largest number.
        limit: usize,
    },
    /// The selector is not on the policy's list.
    #[error(
        "{selector} may not select under this policy: add it to allowed_selectors, or recall as one that is"
    )]
    SelectorNotAllowed {
        /// The selector's `actorId`.
        selector: String,
    },
    /// Someone else selected than proposes.
    #[error(
        "{selector} selected and {actor} proposes: the proposal's actor must recall itself, or the policy names {selector} in \
         `selectors`"
    )]
    SelectorNotActor {
        /// The selector's `actorId`.
        selector: String,
        /// The proposal's `actorId`.
        actor: String,
    },
    /// The selection was made at another World than the proposal builds on.
    #[error("memories were selected at {at} and the proposal builds on {base}: recall again there")]
    NotAtBaseWorld {
        /// `atWorldId`.
        at: WorldId,
        /// `baseWorld`.
        base: WorldId,
    },
    /// Selection after submission (M-3, CR-10).
    #[error(
        "memories were selected at {}, after submission at {}: \
         select first, then submit", rfc3339(*selected_at), rfc3339(*submitted_at)
    )]
    SelectedAfterSubmission {
        /// `selectedAt`.
        selected_at: UnixMillis,
        /// `submittedAt`.
        submitted_at: UnixMillis,
    },
    /// Submission after the review, by more than the skew allowed.
    #[error(
        "the proposal was submitted at {}, and it is {} with {} allowed: \
         check both clocks", rfc3339(*submitted_at), rfc3339(*now), duration(*skew_ms)
    )]
    SubmittedInFuture {
        /// `submittedAt`.
        submitted_at: UnixMillis,
        /// The time of the review.
        now: UnixMillis,
        /// Largest lead of the proposer's clock, in milliseconds.
        skew_ms: u64,
    },
    /// The selection is older than the policy allows.
    #[error(
        "memories were selected {} ago and the policy allows {}: recall again",
        duration(*age_ms), duration(*limit_ms)
    )]
    SelectionTooOld {
        /// Age at the review, in milliseconds.
        age_ms: u64,
        /// Age allowed, in milliseconds.
        limit_ms: u64,
    },
    /// The proposal carries no envelope.
    #[error("the proposal is not signed: `counterfoil propose` signs it, or decide by hand")]
    Unsigned,
    /// The envelope of the proposal does not hold here.
    #[error(transparent)]
    Envelope(EnvelopeError),
    /// Submitted longer ago than the policy allows.
    #[error(
        "the proposal was submitted {} ago and the policy allows {}: propose it anew",
        duration(*age_ms), duration(*limit_ms)
    )]
    SubmissionTooOld {
        /// Age at the review, in milliseconds.
        age_ms: u64,
        /// Age allowed, in milliseconds.
        limit_ms: u64,
    },
    /// Approved before under the same nonce.
    #[error("the proposal was approved before: propose it anew if it is to be done twice")]
    Repeated,
    /// The memory of nonces failed, so that a repetition would not be found.
    #[error("the nonces of approved proposals cannot be kept: {0}")]
    NonceMemory(String),
    /// Fewer memories that count than the policy asks for.
    #[error(
        "the policy asks for {minimum} memories or more, and {count} count here: recall what the intent rests on"
    )]
    TooFewMemories {
        /// Number of memories that count.
        count: usize,
        /// Least number.
        minimum: usize,
    },
    /// One log or one World with two histories.
    #[error(transparent)]
    Equivocation(Box<Equivocation>),
}

impl DecisionReason {
    /// A stable name for programs, in kebab-case.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AllProven { .. } => "all-proven",
            Self::Accepted { .. } => "accepted",
            Self::NoMemory => "no-memory",
            Self::NoMemoryOpen => "no-memory-open",
            Self::NoMemoryRefused => "no-memory-refused",
            Self::UnprovenAllowed { .. } => "unproven-allowed",
            Self::UnprovenOpen { .. } => "unproven-open",
            Self::UnprovenRefused { .. } => "unproven-refused",
            Self::MemoriesRefused { .. } => "memories-refused",
            Self::TraceMissing => "trace-missing",
            Self::TraceInvalid(_) => "trace-invalid",
            Self::PartsInvalid(_) => "parts-invalid",
            Self::PartsWithoutTrace => "parts-without-trace",
            Self::PartsApart(_) => "parts-apart",
            Self::NotTheMerge => "not-the-merge",
            Self::CheckpointsInvalid(_) => "checkpoints-invalid",
            Self::WithheldInvalid(_) => "withheld-invalid",
            Self::AttestationsInvalid(_) => "attestations-invalid",
            Self::TooManyMemories { .. } => "too-many-memories",
            Self::SelectorNotAllowed { .. } => "selector-not-allowed",
            Self::SelectorNotActor { .. } => "selector-not-actor",
            Self::NotAtBaseWorld { .. } => "not-at-base-world",
            Self::SelectedAfterSubmission { .. } => "selected-after-submission",
            Self::SubmittedInFuture { .. } => "submitted-in-future",
            Self::SelectionTooOld { .. } => "selection-too-old",
            Self::Unsigned => "unsigned",
            Self::Envelope(EnvelopeError::Signer { .. }) => "signer-unknown",
            Self::Envelope(EnvelopeError::Actor { .. }) => "signer-not-actor",
            Self::Envelope(EnvelopeError::Audience { .. }) => "other-audience",
            Self::Envelope(EnvelopeError::Nonce) => "nonce-invalid",
            Self::Envelope(_) => "signature-refused",
            Self::SubmissionTooOld { .. } => "submission-too-old",
            Self::Repeated => "repeated",
            Self::NonceMemory(_) => "nonce-memory-failed",
            Self::TooFewMemories { .. } => "too-few-memories",
            Self::Equivocation(found) => match **found {
                Equivocation::World { .. } => "world-equivocates",
                _ => "log-equivocates",
            },
        }
    }

    /// The verdict of this reason alone.
    pub const fn points_to(&self) -> Verdict {
        match self {
            Self::AllProven { .. }
            | Self::Accepted { .. }
            | Self::NoMemory
            | Self::UnprovenAllowed { .. } => Verdict::Approved,
            Self::NoMemoryOpen
            | Self::UnprovenOpen { .. }
            | Self::Unsigned
            | Self::NonceMemory(_) => Verdict::Indeterminate,
            _ => Verdict::Rejected,
        }
    }
}

/// A number of memories, and its verb.
fn memories(count: usize) -> String {
    match count {
        1 => "one memory is".into(),
        _ => format!("{count} memories are"),
    }
}
