//! What bounds both sides.

/// The most bytes of a body, either way.
pub const MAX_BODY_BYTES: usize = counterfoil_exchange::documents::MAX_DOCUMENT_BYTES;
