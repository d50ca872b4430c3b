//! Capsules as they travel: one a line, sent as they are read, and no faster than they are taken.

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, Sender};
use tokio::task::spawn_blocking;

use super::{Caller, of_memory};
use crate::body::Streamed;
use crate::problem::{Problem, Reply};

/// Bytes that are sent at once, more by one line at most.
const PART: usize = 64 << 10;
/// Parts that are read before they are taken.
const AHEAD: usize = 4;
/// Time after which an export of which nothing is taken is broken off.
const STALLED: Duration = Duration::from_secs(30);
/// Time between two attempts to hand over a part.
const PAUSE: Duration = Duration::from_millis(1);

/// Mark of an answer that may take longer than a connection has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Long;

/// `GET /v1/export`: of one memory or of all. One that fails in the midst is broken off, so that no part is taken for the whole.
pub(super) async fn export(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let named = caller.query.text("memory").map(str::to_owned);
    if let Some(id) = &named {
        caller.memory.show(id).await.map_err(of_memory)?;
    }
    let place = Arc::clone(caller.exports).try_acquire_owned();
    let place = place.map_err(|_| Problem::too_many("exports", "try again when one has ended"))?;
    let (sender, mut receiver) = mpsc::channel(AHEAD);
    let (memory, runtime) = (caller.memory.clone(), Handle::current());
    let is_whole = Arc::<AtomicBool>::default();
    let ended = Arc::clone(&is_whole);
    let exporting = spawn_blocking(move || {
        let _place = place;
        let mut lines = Lines {
            part: Vec::new(),
            sender,
        };
        let exported = runtime.block_on(memory.export(named.as_deref(), None, &mut lines));
        match &exported {
            Ok(exported) => {
                if exported.problem().is_some() {
                    let archived = exported.value()["archived"].as_u64();
                    tracing::warn!(archived, "an export has left out what lies in an archive");
                }
                ended.store(true, Ordering::Release);
            }
            Err(error) => tracing::warn!(kind = error.kind().code(), "an export has failed"),
        }
        exported
    });
    let first = receiver.recv().await;
    if first.is_none() {
        // It has ended before anything was sent, and says why.
        exporting.await.map_err(|_| Problem::internal())??;
    }
    let mut reply = Response::new(Streamed::new(first, receiver, is_whole).boxed());
    let media_type = HeaderValue::from_static("application/jsonl");
    reply.headers_mut().insert(CONTENT_TYPE, media_type);
    reply.extensions_mut().insert(Long);
    Ok(reply)
}

/// Lines of an export, handed over in parts.
struct Lines {
    part: Vec<u8>,
    sender: Sender<Bytes>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.part.extend_from_slice(bytes);
        if self.part.len() >= PART {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    /// Hands over what there is, and waits until there is room. Blocking is allowed on the thread, but it is inside of a runtime, where a
    /// channel does not block.
    fn flush(&mut self) -> io::Result<()> {
        let (began, mut part) = (Instant::now(), std::mem::take(&mut self.part).into());
        loop {
            part = match self.sender.try_send(part) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Closed(_)) => return Err(ErrorKind::BrokenPipe.into()),
                Err(TrySendError::Full(_)) if began.elapsed() > STALLED => {
                    return Err(ErrorKind::TimedOut.into());
                }
                Err(TrySendError::Full(part)) => part,
            };
            thread::sleep(PAUSE);
        }
    }
}
