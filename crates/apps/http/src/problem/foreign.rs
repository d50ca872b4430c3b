//! Problems that peers send (RFC 9457), read strictly: their texts are foreign.

use counterfoil_types::json::{Limits, parse};
use hyper::header::CONTENT_TYPE;
use hyper::{HeaderMap, StatusCode};

use super::{MEDIA_TYPE, ProblemWord, TYPES, is_media_type};

/// Limits of a problem that is read.
const LIMITS: Limits = Limits {
    bytes: 64 << 10,
    depth: 8,
    nodes: 256,
};
/// Length to which foreign texts are cut, in characters.
const MAX_QUOTED: usize = 200;

/// Problem that a peer sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForeignProblem {
    /// Kind, if the `type` is one of this protocol and fits the status.
    pub(crate) word: Option<&'static str>,
    /// Its `detail` or `title`, shortened and escaped (see [`quoted`]).
    pub(crate) detail: String,
}

impl ForeignProblem {
    /// Reads the body of an error; `None` if it is not a problem by RFC 9457.
    pub(crate) fn read(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Option<Self> {
        let media_type = headers.get(CONTENT_TYPE)?.to_str().ok()?;
        if !is_media_type(media_type, MEDIA_TYPE) {
            return None;
        }
        let value = parse(body, LIMITS).ok()?;
        if value.get("status")?.as_u64()? != u64::from(status.as_u16()) {
            return None;
        }
        let word = value.get("type")?.as_str()?.strip_prefix(TYPES);
        let word = word
            .and_then(ProblemWord::named)
            .filter(|word| word.status() == status);
        let detail = value
            .get("detail")
            .or_else(|| value.get("title"))?
            .as_str()?;
        Some(Self {
            word: word.map(ProblemWord::as_str),
            detail: quoted(detail),
        })
    }
}

/// Returns the first 200 characters of a foreign text as a literal, with terminal controls and direction marks escaped.
pub(crate) fn quoted(text: &str) -> String {
    let text: String = text.chars().take(MAX_QUOTED).collect();
    format!("{text:?}")
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn read(status: u16, media_type: &'static str, body: &str) -> Option<ForeignProblem> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        ForeignProblem::read(
            StatusCode::from_u16(status).unwrap(),
            &headers,
            body.as_bytes(),
        )
    }

    #[test]
    fn a_problem_of_ours_is_read_by_its_word() {
        let body = r#"{"type":"https://counterfoil.dev/problems/too-many","title":"t","status":429,"detail":"wait"}"#;
        let read = read(429, MEDIA_TYPE, body).unwrap();
        assert_eq!(
            (read.word, read.detail.as_str()),
            (Some("too-many"), "\"wait\"")
        );
    }

    #[test]
    fn what_is_no_problem_says_nothing() {
        let good = r#"{"type":"about:blank","title":"t","status":500}"#;
        assert!(read(500, MEDIA_TYPE, good).is_some_and(|problem| problem.word.is_none()));
        assert!(read(503, MEDIA_TYPE, good).is_none(), "another status");
        assert!(read(500, "text/html", good).is_none());
        assert!(read(500, MEDIA_TYPE, "<html>").is_none());
        assert!(
            read(
                500,
                MEDIA_TYPE,
                r#"{"status":500,"status":500,"type":"x","title":"t"}"#
            )
            .is_none()
        );
        let lies =
            r#"{"type":"https://counterfoil.dev/problems/bad-proof","title":"t","status":500}"#;
        assert_eq!(
            read(500, MEDIA_TYPE, lies).unwrap().word,
            None,
            "a word of another status"
        );
    }

    #[test]
    fn foreign_words_steer_nothing() {
        let told = quoted("\u{1b}[2J\u{202e}evil\nnext");
        assert!(
            told.chars()
                .all(|letter| !letter.is_control() && letter != '\u{202e}'),
            "{told}"
        );
        assert!(quoted(&"x".repeat(10_000)).len() < 300);
    }
}
