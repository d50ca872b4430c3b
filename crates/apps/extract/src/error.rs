//! Errors of extraction, by the side at fault.

use crate::limits::MAX_TEXT_BYTES;

/// Failure to get proposals from a text. No message holds the key of an endpoint.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The configuration is not TOML, or has a wrong member.
    #[error("{0}")]
    Config(String),
    /// The text is above 1 MiB.
    #[error("{bytes} bytes of text where at most {MAX_TEXT_BYTES} are read; split the memory")]
    TooLong {
        /// Length of the text, in bytes.
        bytes: usize,
    },
    /// TLS cannot be set up, or the key cannot be sent in a header.
    #[error("no connection can be made ({0}); check the key and the system's certificates")]
    Setup(String),
    /// The endpoint cannot be reached.
    #[error("the endpoint cannot be reached ({0}); check its url and that it runs")]
    Unreachable(String),
    /// The endpoint did not answer in time.
    #[error(
        "the endpoint did not answer within {seconds} s; try again, or raise `timeout-s` in extract.toml"
    )]
    Slow {
        /// Time limit, in seconds.
        seconds: u64,
    },
    /// The endpoint answered with an error, after all repetitions.
    #[error("the endpoint answered {status}: {said:?}; check model and key in extract.toml")]
    Status {
        /// HTTP status.
        status: u16,
        /// Beginning of its answer.
        said: String,
    },
    /// The endpoint redirected to another place, to which no text is sent.
    #[error("the endpoint points elsewhere ({status}); name the final url in extract.toml")]
    Redirected {
        /// HTTP status.
        status: u16,
    },
    /// The answer is above the limit.
    #[error("the answer is above {limit} bytes; shorten the memory, or raise `max-bytes`")]
    TooLarge {
        /// Limit, in bytes.
        limit: usize,
    },
    /// The answer does not follow the protocol.
    #[error("the answer is no chat completion with claims: {what}; try another model")]
    NoAnswer {
        /// Fault of the answer.
        what: String,
    },
    /// The model's answer was cut off.
    #[error("the model was cut off in its answer; shorten the memory, or allow it more tokens")]
    CutOff,
}
