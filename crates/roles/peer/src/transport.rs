//! Port of a transport: sends bytes, and hands over arriving ones unread.

use async_trait::async_trait;

/// Failure of a transport.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// A failure that may pass.
    #[error("{detail}")]
    Failed {
        /// Cause.
        detail: String,
        /// Wait that the other side asks for, in microseconds.
        retry_after_us: Option<u64>,
    },
    /// A failure that lasts: the other side refuses, or the place does not exist.
    #[error("{detail}")]
    Refused {
        /// Cause, and advice.
        detail: String,
        /// Word of the problem, if the other side sent one.
        problem: Option<String>,
    },
}

/// Connection to one other agent, for one exchange.
#[async_trait]
pub trait Transport: Send {
    /// Sends the bytes of a request; a further attempt sends the same bytes.
    ///
    /// # Errors
    /// [`TransportError`].
    async fn send(&mut self, request: &[u8]) -> Result<(), TransportError>;

    /// Waits for the next bytes, at most 1 MiB, that come by the way of the request, without a time limit. Dropping the future
    /// loses nothing.
    ///
    /// # Errors
    /// [`TransportError`] if the attempt has failed.
    async fn receive(&mut self) -> Result<Vec<u8>, TransportError>;
}
