//! Problems (RFC 9457): their words, and how they are written.

mod foreign;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use axum::http::{Response, StatusCode};
use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::DocumentError;
use counterfoil_types::json::{Map, Value};

pub(crate) use foreign::{ForeignProblem, quoted};

/// The extension of the agent card.
pub const EXTENSION: &str = "https://counterfoil.dev/mrp/v1";
/// What `type` begins with.
const TYPES: &str = "https://counterfoil.dev/problems/";
/// The media type.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

/// The words of docs/format/transports.md §1, and those of HTTP itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ProblemWord {
    /// Not a document of the type.
    Malformed,
    /// A version that is not read.
    UnsupportedVersion,
    /// Another media type, or a content encoding.
    UnsupportedType,
    /// Headers of RFC 9421.
    HttpSignature,
    /// The body is not the one that was sent.
    DigestMismatch,
    /// The proof does not hold.
    BadProof,
    /// For another agent.
    WrongAudience,
    /// Too early, expired, or lives too long.
    NotInTime,
    /// Answered before.
    RequestReplayed,
    /// Another request was answered under this id.
    RequestIdConflict,
    /// A cursor that is not of this question.
    BadCursor,
    /// More than 1 MiB.
    TooLarge,
    /// Asked too often.
    TooMany,
    /// The body did not come in time.
    TooSlow,
    /// No room to remember the request.
    SeenFull,
    /// Too much at once.
    Busy,
    /// The server is ending.
    Stopping,
    /// A bug, or the store failed.
    Internal,
    /// There is nothing of this name.
    NotFound,
    /// There is, for another method.
    MethodNotAllowed,
}

impl ProblemWord {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::Malformed,
        Self::UnsupportedVersion,
        Self::UnsupportedType,
        Self::HttpSignature,
        Self::DigestMismatch,
        Self::BadProof,
        Self::WrongAudience,
        Self::NotInTime,
        Self::RequestReplayed,
        Self::RequestIdConflict,
        Self::BadCursor,
        Self::TooLarge,
        Self::TooMany,
        Self::TooSlow,
        Self::SeenFull,
        Self::Busy,
        Self::Stopping,
        Self::Internal,
        Self::NotFound,
        Self::MethodNotAllowed,
    ];

    /// The word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::UnsupportedVersion => "unsupported-version",
            Self::UnsupportedType => "unsupported-type",
            Self::HttpSignature => "http-signature",
            Self::DigestMismatch => "digest-mismatch",
            Self::BadProof => "bad-proof",
            Self::WrongAudience => "wrong-audience",
            Self::NotInTime => "not-in-time",
            Self::RequestReplayed => "request-replayed",
            Self::RequestIdConflict => "request-id-conflict",
            Self::BadCursor => "bad-cursor",
            Self::TooLarge => "too-large",
            Self::TooMany => "too-many",
            Self::TooSlow => "too-slow",
            Self::SeenFull => "seen-full",
            Self::Busy => "busy",
            Self::Stopping => "stopping",
            Self::Internal => "internal",
            Self::NotFound => "not-found",
            Self::MethodNotAllowed => "method-not-allowed",
        }
    }

    /// The status of HTTP.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::Malformed
            | Self::UnsupportedVersion
            | Self::HttpSignature
            | Self::DigestMismatch
            | Self::NotInTime
            | Self::BadCursor => StatusCode::BAD_REQUEST,
            Self::UnsupportedType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BadProof => StatusCode::UNAUTHORIZED,
            Self::WrongAudience => StatusCode::FORBIDDEN,
            Self::RequestReplayed | Self::RequestIdConflict => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::SeenFull | Self::Busy | Self::Stopping => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        }
    }

    /// What it is, in a few words that never change.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Malformed => "Not a document of this type",
            Self::UnsupportedVersion => "Version not supported",
            Self::UnsupportedType => "Media type not supported",
            Self::HttpSignature => "HTTP message signatures are not accepted",
            Self::DigestMismatch => "Content-Digest does not fit",
            Self::BadProof => "Proof does not hold",
            Self::WrongAudience => "For another agent",
            Self::NotInTime => "Not in time",
            Self::RequestReplayed => "Answered before",
            Self::RequestIdConflict => "Request id already used",
            Self::BadCursor => "Cursor not accepted",
            Self::TooLarge => "Too large",
            Self::TooMany => "Too many requests",
            Self::TooSlow => "Too slow",
            Self::SeenFull => "Too many requests remembered",
            Self::Busy => "Busy",
            Self::Stopping => "Stopping",
            Self::Internal => "Internal error",
            Self::NotFound => "Not found",
            Self::MethodNotAllowed => "Method not allowed",
        }
    }

    /// What `type` of a problem says.
    pub(crate) fn type_uri(self) -> String {
        format!("{TYPES}{}", self.as_str())
    }

    /// The word of a refusal; one that is new here is a bug.
    pub(crate) fn of(refusal: &Refusal) -> Self {
        let word = refusal.word();
        Self::named(word).unwrap_or(Self::Internal)
    }

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }
}

/// A problem that is to be sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    pub(crate) word: ProblemWord,
    detail: String,
    retry_after_s: Option<u32>,
    supported: Vec<&'static str>,
    /// The connection is of no use any more: its body was not read.
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

    /// A bug, or the store failed: what it was stays here.
    pub(crate) fn internal() -> Self {
        Self::new(
            ProblemWord::Internal,
            "this agent could not answer; try again later",
        )
    }

    /// To be asked again after so many seconds.
    pub(crate) const fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }

    /// Nothing more is read from this connection.
    pub(crate) const fn closing(mut self) -> Self {
        self.closing = true;
        self
    }

    pub(crate) fn response(self) -> Response<Body> {
        let mut members = Map::new();
        members.insert("type".into(), self.word.type_uri().into());
        members.insert("title".into(), self.word.title().into());
        members.insert("status".into(), self.word.status().as_u16().into());
        members.insert("detail".into(), self.detail.into());
        if !self.supported.is_empty() {
            members.insert("supported".into(), self.supported.into());
        }
        let mut response = Response::new(Body::from(Value::Object(members).to_string()));
        *response.status_mut() = self.word.status();
        response.extensions_mut().insert(self.word);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after_s {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if self.closing {
            headers.insert(
                axum::http::header::CONNECTION,
                HeaderValue::from_static("close"),
            );
        }
        response
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let mut problem = Self::new(ProblemWord::of(&refusal), refusal.to_string());
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

/// Whether a `Content-Type` is this media type, with or without parameters.
pub(crate) fn is_media_type(header: &str, wanted: &str) -> bool {
    let essence = header.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_has_its_word_and_each_word_a_status_of_an_error() {
        let refusals = [
            Refusal::BadProof,
            Refusal::WrongAudience,
            Refusal::NotInTime("late"),
            Refusal::Replayed,
            Refusal::IdConflict,
            Refusal::BadCursor,
            Refusal::TooMany { retry_after_s: 1 },
            Refusal::SeenFull { retry_after_s: 1 },
            Refusal::Busy { retry_after_s: 1 },
            Refusal::Internal {
                detail: "secret".into(),
            },
        ];
        for refusal in refusals {
            let word = refusal.word();
            assert_eq!(ProblemWord::of(&refusal).as_str(), word);
            assert!(!Problem::from(refusal).detail.contains("secret"));
        }
        for word in ProblemWord::ALL {
            assert!(word.status().is_client_error() || word.status().is_server_error());
        }
    }
}
