//! Port of a transport: sends bytes, and hands over arriving ones unread.

use async_trait::async_trait;

use crate::PeerError;

/// Connection to one other agent, for one exchange.
#[async_trait]
pub trait Transport: Send {
    /// Sends the bytes of a request; a further attempt sends the same bytes.
    ///
    /// # Errors
    /// [`PeerError::Failed`], [`PeerError::Refused`].
    async fn send(&mut self, request: &[u8]) -> Result<(), PeerError>;

    /// Waits for the next bytes, at most 1 MiB, that come by the way of the request, without a time limit. Dropping the future
    /// loses nothing.
    ///
    /// # Errors
    /// As [`send`](Self::send), if the attempt has failed.
    async fn receive(&mut self) -> Result<Vec<u8>, PeerError>;
}
