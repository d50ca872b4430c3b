//! Server: routes over one [`Responder`], behind limits of size, time, rate and number (docs/format/transports.md §1; MRP-52).
//!
//! It is trusted with nothing about memories: it bounds the work that strangers can cause, and passes whole bodies on. Its
//! answers are the responder's bytes, unchanged, or problems (RFC 9457).

mod addresses;
mod app;
mod body;
mod card;
mod documents;
mod guard;
mod listening;
mod log_files;
#[cfg(test)]
mod openapi;
mod penalties;
mod routes;
mod settings;
mod tls;
mod witness;

use http_body_util::Full;
use hyper::Response;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};

pub use app::Responder;
pub use listening::Server;
pub use log_files::LogFiles;
pub use settings::{PublicTiles, ServerSettings};
pub use tls::server_config;
pub use witness::Witness;

/// Answer of a route.
type Reply = Response<Full<Bytes>>;

/// Returns a 200 with this body.
fn reply(body: impl Into<Bytes>, media_type: &'static str) -> Reply {
    let mut reply = Response::new(Full::new(body.into()));
    let media_type = HeaderValue::from_static(media_type);
    reply.headers_mut().insert(CONTENT_TYPE, media_type);
    reply
}
