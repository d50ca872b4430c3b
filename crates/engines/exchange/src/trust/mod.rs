//! How far an agent is trusted: a pure function of what this agent has recorded (docs/format/trust.md; R8).

mod explain;
mod flow;
mod graph;
mod index;
mod level;
mod local;
mod longer;
mod record;
mod records;
mod score;
mod settings;
mod view;

#[cfg(test)]
mod tests;

pub use explain::{Cap, Explained, Path};
pub use level::Level;
pub use local::{LocalRecord, MAX_ADDRESSES, MAX_DOMAINS, Mark};
pub use record::{Record, RecordBody, RecordError};
pub use records::{Known, Records, RecordsError};
pub use settings::TrustSettings;

/// One as parts per million.
pub const ONE_PPM: u64 = 1_000_000;
/// The most bytes of one record.
pub const MAX_RECORD_BYTES: usize = 1 << 16;
/// The most vouches that are looked at for one answer.
pub const MAX_VOUCHES: usize = 100_000;
/// The most paths that are counted for one answer.
pub const MAX_PATHS: usize = 128;
