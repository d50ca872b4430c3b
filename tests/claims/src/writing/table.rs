//! The gate's table, rows 2 to 8 (docs/format/claims.md 5).

use super::{Decided, Submission, counted, nothing};
use crate::answer::{Answer, Disposition, Done, Refused};
use crate::calendar::Micros;
use crate::entry::{Source, sources};
use crate::oracle::Oracle;
use crate::request::{Cardinality, Id};
use crate::scene::{Scene, is_empty, own_window};

/// The greatest depth of a model's claim that is let in.
const DEEPEST: u32 = 2;

impl Oracle {
    /// Rows 2 to 8.
    pub(super) fn gate(&mut self, submission: &Submission<'_>) -> Answer {
        if submission.said.valid.as_ref().is_some_and(is_empty) {
            let scene = self.scene(submission.request.agent, Micros::MAX);
            let anchored = !submission.anchors.is_empty();
            let depth = scene.depth_of(anchored, &submission.said.derived_from);
            let mut ignored = submission.said.supersedes.clone();
            ignored.extend(self.replaced(submission));
            return Answer::Done(self.write_claim(
                submission,
                Decided {
                    disposition: Disposition::Quarantined,
                    row: 2,
                    rivals: Vec::new(),
                    equals: None,
                    depth: (!submission.who.is_external()).then_some(depth),
                    ignored,
                    supersedes: Vec::new(),
                },
            ));
        }
        if let Some(denied) = self.denied(submission) {
            return Answer::Done(denied);
        }
        if self.is_second_value(submission) {
            return Answer::Refused(vec![Refused::SecondValue]);
        }
        let decided = self.decided(submission);
        Answer::Done(self.write_claim(submission, decided))
    }

    /// Row 3.
    pub(super) fn denied(&self, submission: &Submission<'_>) -> Option<Done> {
        let scene = self.scene(submission.request.agent, Micros::MAX);
        let denied = denied_before(&scene, submission)?;
        Some(Done {
            equals: Some(denied),
            ..nothing(Disposition::DeniedAlready, 3, denied)
        })
    }

    fn decided(&self, submission: &Submission<'_>) -> Decided {
        let scene = self.scene(submission.request.agent, Micros::MAX);
        match submission.who.is_external() {
            true => self.external(&scene, submission),
            false => inferred(&scene, submission),
        }
    }

    /// It asks, and one of its sources has said something else.
    pub(super) fn is_second_value(&self, submission: &Submission<'_>) -> bool {
        let scene = self.scene(submission.request.agent, Micros::MAX);
        let by = sources(submission.who, &submission.anchors);
        let is_own = |id: &Id| {
            let said = scene.claim(*id).map(|claim| claim.sources());
            said.is_some_and(|said| said.iter().any(|source| by.contains(source)))
        };
        submission.said.asks && self.decided(submission).rivals.iter().any(is_own)
    }

    /// The line may hold many values once the submission counts as one of its claims.
    pub(super) fn holds_many(&self, submission: &Submission<'_>) -> bool {
        let scene = self.scene(submission.request.agent, Micros::MAX);
        let registered = self.registered(&submission.said.predicate);
        let and = Some((counted(submission), registered));
        scene.cardinality(&submission.line, and) == Cardinality::Many
    }

    /// Rows 5 to 8.
    fn external(&self, scene: &Scene<'_>, submission: &Submission<'_>) -> Decided {
        let said = submission.said;
        let may_name = |id: &Id| {
            let target = scene.claim(*id);
            target.is_some_and(|claim| claim.who.standing() <= submission.who.standing())
        };
        let named = said.supersedes.iter().copied();
        let (supersedes, ignored): (Vec<Id>, Vec<Id>) = named
            .chain(self.replaced(submission))
            .partition(|id| may_name(id));
        let registered = self.registered(&said.predicate);
        let cardinality =
            scene.cardinality(&submission.line, Some((counted(submission), registered)));
        let mut all = Vec::new();
        if cardinality != Cardinality::Many && submission.who.counts() {
            let own = own_window(said.valid.as_ref(), submission.stamp);
            let overlapping = scene.overlapping(&submission.line, &said.value, &own);
            let rivals = overlapping.iter().filter(|claim| claim.who.counts());
            all.extend(rivals.map(|claim| claim.id));
        }
        let left: Vec<Id> = all
            .iter()
            .copied()
            .filter(|id| !supersedes.contains(id))
            .collect();
        let (row, disposition) = match (all.is_empty(), left.is_empty(), self.has_oracle) {
            (true, ..) => (5, Disposition::Committed),
            (_, true, _) => (6, Disposition::Committed),
            (_, _, false) => (7, Disposition::Contested),
            (_, _, true) => (8, Disposition::QueuedForAdjudication),
        };
        Decided {
            disposition,
            row,
            rivals: left,
            equals: None,
            depth: None,
            ignored,
            supersedes,
        }
    }
}

/// Row 3: the claim of that value that was denied, unless there is new evidence.
fn denied_before(scene: &Scene<'_>, submission: &Submission<'_>) -> Option<Id> {
    let claims = scene.claims(&submission.line).into_iter();
    let mut same = claims.filter(|claim| claim.value() == submission.said.value);
    let denied = same.find(|claim| {
        let denials = scene.denials(claim);
        let mut known: Vec<Source> = claim.anchors.iter().map(|(_, source)| *source).collect();
        for denial in &denials {
            known.extend(denial.anchors.iter().map(|(_, source)| *source));
        }
        let standing = submission.who.standing();
        let weighs = denials
            .iter()
            .any(|denial| denial.who.standing() >= standing);
        let mut anchors = submission.anchors.iter();
        weighs && !anchors.any(|(_, source)| !known.contains(source))
    });
    denied.map(|claim| claim.id)
}

/// Row 4.
fn inferred(scene: &Scene<'_>, submission: &Submission<'_>) -> Decided {
    let said = submission.said;
    let depth = scene.depth_of(!submission.anchors.is_empty(), &said.derived_from);
    let ended = ended_before(scene, submission);
    let quarantined = depth > DEEPEST || ended.is_some();
    let may_name = |id: &Id| {
        let target = scene.claim(*id);
        !quarantined && target.is_some_and(|claim| !claim.who.is_external())
    };
    let (supersedes, ignored): (Vec<Id>, Vec<Id>) =
        said.supersedes.iter().partition(|id| may_name(id));
    Decided {
        disposition: if quarantined {
            Disposition::Quarantined
        } else {
            Disposition::CommittedInferred
        },
        row: 4,
        rivals: Vec::new(),
        equals: ended,
        depth: Some(depth),
        ignored,
        supersedes,
    }
}

/// The claim of the value that somebody but a model has ended, and that a model says goes on without new evidence.
fn ended_before(scene: &Scene<'_>, submission: &Submission<'_>) -> Option<Id> {
    let end = own_window(submission.said.valid.as_ref(), submission.stamp).end;
    let claims = scene.claims(&submission.line).into_iter();
    let mut same = claims
        .filter(|claim| claim.value() == submission.said.value && !scene.is_quarantined(claim));
    let ended = same.find(|claim| {
        let bounds = scene.external_bounds(claim);
        let goes_on = |at: &Micros| end.is_none_or(|end| *at < end);
        let goes_on = bounds.iter().any(goes_on);
        let known = |source: &Source| claim.anchors.iter().any(|(_, its)| its == source);
        goes_on && submission.anchors.iter().all(|(_, source)| known(source))
    });
    ended.map(|claim| claim.id)
}
