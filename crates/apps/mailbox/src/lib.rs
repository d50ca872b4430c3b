//! Folders between agents: `inbox`, `processing`, `outbox`, `done` (docs/format/transports.md §2; cases 113-115).
//!
//! [`FolderTransport`] asks in a folder, [`Responder`] answers in one. Neither trusts what it finds: others can write there.
//! Every file is opened relative to its folder's handle, without following links and without waiting, and read once.

mod error;
mod name;
mod place;
mod requester;
mod responder;

pub use error::MailboxError;
pub use name::{Name, key_digits};
pub use place::Left;
pub use requester::FolderTransport;
pub use responder::{Answers, Patience, Responder, Round};
