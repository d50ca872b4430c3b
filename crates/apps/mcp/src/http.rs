//! The memory over streamable HTTP, for clients that hold a key: each key has a door of its own, with its sessions (MCP-1 to MCP-3).

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use counterfoil::{Error, Memory};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::HeaderMap;
use hyper::{Method, Request, Response, StatusCode};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::erasing::Erasures;
use crate::server::{MAX_MESSAGE, Server};
use crate::session::{McpOptions, Session};

/// Header that names a session.
const SESSION: &str = "mcp-session-id";
/// Keys with an open door; one more closes the door that was used longest ago.
const MAX_DOORS: usize = 64;
/// Sessions of a key at once; one more ends the session that is not in use for the longest time.
const MAX_SESSIONS: usize = 32;
/// Calls of a key at once, those included that wait for its user.
const MAX_CALLS: usize = 16;
/// Answers at once, event streams included; they are half of the connections of a server.
const MAX_STREAMS: usize = 64;
/// Time after which a session that is not used ends.
const IDLE: Duration = Duration::from_secs(15 * 60);
/// Time that a user has to answer a question.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// Server of one memory over streamable HTTP. It checks neither keys nor `Host` nor `Origin`: its caller does.
pub struct HttpServer {
    memory: Memory,
    answers: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    /// Messages under way, until their answers have ended. Streams of what the server sends are none.
    messages: Arc<Semaphore>,
    doors: Mutex<HashMap<String, Door>>,
}

/// The sessions of one key, and what they share: proofs that were made, and questions that wait for an answer.
#[derive(Clone)]
struct Door {
    options: McpOptions,
    service: StreamableHttpService<Server, LocalSessionManager>,
    config: StreamableHttpServerConfig,
    sessions: Arc<LocalSessionManager>,
    uses: Arc<SessionUses>,
    /// Held while a session is opened, so that they are counted one by one.
    opening: Arc<tokio::sync::Mutex<()>>,
    used: Instant,
}

/// Use of each session: the end of its last answer, and the answers and streams that are open. Many clients leave without ending their
/// session.
#[derive(Default)]
struct SessionUses(Mutex<HashMap<String, (Instant, usize)>>);

impl HttpServer {
    /// A server that works on as many calls at once as `answers` has permits.
    pub fn new(memory: Memory, answers: Arc<Semaphore>) -> Self {
        Self {
            memory,
            answers,
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            messages: Arc::new(Semaphore::new(MAX_STREAMS)),
            doors: Mutex::default(),
        }
    }

    /// Answers a request under the key of this id, which grants `options`. `None`: a limit is reached, and the client may try again.
    ///
    /// # Errors
    /// The memory has no such scope to be bound to.
    pub async fn answer(
        &self,
        key: &str,
        options: McpOptions,
        request: Request<Bytes>,
    ) -> Result<Option<Response<BoxBody<Bytes, Infallible>>>, Error> {
        let Ok(stream) = Arc::clone(&self.streams).try_acquire_owned() else {
            return Ok(None);
        };
        let message = match *request.method() {
            Method::POST => match Arc::clone(&self.messages).try_acquire_owned() {
                Ok(message) => Some(message),
                Err(_) => return Ok(None),
            },
            _ => None,
        };
        let door = self.door(key, options)?;
        let _opening = match opens_session(request.body()) {
            true => {
                let opening = door.opening.lock().await;
                if !door.has_room().await {
                    return Ok(None);
                }
                Some(opening)
            }
            false => None,
        };
        let session = door.session_in(request.headers()).await;
        let ends = request.method() == Method::DELETE;
        let mut reply = door.service.handle(request.map(Full::new)).await;
        if ends && reply.status() == StatusCode::ACCEPTED {
            // Clients wait for nothing more: the session has ended.
            *reply.status_mut() = StatusCode::NO_CONTENT;
        }
        let opened = door.session_in(reply.headers()).await;
        let counted = |body| Counted {
            body,
            _stream: stream,
            _message: message,
            _session: session.or(opened),
        };
        Ok(Some(reply.map(|body| counted(body).boxed())))
    }

    /// Takes no further message, and waits until those under way are answered: the server ends.
    pub async fn finish(&self) {
        let all = u32::try_from(MAX_STREAMS).unwrap_or(u32::MAX);
        if let Ok(all) = self.messages.acquire_many(all).await {
            all.forget();
        }
    }

    /// Ends the sessions and streams of all keys but those of which `is_alive` returns true.
    pub fn retain(&self, is_alive: impl Fn(&str) -> bool) {
        let mut doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
        doors.retain(|key, door| {
            let stays = is_alive(key);
            if !stays {
                door.close();
            }
            stays
        });
    }

