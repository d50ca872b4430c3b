//! Answers of the gate: the disposition, the row that decided and why, and the next step (docs/format/claims.md 4-6).

use counterfoil_claims::{ClaimOutcome, Disposition, FactValue, Identifier, Reasons, Unit};
use counterfoil_store::ClaimStore;
use counterfoil_types::WorldId;
use serde::Serialize;

use crate::error::Error;
use crate::report::object;
use crate::text::{self, typed, value_of};
use crate::when;
use crate::words::count;

/// Parts of a request that its answer refers to.
#[derive(Default)]
pub(super) struct Requested<'a> {
    /// Claims that the submission supersedes.
    pub(super) superseding: &'a [WorldId],
    /// Subject of the submission.
    pub(super) subject: Option<&'a Identifier>,
    /// Claims under other names of the subject that it ended.
    pub(super) ended: Vec<WorldId>,
    /// Steps that follow from claims under other names of the subject.
    pub(super) next: Vec<String>,
}

/// Answer to a request. A claim that merely corroborates supersedes none of `superseding`; the next steps name the command
/// for each.
pub(super) async fn answer(
    store: &dyn ClaimStore,
    outcome: &ClaimOutcome,
    mut requested: Requested<'_>,
) -> Result<impl Serialize + use<>, Error> {
    let claim = store.unit_of(&outcome.reference).await?;
    let main = claim.as_ref().map(|claim| &claim.line().subject);
    let renamed = requested
        .subject
        .zip(main)
        .filter(|(given, main)| given != main);
    let renamed = renamed.map(|(given, main)| {
        object()
            .with("given", given.to_string())
            .with("main", main.to_string())
    });
    let mut steps = next(outcome, claim.as_ref(), requested.superseding);
    steps.append(&mut requested.next);
    let written = outcome.written.as_ref();
    let written = written.map(|(reference, index, stamp)| {
        object()
            .with("ref", reference.clone())
            .with("index", *index)
            .with("recordedAt", when::rfc3339(stamp.micros()))
    });
    Ok(object()
        .with("ref", outcome.reference.clone())
        .with_some("name", renamed)
        .with("disposition", outcome.disposition.name())
        .with("row", outcome.row)
        .with(
            "why",
            why(outcome.disposition, outcome.row, &outcome.because),
        )
        .with("because", grounds(store, &outcome.because).await?)
        .with_some("unit", written)
        .with_some("ended", Some(requested.ended).filter(|it| !it.is_empty()))
        .with("next", steps))
}

/// Reasons of a decision, the rivals with their values.
#[derive(Serialize)]
struct Grounds<R> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rivals: Vec<R>,
    #[serde(flatten)]
    others: Reasons,
}

/// Reasons beyond the row: members as in the unit, with the values of the rivals that were not erased.
pub(super) async fn grounds(
    store: &dyn ClaimStore,
    because: &Reasons,
) -> Result<impl Serialize + use<>, Error> {
    let mut rivals = Vec::new();
    for reference in &because.rivals {
        let unit = store.unit_of(reference).await?;
        let value = unit.as_ref().and_then(value_of).map(FactValue::to_json);
        rivals.push(
            object()
                .with("ref", reference.clone())
                .with_some("value", value),
        );
    }
    let others = Reasons {
        rivals: Vec::new(),
        ..because.clone()
    };
    Ok(Grounds { rivals, others })
}

