//! Rivals: external claims in force, of another value, that overlap (I7; docs/format/claims.md 5); and claims that wait
//! for a verdict between them (6).

use alloc::vec::Vec;

use crate::effective::{Effective, Extent};
use crate::limits::{MAX_AFFECTED, MAX_REFS};
use crate::{
    Act, ActKind, Cardinality, ClaimError, ClaimInView, ClaimRef, Disposition, FactValue,
    Identifier, LineName, LineView, Reasons, Settings, Unit,
};

/// So many rivals are counted.
pub(super) const MAX_COUNTED: usize = 64;
/// The most claims of a line that are looked at.
const MAX_TOUCHING: usize = 1 << 20;

/// Default time that a claim waits for a verdict, in days.
const EXPIRES_DAYS: u32 = 30;
/// Microseconds of a day.
const DAY_US: u64 = 86_400_000_000;

/// Something on a line that others may contradict.
#[derive(Clone, Copy)]
pub(super) struct Contender<'a> {
    pub(super) line: LineName<'a>,
    pub(super) value: &'a FactValue,
    pub(super) extent: Extent,
    /// Agents below level 2 at receipt do not contradict it: so of a submission, but not where a verdict is asked for, as
    /// trust may have come since.
    pub(super) by_trusted: bool,
}

impl Contender<'_> {
    /// Returns whether that claim is a rival.
    pub(super) fn is_opposed_by(&self, claim: &ClaimInView) -> bool {
        let Some(known) = Effective::of_view(claim, u64::MAX) else {
            return false;
        };
        let provenance = known.claim.provenance();
        provenance.is_external()
            && (provenance.is_trusted() || !self.by_trusted)
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
    ) -> Result<Vec<Unit>, ClaimError> {
        let window = self.extent.window();
        let mut ask = limit.saturating_add(except.len());
        loop {
            let touching = view.touching(self.line, window, self.value, ask)?;
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
    let older = rivals.len().saturating_sub(MAX_REFS);
    because.rivals = rivals
        .iter()
        .skip(older)
        .filter(|unit| matches!(unit.act(), Act::Claim(_)))
        .map(|unit| unit.reference().clone())
        .collect();
    because.rival_count = u64::try_from(rivals.len()).unwrap_or(u64::MAX);
}

/// End of the wait of a claim for a verdict, microseconds since 1970; `None` when it waits for none at `now_us`.
///
/// It waits while it was queued, no verdict names it as its target or as a rival, and it has not expired.
pub fn is_pending(claim: &ClaimInView, now_us: u64, settings: &Settings) -> Option<u64> {
    let known = |unit: &&Unit| unit.stamp().micros() <= now_us;
    let mut assertions = claim.assertions.iter().filter(known);
    let own = claim.claim.reference();
    // A verdict names the claim as its target, or as a rival that loses.
    let judged = assertions.any(|unit| match unit.act() {
        Act::Affirm { rivals, .. } if rivals.contains(own) => true,
        act => {
            let verdicts = [ActKind::Affirm, ActKind::Deny, ActKind::Undecided];
            verdicts.contains(&act.kind()) && act.target() == Some(own)
        }
    });
    let queued = claim.claim.disposition() == Disposition::QueuedForAdjudication;
    let days = settings.oracle_days.unwrap_or(EXPIRES_DAYS);
    let wait = u64::from(days).saturating_mul(DAY_US);
    let expires_us = claim.claim.stamp().micros().saturating_add(wait);
    (queued && !judged && now_us < expires_us).then_some(expires_us)
}

/// The rivals of a claim: external claims in force, of another value, that overlap it; the newest 256, in the order of
/// their numbers. None when it is not in force, or its line may hold many values as of `as_of_us`.
///
/// # Errors
/// When the view cannot answer.
pub fn rivals_of(
    view: &dyn LineView,
    claim: &Unit,
    settings: &Settings,
    as_of_us: u64,
) -> Result<Vec<Unit>, ClaimError> {
    match view.claim(claim.reference())? {
        Some(claim) => rivals(view, &claim, MAX_AFFECTED, (settings, as_of_us)),
        None => Ok(Vec::new()),
    }
}

/// As [`rivals_of`], the newest `limit`.
pub(super) fn rivals(
    view: &dyn LineView,
    claim: &ClaimInView,
    limit: usize,
    (settings, as_of_us): (&Settings, u64),
) -> Result<Vec<Unit>, ClaimError> {
    let subject = &claim.claim.line().subject;
    of_line(view, claim, subject, limit, (settings, as_of_us))
}

/// Rivals of a claim under each other name of its subject, at least one where there are any.
pub(super) fn under_other_names(
    view: &dyn LineView,
    claim: &ClaimInView,
    (settings, as_of_us): (&Settings, u64),
) -> Result<Vec<Unit>, ClaimError> {
    let own = &claim.claim.line().subject;
    let names = settings.aliases.names(own, as_of_us);
    let mut rivals = Vec::new();
    for name in names.iter().filter(|name| *name != own) {
        rivals.extend(of_line(view, claim, name, 1, (settings, as_of_us))?);
    }
    Ok(rivals)
}

/// The newest `limit` rivals of a claim among those of a subject.
fn of_line(
    view: &dyn LineView,
    claim: &ClaimInView,
    subject: &Identifier,
    limit: usize,
    (settings, as_of_us): (&Settings, u64),
) -> Result<Vec<Unit>, ClaimError> {
    let line = claim.claim.line();
    let state = view.line(line.name())?;
    let by_units = Cardinality::of_line(state.registered, state.said_one, state.said_many);
    let vocabulary = &settings.vocabulary;
    if vocabulary.cardinality(&line.predicate, by_units, as_of_us) == Cardinality::Many {
        return Ok(Vec::new());
    }
    let Some(known) = Effective::of_view(claim, u64::MAX).filter(Effective::in_force) else {
        return Ok(Vec::new());
    };
    let contender = Contender {
        line: LineName {
            subject,
            ..line.name()
        },
        value: &known.body.value,
        extent: known.extent,
        by_trusted: false,
    };
    contender.rivals(view, &[], limit)
}
