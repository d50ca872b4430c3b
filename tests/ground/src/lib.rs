//! A PostgreSQL server of the tests' own: on loopback, in a folder of its own, as another user than root.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its server fails"
)]

mod server;

pub use server::{Server, server, signal};
