//! An answer is read: no redirect, no content encoding, at most 1 MiB, and the digest fits (cases 78, 79, 120).

use axum::http::StatusCode;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use counterfoil_peer::TransportError;
use reqwest::Response;

use super::digest;
use super::error::plainly;
use crate::MAX_BODY_BYTES;
use crate::problem::{ForeignProblem, is_media_type, quoted};

/// The longest that another side may ask to be left alone; beyond it nobody waits, in seconds.
const LONGEST_WAIT_S: u64 = 86_400 * 365;

/// The body of a 200, or why there is none.
pub(super) async fn document(response: Response) -> Result<Vec<u8>, TransportError> {
    let (status, headers) = (response.status(), response.headers().clone());
    if status.is_redirection() {
        return Err(refused(format!(
            "the other side points elsewhere ({}); ask the final address",
            status.as_u16()
        )));
    }
    if status != StatusCode::OK {
        let body = body(response).await.unwrap_or_default();
        return Err(failed(status, &headers, &body));
    }
    no_surprises(&headers)?;
    let body = body(response).await?;
    if digest::fits(&headers, &body) {
        return Ok(body);
    }
    Err(broke_off(
        "what came is not what was sent (Content-Digest)".to_owned(),
    ))
}

/// Headers under which a body is not what this protocol sends.
fn no_surprises(headers: &HeaderMap) -> Result<(), TransportError> {
    if headers.contains_key(CONTENT_ENCODING) {
        return Err(refused(
            "the answer is encoded, which was not asked for; ask another address".to_owned(),
        ));
    }
    if crate::server::SIGNATURES
        .iter()
        .any(|name| headers.contains_key(*name))
    {
        return Err(refused(
            "the answer bears HTTP signatures, which count for nothing here".to_owned(),
        ));
    }
    let media_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if !is_media_type(media_type, "application/json") {
        let media_type = quoted(media_type);
        return Err(refused(format!(
            "the answer is {media_type} and no JSON; no agent answers at this address"
        )));
    }
    Ok(())
}

/// The whole body, as long as there is room.
async fn body(mut response: Response) -> Result<Vec<u8>, TransportError> {
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| broke_off(plainly(&error)))?
    {
        if body.len() + chunk.len() > MAX_BODY_BYTES {
            return Err(refused(format!(
                "the answer is above {MAX_BODY_BYTES} bytes; ask for fewer memories"
            )));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// An answer with another status than 200.
fn failed(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> TransportError {
    let problem = ForeignProblem::read(status, headers, body);
    let code = status.as_u16();
    let detail = match &problem {
        Some(ForeignProblem {
            word: Some(word),
            told,
        }) => format!("the other side answers {code} {word}: {told}"),
        Some(problem) => format!("the other side answers {code}: {}", problem.told),
        None => format!("the other side answers {code}"),
    };
    let again = [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT].contains(&status);
    if again || status.is_server_error() {
        return TransportError::Failed {
            detail,
            retry_after_us: retry_after_us(headers),
        };
    }
    TransportError::Refused {
        detail,
        problem: problem.and_then(|problem| problem.word),
    }
}

/// `Retry-After` in seconds, as microseconds. A date in its place is not read: clocks of others are not relied on.
fn retry_after_us(headers: &HeaderMap) -> Option<u64> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let seconds = text
        .parse::<u64>()
        .unwrap_or(LONGEST_WAIT_S)
        .min(LONGEST_WAIT_S);
    Some(seconds * 1_000_000)
}

pub(super) const fn refused(detail: String) -> TransportError {
    TransportError::Refused {
        detail,
        problem: None,
    }
}

pub(super) const fn broke_off(detail: String) -> TransportError {
    TransportError::Failed {
        detail,
        retry_after_us: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waited(text: &'static str) -> Option<u64> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, text.parse().unwrap());
        retry_after_us(&headers)
    }

    #[test]
    fn a_wait_is_read_in_seconds_and_never_overflows() {
        assert_eq!(waited("3"), Some(3_000_000));
        assert_eq!(waited("86400"), Some(86_400_000_000));
        assert_eq!(
            waited("99999999999999999999999"),
            Some(LONGEST_WAIT_S * 1_000_000)
        );
        for text in ["", "-1", "1.5", "Fri, 31 Dec 1999 23:59:59 GMT"] {
            assert_eq!(waited(text), None, "{text}");
        }
    }
}
