//! The table of the gate: the first row that holds decides (docs/format/claims.md 5).

use super::case::Case;
use super::depth::MAX_DEPTH;
use crate::{Because, ClaimRef, Decision, Disposition, Door, Refusal, Row};

/// A row: whether it holds and what follows. `None`: it does not hold.
type GateRow = (Row, fn(&Case<'_>, Row) -> Result<Option<Decision>, Refusal>);

/// Rows 1 to 7; row 8 is what is left.
const TABLE: [GateRow; 7] = [
    (Row(1), matches_or_bursts),
    (Row(2), is_incoherent),
    (Row(3), was_denied),
    (Row(4), is_inferred),
    (Row(5), has_no_rival),
    (Row(6), supersedes_its_rivals),
    (Row(7), is_contested),
];

/// The decision of the first row that holds.
pub(super) fn decide(case: &Case<'_>) -> Result<Decision, Refusal> {
    for (row, judge) in TABLE {
        if let Some(decision) = judge(case, row)? {
            return Ok(decision);
        }
    }
    case.write_claim(Disposition::QueuedForAdjudication, Row(8), case.rivals()?)
}

/// Nothing is written but sources that are new.
fn matches_or_bursts(case: &Case<'_>, row: Row) -> Result<Option<Decision>, Refusal> {
    if let Some(told) = &case.matched.burst {
        return Ok(Some(nothing(case, Disposition::Quarantined, row, told)));
    }
    let Some(claim) = &case.matched.claim else {
        return Ok(None);
    };
    let told = &claim.reference;
    if claim.in_quarantine {
        return Ok(Some(nothing(case, Disposition::Quarantined, row, told)));
    }
    let sources = case.matched.new_sources(&case.anchors);
    if sources.is_empty() {
        return Ok(Some(nothing(case, Disposition::Corroborated, row, told)));
    }
    case.write_corroboration(told.clone(), sources, row, because(case, told))
        .map(Some)
}

fn is_incoherent(case: &Case<'_>, row: Row) -> Result<Option<Decision>, Refusal> {
    match (case.is_incoherent(), case.submission.door) {
        (false, _) => Ok(None),
        (true, Door::Caller) => Err(Refusal::IncoherentWindow),
        (true, Door::Extractor) => case
            .write_claim(Disposition::Quarantined, row, &[])
            .map(Some),
    }
}

fn was_denied(case: &Case<'_>, row: Row) -> Result<Option<Decision>, Refusal> {
    let denied = case.denied();
    Ok(denied.map(|denied| nothing(case, Disposition::DeniedAlready, row, denied)))
}

fn is_inferred(case: &Case<'_>, row: Row) -> Result<Option<Decision>, Refusal> {
    let Some(depth) = case.depth() else {
        return Ok(None);
    };
    let disposition = if depth > MAX_DEPTH || case.ended().is_some() {
        Disposition::Quarantined
    } else {
        Disposition::CommittedInferred
    };
    case.write_claim(disposition, row, &[]).map(Some)
}

fn has_no_rival(case: &Case<'_>, row: Row) -> Result<Option<Decision>, Refusal> {
    if !case.rivals()?.is_empty() || case.supersedes_a_rival() {
        return Ok(None);
    }
    case.write_claim(Disposition::Committed, row, &[]).map(Some)
}

fn supersedes_its_rivals(case: &Case<'_>, row: Row) -> Result<Option<Decision>, Refusal> {
    if !case.rivals()?.is_empty() {
        return Ok(None);
    }
    case.write_claim(Disposition::Committed, row, &[]).map(Some)
}

fn is_contested(case: &Case<'_>, row: Row) -> Result<Option<Decision>, Refusal> {
    if case.has_oracle() {
        return Ok(None);
    }
    case.write_claim(Disposition::Contested, row, case.rivals()?)
        .map(Some)
}

fn nothing(case: &Case<'_>, disposition: Disposition, row: Row, reference: &ClaimRef) -> Decision {
    Decision::Nothing {
        disposition,
        row,
        because: because(case, reference),
        reference: reference.clone(),
    }
}

fn because(case: &Case<'_>, equals: &ClaimRef) -> Because {
    Because {
        equals: Some(equals.clone()),
        re_entry: case.matched.is_re_entry,
        burst: case.matched.burst.is_some(),
        ..Because::default()
    }
}
