//! Memory of the nonces of approved proposals: a proposal is approved once.

use counterfoil_trace::types::{BoxError, DidKey, UnixMillis};

/// Keeps the nonces of proposals that were approved, as an authority's only state. It is the application's: a file, a table.
pub trait NonceMemory: Send + Sync {
    /// Keeps `nonce` of `signer`, durably before it returns; `false` if it was kept before. Two calls at once do not both
    /// return `true`.
    ///
    /// It may be dropped when `submitted_at` is further back than the policy's `maximum_age_ms`: such a proposal is too old.
    ///
    /// # Errors
    /// The nonce cannot be kept. The decision is left open then.
    fn remember(
        &self,
        signer: &DidKey,
        nonce: &str,
        submitted_at: UnixMillis,
    ) -> Result<bool, BoxError>;
}
