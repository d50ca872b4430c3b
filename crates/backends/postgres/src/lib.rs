//! The shared ground of logs in PostgreSQL 15 or later (docs/format/ground.md): entries, rows beside the log, and the head that one
//! node moves at a time. Each node keeps the index, and a copy of the ground, in a store of its own.
//!
//! Statements are plain SQL with the log's id first in each key. No statement needs an advisory lock, a trigger or a function; row-level
//! security and triggers are a second lock, where the engine has them.

mod address;
mod engine;
mod error;
mod ground;
mod keys;
mod migrate;
mod row;
mod session;
mod settings;
mod transaction;

pub use engine::{LogGround, PostgresGround};
pub use settings::GroundSettings;
