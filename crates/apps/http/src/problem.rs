//! Problems (RFC 9457) of docs/format/transports.md §1: their words, and how they are written and read.

use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::DocumentError;
use counterfoil_types::json::{Limits, Map, Value, parse};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{HeaderMap, Response, StatusCode};

/// Base URI of the members `type`.
pub(crate) const TYPES: &str = "https://counterfoil.dev/problems/";
/// Media type of a problem.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

/// Limits of a problem that is read.
const LIMITS: Limits = Limits {
    bytes: 64 << 10,
    depth: 8,
    nodes: 256,
};
/// Length to which foreign texts are cut, in characters.
const MAX_QUOTED: usize = 200;

/// Defines the words of problems from one table: variant, word, HTTP status, title, and the reason to answer with it.
macro_rules! problem_words {
    ($($(#[$reason:meta])* $variant:ident $word:literal $status:ident $title:literal;)*) => {
        /// Kind of a problem, as the last segment of its `type`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum ProblemWord {
            $($(#[$reason])* $variant,)*
        }

        impl ProblemWord {
            /// Every kind of problem.
            pub(crate) const ALL: &[Self] = &[$(Self::$variant),*];

            /// Last segment of the problem's `type`.
            pub(crate) const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            /// HTTP status of the problem.
            pub(crate) const fn status(self) -> StatusCode {
                match self { $(Self::$variant => StatusCode::$status),* }
            }

            /// Member `title`, constant for each kind (RFC 9457 §3.1.3).
            const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),* }
            }
        }
    };
}

problem_words! {
    /// The body is not a document of the route's type.
    Malformed "malformed" BAD_REQUEST "Not a document of this type";
    /// The document has a version that this server does not read.
    UnsupportedVersion "unsupported-version" BAD_REQUEST "Version not supported";
    /// The body has another media type than JSON, or a content encoding.
    UnsupportedType "unsupported-type" UNSUPPORTED_MEDIA_TYPE "Media type not supported";
    /// The request has headers of RFC 9421.
    HttpSignature "http-signature" BAD_REQUEST "HTTP message signatures are not accepted";
    /// The body differs from its `Content-Digest`.
    DigestMismatch "digest-mismatch" BAD_REQUEST "Content-Digest does not fit";
    /// The document's proof does not verify.
    BadProof "bad-proof" UNAUTHORIZED "Proof does not hold";
    /// The document names another agent as its audience.
    WrongAudience "wrong-audience" FORBIDDEN "For another agent";
    /// The document is too early, expired, or lives too long.
    NotInTime "not-in-time" BAD_REQUEST "Not in time";
    /// The document was answered before.
    RequestReplayed "request-replayed" CONFLICT "Answered before";
    /// Another request was answered under this id.
    RequestIdConflict "request-id-conflict" CONFLICT "Request id already used";
    /// The cursor belongs to another question.
    BadCursor "bad-cursor" BAD_REQUEST "Cursor not accepted";
    /// The body has more than 1 MiB.
    TooLarge "too-large" PAYLOAD_TOO_LARGE "Too large";
    /// The address or the key sends too many requests.
    TooMany "too-many" TOO_MANY_REQUESTS "Too many requests";
    /// The body did not arrive in time.
    TooSlow "too-slow" REQUEST_TIMEOUT "Too slow";
    /// The table of answered requests is full.
    SeenFull "seen-full" SERVICE_UNAVAILABLE "Too many requests remembered";
    /// Too many requests are answered at once.
    Busy "busy" SERVICE_UNAVAILABLE "Busy";
    /// The server shuts down.
    Stopping "stopping" SERVICE_UNAVAILABLE "Stopping";
    /// A bug, or a failure of the store.
    Internal "internal" INTERNAL_SERVER_ERROR "Internal error";
    /// No route has this path, or the log has no such file.
    NotFound "not-found" NOT_FOUND "Not found";
    /// The route is for another method.
    MethodNotAllowed "method-not-allowed" METHOD_NOT_ALLOWED "Method not allowed";
}

impl ProblemWord {
    /// Reads the problem that a peer sent as the body of an error (RFC 9457), strictly, as its texts are foreign: its word, if the
    /// `type` is one of this protocol and fits the status, and its `detail` or `title` (see [`quoted`]).
    pub(crate) fn read(
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Option<(Option<&'static str>, String)> {
        let media_type = headers.get(CONTENT_TYPE)?.to_str().ok()?;
        if !is_media_type(media_type, MEDIA_TYPE) {
            return None;
        }
        let value = parse(body, LIMITS).ok()?;
        if value.get("status")?.as_u64()? != u64::from(status.as_u16()) {
            return None;
        }
        let word = value.get("type")?.as_str()?.strip_prefix(TYPES);
        let word = word.and_then(Self::named);
        let word = word.filter(|word| word.status() == status);
        let detail = value.get("detail").or_else(|| value.get("title"))?;
        Some((word.map(Self::as_str), quoted(detail.as_str()?)))
    }

    fn named(word: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|known| known.as_str() == word)
    }
}

