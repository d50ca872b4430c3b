//! `extract.toml`: the endpoint and its limits. It names the place of the key, and never holds the key itself.

use std::path::PathBuf;
use std::time::Duration;

use counterfoil_web::{Url, endpoint_url, is_loopback};
use serde::Deserialize;

use crate::ExtractError;

/// Checked configuration of an endpoint.
#[derive(Debug, Clone)]
pub struct EndpointConfig {
    pub(super) url: Url,
    pub(super) model: String,
    pub(super) timeout: Duration,
    /// Most bytes of an answer.
    pub(super) max_bytes: usize,
    pub(super) retries: u32,
    batch: usize,
    key: KeySource,
}

/// Place of the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The endpoint needs no key.
    None,
    /// Environment variable.
    Environment(String),
    /// First line of a file.
    File(PathBuf),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    endpoint: Endpoint,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Endpoint {
    url: String,
    model: String,
    key_env: Option<String>,
    key_file: Option<PathBuf>,
    timeout_s: Option<u64>,
    max_bytes: Option<usize>,
    retries: Option<u32>,
    batch: Option<usize>,
    #[serde(default)]
    plain_http: bool,
}

impl EndpointConfig {
    /// Parses `extract.toml`.
    ///
    /// # Errors
    /// [`ExtractError::Config`] names the wrong member.
    pub fn parse(text: &str) -> Result<Self, ExtractError> {
        let file: File = toml::from_str(text)
            .map_err(|error| ExtractError::Config(error.message().to_owned()))?;
        let endpoint = file.endpoint;
        let key = match (endpoint.key_env, endpoint.key_file) {
            (None, None) => KeySource::None,
            (Some(name), None) => KeySource::Environment(name),
            (None, Some(path)) => KeySource::File(path),
            (Some(_), Some(_)) => return Err(member("key-env", "alone, without `key-file`")),
        };
        if endpoint.model.trim().is_empty() {
            return Err(member("model", "the name of a model"));
        }
        let timeout_s = endpoint.timeout_s.unwrap_or(60);
        if !(1..=3600).contains(&timeout_s) {
            return Err(member("timeout-s", "1 to 3600"));
        }
        let max_bytes = endpoint.max_bytes.unwrap_or(1 << 20);
        if !(1024..=64 << 20).contains(&max_bytes) {
            return Err(member("max-bytes", "1024 to 67108864"));
        }
        let retries = endpoint.retries.unwrap_or(3);
        if retries > 10 {
            return Err(member("retries", "0 to 10"));
        }
        let batch = endpoint.batch.unwrap_or(16);
        if !(1..=64).contains(&batch) {
            return Err(member("batch", "1 to 64"));
        }
        Ok(Self {
            url: completions(&endpoint.url, endpoint.plain_http)?,
            model: endpoint.model,
            key,
            timeout: Duration::from_secs(timeout_s),
            max_bytes,
            retries,
            batch,
        })
    }

    /// Most texts in one request.
    pub const fn batch(&self) -> usize {
        self.batch
    }

    /// Place of the key.
    pub const fn key(&self) -> &KeySource {
        &self.key
    }
}

fn member(member: &str, must: &str) -> ExtractError {
    ExtractError::Config(format!("`{member}` must be {must}"))
}

/// Returns the URL of completions. Plain HTTP is for this machine, unless the configuration allows it.
fn completions(base: &str, plain_http: bool) -> Result<Url, ExtractError> {
    let url = endpoint_url(base, "chat/completions").map_err(|must| member("url", must))?;
    if url.scheme() == "https" || plain_http || is_loopback(&url) {
        return Ok(url);
    }
    let must = "https, but for this machine; `plain-http = true` sends texts and key in the clear";
    Err(member("url", must))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str, more: &str) -> Result<EndpointConfig, ExtractError> {
        EndpointConfig::parse(&format!("[endpoint]\nurl = {url:?}\nmodel = \"m\"\n{more}"))
    }

    #[test]
    fn the_path_of_completions_is_added_to_the_base() {
        for base in ["https://api.example.org/v1", "https://api.example.org/v1/"] {
            let config = of(base, "").unwrap();
            assert_eq!(
                config.url.as_str(),
                "https://api.example.org/v1/chat/completions"
            );
        }
    }

    /// The names of this machine are tested beside the client of the protocol.
    #[test]
    fn plain_http_is_for_this_machine_alone() {
        assert!(of("http://127.0.0.1:1/v1", "").is_ok());
        assert!(of("http://10.0.0.1", "").is_err());
        assert!(of("http://10.0.0.1", "plain-http = true").is_ok());
        for base in [
            "ftp://127.0.0.1",
            "127.0.0.1",
            "https://a:b@x",
            "https://x/?a=b",
        ] {
            assert!(of(base, "plain-http = true").is_err(), "{base}");
        }
    }

    #[test]
    fn what_is_unknown_or_out_of_range_is_refused() {
        for more in [
            "key = \"secret\"",
            "key-env = \"A\"\nkey-file = \"b\"",
            "timeout-s = 0",
            "max-bytes = 1",
            "retries = 11",
            "batch = 0",
            "batch = 65",
            "[other]",
        ] {
            assert!(of("https://x", more).is_err(), "{more}");
        }
        let config = of(
            "https://x",
            "key-env = \"A\"\ntimeout-s = 5\nmax-bytes = 2048\nretries = 0",
        )
        .unwrap();
        assert_eq!(config.key(), &KeySource::Environment("A".into()));
    }

    /// A key in the wrong member would be quoted in the error.
    #[test]
    fn an_error_quotes_nothing_of_the_file() {
        let error = of("https://x", "key = \"sk-secret\"")
            .unwrap_err()
            .to_string();
        assert!(!error.contains("sk-secret"), "{error}");
    }
}
