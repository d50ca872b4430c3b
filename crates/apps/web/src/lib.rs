//! HTTP/1.1 client for single requests, over TCP or TLS; follows no redirect, keeps no cookie or connection, uses no proxy.
//!
//! The crates that ask agents, models and evidence hosts share it. It reads nothing into an answer: status, headers and the
//! bytes of the body are the caller's to judge. The two servers share how their requests are counted ([`metrics`]) and which
//! trace they are of ([`Trace`]).

mod client;
mod endpoint;
pub mod metrics;
mod trace;

pub use client::{WebClient, WebResponse, is_loopback};
pub use endpoint::{Endpoint, EndpointLimits, PostError, endpoint_url};
pub use hyper::body::Bytes;
pub use hyper::{HeaderMap, Request, StatusCode, header};
pub use rustls::Error as TlsError;
pub use rustls::pki_types::{CertificateDer, pem};
pub use trace::Trace;
pub use url::{Position, Url};
