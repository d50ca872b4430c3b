//! `serve`: alone, and with another process that asks it.

mod alone;
mod between;
mod broken;
pub(crate) mod server;
mod told;
