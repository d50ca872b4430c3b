//! Extraction of claims from texts (I5): it returns proposals, on which the gate decides.
//!
//! [`RuleExtractor`] needs nothing but the text. With the feature `endpoint` there is one that asks a model over HTTP.
//! [`similar`] finds the predicate in use that a name probably means, by its letters.

#[cfg(feature = "endpoint")]
pub mod endpoint;

mod error;
mod limits;
mod ngrams;
mod rules;
mod similar;

pub use error::ExtractError;
pub use limits::{MAX_PROPOSALS, MAX_TEXT_BYTES};
pub use rules::RuleExtractor;
pub use similar::similar;
