//! HTTP API of the owner of a memory, `/v1`, and MCP, `/mcp`, for applications that hold a key (docs/guide/http.md).
//!
//! A key is a bearer token with a scope, rights and a provenance channel ([`ApiKeys`]); a request chooses none of them. Each operation
//! goes to the facade, bound to the scope of the key. The server listens on this machine alone ([`Server`]).

mod app;
mod body;
mod calls;
mod guard;
mod jobs;
mod keys;
mod mcp;
#[cfg(test)]
mod openapi;
mod problem;
mod query;
mod requests;
mod routes;
mod server;
mod views;

pub use keys::{ApiChannel, ApiKey, ApiKeys, KeyRequest, Lifetime, Right};
pub use server::{ApiOptions, Server};
