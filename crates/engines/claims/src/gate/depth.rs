//! Distance of a model's claim from evidence (docs/format/claims.md 5).

use crate::Unit;

/// A model's claim that is deeper is quarantined.
pub const MAX_DEPTH: u32 = 2;

/// The depth of a claim that was recorded: 0 for an external one.
#[must_use]
pub fn depth_of(claim: &Unit) -> u32 {
    if claim.provenance().is_external() {
        0
    } else {
        claim.because().depth.unwrap_or(1)
    }
}

/// The depth of a model's claim: 1 if it cites a World, else one more than the deepest that it was derived from.
pub(super) fn of_inferred(is_anchored: bool, ancestors: &[Unit]) -> u32 {
    if is_anchored {
        return 1;
    }
    let deepest = ancestors.iter().map(depth_of).max().unwrap_or(0);
    deepest.saturating_add(1)
}
