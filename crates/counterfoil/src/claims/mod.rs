//! Claims and beliefs of a store: what is stated, and what is believed at any time, as known at any time.

pub(crate) mod access;
mod aliases;
mod answer;
mod beliefs;
mod bulk;
mod by_host;
mod by_model;
mod extract;
mod import;
pub(crate) mod logged;
mod origin;
mod reader;
mod records;
pub(crate) mod refusals;
pub(crate) mod settings;
mod settle;
mod state;
mod timeline;
mod vocabulary;

pub use beliefs::{BeliefQuery, Beliefs, LineHistory, WhyBelief};
pub use extract::ExtractOptions;
pub use timeline::{Timeline, TimelineLine};
