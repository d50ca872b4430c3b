//! Imports: begun with the bytes of a file, followed as they go on, and ended.

use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use counterfoil::{ImportFormat, ImportOptions};
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue, LOCATION};
use hyper::{Response, StatusCode};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{self, Sender};
use tokio::time::{sleep, timeout};

use super::{Caller, document};
use crate::body::{self, Streamed};
use crate::jobs::{Job, Place};
use crate::keys::ApiChannel;
use crate::problem::{Problem, Reply, whole};

/// Name of a file that was sent without one, as of standard input.
const NAME: &str = "import";
/// Longest name of a file, in bytes.
const MAX_NAME: usize = 256;
/// Shortest time between two events.
const PACE: Duration = Duration::from_millis(200);
/// Time without news after which a stream says that it is alive.
const ALIVE: Duration = Duration::from_secs(15);
/// Id of the last event. A client that has it needs not come back.
const END: &str = "end";

/// A file that is here, and the place of its import.
pub(crate) struct Upload<'r> {
    file: File,
    name: String,
    options: ImportOptions,
    place: Place<'r>,
}

/// Receives the file of `POST /v1/imports`; all else is checked before it.
pub(crate) async fn receive<'r>(
    caller: &Caller<'r>,
    incoming: Incoming,
) -> Result<Upload<'r>, Problem> {
    let query = &caller.query;
    let format = query.text("format").map(str::parse::<ImportFormat>);
    let next = "leave `format` out, or choose another";
    let format = format.transpose();
    let format = format.map_err(|error| Problem::input(error.to_string(), next))?;
    let dry_run = match query.text("dryRun") {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => {
            let problem = "`dryRun` is neither true nor false";
            return Err(Problem::input(problem, "choose one"));
        }
    };
    let name = query.text("name").unwrap_or(NAME);
    let is_name = (1..=MAX_NAME).contains(&name.len()) && !name.contains(char::is_control);
    if !is_name {
        return Err(Problem::input(
            "`name` is no name of a file",
            "send 1 to 256 bytes of printable text, or leave it out",
        ));
    }
    let options = ImportOptions {
        format,
        dry_run,
        // The user's own word has no mark, as on the command line.
        channel: match caller.key.channel() {
            ApiChannel::User => None,
            channel => Some(channel.name().to_owned()),
        },
        ..ImportOptions::default()
    };
    let place = caller.jobs.reserve(caller.key)?;
    Ok(Upload {
        file: body::save(caller.headers, incoming, caller.whole.dir()).await?,
        name: name.to_owned(),
        options,
        place,
    })
}

/// `POST /v1/imports`: the answer comes when the file is here, and the import goes on after it.
pub(super) fn start(mut caller: Caller<'_>) -> Result<Reply, Problem> {
    let upload = caller.upload.take().ok_or_else(Problem::internal)?;
    let file = (upload.file, upload.name);
    let job = upload
        .place
        .start(caller.memory, file, upload.options, caller.trace);
    let view = job.view();
    let mut reply = document(StatusCode::ACCEPTED, &view)?;
    if let Ok(location) = HeaderValue::from_str(&format!("/v1/imports/{}", view.id)) {
        reply.headers_mut().insert(LOCATION, location);
    }
    Ok(reply)
}

/// `GET /v1/imports/{id}`.
pub(super) fn state(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let job = caller.jobs.of(caller.key, caller.open(0))?;
    document(StatusCode::OK, &job.view())
}

/// `DELETE /v1/imports/{id}`: kept memories stay.
pub(super) fn end(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let job = caller.jobs.of(caller.key, caller.open(0))?;
    job.end();
    document(StatusCode::OK, &job.view())
}

/// `GET /v1/imports/{id}/events`: Server-Sent Events. Each has the whole document, so a client that comes back has missed nothing.
pub(super) fn events(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let job = caller.jobs.of(caller.key, caller.open(0))?;
    if caller.one_header("last-event-id")? == Some(END) {
        let mut reply = whole(Bytes::new());
        *reply.status_mut() = StatusCode::NO_CONTENT;
        return Ok(reply);
    }
    let stream = Arc::clone(&caller.jobs.streams).try_acquire_owned();
    let stream = stream.map_err(|_| Problem::too_many("streams of imports", "end one"))?;
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(send_events(job, sender, stream));
    let mut reply = Response::new(Streamed::new(None, receiver, Arc::new(true.into())).boxed());
    let media_type = HeaderValue::from_static("text/event-stream");
    reply.headers_mut().insert(CONTENT_TYPE, media_type);
    Ok(reply)
}

/// Sends an event whenever something is new, until the import is over, its key has ended, or the client has left.
async fn send_events(job: Arc<Job>, sender: Sender<Bytes>, _stream: OwnedSemaphorePermit) {
    let mut news = job.follow();
    loop {
        let view = news.borrow_and_update().clone();
        let is_over = view.status.is_over();
        let (event, id) = match is_over {
            true => ("end", END),
            false => ("progress", "progress"),
        };
        let Ok(data) = serde_json::to_string(&view) else {
            return;
        };
        let event = format!("event: {event}\nid: {id}\ndata: {data}\n\n");
        if job.is_closed() || sender.send(event.into()).await.is_err() || is_over {
            return;
        }
        sleep(PACE).await;
        loop {
            let changed = tokio::select! {
                changed = timeout(ALIVE, news.changed()) => changed,
                () = sender.closed() => return,
            };
            if changed.is_ok() {
                break;
            }
            if sender.send(Bytes::from_static(b":\n\n")).await.is_err() {
                return;
            }
        }
    }
}
