//! Judgement of examined memories, with the comparisons of the host (docs/format/exchange.md §8; R13).

use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::{CheckResult, Checks, Disposition, ExaminedMemory, Flag, SkipReason, dispose};
use crate::documents::{ClaimHash, Filters};
use crate::trust::Level;

/// Result of comparing a memory with those of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Pass, `Fail(Contradicts)` or Skip.
    pub consistency: CheckResult,
    /// Finding at the URLs of the memory (docs/format/exchange.md §8.3): Pass for content of the named hash, else a Skip or a
    /// Fail.
    pub evidence: CheckResult,
    /// Hash of its claim, if the host has received it before.
    pub known: Option<ClaimHash>,
}

impl Default for Compared {
    /// No comparison was made.
    fn default() -> Self {
        Self {
            consistency: CheckResult::Skip(SkipReason::NotComparable),
            evidence: CheckResult::NOT_FETCHED,
            known: None,
        }
    }
}

/// A memory of an answer, judged.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedMemory {
    /// Results of the six checks.
    pub checks: Checks,
    /// Disposition of the memory.
    pub disposition: Disposition,
    /// Notes in the order of [`Flag`], each once.
    pub flags: Vec<Flag>,
    /// Key of the agent whose testimony it is.
    pub source: Option<DidKey>,
}

impl JudgedMemory {
    /// Level at which the memory is stored.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.disposition.level()
    }
}

/// Judges the memories of an answer, in their order. `compared` has one entry for each memory; a missing one compares nothing.
/// `demands`: those of the asker beyond the table.
#[must_use]
pub fn conclude(
    memories: &[ExaminedMemory],
    compared: &[Compared],
    demands: Filters,
) -> Vec<JudgedMemory> {
    let nothing = Compared::default();
    let judge = memories.iter().enumerate().map(|(at, memory)| {
        let compared = compared.get(at).unwrap_or(&nothing);
        let checks = Checks {
            evidence: evidence(memory.checks.evidence, compared.evidence),
            consistency: compared.consistency,
            ..memory.checks
        };
        let (disposition, mut flags) = dispose(&checks, memory.level, demands);
        flags.extend_from_slice(&memory.flags);
        if compared.known == Some(memory.claim) {
            flags.push(Flag::Known);
        }
        flags.sort_unstable();
        flags.dedup();
        JudgedMemory {
            checks,
            disposition,
            flags,
            source: memory.source,
        }
    });
    judge.collect()
}

/// The result of the evidence check by the receipt and the finding at the URLs. A receipt that does not fit fails the check;
/// without evidence in the memory the finding is ignored.
const fn evidence(receipt: CheckResult, found: CheckResult) -> CheckResult {
    match (receipt, found) {
        (CheckResult::Fail(_) | CheckResult::Skip(SkipReason::NoEvidence), _)
        | (_, CheckResult::NOT_FETCHED) => receipt,
        (CheckResult::Pass, CheckResult::Pass | CheckResult::Skip(_)) => CheckResult::Pass,
        (CheckResult::Pass | CheckResult::Skip(_), _) => found,
    }
}
