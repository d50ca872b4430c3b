//! Memories that say the same already, and repetitions (docs/format/claims.md 4, steps 2 and 3).

use super::{Submission, nothing};
use crate::answer::{Disposition, Done};
use crate::calendar::{Granule, Micros};
use crate::entry::{Entry, Source, sources};
use crate::oracle::Oracle;
use crate::request::{Id, Valid};
use crate::scene::{Scene, is_empty, is_trusted};

impl Oracle {
    /// The claim that says the same already.
    pub(super) fn matching(&self, submission: &Submission<'_>) -> Option<Id> {
        let scene = self.scene(submission.request.agent, Micros::MAX);
        let mut all = matches(&scene, submission).into_iter();
        all.find(|claim| claim.who.standing() >= submission.who.standing())
            .map(|claim| claim.id)
    }

    /// When a source of the submission said so last, in all that says the same already.
    pub(super) fn said_last(&self, submission: &Submission<'_>) -> Option<Micros> {
        let scene = self.scene(submission.request.agent, Micros::MAX);
        let by = sources(submission.who, &submission.anchors);
        let all = matches(&scene, submission).into_iter();
        all.flat_map(|claim| scene.said_by(claim, &by)).max()
    }

    /// The sources of all that says the same already.
    pub(super) fn known(&self, submission: &Submission<'_>) -> Vec<Source> {
        let scene = self.scene(submission.request.agent, Micros::MAX);
        let all = matches(&scene, submission).into_iter();
        all.flat_map(|claim| scene.sources(claim)).collect()
    }

    /// The answer to a model or an extractor that repeats, without a memory that is new to them, what claims say or, where
    /// none does any longer, have said.
    pub(super) fn echoed(&self, submission: &Submission<'_>) -> Option<Done> {
        if submission.who.is_external() && !submission.said.extracted {
            return None;
        }
        let scene = self.scene(submission.request.agent, Micros::MAX);
        let mut held = matches(&scene, submission);
        if held.is_empty() {
            held = scene.claims(&submission.line);
            held.retain(|claim| {
                claim.value() == submission.said.value
                    && has_its_window(claim, submission)
                    && !scene.is_denied(claim)
                    && !is_passed_by(&scene, claim, submission)
            });
        }
        let known: Vec<Source> = held.iter().flat_map(|claim| scene.sources(claim)).collect();
        let mut cited = submission.anchors.iter();
        if cited.any(|(_, source)| !known.contains(source)) {
            return None;
        }
        let weighs = |claim: &&&Entry| claim.who.standing() >= submission.who.standing();
        let claim = held.iter().find(weighs).or(held.first())?;
        let disposition = match scene.is_quarantined(claim) {
            true => Disposition::Quarantined,
            false => Disposition::Corroborated,
        };
        Some(Done {
            equals: Some(claim.id),
            echo: true,
            ..nothing(disposition, 1, claim.id)
        })
    }
}

/// Tests whether the claim was given the window of the submission.
fn has_its_window(claim: &Entry, submission: &Submission<'_>) -> bool {
    let its = claim.statement().and_then(|said| said.valid.as_ref());
    same_window(its, submission.said.valid.as_ref())
}

/// The claims that say the same as the submission, whoever said them.
fn matches<'a>(scene: &Scene<'a>, submission: &Submission<'_>) -> Vec<&'a Entry> {
    let valid = submission.said.valid.as_ref();
    let says_the_same = |claim: &&Entry| {
        let live = scene.is_live(claim, submission.stamp);
        claim.value() == submission.said.value
            && !scene.is_denied(claim)
            && !scene.is_retracted(claim)
            && !is_passed_by(scene, claim, submission)
            && ((valid.is_none() && live)
                || (has_its_window(claim, submission) && (scene.cutting(claim).is_none() || live)))
    };
    let claims = scene.claims(&submission.line).into_iter();
    claims.filter(says_the_same).collect()
}

/// Whether a claim is kept apart and the submission is not, because it brings evidence.
fn is_passed_by(scene: &Scene<'_>, claim: &Entry, submission: &Submission<'_>) -> bool {
    let coherent = !submission.said.valid.as_ref().is_some_and(is_empty);
    let known = claim.sources();
    let mut anchors = submission.anchors.iter();
    coherent && scene.is_quarantined(claim) && anchors.any(|(_, source)| !known.contains(source))
}

/// Both boundaries, and whether they are trusted.
fn same_window(one: Option<&Valid>, other: Option<&Valid>) -> bool {
    let read = |text: &Option<String>| text.as_deref().and_then(Granule::read);
    let ends = |valid: &Valid| (read(&valid.from), read(&valid.until));
    let none = (None, None);
    one.map_or(none, ends) == other.map_or(none, ends)
        && one.is_some_and(is_trusted) == other.is_some_and(is_trusted)
}
