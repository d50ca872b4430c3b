//! Limits of texts and proposals.

/// Longest text, in bytes.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// Most proposals from one text.
pub const MAX_PROPOSALS: usize = 256;
