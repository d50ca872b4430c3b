//! Operations: each goes to the facade, bound to the scope of the key.

mod export;
mod facts;
mod imports;
mod memories;
mod proving;

use std::sync::Arc;

use counterfoil::{BeliefQuery, Error, ErrorKind, Memory, Scope};
use counterfoil_web::Trace;
use counterfoil_web::metrics::{MEDIA_TYPE, Metrics};
use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, ETAG, HeaderMap, HeaderValue};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use crate::jobs::Jobs;
use crate::keys::ApiKey;
use crate::problem::{Problem, Reply, whole};
use crate::query::Query;
use crate::requests::ScopePairs;
use crate::routes::Call;
use crate::views::{FormatView, HealthView};

pub(crate) use export::Long;
pub(crate) use imports::{Upload, receive};

/// Version of the documents that are described here.
const VERSION: &str = "1";
/// Longest idempotency key, in bytes.
const MAX_KEY: usize = 128;

/// Description of the API (OpenAPI 3.1), the same for every server; a test makes and compares it.
pub(crate) const DESCRIPTION: &str = include_str!("../../../../../docs/openapi-v1.json");

/// A request whose key has been checked.
pub(crate) struct Caller<'r> {
    /// The memory, bound to the scope of the key.
    pub(crate) memory: Memory,
    /// The memory for the anchors and the head of its log, and for nothing else.
    pub(crate) whole: &'r Memory,
    pub(crate) key: &'r ApiKey,
    pub(crate) jobs: &'r Jobs,
    pub(crate) metrics: &'r Metrics,
    pub(crate) trace: Option<&'r Trace>,
    /// Exports that may begin now.
    pub(crate) exports: &'r Arc<Semaphore>,
    /// Segments that the path leaves open.
    pub(crate) open: Vec<String>,
    pub(crate) query: Query,
    pub(crate) headers: &'r HeaderMap,
    pub(crate) body: Bytes,
    /// The file that is imported, in place of a body.
    pub(crate) upload: Option<Upload<'r>>,
}

/// Runs an operation that takes no key.
pub(crate) fn public(call: Call) -> Result<Reply, Problem> {
    match call {
        Call::Health => document(
            StatusCode::OK,
            &HealthView {
                kind: "counterfoil/health",
                version: VERSION,
                status: "ok",
            },
        ),
        _ => Ok(reply(StatusCode::OK, DESCRIPTION, "application/json")),
    }
}

/// `GET /metrics`: numbers of the server and of the store as a whole, and nothing of its content. Numbers that cannot be read are left out.
async fn metrics(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let stats = caller.whole.stats(false).await.ok();
    let stored = [
        ("memories", "Memories that are stored", "/memories"),
        ("versions", "Versions of memories", "/versions"),
        ("facts", "Facts that are stated", "/facts"),
        (
            "contested_beliefs",
            "Beliefs that are contested",
            "/contested",
        ),
        ("store_bytes", "Size of the store on disk", "/bytes"),
    ];
    let numbers = stored.into_iter().filter_map(|(name, help, place)| {
        let number = stats.as_ref()?.number(place)?;
        Some((name, help, number))
    });
    let withheld = u64::try_from(caller.whole.withheld().len()).unwrap_or(u64::MAX);
    let about_withheld = "Memories that reads have withheld since the server began";
    let numbers: Vec<_> = numbers
        .chain([
            ("withheld_memories", about_withheld, withheld),
            (
                "imports_running",
                "Imports under way",
                caller.jobs.running(),
            ),
        ])
        .collect();
    Ok(reply(
        StatusCode::OK,
        caller.metrics.text(&numbers),
        MEDIA_TYPE,
    ))
}

