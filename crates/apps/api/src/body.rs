//! Bodies of requests: whole, in time, limited in size, depth and members, and closed.

use std::time::Duration;

use counterfoil_types::json::{Limits, parse};
use http_body_util::{BodyExt, Limited};
use hyper::HeaderMap;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::problem::Problem;

/// Largest body, in bytes; the content of a memory has at most 1 MiB.
pub(crate) const MAX_BODY: usize = 2 << 20;
/// Largest body with a proof, in bytes.
pub(crate) const MAX_PROOF: usize = 16 << 20;
/// Time for a whole body.
const BODY: Duration = Duration::from_secs(15);
/// Limits of a document without a proof.
const DOCUMENT: Limits = Limits {
    bytes: MAX_BODY,
    depth: 32,
    nodes: 10_000,
};

/// Reads a body of at most `most` bytes.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: Incoming,
    most: usize,
) -> Result<Bytes, Problem> {
    let media_type = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let essence = media_type.and_then(|it| it.split(';').next());
    let is_json = essence.is_some_and(|it| it.trim().eq_ignore_ascii_case("application/json"));
    if !is_json || headers.contains_key(CONTENT_ENCODING) {
        return Err(Problem::media_type());
    }
    // A body whose declared length is too large is not waited for.
    if body.size_hint().lower() > u64::try_from(most).unwrap_or(u64::MAX) {
        return Err(Problem::too_large(most));
    }
    let read = timeout(BODY, Limited::new(body, most).collect()).await;
    let read = read.map_err(|_| Problem::too_slow())?;
    Ok(read.map_err(|_| Problem::too_large(most))?.to_bytes())
}

/// Reads the document of a request.
///
/// # Errors
/// Bytes that are not strict JSON (RFC 8259, each name once), too deep or too many, and members that are unknown or of another type.
pub(crate) fn document<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    within(bytes, DOCUMENT)
}

/// Reads the document of a request that holds a proof.
pub(crate) fn with_proof<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    within(bytes, Limits::DOCUMENT)
}

/// Checks that a message is strict JSON within the limits of a document with a proof.
pub(crate) fn must_be_strict(bytes: &[u8]) -> Result<(), Problem> {
    let parsed = parse(bytes, Limits::DOCUMENT);
    let next = "send one JSON-RPC message";
    parsed.map_err(|error| Problem::input(error.to_string(), next))?;
    Ok(())
}

fn within<T: DeserializeOwned>(bytes: &[u8], limits: Limits) -> Result<T, Problem> {
    let next = "see GET /v1/openapi.json";
    let value = parse(bytes, limits).map_err(|error| Problem::input(error.to_string(), next))?;
    serde_json::from_value(value).map_err(|error| Problem::input(error.to_string(), next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requests::RememberRequest;

    #[test]
    fn documents_are_strict_and_closed() {
        let read = |text: &str| document::<RememberRequest>(text.as_bytes());
        assert!(read(r#"{"text":"a"}"#).is_ok());
        let deep = format!(
            r#"{{"text":"a","metadata":{}1{}}}"#,
            "[".repeat(99),
            "]".repeat(99)
        );
        for wrong in [
            "",
            "{",
            "[]",
            "{}",
            r#"{"text":1}"#,
            r#"{"text":"a","text":"b"}"#,
            r#"{"text":"a","channel":"user"}"#,
            r#"{"text":"a"} {}"#,
            r#"{"text":"\ud800"}"#,
            &deep,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
