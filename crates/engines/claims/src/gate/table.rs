//! The table of the gate: the first row that holds decides (docs/format/claims.md 5).

use core::ops::Range;

use super::case::{Case, MAX_DEPTH};
use crate::{ClaimError, ClaimOutcome, ClaimRef, Disposition, GateDecision, Reasons, Submitter};

/// A row: whether it holds and what follows. `None`: it does not hold.
type Rule = (
    u8,
    fn(&Case<'_>, u8) -> Result<Option<GateDecision>, ClaimError>,
);

/// Rows 1 to 7; row 8 applies to all others.
const TABLE: [Rule; 7] = [
    (1, says_the_same),
    (2, has_empty_window),
    (3, was_denied),
    (4, is_inferred),
    (5, has_no_rival),
    (6, supersedes_its_rivals),
    (7, is_contested),
];

/// Rows by which the line answers.
const ANSWERS: usize = 3;

/// The decision of the first of rows 1 to 3 that holds: the line answers for the submission, or it can be no claim.
pub(super) fn answered(case: &Case<'_>) -> Result<Option<GateDecision>, ClaimError> {
    first(case, 0..ANSWERS)
}

/// The decision of the first row from 4 on that holds.
pub(super) fn decide(case: &Case<'_>) -> Result<GateDecision, ClaimError> {
    if let Some(decision) = first(case, ANSWERS..TABLE.len())? {
        return Ok(decision);
    }
    case.write_claim(Disposition::QueuedForAdjudication, 8, case.rivals()?)
}

fn first(case: &Case<'_>, rows: Range<usize>) -> Result<Option<GateDecision>, ClaimError> {
    let rows = TABLE.get(rows).unwrap_or_default();
    let decide = |(row, judge): &Rule| judge(case, *row).transpose();
    rows.iter().find_map(decide).transpose()
}

/// Written are sources that are new, and once a day that a known source says so again.
fn says_the_same(case: &Case<'_>, row: u8) -> Result<Option<GateDecision>, ClaimError> {
    let Some(claim) = &case.matched.claim else {
        return Ok(None);
    };
    let told = &claim.reference;
    if claim.in_quarantine {
        return Ok(Some(nothing(case, Disposition::Quarantined, row, told)));
    }
    let sources = case.matched.new_sources(&case.anchors);
    if sources.is_empty() && case.confirms() {
        return case
            .write_confirmation(told.clone(), row, because(case, told))
            .map(Some);
    }
    if sources.is_empty() {
        return Ok(Some(nothing(case, Disposition::Corroborated, row, told)));
    }
    case.write_corroboration(told.clone(), sources, row, because(case, told))
        .map(Some)
}

fn has_empty_window(case: &Case<'_>, row: u8) -> Result<Option<GateDecision>, ClaimError> {
    match (case.has_empty_window(), case.submission.door) {
        (false, _) => Ok(None),
        (true, Submitter::Caller) => Err(ClaimError::IncoherentWindow),
        (true, Submitter::Extractor) => case
            .write_claim(Disposition::Quarantined, row, &[])
            .map(Some),
    }
}

fn was_denied(case: &Case<'_>, row: u8) -> Result<Option<GateDecision>, ClaimError> {
    let denied = case.denied();
    Ok(denied.map(|denied| nothing(case, Disposition::DeniedAlready, row, denied)))
}

fn is_inferred(case: &Case<'_>, row: u8) -> Result<Option<GateDecision>, ClaimError> {
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

fn has_no_rival(case: &Case<'_>, row: u8) -> Result<Option<GateDecision>, ClaimError> {
    if !case.rivals()?.is_empty() || case.supersedes_a_rival() {
        return Ok(None);
    }
    case.write_claim(Disposition::Committed, row, &[]).map(Some)
}

fn supersedes_its_rivals(case: &Case<'_>, row: u8) -> Result<Option<GateDecision>, ClaimError> {
    if !case.rivals()?.is_empty() {
        return Ok(None);
    }
    case.write_claim(Disposition::Committed, row, &[]).map(Some)
}

fn is_contested(case: &Case<'_>, row: u8) -> Result<Option<GateDecision>, ClaimError> {
    case.ask_which_is_meant()?;
    if case.has_oracle() {
        return Ok(None);
    }
    case.write_claim(Disposition::Contested, row, case.rivals()?)
        .map(Some)
}

fn nothing(
    case: &Case<'_>,
    disposition: Disposition,
    row: u8,
    reference: &ClaimRef,
) -> GateDecision {
    GateDecision::Nothing(ClaimOutcome {
        disposition,
        row,
        because: because(case, reference),
        reference: reference.clone(),
        written: None,
    })
}

fn because(case: &Case<'_>, equals: &ClaimRef) -> Reasons {
    Reasons {
        equals: Some(equals.clone()),
        re_entry: case.matched.is_echo,
        ..Reasons::default()
    }
}
