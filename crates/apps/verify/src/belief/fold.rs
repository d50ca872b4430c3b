//! The port by which an authority folds the beliefs of a proposal's claims again (docs/format/attestation.md, Beliefs).

use std::collections::BTreeMap;

use counterfoil_authority::types::json::Value;
use counterfoil_authority::types::{BoxError, UnixMillis, WorldId};
use counterfoil_authority::verifier::Anchors;
use counterfoil_authority::{BeliefFold, ClaimStanding, FoldedBelief, Policy};
use counterfoil_claims::Act;
use counterfoil_claims::belief::{BeliefStatus, ClaimState, HistoryEntry, Question, history};

use super::check::{ProvenBelief, examine};
use super::document::BeliefDocument;
use super::judge::{BeliefReason, judge};

/// The fold of `counterfoil-claims`, for [`Authority::with_beliefs`](counterfoil_authority::Authority::with_beliefs).
#[derive(Debug, Clone, Copy)]
pub struct EngineFold;

impl BeliefFold for EngineFold {
    fn fold(
        &self,
        proof: &Value,
        anchors: Anchors,
        policy: &Policy,
        submitted_at: UnixMillis,
    ) -> Result<FoldedBelief, BoxError> {
        let document = BeliefDocument::from_value(proof)?;
        let shown = examine(&document, anchors, None)?;
        let last = shown.units().last().map_or(0, |unit| unit.stamp().micros());
        // The log's clock may be ahead of the proposer's.
        let as_of_us = submitted_at.value().saturating_mul(1000).max(last);
        let valid_at = i64::try_from(as_of_us)?;
        let shown = shown.asked(Question { valid_at, as_of_us }, &document);
        let reasons = judge(&shown, policy, submitted_at);
        // Of these the state of each claim says more.
        let broken = reasons.into_iter().find(|reason| {
            let others = [
                BeliefReason::Proven.code(),
                BeliefReason::LaterUnitsOpen.code(),
                BeliefReason::TrustOpen.code(),
                BeliefReason::VocabularyOpen.code(),
                "not-resolved",
            ];
            !others.contains(&reason.code())
        });
        Ok(FoldedBelief {
            checkpoint: shown.checkpoint().clone(),
            is_whole: shown.is_whole() && !shown.trust_is_open() && !shown.vocabulary_is_open(),
            claims: claims(&shown, &document),
            broken: broken.map(|reason| (reason.code(), reason.to_string())),
        })
    }
}

fn claims(shown: &ProvenBelief, document: &BeliefDocument) -> BTreeMap<WorldId, ClaimStanding> {
    let belief = shown.belief();
    let settings = document.settings();
    let entries = history(&document.line, shown.units(), belief.question, &settings);
    let standing = |entry: &HistoryEntry| match entry.state {
        ClaimState::Scheduled => ClaimStanding::Scheduled,
        ClaimState::Ended => ClaimStanding::Ended,
        ClaimState::Superseded => ClaimStanding::Superseded,
        ClaimState::Denied => ClaimStanding::Denied,
        ClaimState::Retracted => ClaimStanding::Retracted,
        ClaimState::Quarantined => ClaimStanding::Quarantined,
        ClaimState::Contested => ClaimStanding::Contested,
        // A model's claim is current beside what others say, and decides nothing.
        _ => match entry.claim.act() {
            Act::Claim(body) if belief.sides.iter().any(|side| side.value == body.value) => {
                match belief.status {
                    BeliefStatus::Contested => ClaimStanding::Contested,
                    _ => ClaimStanding::Believed,
                }
            }
            _ => ClaimStanding::NotBelieved,
        },
    };
    let claims = entries.iter();
    claims
        .map(|entry| (entry.claim.reference().clone(), standing(entry)))
        .collect()
}
