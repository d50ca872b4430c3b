//! Folders between agents: `inbox`, `processing`, `outbox`, `done` (docs/format/transports.md §2; cases 113-115).
//!
//! [`transport`] asks in a folder, [`FolderResponder`] answers in one. Both treat its content as hostile: others can
//! write there. Every file is opened relative to its folder's handle, without following links and without waiting, and read
//! once.

mod error;
mod folders;
mod name;
mod requester;
mod responder;
#[cfg(test)]
mod tests;

pub use error::MailboxError;
pub use requester::transport;
pub use responder::{FolderResponder, Round};
