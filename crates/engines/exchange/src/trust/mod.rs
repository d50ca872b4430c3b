//! Trust in other agents: a pure function of the records of this agent (docs/format/trust.md; R8).

mod flow;
mod graph;
mod index;
mod level;
mod local;
mod longer;
mod record;
mod recorded;
mod records;
mod score;
mod view;

#[cfg(test)]
mod tests;

pub use level::{Cap, Level, TrustPath, TrustReport, TrustSettings};
pub use local::{LocalRecord, MAX_ADDRESSES, MAX_DOMAINS, Mark};
pub use record::Record;
pub use recorded::RecordedTrust;
pub use records::{KnownAgent, Records};

/// One as parts per million.
pub const ONE_PPM: u64 = 1_000_000;
/// Largest record, in bytes.
pub const MAX_RECORD_BYTES: usize = 1 << 16;
/// Most vouches that count for one level.
pub const MAX_VOUCHES: usize = 100_000;
/// Most paths that count for one level.
pub const MAX_PATHS: usize = 128;
