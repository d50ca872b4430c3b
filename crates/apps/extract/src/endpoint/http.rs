//! Post to the endpoint, with errors that name the members of `extract.toml`.

use std::time::Duration;

use counterfoil_web::{Endpoint, EndpointLimits, PostError};
use zeroize::Zeroizing;

use super::config::EndpointConfig;
use crate::ExtractError;

pub(super) struct Http(Endpoint);

impl Http {
    pub(super) fn new(
        config: &EndpointConfig,
        key: Option<Zeroizing<String>>,
        first_wait: Duration,
    ) -> Result<Self, ExtractError> {
        let limits = EndpointLimits {
            timeout: config.timeout,
            max_bytes: config.max_bytes,
            retries: config.retries,
            first_wait,
        };
        Ok(Self(Endpoint::new(config.url.clone(), key, limits)?))
    }

    pub(super) const fn wait(&mut self, first: Duration) {
        self.0.set_first_wait(first);
    }

    /// Posts `body`, and returns the body of a success. The inner error is that of an endpoint that rejects the request and may
    /// accept another.
    pub(super) fn post(&self, body: &str) -> Result<Result<Vec<u8>, ExtractError>, ExtractError> {
        match self.0.post(body) {
            Ok(body) => Ok(Ok(body)),
            Err(
                error @ PostError::Status {
                    status: 400 | 422, ..
                },
            ) => Ok(Err(error.into())),
            Err(error) => Err(error.into()),
        }
    }
}

impl From<PostError> for ExtractError {
    fn from(error: PostError) -> Self {
        match error {
            PostError::Setup(cause) => Self::Setup(cause),
            PostError::Unreachable(cause) => Self::Unreachable(cause.to_string()),
            PostError::Slow { seconds } => Self::Slow { seconds },
            PostError::Redirected { status } => Self::Redirected { status },
            PostError::TooLarge { limit } => Self::TooLarge { limit },
            PostError::Status { status, said } => Self::Status { status, said },
            other => Self::Setup(other.to_string()),
        }
    }
}
