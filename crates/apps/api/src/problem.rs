//! Problems (RFC 9457): the document that the command line prints with `--json`, with a status of HTTP.

use std::io;

use counterfoil::{Error, ErrorKind};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use schemars::JsonSchema;
use serde::Serialize;

/// Answer of a route: whole, or a stream. The error of a stream breaks it off, so that a part is not taken for the whole.
pub(crate) type Reply = Response<BoxBody<Bytes, io::Error>>;

/// Most characters of a detail.
const MAX_DETAIL: usize = 1_000;

/// Problem of one request. No token is ever in it.
#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    code: &'static str,
    title: &'static str,
    detail: String,
    next: String,
    allow: Option<String>,
    closing: bool,
}

/// The document of a problem.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ProblemView {
    /// Always counterfoil/error
    #[serde(rename = "type")]
    kind: &'static str,
    /// Always 1
    version: &'static str,
    /// Status of HTTP
    status: u16,
    /// Stable word for programs
    code: &'static str,
    /// The same for each problem of the code
    title: &'static str,
    /// The problem, for people
    detail: String,
    /// Next step, for people
    next: String,
}

/// Word of a problem, for the line in the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProblemCode(pub(crate) &'static str);

impl Problem {
    fn new(
        (status, code, title): (StatusCode, &'static str, &'static str),
        detail: impl Into<String>,
        next: impl Into<String>,
    ) -> Self {
        Self {
            status,
            code,
            title,
            detail: detail.into(),
            next: next.into(),
            allow: None,
            closing: false,
        }
    }

    /// The request cannot be used.
    pub(crate) fn input(detail: impl Into<String>, next: impl Into<String>) -> Self {
        let kind = ErrorKind::Input;
        Self::new(
            (StatusCode::BAD_REQUEST, kind.code(), kind.title()),
            detail,
            next,
        )
    }

    /// No memory of that id is within the scope of the key, whether there is none or it is in another scope (API-2).
    pub(crate) fn absent() -> Self {
        Self::new(
            (
                StatusCode::NOT_FOUND,
                "not-found",
                "There is no such resource",
            ),
            "there is no such memory",
            "take an id from POST /v1/recall or GET /v1/memories",
        )
    }

    /// No import of that id is of this key, whether there is none or it is of another key (API-2).
    pub(crate) fn no_import() -> Self {
        Self {
            detail: "there is no such import".to_owned(),
            next: "take the id that POST /v1/imports gave; the last 8 of a key are kept while the server runs"
                .to_owned(),
            ..Self::absent()
        }
    }

    pub(crate) fn no_route() -> Self {
        Self::new(
            (
                StatusCode::NOT_FOUND,
                "not-found",
                "There is no such resource",
            ),
            "there is nothing at this path",
            "see GET /v1/openapi.json",
        )
    }

    pub(crate) fn method(allow: String) -> Self {
        let word = (
            StatusCode::METHOD_NOT_ALLOWED,
            "method-not-allowed",
            "The path does not take this method",
        );
        let next = format!("use {allow}");
        Self {
            allow: Some(allow),
            ..Self::new(word, "this method has no meaning here", next)
        }
        .closing()
    }

    pub(crate) fn unauthorized() -> Self {
        Self::new(
            (
                StatusCode::UNAUTHORIZED,
                "unauthorized",
                "The request has no key that is valid",
            ),
            "the request carries no valid key",
            "send `Authorization: Bearer TOKEN`; the owner makes a key with `counterfoil key-for`",
        )
        .closing()
    }

    pub(crate) fn forbidden(right: &str) -> Self {
        Self::new(
            (
                StatusCode::FORBIDDEN,
                "forbidden",
                "The key does not have this right",
            ),
            format!("the key lacks the right `{right}`"),
            "ask the owner for a key with that right",
        )
        .closing()
    }

    /// A fact that the channel of the key does not take back.
    pub(crate) fn not_its_word() -> Self {
        let word = ErrorKind::Refused;
        Self::new(
            (StatusCode::FORBIDDEN, word.code(), word.title()),
            "this is a fact that another channel stated",
            "let the user take it back",
        )
    }

    pub(crate) fn host() -> Self {
        Self::new(
            (
                StatusCode::FORBIDDEN,
                "host",
                "The request is not for this server",
            ),
            "Host or Origin names another server than this one",
            "call it by localhost, 127.0.0.1 or [::1], or name the host with `serve --api-host`",
        )
        .closing()
    }

    pub(crate) fn one_host() -> Self {
        Self::new(
            (
                StatusCode::BAD_REQUEST,
                "host",
                "The request is not for this server",
            ),
            "a request has exactly one Host",
            "send one Host header",
        )
        .closing()
    }

    pub(crate) fn precondition_required() -> Self {
        Self::new(
            (
                StatusCode::PRECONDITION_REQUIRED,
                "precondition-required",
                "If-Match is missing",
            ),
            "a change names the version that it is of",
            "send the ETag of GET /v1/memories/{id} as If-Match",
        )
    }

