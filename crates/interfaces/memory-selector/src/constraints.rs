//! The specification's helper functions on selected memories (§5.3.2), under their own names.

use counterfoil_types::{Confidence, SelectedMemory, SelectionConstraints, UnixMillis};

/// Returns true if evidence is present and of a method other than `none`, as `requireEvidence` asks.
///
/// It says neither that the evidence is cryptographic nor that it verifies.
pub fn has_required_evidence(memory: &SelectedMemory) -> bool {
    memory.has_required_evidence()
}

/// Returns true if the selector marks every memory as verified; true for no memory.
pub fn all_verified(memories: &[SelectedMemory]) -> bool {
    memories.iter().all(SelectedMemory::verified)
}

/// The memories of at least this confidence, in their order.
pub fn filter_by_confidence(
    memories: &[SelectedMemory],
    least: Confidence,
) -> Vec<&SelectedMemory> {
    memories
        .iter()
        .filter(|memory| memory.confidence() >= least)
        .collect()
}

/// Returns true if a memory of a World created at `created_at` meets all constraints but the limit,
/// in the order time range, confidence, verified, evidence.
pub fn meets_constraints(
    memory: &SelectedMemory,
    created_at: UnixMillis,
    constraints: &SelectionConstraints,
) -> bool {
    constraints.admits(memory, created_at)
}
