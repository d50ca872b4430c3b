//! Reader of request bodies: whole, in time, at most 1 MiB, and as the digest says (case 79).

use http_body_util::BodyExt;
use hyper::HeaderMap;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE};
use tokio::time::timeout;

use super::app::App;
use crate::digest;
use crate::problem::{Problem, ProblemWord, is_media_type};
use crate::protocol::{MAX_BODY_BYTES, SIGNATURES};

/// Largest body that needs no permit, in bytes.
const SMALL: usize = 64 << 10;

/// Returns the bytes of a document.
pub(super) async fn read(app: &App, headers: &HeaderMap, body: Incoming) -> Result<Bytes, Problem> {
    let closing = |word, detail| Err(Problem::new(word, detail).closing());
    let media_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if !is_media_type(media_type, "application/json") {
        let detail = "send the document as application/json";
        return closing(ProblemWord::UnsupportedType, detail);
    }
    if headers.contains_key(CONTENT_ENCODING) {
        let detail = "send the document without a content encoding";
        return closing(ProblemWord::UnsupportedType, detail);
    }
    // A body whose declared length is too large is not waited for.
    if body.size_hint().lower() > u64::try_from(MAX_BODY_BYTES).unwrap_or(u64::MAX) {
        return Err(too_large());
    }
    let Ok(bytes) = timeout(app.settings.body, collect(app, body)).await else {
        let detail = "the body did not come in time; send it at once";
        return closing(ProblemWord::TooSlow, detail);
    };
    let bytes = bytes?;
    if digest::fits(headers, &bytes) {
        return Ok(bytes.into());
    }
    Err(Problem::new(
        ProblemWord::DigestMismatch,
        "the body is not the one of Content-Digest; send it again",
    ))
}

/// Returns the bytes of a body, at most 1 MiB.
pub(super) async fn collect(app: &App, mut body: Incoming) -> Result<Vec<u8>, Problem> {
    let (mut read, mut large) = (Vec::new(), None);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| {
            Problem::new(ProblemWord::Malformed, "the body broke off; send it again").closing()
        })?;
        if let Some(trailers) = frame.trailers_ref() {
            refuse_signatures(trailers)?;
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
    Ok(read)
}

/// Refuses headers or trailers of an HTTP message signature.
pub(super) fn refuse_signatures(headers: &HeaderMap) -> Result<(), Problem> {
    if !SIGNATURES.iter().any(|name| headers.contains_key(*name)) {
        return Ok(());
    }
    Err(Problem::new(
        ProblemWord::HttpSignature,
        "who asks is proven in the document; send it without Signature headers",
    )
    .closing())
}

fn too_large() -> Problem {
    Problem::new(
        ProblemWord::TooLarge,
        format!("a body has at most {MAX_BODY_BYTES} bytes"),
    )
    .closing()
}