    /// Returns true if no key has a door.
    pub fn is_empty(&self) -> bool {
        let doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
        doors.is_empty()
    }

    /// The door of a key. One that was opened under other grants is closed.
    fn door(&self, key: &str, options: McpOptions) -> Result<Door, Error> {
        let mut doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(door) = doors.get_mut(key).filter(|door| door.options == options) {
            door.used = Instant::now();
            return Ok(door.clone());
        }
        let door = self.open(options)?;
        if doors.len() >= MAX_DOORS && !doors.contains_key(key) {
            let oldest = doors.iter().min_by_key(|(_, door)| door.used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                doors.remove(&oldest).iter().for_each(Door::close);
            }
        }
        let old = doors.insert(key.to_owned(), door.clone());
        old.iter().for_each(Door::close);
        Ok(door)
    }

    fn open(&self, options: McpOptions) -> Result<Door, Error> {
        let session = Session {
            answers: Arc::clone(&self.answers),
            calls: Semaphore::new(MAX_CALLS),
            erasures: Erasures::with_patience(PATIENCE),
            ..Session::new(self.memory.clone(), options.clone())?
        };
        let server = Server(Arc::new(session));
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(IDLE);
        let sessions = Arc::new(sessions);
        // `Host` and `Origin` are checked before the key is.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(MAX_MESSAGE)
            .with_json_response(true);
        let service = StreamableHttpService::new(
            move || Ok(server.clone()),
            Arc::clone(&sessions),
            config.clone(),
        );
        Ok(Door {
            options,
            service,
            config,
            sessions,
            uses: Arc::default(),
            opening: Arc::default(),
            used: Instant::now(),
        })
    }
}

impl Door {
    /// The session that a head names, counted as in use, if there is such a session.
    async fn session_in(&self, headers: &HeaderMap) -> Option<SessionUse> {
        let id = headers.get(SESSION)?.to_str().ok()?;
        let is_open = self.sessions.sessions.read().await.contains_key(id);
        is_open.then(|| self.uses.begin(id))
    }

    /// Makes room for a session. Returns false if all of them are in use.
    async fn has_room(&self) -> bool {
        let open: Vec<Arc<str>> = {
            let sessions = self.sessions.sessions.read().await;
            sessions.keys().cloned().collect()
        };
        self.uses.retain(|id| open.iter().any(|it| **it == *id));
        if open.len() < MAX_SESSIONS {
            return true;
        }
        match self.uses.longest_unused(open) {
            Some(id) => self.sessions.close_session(&id).await.is_ok(),
            None => false,
        }
    }

    /// Ends the sessions and the streams.
    fn close(&self) {
        self.config.cancellation_token.cancel();
    }
}

impl SessionUses {
    /// Counts an answer to a session until the value is dropped.
    fn begin(self: &Arc<Self>, id: &str) -> SessionUse {
        let now = Instant::now();
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        uses.entry(id.to_owned()).or_insert((now, 0)).1 += 1;
        SessionUse {
            uses: Arc::clone(self),
            id: id.to_owned(),
        }
    }

    /// The session without an answer under way whose last one ended first. One whose client left before its first answer comes first.
    fn longest_unused(&self, sessions: Vec<Arc<str>>) -> Option<Arc<str>> {
        let uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let used = |id: &Arc<str>| uses.get(&**id).copied();
        let sessions = sessions.into_iter();
        let unused = sessions.filter(|id| used(id).is_none_or(|(_, open)| open == 0));
        unused.min_by_key(|id| used(id).map(|(ended, _)| ended))
    }

    fn retain(&self, is_open: impl Fn(&str) -> bool) {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        uses.retain(|id, _| is_open(id));
    }
}

/// An answer to a session that is under way.
struct SessionUse {
    uses: Arc<SessionUses>,
    id: String,
}

impl Drop for SessionUse {
    fn drop(&mut self) {
        let mut uses = self.uses.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((ended, open)) = uses.get_mut(&self.id) {
            *ended = Instant::now();
            *open = open.saturating_sub(1);
        }
    }
}

/// Returns true for a message that opens a session.
fn opens_session(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Message {
        method: String,
    }
    serde_json::from_slice(body).is_ok_and(|message: Message| message.method == "initialize")
}

/// Body of an answer, which is counted until it ends or is dropped.
struct Counted {
    body: BoxBody<Bytes, Infallible>,
    _stream: OwnedSemaphorePermit,
    _message: Option<OwnedSemaphorePermit>,
    _session: Option<SessionUse>,
}

impl Body for Counted {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