    pub(crate) fn precondition_failed() -> Self {
        Self::new(
            (
                StatusCode::PRECONDITION_FAILED,
                "precondition-failed",
                "The version is not the newest",
            ),
            "nothing was written: the memory has another current version",
            "read it again, and send its ETag as If-Match",
        )
    }

    pub(crate) fn too_large(limit: usize) -> Self {
        Self::new(
            (
                StatusCode::PAYLOAD_TOO_LARGE,
                "too-large",
                "The body is too large",
            ),
            format!("a body has at most {limit} bytes here"),
            "send less at once",
        )
        .closing()
    }

    pub(crate) fn media_type() -> Self {
        Self::new(
            (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported-type",
                "The body is of another type",
            ),
            "the body is not application/json without an encoding",
            "send Content-Type: application/json",
        )
        .closing()
    }

    /// A form of several parts, or bytes with an encoding, where the bytes of a file are taken.
    pub(crate) fn no_file() -> Self {
        Self {
            detail: "the body is not the file itself: it is a form or has an encoding".to_owned(),
            next: "send the bytes of the file and nothing else, as `curl --data-binary @FILE` does"
                .to_owned(),
            ..Self::media_type()
        }
    }

    pub(crate) fn too_slow() -> Self {
        Self::new(
            (
                StatusCode::REQUEST_TIMEOUT,
                "too-slow",
                "The body did not come in time",
            ),
            "the body did not come in time",
            "send it at once",
        )
        .closing()
    }

    pub(crate) fn busy() -> Self {
        Self::new(
            (
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "The server has too much to do",
            ),
            "no answer in time",
            "try again; with an Idempotency-Key nothing is stored twice",
        )
        .closing()
    }

    pub(crate) fn crowded() -> Self {
        Self {
            detail: "too many sessions or streams are open".to_owned(),
            next: "end a session with DELETE /mcp or a stream, or try again later".to_owned(),
            ..Self::busy()
        }
    }

    /// As many of a kind as there may be are under way.
    pub(crate) fn too_many(kind: &str, next: &str) -> Self {
        Self::new(
            (
                StatusCode::TOO_MANY_REQUESTS,
                "too-many",
                "As much as there may be at once is under way",
            ),
            format!("too many {kind} are under way"),
            next,
        )
        .closing()
    }

    pub(crate) fn internal() -> Self {
        let kind = ErrorKind::Bug;
        Self::new(
            (StatusCode::INTERNAL_SERVER_ERROR, kind.code(), kind.title()),
            "the request could not be carried out",
            "look at the log of the server, and report it",
        )
        .closing()
    }

    /// Ends the connection behind the answer: the rest of the request is not read.
    fn closing(mut self) -> Self {
        self.closing = true;
        self
    }

    /// The document of the problem.
    pub(crate) fn view(&self) -> ProblemView {
        ProblemView {
            kind: "counterfoil/error",
            version: "1",
            status: self.status.as_u16(),
            code: self.code,
            title: self.title,
            detail: self.detail.chars().take(MAX_DETAIL).collect(),
            next: self.next.chars().take(MAX_DETAIL).collect(),
        }
    }

    pub(crate) fn into_reply(self) -> Reply {
        let json = serde_json::to_vec(&self.view()).unwrap_or_default();
        let mut reply = whole(json);
        *reply.status_mut() = self.status;
        reply.extensions_mut().insert(ProblemCode(self.code));
        let headers = reply.headers_mut();
        let media_type = HeaderValue::from_static("application/problem+json");
        headers.insert(CONTENT_TYPE, media_type);
        if self.closing {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(allow) = self.allow.and_then(|allow| allow.parse().ok()) {
            headers.insert(ALLOW, allow);
        }
        reply
    }
}

/// An answer that is there as a whole.
pub(crate) fn whole(body: impl Into<Bytes>) -> Reply {
    Response::new(
        Full::new(body.into())
            .map_err(|never| match never {})
            .boxed(),
    )
}

/// What concerns the operator is a line of the log, and no part of the answer: it may name folders.
impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let kind = error.kind();
        let status = match kind {
            ErrorKind::Input => StatusCode::BAD_REQUEST,
            ErrorKind::Refused => StatusCode::FORBIDDEN,
            ErrorKind::Unproven | ErrorKind::Withheld => StatusCode::CONFLICT,
            _ => {
                tracing::error!(kind = kind.code(), error = %error, "a request failed");
                let word = (StatusCode::INTERNAL_SERVER_ERROR, kind.code(), kind.title());
                let detail = "the memory cannot be used";
                return Self::new(word, detail, "look at the log of the server");
            }
        };
        let next = error.next().unwrap_or("change the request").to_owned();
        Self::new((status, kind.code(), kind.title()), error.problem(), next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_concerns_the_operator_names_no_folder() {
        let problem = Problem::from(Error::place("/secret/place is gone", "mend /secret/place"));
        let reply = problem.into_reply();
        assert_eq!(reply.status(), 500);
        let body = reply.into_body().collect().await.unwrap().to_bytes();
        assert!(!String::from_utf8_lossy(&body).contains("secret"));
    }
}
