//! Why an address cannot be asked, by who is at fault.

/// Why an address cannot be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The address is not one that is asked.
    #[error("an agent's address must be {must}")]
    Address {
        /// What it must be.
        must: &'static str,
    },
    /// The extra certificates cannot be read.
    #[error(
        "these are no certificates in PEM; give the file that the agent's operator has handed out"
    )]
    Certificates,
    /// The client could not be made.
    #[error(
        "no connection can be made ({0}); check the system's certificates, or give the agent's with --ca"
    )]
    Setup(String),
    /// The other side cannot be reached, or breaks off.
    #[error("{0}")]
    Unreachable(String),
    /// There is an answer, and it is no agent card of ours.
    #[error("{what}; ask the agent's operator for its address")]
    NoCard {
        /// What is wrong with it.
        what: String,
    },
}

/// The innermost cause, without the address.
pub(super) fn plainly(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
