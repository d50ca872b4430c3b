//! Two agents, one virtual clock and a network that loses, doubles, delays and forges: what comes of a question (§9).

mod laws;
mod network;
mod requester;
mod responder;
mod world;
