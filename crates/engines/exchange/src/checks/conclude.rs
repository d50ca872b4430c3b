//! What was examined is judged, with what its host has compared (docs/format/exchange.md §8; R13).

use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::{
    CheckResult, Checks, Demands, EvidenceFinding, Examination, ExaminedMemory, Flag, Outcome,
    SkipReason, dispose,
};
use crate::documents::ClaimHash;

/// What the host has found by comparing a memory with its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Pass, `Fail(Contradicts)` or Skip.
    pub consistency: CheckResult,
    /// What was found at its URLs.
    pub evidence: EvidenceFinding,
    /// Its claim was heard before.
    pub known: Option<ClaimHash>,
}

impl Default for Compared {
    /// Nothing was compared.
    fn default() -> Self {
        Self {
            consistency: CheckResult::Skip(SkipReason::NotComparable),
            evidence: EvidenceFinding::NotFetched,
            known: None,
        }
    }
}

/// An answer, judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Each memory, in the order of the answer.
    pub memories: Vec<JudgedMemory>,
}

/// A memory, judged.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedMemory {
    /// What the six checks found.
    pub checks: Checks,
    /// What becomes of it.
    pub outcome: Outcome,
    /// Who stands behind it.
    pub source: Option<DidKey>,
}

/// Judges what was examined. `compared` has one for each memory; a missing one compares nothing.
#[must_use]
pub fn conclude(examination: &Examination, compared: &[Compared], demands: Demands) -> Judged {
    let nothing = Compared::default();
    let memories = examination.memories.iter().enumerate();
    let judged =
        memories.map(|(at, memory)| judge(memory, compared.get(at).unwrap_or(&nothing), demands));
    Judged {
        memories: judged.collect(),
    }
}

fn judge(memory: &ExaminedMemory, compared: &Compared, demands: Demands) -> JudgedMemory {
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
}
