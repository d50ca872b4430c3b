//! The port of a transport: sends bytes, and hands over what comes.

use async_trait::async_trait;
pub use counterfoil_exchange::checks::Bound;

/// Something that came, whatever it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// Its bytes, at most 1 MiB.
    pub bytes: Vec<u8>,
    /// Whether it came by the way by which the request went.
    pub bound: Bound,
}

/// Why nothing was sent, or nothing comes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// It may work in a moment.
    #[error("{detail}")]
    Failed {
        /// What went wrong.
        detail: String,
        /// How long the other side wants to be left alone, in microseconds.
        retry_after_us: Option<u64>,
    },
    /// It will not work: the other side refuses, or there is no such place.
    #[error("{detail}")]
    Refused {
        /// What went wrong, and what to do.
        detail: String,
        /// The word of the problem, where the other side said one.
        problem: Option<String>,
    },
}

/// A way to one other agent, for one exchange.
#[async_trait]
pub trait Transport: Send {
    /// Sends the bytes of a request; the same bytes again in a further attempt.
    ///
    /// # Errors
    /// [`TransportError`].
    async fn send(&mut self, request: &[u8]) -> Result<(), TransportError>;

    /// Waits for what comes next, forever if nothing does. May be dropped while it waits; nothing is lost then.
    ///
    /// # Errors
    /// [`TransportError`]: the attempt has failed.
    async fn receive(&mut self) -> Result<Arrival, TransportError>;
}
