//! The memory as agents meet it: the real program as a child, and a real client of the Model Context Protocol.

#[cfg(test)]
#[expect(dead_code, reason = "the suite of the API uses all of it")]
#[path = "../api/client.rs"]
mod api;
#[cfg(test)]
mod client;
#[cfg(test)]
mod conversation;
#[cfg(test)]
mod doors;
#[cfg(test)]
mod hooks;
#[cfg(unix)]
#[cfg(test)]
mod killed;
#[cfg(test)]
mod limits;
