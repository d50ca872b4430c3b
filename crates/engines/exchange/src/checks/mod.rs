//! The seven checks of an answer, and the disposition of each memory (docs/format/exchange.md §8; MRP "Verification Checklist").

mod agent;
mod conclude;
mod disposition;
mod examine;
mod freshness;
mod identity;
mod memory;
mod question;
mod receipt;
mod result;
mod text;

pub use conclude::{JudgedMemory, conclude};
pub use disposition::{Disposition, Flag, dispose};
pub use examine::{Examining, examine, examine_whole};
pub use freshness::{FreshnessLimits, freshness, lifetime};
pub use identity::AnswerReport;
pub use question::{is_asked_for, knows_of, words_agree};
pub use receipt::says;
pub use result::{CheckKind, CheckResult, Checks, FailCode, SkipReason};
pub use text::is_suspicious;
