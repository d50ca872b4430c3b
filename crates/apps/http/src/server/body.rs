//! A body is read: whole, in time, at most 1 MiB, as the digest says (case 79).

use axum::body::{Body, Bytes, HttpBody};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http_body_util::BodyExt;
use tokio::time::timeout;

use super::SIGNATURES;
use super::app::App;
use crate::problem::{Problem, ProblemWord, is_media_type};
use crate::{MAX_BODY_BYTES, digest};

/// Bodies up to here are held without further ado.
const SMALL: usize = 64 << 10;

/// The bytes of a document.
pub(super) async fn read(app: &App, headers: &HeaderMap, body: Body) -> Result<Bytes, Problem> {
    let media_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if !is_media_type(media_type, "application/json") {
        return Err(Problem::new(
            ProblemWord::UnsupportedType,
            "send the document as application/json",
        )
        .closing());
    }
    if headers.contains_key(CONTENT_ENCODING) {
        return Err(Problem::new(
            ProblemWord::UnsupportedType,
            "send the document without a content encoding",
        )
        .closing());
    }
    // A body that says that it is too large is not waited for.
    if body.size_hint().lower() > u64::try_from(MAX_BODY_BYTES).unwrap_or(u64::MAX) {
        return Err(too_large());
    }
    let bytes = match timeout(app.limits.body, collect(app, body)).await {
        Ok(read) => read?,
        Err(_) => {
            return Err(Problem::new(
                ProblemWord::TooSlow,
                "the body did not come in time; send it at once",
            )
            .closing());
        }
    };
    if digest::fits(headers, &bytes) {
        return Ok(bytes);
    }
    Err(Problem::new(
        ProblemWord::DigestMismatch,
        "the body is not the one of Content-Digest; send it again",
    ))
}

async fn collect(app: &App, mut body: Body) -> Result<Bytes, Problem> {
    let (mut read, mut large) = (Vec::new(), None);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| {
            Problem::new(ProblemWord::Malformed, "the body broke off; send it again").closing()
        })?;
        if frame.trailers_ref().is_some_and(signed) {
            return Err(signature());
        }
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if read.len() + data.len() > MAX_BODY_BYTES {
            return Err(too_large());
        }
        if read.len() + data.len() > SMALL && large.is_none() {
            let busy = || {
                Problem::new(
                    ProblemWord::Busy,
                    "too many large bodies at once; try again",
                )
                .retry_after(1)
                .closing()
            };
            large = Some(app.large_bodies.try_acquire().map_err(|_| busy())?);
        }
        read.extend_from_slice(&data);
    }
    Ok(read.into())
}

/// Whether these headers, or trailers, are those of an HTTP message signature.
pub(super) fn signed(headers: &HeaderMap) -> bool {
    SIGNATURES.iter().any(|name| headers.contains_key(*name))
}

pub(super) fn signature() -> Problem {
    Problem::new(
        ProblemWord::HttpSignature,
        "who asks is proven in the document; send it without Signature headers",
    )
    .closing()
}

fn too_large() -> Problem {
    Problem::new(
        ProblemWord::TooLarge,
        format!("a body has at most {MAX_BODY_BYTES} bytes"),
    )
    .closing()
}
