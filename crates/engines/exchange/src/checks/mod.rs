//! The six checks of an answer, and what becomes of each memory (docs/format/exchange.md §8; MRP "Verification Checklist").

mod conclude;
mod disposition;
mod evidence;
mod examine;
mod freshness;
mod identity;
mod memory;
mod receipt;
mod result;
mod standing;
mod text;

pub use conclude::{Compared, Judged, JudgedMemory, conclude};
pub use disposition::{Demands, Disposition, Flag, Outcome, dispose};
pub use evidence::{EvidenceFinding, Receipts};
pub use examine::{
    Authentic, Bound, Examination, ExaminedMemory, Examining, examine, examine_whole,
};
pub use freshness::{Currency, FreshnessLimits, currency, freshness};
pub use identity::Whole;
pub use receipt::says;
pub use result::{CheckKind, CheckResult, Checks, FailCode, SkipReason};
pub use text::is_suspicious;
