//! Exchange with other agents: the host, its settings, and the names of agents.

pub mod host;
pub mod peers;
pub mod settings;
