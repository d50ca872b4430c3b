//! Bodies: those of requests whole, in time, limited in size, depth and members, and closed; those of answers also as streams.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use counterfoil_types::json::{Limits, parse};
use http_body_util::{BodyExt, Limited};
use hyper::HeaderMap;
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

use crate::problem::Problem;

/// Largest body, in bytes; the content of a memory has at most 1 MiB.
pub(crate) const MAX_BODY: usize = 2 << 20;
/// Largest body with a proof, in bytes.
pub(crate) const MAX_PROOF: usize = 16 << 20;
/// Largest file that is imported, in bytes.
pub(crate) const MAX_FILE: usize = 256 << 20;
/// Time for a whole body.
const BODY: Duration = Duration::from_secs(15);
/// Time for a whole file; for each part of it [`BODY`].
const FILE: Duration = Duration::from_secs(240);
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

/// Saves a body as it is, in a file of this folder without a name: no other program reads it, and it is gone when it is closed, or when
/// this program is killed.
pub(crate) async fn save(
    headers: &HeaderMap,
    body: Incoming,
    folder: &Path,
) -> Result<File, Problem> {
    let media_type = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let kind = media_type.and_then(|it| it.trim_start().split('/').next());
    let is_form = kind.is_some_and(|kind| kind.eq_ignore_ascii_case("multipart"));
    if is_form || headers.contains_key(CONTENT_ENCODING) {
        return Err(Problem::no_file());
    }
    if body.size_hint().lower() > u64::try_from(MAX_FILE).unwrap_or(u64::MAX) {
        return Err(Problem::too_large(MAX_FILE));
    }
    let unwritable = |error: io::Error| {
        tracing::error!(%error, "a file that was sent cannot be saved");
        Problem::internal()
    };
    let mut file = tempfile::tempfile_in(folder).map_err(unwritable)?;
    let mut body = Limited::new(body, MAX_FILE);
    let saving = async {
        loop {
            let part = timeout(BODY, body.frame()).await;
            let Some(part) = part.map_err(|_| Problem::too_slow())? else {
                return Ok::<_, Problem>(());
            };
            let part = part.map_err(|_| Problem::too_large(MAX_FILE))?;
            if let Some(bytes) = part.data_ref() {
                file.write_all(bytes).map_err(unwritable)?;
            }
        }
    };
    let saved = timeout(FILE, saving).await;
    saved.map_err(|_| Problem::too_slow())??;
    file.rewind().map_err(unwritable)?;
    Ok(file)
}

/// Body of an answer that is made while it is sent: no faster than it is taken, and broken off by an error.
pub(crate) struct Streamed {
    /// The part that is there already.
    first: Option<Bytes>,
    rest: Receiver<Bytes>,
    /// All parts were sent: only then does the body have an end.
    is_whole: Arc<AtomicBool>,
}

impl Streamed {
    pub(crate) const fn new(
        first: Option<Bytes>,
        rest: Receiver<Bytes>,
        is_whole: Arc<AtomicBool>,
    ) -> Self {
        Self {
            first,
            rest,
            is_whole,
        }
    }
}

impl Body for Streamed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        self.rest.poll_recv(context).map(|part| match part {
            Some(part) => Some(Ok(Frame::data(part))),
            None if self.is_whole.load(Ordering::Acquire) => None,
            None => Some(Err(io::ErrorKind::BrokenPipe.into())),
        })
    }
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

    /// A body of which parts were missing ended as one that is whole.
    #[tokio::test]
    async fn a_body_that_is_not_whole_has_no_end() {
        for is_whole in [true, false] {
            let (sender, rest) = tokio::sync::mpsc::channel(1);
            let body = Streamed::new(Some("a".into()), rest, Arc::new(is_whole.into()));
            sender.try_send("b".into()).unwrap();
            drop(sender);
            let read = body.collect().await.map(|read| read.to_bytes());
            assert_eq!(read.ok(), is_whole.then(|| "ab".into()));
        }
    }

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
