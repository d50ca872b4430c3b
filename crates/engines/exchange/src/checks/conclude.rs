//! Judgement of examined memories, with the comparisons of the host (docs/format/exchange.md §8; R13).

use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::{CheckResult, Checks, Disposition, Flag, SkipReason, dispose};
use crate::documents::Filters;
use crate::trust::Level;

/// A memory of an answer, judged.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedMemory {
    /// Results of the seven checks.
    pub checks: Checks,
    /// Disposition of the memory.
    pub disposition: Disposition,
    /// Notes in the order of [`Flag`], each once.
    pub flags: Vec<Flag>,
    /// Key of the agent whose testimony it is.
    pub source: Option<DidKey>,
    /// Agents that handed it on, from the source on.
    pub relays: Vec<DidKey>,
}

impl JudgedMemory {
    /// Level at which the memory is stored.
    pub const fn level(&self) -> Level {
        self.disposition.level()
    }
}

/// Judges an examined memory, of a source of this level, with the comparisons of the host. `demands`: those of the asker beyond
/// the table.
///
/// `consistency`: Pass, `Fail(Contradicts)` or Skip. `evidence`: finding at what the memory cites
/// (docs/format/exchange.md §8.3): Pass for content of the named hash, else a Skip or a Fail. Without evidence in the memory it is
/// ignored.
pub fn conclude(
    (memory, level): (JudgedMemory, Level),
    consistency: CheckResult,
    evidence: CheckResult,
    demands: Filters,
) -> JudgedMemory {
    let checks = Checks {
        evidence: match memory.checks.evidence {
            none @ CheckResult::Skip(SkipReason::NoEvidence) => none,
            _ => evidence,
        },
        consistency,
        ..memory.checks
    };
    let (disposition, mut flags) = dispose(&checks, level, demands);
    flags.extend(memory.flags);
    flags.sort_unstable();
    flags.dedup();
    JudgedMemory {
        checks,
        disposition,
        flags,
        source: memory.source,
        relays: memory.relays,
    }
}
