//! Exchange with other agents: who they are and how far each is trusted, asking them, and answering.

mod answering;
mod asking;
mod chain;
mod conversation;
mod document;
mod host;
mod peers;
mod records;
pub(crate) mod settings;
mod sharing;
mod timer;
mod vouches;
mod way;
mod who_knows;
mod witness;

pub use answering::ServeOptions;
pub use asking::AskOptions;
pub use conversation::HearOptions;
pub use peers::{DistrustOptions, PeerOptions};
pub use vouches::VouchOptions;
