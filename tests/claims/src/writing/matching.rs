//! What says the same already, and what comes back (docs/format/claims.md 4, steps 2 and 3).

use super::{Submission, nothing};
use crate::answer::{Disposition, Done};
use crate::calendar::{Granule, Micros};
use crate::entry::{Entry, Source};
use crate::oracle::Oracle;
use crate::request::{Id, Valid, Who};
use crate::scene::{Scene, is_incoherent, is_trusted};

/// How many re-entries of one value are heard within a minute.
const HEARD: usize = 64;
const MINUTE: Micros = 60_000_000;

impl Oracle {
    /// The claim that says the same already, for what `who` says.
    pub(super) fn matching(&self, submission: &Submission<'_>, who: Who) -> Option<Id> {
        let scene = self.scene(submission.request.agent, Micros::MAX);
        let mut all = matches(&scene, submission).into_iter();
        all.find(|claim| claim.who.standing() >= who.standing())
            .map(|claim| claim.id)
    }

    /// The sources of all that says the same already.
    pub(super) fn known(&self, submission: &Submission<'_>) -> Vec<Source> {
        let scene = self.scene(submission.request.agent, Micros::MAX);
        let all = matches(&scene, submission).into_iter();
        all.flat_map(|claim| scene.sources(claim)).collect()
    }

    pub(super) fn is_re_entry(&self, submission: &Submission<'_>) -> bool {
        let agent = submission.request.agent;
        let known = self.known(submission);
        let mut anchors = submission.anchors.iter();
        let brings_evidence = anchors.any(|(_, source)| !known.contains(source));
        let served = self.was_served(agent, &submission.line, &submission.said.value);
        submission.who == Who::Recall || (served && !brings_evidence)
    }

    /// Counts a re-entry; the answer when there are too many.
    pub(super) fn re_entered(
        &mut self,
        submission: &Submission<'_>,
        matching: Option<Id>,
    ) -> Option<Done> {
        let what = (
            submission.request.agent,
            submission.line.clone(),
            submission.said.value.clone(),
        );
        let before = self.re_entries.iter().filter(|(agent, line, value, at)| {
            (*agent, line, value) == (what.0, &what.1, &what.2) && submission.stamp - at < MINUTE
        });
        let too_many = before.count() >= HEARD;
        self.re_entries
            .push((what.0, what.1, what.2, submission.stamp));
        let scene = self.scene(submission.request.agent, Micros::MAX);
        let claims = scene.claims(&submission.line).into_iter().rev();
        let mut same = claims.filter(|claim| claim.value() == submission.said.value);
        let stands_for = matching.or_else(|| same.next().map(|claim| claim.id))?;
        let mut done = nothing(Disposition::Quarantined, 1, stands_for);
        done.equals = Some(stands_for);
        done.re_entry = true;
        done.burst = true;
        too_many.then_some(done)
    }
}

/// The claims that say the same as the submission, whoever said them.
fn matches<'a>(scene: &Scene<'a>, submission: &Submission<'_>) -> Vec<&'a Entry> {
    let valid = submission.said.valid.as_ref();
    let says_the_same = |claim: &&Entry| {
        let its = claim.statement().and_then(|said| said.valid.clone());
        let live = scene.is_live(claim, submission.stamp);
        claim.value() == submission.said.value
            && !scene.is_denied(claim)
            && !is_passed_by(scene, claim, submission)
            && ((valid.is_none() && live)
                || (same_window(its.as_ref(), valid) && (scene.cutting(claim).is_none() || live)))
    };
    let claims = scene.claims(&submission.line).into_iter();
    claims.filter(says_the_same).collect()
}

/// Whether a claim is kept apart and the submission is not, because it brings evidence.
fn is_passed_by(scene: &Scene<'_>, claim: &Entry, submission: &Submission<'_>) -> bool {
    let coherent = !submission.said.valid.as_ref().is_some_and(is_incoherent);
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
