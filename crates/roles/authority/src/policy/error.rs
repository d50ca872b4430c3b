//! Errors of policy documents.

use alloc::string::{String, ToString};

use counterfoil_trace::types::document::Fault;
use counterfoil_trace::types::json::JsonError;

/// A policy that cannot be used. Correct the document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The document is no strict JSON.
    #[error("the policy is not acceptable JSON: {0}")]
    Json(#[from] JsonError),
    /// A key is unknown or out of place, or a value is none of the values of its key.
    #[error("{detail}; docs/format/policy.md lists the keys and their values")]
    Document {
        /// The key, and the requirement on it.
        detail: String,
    },
    /// A high-risk part that applies to nothing.
    #[error("high_risk.intents is empty; name the intent types that it is for")]
    NoIntents,
    /// An intent type that can be mistaken for another, or that no proposal has.
    #[error("high_risk.intents names {found:?}; write printable ASCII without spaces")]
    Intent {
        /// The intent type.
        found: String,
    },
}

impl From<Fault> for PolicyError {
    fn from(fault: Fault) -> Self {
        Self::Document {
            detail: fault.to_string(),
        }
    }
}
