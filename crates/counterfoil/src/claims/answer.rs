//! Answers of the gate: the disposition, the row that decided and why, and the next step (docs/format/claims.md 4-6).

use counterfoil_claims::{ClaimOutcome, Disposition, Reasons, Unit};
use counterfoil_store::ClaimStore;
use counterfoil_types::WorldId;
use counterfoil_types::json::Value;
use serde::Serialize;

use super::value_of;
use crate::error::Error;
use crate::text::{self, typed};
use crate::when;

/// Answer to a request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer {
    #[serde(rename = "ref")]
    reference: WorldId,
    disposition: &'static str,
    row: u8,
    why: String,
    because: Grounds,
    /// Unit that was written, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<Written>,
    next: Vec<String>,
}

/// Reasons beyond the row: members as in the unit, with the values of the rivals.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Grounds {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rivals: Vec<Rival>,
    #[serde(skip_serializing_if = "is_zero")]
    rival_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    equals: Option<WorldId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cardinality: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<WorldId>,
    #[serde(skip_serializing_if = "is_false")]
    re_entry: bool,
    #[serde(skip_serializing_if = "is_false")]
    burst: bool,
}

/// Contradicting claim.
#[derive(Debug, Serialize)]
struct Rival {
    #[serde(rename = "ref")]
    reference: WorldId,
    /// Absent when its content was erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    #[serde(rename = "ref")]
    reference: WorldId,
    index: u64,
    recorded_at: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Answer {
    /// Builds the answer to an outcome. A claim that merely corroborates supersedes none of `superseding`; the next
    /// steps name the command for each.
    pub(super) async fn of(
        store: &dyn ClaimStore,
        outcome: &ClaimOutcome,
        superseding: &[WorldId],
    ) -> Result<Self, Error> {
        let claim = store.unit_of(&outcome.reference).await?;
        let written = outcome.written.as_ref();
        Ok(Self {
            reference: outcome.reference.clone(),
            disposition: outcome.disposition.name(),
            row: outcome.row,
            why: why(outcome.disposition, outcome.row, &outcome.because),
            because: Grounds::of(store, &outcome.because).await?,
            unit: written.map(|(reference, index, stamp)| Written {
                reference: reference.clone(),
                index: *index,
                recorded_at: when::rfc3339(stamp.micros()),
            }),
            next: next(outcome, claim.as_ref(), superseding),
        })
    }
}

impl Grounds {
    /// Reads the values of the rivals.
    pub(super) async fn of(store: &dyn ClaimStore, because: &Reasons) -> Result<Self, Error> {
        let mut rivals = Vec::new();
        for reference in &because.rivals {
            let unit = store.unit_of(reference).await?;
            let value = unit.as_ref().and_then(value_of);
            rivals.push(Rival {
                reference: reference.clone(),
                value: value.map(counterfoil_claims::FactValue::to_json),
            });
        }
        Ok(Self {
            rivals,
            rival_count: because.rival_count,
            equals: because.equals.clone(),
            depth: because.depth,
            cardinality: because.cardinality.map(|it| it.name()),
            ignored: because.ignored.clone(),
            re_entry: because.re_entry,
            burst: because.burst,
        })
    }
}

/// Explains the row of the gate.
pub(super) fn why(disposition: Disposition, row: u8, because: &Reasons) -> String {
    let said = match (row, disposition) {
        (0, _) => return assertion(disposition, because),
        (1, Disposition::Quarantined) if because.burst => {
            "the same came back from recall more than 64 times in a minute".to_owned()
        }
        (1, Disposition::Quarantined) => {
            "a claim that says the same at the same time is in quarantine".to_owned()
        }
        (1, _) if because.re_entry => {
            "it was handed out before and comes back: an echo counts for nothing".to_owned()
        }
        (1, _) => "a claim says the same already".to_owned(),
        (2, _) => "its window ends before it begins".to_owned(),
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
        (7, _) => format!("it contradicts {}", rivals(because)),
        (8, _) => format!(
            "it contradicts {}, and waits for a verdict",
            rivals(because)
        ),
        _ => "see docs/format/claims.md, section 5".to_owned(),
    };
    format!("{said} (row {row})")
}

fn rivals(because: &Reasons) -> String {
    match because.rival_count {
        1 => "1 other claim".to_owned(),
        count => format!("{count} other claims"),
    }
}

fn assertion(disposition: Disposition, because: &Reasons) -> String {
    match disposition {
        Disposition::Bounded => "it no longer holds from then on".to_owned(),
        Disposition::Superseded => "another claim has its place".to_owned(),
        Disposition::Reinstated => "what ended or denied it is undone".to_owned(),
        Disposition::Released => "it left quarantine".to_owned(),
        Disposition::Affirmed => "the verdict is that it holds, and its rivals do not".to_owned(),
        Disposition::Denied => "the verdict is that it does not hold".to_owned(),
        Disposition::Contested if because.rival_count > 0 => {
            format!("it contradicts {}", rivals(because))
        }
        Disposition::Contested => "nobody can tell: all sides stay".to_owned(),
        Disposition::NoChange => "there was nothing to change".to_owned(),
        _ => "see docs/format/claims.md, section 6".to_owned(),
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
            let believe = believe.into_iter().chain([settle]);
            believe.chain(place).chain([end]).collect()
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
        Disposition::Quarantined if outcome.because.burst => {
            vec!["wait a minute, and do not feed what was recalled back".to_owned()]
        }
        Disposition::Quarantined => vec![format!(
            "look at it, then let it out: counterfoil claim release {reference}"
        )],
        Disposition::DeniedAlready => {
            vec!["cite new evidence with --source WORLD_ID, or leave it".to_owned()]
        }
        Disposition::CommittedInferred if outcome.because.re_entry => {
            vec![
                "if it is news, cite what it rests on: the same again with --source WORLD_ID"
                    .to_owned(),
            ]
        }
        Disposition::CommittedInferred if !outcome.because.ignored.is_empty() => {
            vec!["a model may not take the place of what others said: ask the user".to_owned()]
        }
        _ => Vec::new(),
    }
}
