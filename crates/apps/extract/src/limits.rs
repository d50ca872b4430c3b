//! Limits of texts and proposals.

/// Longest text, in bytes.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// Most proposals from one text.
pub const MAX_PROPOSALS: usize = 256;

/// Error of a text above 1 MiB.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes of text where at most {MAX_TEXT_BYTES} are read; split the memory")]
pub struct TooLong {
    /// Length of the text, in bytes.
    pub bytes: usize,
}