/// Runs an operation of a key.
pub(crate) async fn run(call: Call, caller: Caller<'_>) -> Result<Reply, Problem> {
    let caller = match call {
        Call::Import => return imports::start(caller),
        _ => &caller,
    };
    match call {
        Call::Remember => memories::remember(caller).await,
        Call::List => memories::list(caller).await,
        Call::Show => memories::show(caller).await,
        Call::Update => memories::update(caller).await,
        Call::Hide => memories::hide(caller).await,
        Call::Erase => memories::erase(caller).await,
        Call::Versions => memories::versions(caller).await,
        Call::Receipt => memories::receipt(caller).await,
        Call::Uses => memories::uses(caller).await,
        Call::Recall => memories::recall(caller).await,
        Call::State => facts::state(caller).await,
        Call::Believe => facts::believe(caller).await,
        Call::Why => facts::why(caller).await,
        Call::History => facts::history(caller).await,
        Call::Proof => facts::proof(caller).await,
        Call::Contested => facts::contested(caller).await,
        Call::Propose => proving::propose(caller).await,
        Call::Decisions => proving::decisions(caller).await,
        Call::Verify => proving::verify(caller).await,
        Call::Head => proving::head(caller).await,
        Call::Export => export::export(caller).await,
        Call::Metrics => metrics(caller).await,
        Call::ImportState => imports::state(caller),
        Call::ImportEvents => imports::events(caller),
        Call::ImportEnd => imports::end(caller),
        Call::Import | Call::OpenApi | Call::Health => public(call),
    }
}

impl Caller<'_> {
    /// The segment of the path at this position.
    fn open(&self, position: usize) -> &str {
        self.open.get(position).map_or("", String::as_str)
    }

    /// The memory, narrowed to a scope within that of the key.
    fn within(&self, pairs: Option<ScopePairs>) -> Result<Memory, Problem> {
        let scope = Scope::from_pairs(pairs.unwrap_or_default());
        let next = "leave `scope` out, or choose other pairs";
        let scope = scope.map_err(|error| Problem::input(error.to_string(), next))?;
        Ok(self.memory.scoped(&scope)?)
    }

    /// The idempotency key of the request.
    fn idempotency_key(&self) -> Result<Option<&str>, Problem> {
        let key = self.one_header("idempotency-key")?;
        match key {
            Some(key) if key.is_empty() || key.len() > MAX_KEY => Err(Problem::input(
                "the Idempotency-Key is empty or too long",
                "send 1 to 128 bytes",
            )),
            key => Ok(key),
        }
    }

    fn one_header(&self, name: &str) -> Result<Option<&str>, Problem> {
        let mut given = self.headers.get_all(name).iter();
        let Some(value) = given.next() else {
            return Ok(None);
        };
        let text = value.to_str().ok().filter(|_| given.next().is_none());
        let text = text.ok_or_else(|| {
            Problem::input(
                format!("the header {name} cannot be used"),
                "send it once, in ASCII",
            )
        })?;
        Ok(Some(text))
    }

    /// The question about beliefs in the query.
    fn belief_query(&self) -> Result<BeliefQuery, Problem> {
        let (at, as_of) = (self.query.text("at"), self.query.text("asOf"));
        Ok(BeliefQuery::of_dates(at, as_of)?)
    }
}

fn reply(status: StatusCode, body: impl Into<Bytes>, media_type: &'static str) -> Reply {
    let mut reply = whole(body);
    *reply.status_mut() = status;
    let media_type = HeaderValue::from_static(media_type);
    reply.headers_mut().insert(CONTENT_TYPE, media_type);
    reply
}

fn document(status: StatusCode, document: &impl Serialize) -> Result<Reply, Problem> {
    let json = serde_json::to_vec(document).map_err(|_| Problem::internal())?;
    Ok(reply(status, json, "application/json"))
}

/// A document of the facade, with `type` and `version` where it names none.
fn typed(kind: &str, value: &impl Serialize) -> Result<Reply, Problem> {
    let members = match serde_json::to_value(value) {
        Ok(Value::Object(members)) => members,
        _ => return Err(Problem::internal()),
    };
    if members.contains_key("type") {
        return document(StatusCode::OK, &members);
    }
    let view = FormatView {
        kind: format!("counterfoil/{kind}"),
        // As `counterfoil history` has it, which also lists versions of a memory.
        version: if kind == "history" { "2" } else { VERSION }.to_owned(),
        members,
    };
    document(StatusCode::OK, &view)
}

/// Names the current version of the memory that an answer is about.
fn tagged(mut reply: Reply, version: &str) -> Reply {
    if let Ok(tag) = format!("\"{version}\"").parse() {
        reply.headers_mut().insert(ETAG, tag);
    }
    reply
}

/// An error about a memory that the path names: of a foreign one it is that of an absent one (API-2).
fn of_memory(error: Error) -> Problem {
    match error.kind() {
        ErrorKind::Input => Problem::absent(),
        _ => error.into(),
    }
}

fn member(members: &Map<String, Value>, name: &str) -> Option<String> {
    members.get(name).and_then(Value::as_str).map(str::to_owned)
}
