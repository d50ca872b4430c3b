//! Agents that ask and answer: a server, alone and with another process that asks it.

mod alone;
mod dog;
mod forgotten;
mod named;
mod origin;
mod reads;
pub(crate) mod server;
mod several;
mod told;
mod trusted;
