//! Why a model gave no proposals, by who is at fault.

use crate::limits::TooLong;

/// Why a model gave no proposals. No message holds the key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The text is longer than what is sent.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// The client could not be made.
    #[error("no connection can be made ({0}); check the key and the system's certificates")]
    Setup(String),
    /// The endpoint cannot be reached.
    #[error("the endpoint cannot be reached ({0}); check its url and that it runs")]
    Unreachable(String),
    /// It did not answer in time.
    #[error(
        "the endpoint did not answer within {seconds} s; try again, or raise `timeout-s` in extract.toml"
    )]
    Slow {
        /// How long was waited, in seconds.
        seconds: u64,
    },
    /// It answered with an error, after all repetitions.
    #[error("the endpoint answered {status}: {said:?}; check model and key in extract.toml")]
    Status {
        /// The status of HTTP.
        status: u16,
        /// How its answer begins.
        said: String,
    },
    /// It pointed to another place, to which no text is sent.
    #[error("the endpoint points elsewhere ({status}); name the final url in extract.toml")]
    Redirected {
        /// The status of HTTP.
        status: u16,
    },
    /// The answer is longer than what is read.
    #[error("the answer is above {limit} bytes; shorten the memory, or raise `max-bytes`")]
    TooLarge {
        /// The most that is read.
        limit: usize,
    },
    /// The answer is not what the protocol says.
    #[error("the answer is no chat completion with claims: {what}; try another model")]
    NoAnswer {
        /// What is wrong with it.
        what: String,
    },
    /// The model was cut off.
    #[error("the model was cut off in its answer; shorten the memory, or allow it more tokens")]
    CutOff,
}
