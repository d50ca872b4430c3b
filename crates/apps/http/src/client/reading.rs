//! Reader of answers: no redirect, no content encoding, at most 1 MiB, and a fitting digest (cases 78, 79, 120).

use counterfoil_peer::PeerError;
use counterfoil_web::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use counterfoil_web::{HeaderMap, StatusCode, WebResponse};

use crate::digest;
use crate::problem::{ProblemWord, is_media_type, quoted};
use crate::protocol::{MAX_BODY_BYTES, SIGNATURES};

/// Longest `Retry-After` that is passed on, in seconds.
const LONGEST_WAIT_S: u64 = 86_400 * 365;

/// Returns the body of a 200.
///
/// # Errors
/// `Failed` if a later attempt may succeed, `Refused` otherwise.
pub(super) async fn document(mut response: WebResponse) -> Result<Vec<u8>, PeerError> {
    let status = response.status;
    if status.is_redirection() {
        return Err(refused(format!(
            "the other side points elsewhere ({}); ask the final address",
            status.as_u16()
        )));
    }
    if status != StatusCode::OK {
        let body = response.body(MAX_BODY_BYTES).await.ok().flatten();
        return Err(failed(status, &response.headers, &body.unwrap_or_default()));
    }
    check_headers(&response.headers)?;
    let body = response.body(MAX_BODY_BYTES).await.map_err(broke_off)?;
    let body = body.ok_or_else(|| {
        refused(format!(
            "the answer is above {MAX_BODY_BYTES} bytes; ask for fewer memories"
        ))
    })?;
    if digest::fits(&response.headers, &body) {
        return Ok(body);
    }
    Err(broke_off("what came is not what was sent (Content-Digest)"))
}

/// Refuses headers that no agent of this protocol sends with a document.
fn check_headers(headers: &HeaderMap) -> Result<(), PeerError> {
    if headers.contains_key(CONTENT_ENCODING) {
        return Err(refused(
            "the answer is encoded, which was not asked for; ask another address",
        ));
    }
    if SIGNATURES.iter().any(|name| headers.contains_key(*name)) {
        return Err(refused(
            "the answer bears HTTP signatures, which count for nothing here",
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

/// Returns the error of an answer with another status than 200.
fn failed(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> PeerError {
    let problem = ProblemWord::read(status, headers, body);
    let code = status.as_u16();
    let detail = match &problem {
        Some((Some(word), detail)) => format!("the other side answers {code} {word}: {detail}"),
        Some((None, detail)) => format!("the other side answers {code}: {detail}"),
        None => format!("the other side answers {code}"),
    };
    let again = [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT].contains(&status);
    if again || status.is_server_error() {
        return PeerError::Failed {
            detail,
            retry_after_us: retry_after_us(headers),
        };
    }
    PeerError::Refused {
        detail,
        problem: problem.and_then(|(word, _)| Some(word?.to_owned())),
    }
}

/// Returns `Retry-After` in microseconds; `None` for a date, as clocks of other machines are not relied on.
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

fn refused(detail: impl Into<String>) -> PeerError {
    PeerError::Refused {
        detail: detail.into(),
        problem: None,
    }
}

pub(super) fn broke_off(cause: impl ToString) -> PeerError {
    PeerError::Failed {
        detail: cause.to_string(),
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