/// Explains the row of the gate.
pub(super) fn why(disposition: Disposition, row: u8, because: &Reasons) -> String {
    let rivals = count(because.rival_count, "other claim", "other claims");
    let said = match (row, disposition) {
        (0, Disposition::Bounded) => "it no longer holds from then on".to_owned(),
        (0, Disposition::Superseded) => "another claim has its place".to_owned(),
        (0, Disposition::Reinstated) => "what ended, denied or took it back is undone".to_owned(),
        (0, Disposition::Retracted) => "it was said wrongly, and never held".to_owned(),
        (0, Disposition::Released) => "it left quarantine".to_owned(),
        (0, Disposition::Affirmed) => {
            "the verdict is that it holds, and its rivals do not".to_owned()
        }
        (0, Disposition::Denied) => "the verdict is that it does not hold".to_owned(),
        (0, Disposition::Contested) if because.rival_count > 0 => {
            format!("it contradicts {rivals}")
        }
        (0, Disposition::Contested) => "nobody can tell: all sides stay".to_owned(),
        (0, Disposition::NoChange) => "there was nothing to change".to_owned(),
        (0, _) => "see docs/format/claims.md, section 6".to_owned(),
        (1, Disposition::Quarantined) => {
            "a claim that says the same at the same time is in quarantine".to_owned()
        }
        (1, _) if because.re_entry => {
            "the memory holds it already: an echo of a model counts for nothing".to_owned()
        }
        (1, Disposition::Confirmed) => "its source says it again: it is fresh".to_owned(),
        (1, _) => "a claim says the same already".to_owned(),
        (2, _) => "no instant lies in its window".to_owned(),
        (3, _) => "it was denied before, and there is no new evidence".to_owned(),
        (4, Disposition::Quarantined) if because.equals.is_some() => {
            "a model says that something goes on which others have ended".to_owned()
        }
        (4, Disposition::Quarantined) => "a model said so, too far from any evidence".to_owned(),
        (4, _) if because.re_entry => {
            "it was handed out before and comes back: it weighs as a model's word".to_owned()
        }
        (4, _) => "a model said so: it changes nothing that others have said".to_owned(),
        (5, _) => "nothing contradicts it".to_owned(),
        (6, _) => "it takes the place of what contradicted it".to_owned(),
        (7, _) => format!("it contradicts {rivals}"),
        (8, _) => format!("it contradicts {rivals}, and waits for a verdict"),
        _ => "see docs/format/claims.md, section 5".to_owned(),
    };
    match row {
        0 => said,
        _ => format!("{said} (row {row})"),
    }
}

/// Commands that the caller may want to run next.
fn next(outcome: &ClaimOutcome, claim: Option<&Unit>, superseding: &[WorldId]) -> Vec<String> {
    let reference = text::name(&outcome.reference);
    let believe = claim.map(|claim| {
        let line = claim.line();
        format!(
            "see all sides: counterfoil believe {} {}",
            typed(&line.subject),
            typed(&line.predicate)
        )
    });
    let settle =
        format!("settle it: counterfoil adjudicate {reference} affirm --evidence WORLD_ID");
    match outcome.disposition {
        Disposition::Contested => {
            let place = match outcome.because.rivals.as_slice() {
                [rival] => Some(format!(
                    "or it takes the other's place: counterfoil claim supersede {} --by {reference}",
                    text::name(rival)
                )),
                _ => None,
            };
            let end = "or end what no longer holds: counterfoil claim end REF --at T".to_owned();
            let retract =
                "or take back what was said wrongly: counterfoil claim retract REF".to_owned();
            let believe = believe.into_iter().chain([settle]);
            believe.chain(place).chain([end, retract]).collect()
        }
        Disposition::Corroborated if outcome.because.re_entry => {
            vec![
                "if it is news, cite what it rests on: the same again with --source WORLD_ID"
                    .to_owned(),
            ]
        }
        // No claim was written, so none has superseded another.
        Disposition::Corroborated => superseding
            .iter()
            .filter(|it| **it != outcome.reference)
            .map(|it| {
                let it = text::name(it);
                format!("it takes no place so: counterfoil claim supersede {it} --by {reference}")
            })
            .collect(),
        Disposition::QueuedForAdjudication => vec![settle],
        Disposition::Quarantined => vec![format!(
            "look at it, then let it out: counterfoil claim release {reference}"
        )],
        Disposition::DeniedAlready => {
            vec!["cite new evidence with --source WORLD_ID, or leave it".to_owned()]
        }
        Disposition::CommittedInferred if !outcome.because.ignored.is_empty() => {
            vec!["a model may not take the place of what others said: ask the user".to_owned()]
        }
        _ => Vec::new(),
    }
}
