//! Rivals: external claims in force, of another value, that overlap (I7; docs/format/claims.md 5).

use alloc::vec::Vec;

use crate::effective::{Effective, Extent};
use crate::{
    Act, ClaimInView, ClaimRef, FactValue, Identifier, LineView, Reasons, Unit, ViewError,
};

/// So many rivals are counted.
pub(super) const MAX_COUNTED: usize = 64;
/// So many of them are named.
const MAX_NAMED: usize = 16;
/// The most claims of a line that are looked at.
const MAX_TOUCHING: usize = 1 << 20;

/// Something on a line that others may contradict.
#[derive(Clone, Copy)]
pub(super) struct Contender<'a> {
    pub(super) subject: &'a Identifier,
    pub(super) predicate: &'a Identifier,
    pub(super) value: &'a FactValue,
    pub(super) extent: Extent,
}

impl<'a> Contender<'a> {
    /// A claim that was recorded, if it is in force.
    pub(super) fn of(claim: &Effective<'a>) -> Option<Self> {
        claim.in_force().then(|| Self {
            subject: &claim.claim.line().subject,
            predicate: &claim.claim.line().predicate,
            value: &claim.body.value,
            extent: claim.extent,
        })
    }

    /// Returns whether that claim is a rival.
    pub(super) fn is_opposed_by(&self, claim: &ClaimInView) -> bool {
        let Some(known) = Effective::of_view(claim, u64::MAX) else {
            return false;
        };
        known.claim.provenance().is_external()
            && known.body.value != *self.value
            && known.in_force()
            && known.extent.overlaps(&self.extent)
    }

    /// The newest `limit` rivals besides `except`, in the order of their numbers.
    pub(super) fn rivals(
        &self,
        view: &dyn LineView,
        except: &[ClaimRef],
        limit: usize,
    ) -> Result<Vec<Unit>, ViewError> {
        let window = self.extent.window();
        let mut ask = limit.saturating_add(except.len());
        loop {
            let touching = view.touching(self.subject, self.predicate, window, self.value, ask)?;
            let is_all = touching.len() < ask || ask >= MAX_TOUCHING;
            let mut rivals: Vec<Unit> = touching
                .into_iter()
                .filter(|claim| !except.contains(claim.claim.reference()))
                .filter(|claim| self.is_opposed_by(claim))
                .map(|claim| claim.claim)
                .collect();
            if is_all || rivals.len() >= limit {
                rivals.sort_unstable_by_key(Unit::number);
                let older = rivals.len().saturating_sub(limit);
                return Ok(rivals.split_off(older));
            }
            ask = ask.saturating_mul(4);
        }
    }
}

/// Names rivals in a rationale.
pub(super) fn name(because: &mut Reasons, rivals: &[Unit]) {
    let older = rivals.len().saturating_sub(MAX_NAMED);
    because.rivals = rivals
        .iter()
        .skip(older)
        .filter(|unit| matches!(unit.act(), Act::Claim(_)))
        .map(|unit| unit.reference().clone())
        .collect();
    because.rival_count = u64::try_from(rivals.len()).unwrap_or(u64::MAX);
}
