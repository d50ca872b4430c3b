//! `Content-Digest` with `sha-256` (RFC 9530 §2).

use base64::{Engine, engine::general_purpose::STANDARD};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use sha2::{Digest, Sha256};

/// Name of the header.
pub(crate) const CONTENT_DIGEST: HeaderName = HeaderName::from_static("content-digest");

/// Returns the header of a body.
pub(crate) fn of(body: &[u8]) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("sha-256=:{}:", encoded(body))).ok()
}

/// Returns true if each `sha-256` in the headers is that of the body; also if there is no digest at all. An unreadable one
/// does not fit.
pub(crate) fn fits(headers: &HeaderMap, body: &[u8]) -> bool {
    let mut lines = headers.get_all(CONTENT_DIGEST).iter().peekable();
    if lines.peek().is_none() {
        return true;
    }
    let expected = format!(":{}:", encoded(body));
    // A dictionary of byte sequences (RFC 8941 §3.2), `sha-256=:…:, sha-512=:…:`. Other algorithms are ignored.
    let member_fits = |member: &str| match member.trim().split_once('=') {
        Some(("sha-256", value)) => value == expected,
        Some((other, value)) => !other.is_empty() && value.starts_with(':') && value.ends_with(':'),
        None => false,
    };
    lines.all(|line| {
        line.to_str()
            .is_ok_and(|line| line.split(',').all(member_fits))
    })
}

fn encoded(body: &[u8]) -> String {
    STANDARD.encode(Sha256::digest(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(CONTENT_DIGEST, HeaderValue::from_str(line).unwrap());
        }
        headers
    }

    /// The example of RFC 9530 §2.
    #[test]
    fn the_example_of_the_standard_fits() {
        let body = b"{\"hello\": \"world\"}\n";
        let header = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:";
        assert_eq!(of(body).unwrap(), header);
        assert!(fits(&headers(&[header]), body));
        assert!(!fits(&headers(&[header]), b"{\"hello\": \"World\"}\n"));
    }

    #[test]
    fn what_is_not_there_is_not_checked_and_what_cannot_be_read_does_not_fit() {
        assert!(fits(&headers(&[]), b"x"));
        let right = of(b"x").unwrap().to_str().unwrap().to_owned();
        assert!(fits(&headers(&["sha-512=:AAAA:"]), b"x"));
        assert!(fits(&headers(&[&format!("sha-512=:AAAA:, {right}")]), b"x"));
        for wrong in [
            "",
            "sha-256",
            "sha-256=AAAA",
            "sha-256=:AAAA:",
            &format!("{right}, sha-256=:AAAA:"),
        ] {
            assert!(!fits(&headers(&[wrong]), b"x"), "{wrong:?}");
        }
        assert!(
            !fits(&headers(&[&right, "sha-256=:AAAA:"]), b"x"),
            "two lines"
        );
    }
}
