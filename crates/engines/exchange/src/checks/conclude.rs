//! Judgement of examined memories, with the comparisons of the host (docs/format/exchange.md §8; R13).

use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::{
    CheckResult, Checks, Demands, EvidenceFinding, Examination, Flag, Judgement, SkipReason,
    dispose,
};
use crate::documents::ClaimHash;

/// Result of comparing a memory with those of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Pass, `Fail(Contradicts)` or Skip.
    pub consistency: CheckResult,
    /// Finding at the URLs of the memory.
    pub evidence: EvidenceFinding,
    /// Hash of its claim, if the host has received it before.
    pub known: Option<ClaimHash>,
}

impl Default for Compared {
    /// No comparison was made.
    fn default() -> Self {
        Self {
            consistency: CheckResult::Skip(SkipReason::NotComparable),
            evidence: EvidenceFinding::NotFetched,
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
    pub outcome: Judgement,
    /// Key of the agent whose testimony it is.
    pub source: Option<DidKey>,
}

/// Judges the memories of an answer, in their order. `compared` has one entry for each memory; a missing one compares nothing.
#[must_use]
pub fn conclude(
    examination: &Examination,
    compared: &[Compared],
    demands: Demands,
) -> Vec<JudgedMemory> {
    let nothing = Compared::default();
    let memories = examination.memories.iter().enumerate();
    let judge = memories.map(|(at, memory)| {
        let compared = compared.get(at).unwrap_or(&nothing);
        let checks = Checks {
            evidence: compared.evidence.beside(memory.checks.evidence),
            consistency: compared.consistency,
            ..memory.checks
        };
        let mut outcome = dispose(&checks, memory.level, demands);
        outcome.flags.extend_from_slice(&memory.flags);
        if compared.known == Some(memory.claim) {
            outcome.flags.push(Flag::Known);
        }
        outcome.flags.sort_unstable();
        outcome.flags.dedup();
        JudgedMemory {
            checks,
            outcome,
            source: memory.source,
        }
    });
    judge.collect()
}
