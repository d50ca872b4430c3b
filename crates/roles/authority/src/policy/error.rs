//! Why a policy can't be used; whoever wrote it has to act.

use alloc::string::String;

use counterfoil_trace::types::json::JsonError;

/// A policy that can't be used; whoever wrote it is to blame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The document is not JSON that we accept.
    #[error("the policy is not acceptable JSON: {0}")]
    Json(#[from] JsonError),
    /// A key or a value is not one that a policy knows.
    #[error("{detail}; docs/format/policy.md lists the keys and their values")]
    Document {
        /// What the parser says, with the key.
        detail: String,
    },
    /// The limit on memories is not one that a trace can reach.
    #[error("maximum_memories is {found}; it must be 1 to {limit}")]
    MaximumMemories {
        /// The value found.
        found: u64,
        /// The largest value allowed.
        limit: usize,
    },
    /// An age of zero refuses everything.
    #[error("maximum_age_ms is 0; leave it out for no limit")]
    MaximumAge,
    /// An age of no day refuses everything.
    #[error("belief.maximum_age_days is 0; leave it out for no limit")]
    MaximumBeliefAge,
    /// The confidence is not in [0, 1].
    #[error("minimum_confidence must be a number from 0 to 1")]
    MinimumConfidence,
    /// A list that lets nobody through.
    #[error("{key} is empty; leave it out to allow all")]
    EmptyList {
        /// The key of the list.
        key: &'static str,
    },
    /// A method name that is empty.
    #[error("{key} has an empty method name; remove it")]
    EmptyMethod {
        /// The key of the list.
        key: &'static str,
    },
    /// A built-in method needs no trust by name.
    #[error("trusted_methods names {method}, which is built in; use minimum_method for it")]
    BuiltInTrusted {
        /// The method named.
        method: String,
    },
    /// A high-risk part that applies to nothing.
    #[error("high_risk.intents is empty; name the intent types that it is for")]
    NoIntents,
    /// An intent type that nobody would write, or that looks like another.
    #[error("high_risk.intents names {found:?}; write printable ASCII without spaces")]
    Intent {
        /// The intent type.
        found: String,
    },
}
