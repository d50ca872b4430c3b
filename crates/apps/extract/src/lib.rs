//! Reads claims out of texts (I5): what comes out are proposals, and the gate decides.
//!
//! [`RuleExtractor`] needs nothing but the text. With the feature `endpoint` there is one that asks a model over HTTP.
//! [`similar`] finds the predicate that was probably meant, by the letters of its name.

#[cfg(feature = "endpoint")]
pub mod endpoint;

mod limits;
mod ngrams;
mod rules;
mod similar;

pub use limits::{MAX_PROPOSALS, MAX_TEXT_BYTES, TooLong};
pub use ngrams::NgramEmbedder;
pub use rules::{RuleExtractor, UNKNOWN_SPEAKER};
pub use similar::{Similar, similar};