/// Problem to send.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    pub(crate) word: ProblemWord,
    detail: String,
    retry_after_s: Option<u32>,
    supported: Vec<&'static str>,
    /// Ends the connection: its body was not read.
    closing: bool,
}

impl Problem {
    pub(crate) fn new(word: ProblemWord, detail: impl Into<String>) -> Self {
        Self {
            word,
            detail: detail.into(),
            retry_after_s: None,
            supported: Vec::new(),
            closing: false,
        }
    }

    /// Returns the problem of a bug or a failing store, without its cause.
    pub(crate) fn internal() -> Self {
        Self::new(
            ProblemWord::Internal,
            "this agent could not answer; try again later",
        )
    }

    /// Adds `Retry-After`.
    pub(crate) const fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }

    /// Ends the connection after this problem.
    pub(crate) const fn closing(mut self) -> Self {
        self.closing = true;
        self
    }

    pub(crate) fn response(self) -> Response<Full<Bytes>> {
        let mut members = Map::new();
        let type_uri = format!("{TYPES}{}", self.word.as_str());
        members.insert("type".into(), type_uri.into());
        members.insert("title".into(), self.word.title().into());
        members.insert("status".into(), self.word.status().as_u16().into());
        members.insert("detail".into(), self.detail.into());
        if !self.supported.is_empty() {
            members.insert("supported".into(), self.supported.into());
        }
        let mut response = Response::new(Value::Object(members).to_string().into());
        *response.status_mut() = self.word.status();
        response.extensions_mut().insert(self.word);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after_s {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if self.closing {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

impl From<Refusal> for Problem {
    /// Keeps the refusal's word; one that is not in the table is a bug of this crate, and becomes `internal`.
    fn from(refusal: Refusal) -> Self {
        let word = ProblemWord::named(refusal.word()).unwrap_or(ProblemWord::Internal);
        let mut problem = Self::new(word, refusal.to_string());
        match refusal {
            Refusal::Version(DocumentError::Version { supported, .. }) => {
                problem.supported = supported
            }
            Refusal::TooMany { retry_after_s }
            | Refusal::SeenFull { retry_after_s }
            | Refusal::Busy { retry_after_s } => problem.retry_after_s = Some(retry_after_s.max(1)),
            _ => {}
        }
        problem
    }
}

/// Returns true if a `Content-Type` is `wanted`, with or without parameters.
pub(crate) fn is_media_type(header: &str, wanted: &str) -> bool {
    let essence = header.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case(wanted)
}

/// Returns the first 200 characters of a foreign text as a literal, with terminal controls and direction marks escaped.
pub(crate) fn quoted(text: &str) -> String {
    let text: String = text.chars().take(MAX_QUOTED).collect();
    format!("{text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_has_a_status_of_an_error() {
        for word in ProblemWord::ALL {
            assert!(word.status().is_client_error() || word.status().is_server_error());
        }
    }

    /// Each word is asserted in a test against a running server.
    #[test]
    fn no_word_is_untested() {
        let sources = [
            include_str!("../tests/http/problems.rs"),
            include_str!("../tests/http/slow.rs"),
            include_str!("../tests/http/signatures.rs"),
            include_str!("../tests/http/ending.rs"),
            include_str!("../tests/http/flooding.rs"),
        ]
        .concat();
        // The refusals of the responder are asserted in a loop.
        let refusals = [
            "malformed",
            "request-replayed",
            "request-id-conflict",
            "wrong-audience",
            "not-in-time",
            "bad-cursor",
            "seen-full",
        ];
        for word in ProblemWord::ALL {
            let asserted = format!("is_problem(\"{}\")", word.as_str());
            assert!(
                sources.contains(&asserted) || refusals.contains(&word.as_str()),
                "{asserted}"
            );
        }
    }

    fn read(
        status: u16,
        media_type: &'static str,
        body: &str,
    ) -> Option<(Option<&'static str>, String)> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        ProblemWord::read(
            StatusCode::from_u16(status).unwrap(),
            &headers,
            body.as_bytes(),
        )
    }

    #[test]
    fn a_problem_of_ours_is_read_by_its_word() {
        let body = r#"{"type":"https://counterfoil.dev/problems/too-many","title":"t","status":429,"detail":"wait"}"#;
        let read = read(429, MEDIA_TYPE, body).unwrap();
        assert_eq!((read.0, read.1.as_str()), (Some("too-many"), "\"wait\""));
    }

    #[test]
    fn what_is_no_problem_says_nothing() {
        let good = r#"{"type":"about:blank","title":"t","status":500}"#;
        assert!(read(500, MEDIA_TYPE, good).is_some_and(|problem| problem.0.is_none()));
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
            read(500, MEDIA_TYPE, lies).unwrap().0,
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
