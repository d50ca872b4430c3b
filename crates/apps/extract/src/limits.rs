//! How much is read of a text, and how much is proposed from it.

/// The longest text that is read, in bytes.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// The most proposals from one text.
pub const MAX_PROPOSALS: usize = 256;

/// A text that is longer than what is read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes of text where at most {MAX_TEXT_BYTES} are read; split the memory")]
pub struct TooLong {
    /// How long it is.
    pub bytes: usize,
}
