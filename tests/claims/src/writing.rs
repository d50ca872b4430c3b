//! Writing a claim: match, echo, corroboration and the gate's table (docs/format/claims.md 4, 5).

mod matching;
mod table;

use crate::answer::{Answer, Disposition, Done, Refused};
use crate::calendar::{DAY, Micros};
use crate::entry::{Act, Entry, Source, sources};
use crate::oracle::Oracle;
use crate::request::{Cardinality, Cited, Id, Request, Statement, Valid, Who};
use crate::scene::{is_empty, own_window};

/// A submission that passed the door.
struct Submission<'a> {
    request: &'a Request,
    said: &'a Statement,
    line: (String, String),
    stamp: Micros,
    who: Who,
    anchors: Vec<(Cited, Source)>,
}

/// What is to be written.
struct Decided {
    disposition: Disposition,
    row: u8,
    rivals: Vec<Id>,
    equals: Option<Id>,
    depth: Option<u32>,
    ignored: Vec<Id>,
    supersedes: Vec<Id>,
}

/// The last 16 of the claims that contradict: more are counted, and not named.
pub(crate) fn named(mut rivals: Vec<Id>) -> Vec<Id> {
    rivals.drain(..rivals.len().saturating_sub(16));
    rivals
}

pub(crate) fn nothing(disposition: Disposition, row: u8, reference: Id) -> Done {
    Done {
        disposition,
        row,
        reference,
        written: None,
        rivals: Vec::new(),
        equals: None,
        depth: None,
        ignored: Vec::new(),
        echo: false,
    }
}

impl Oracle {
    pub(crate) fn state(&mut self, stamp: Micros, request: &Request, said: &Statement) -> Answer {
        let subject = match request.who {
            // The name that it attested.
            Who::Peer { .. } => said.subject.clone(),
            _ => self.main(&said.subject, stamp),
        };
        let line = (subject, said.predicate.clone());
        let refused = self.refused(request, said, &line);
        let anchors = self.anchors(&said.anchors).unwrap_or_default();
        if !refused.is_empty() {
            return Answer::Refused(refused);
        }
        // What was read out of recall weighs as what a model says.
        let who = match request.who {
            Who::Recall => Who::Model,
            who => who,
        };
        let submission = Submission {
            request,
            said,
            line,
            stamp,
            who,
            anchors,
        };
        if self.replaced(&submission).len() + said.supersedes.len() > 16 {
            return Answer::Refused(vec![Refused::TooMany]);
        }
        if !self.replaced(&submission).is_empty() && self.holds_many(&submission) {
            return Answer::Refused(vec![Refused::ManyValues]);
        }
        if let Some(echo) = self.echoed(&submission) {
            return Answer::Done(echo);
        }
        let matching = match self.replaced(&submission).is_empty() {
            true => self.matching(&submission),
            false => None,
        };
        if let Some(id) = matching {
            return Answer::Done(self.corroborate(&submission, id));
        }
        match self.answered_elsewhere(&submission) {
            Some(answer) => answer,
            None => self.gate(&submission),
        }
    }

    /// The answer of the lines of other names, where that of the main one has none.
    fn answered_elsewhere(&mut self, submission: &Submission<'_>) -> Option<Answer> {
        let said = submission.said;
        let is_peers = matches!(submission.request.who, Who::Peer { .. });
        let keeps = is_peers || said.replaces || !said.supersedes.is_empty();
        if keeps || said.valid.as_ref().is_some_and(is_empty) || self.denied(submission).is_some() {
            return None;
        }
        let mut asked = false;
        for subject in self.other_names(&submission.line.0, submission.stamp) {
            let line = (subject, said.predicate.clone());
            let other = Submission {
                line,
                anchors: submission.anchors.clone(),
                ..*submission
            };
            if let Some(echo) = self.echoed(&other) {
                return Some(Answer::Done(echo));
            }
            if let Some(id) = self.matching(&other) {
                return Some(Answer::Done(self.corroborate(&other, id)));
            }
            if let Some(denied) = self.denied(&other) {
                return Some(Answer::Done(denied));
            }
            asked |= !self.holds_many(submission) && self.is_second_value(&other);
        }
        asked.then(|| Answer::Refused(vec![Refused::SecondValue]))
    }

    fn refused(
        &self,
        request: &Request,
        said: &Statement,
        line: &(String, String),
    ) -> Vec<Refused> {
        let scene = self.scene(request.agent, Micros::MAX);
        let mut refused = Vec::new();
        if self.anchors(&said.anchors).is_none() {
            refused.push(Refused::AnchorNotFound);
        }
        for id in &said.supersedes {
            match scene.claim(*id) {
                None => refused.push(Refused::ClaimNotFound),
                Some(claim) if claim.line != *line => refused.push(Refused::OtherLine),
                Some(_) => {}
            }
        }
        let parents = &mut said.derived_from.iter();
        if parents.any(|id| scene.claim(*id).is_none()) {
            refused.push(Refused::ClaimNotFound);
        }
        refused
    }

    /// The claim is there: a new independent source is written down.
    fn corroborate(&mut self, submission: &Submission<'_>, id: Id) -> Done {
        let scene = self.scene(submission.request.agent, Micros::MAX);
        let mut done = nothing(Disposition::Corroborated, 1, id);
        done.equals = Some(id);
        let Some(claim) = scene.claim(id) else {
            return done;
        };
        if scene.is_quarantined(claim) {
            done.disposition = Disposition::Quarantined;
            return done;
        }
        let counts = match submission.who {
            Who::User | Who::FirstHand => true,
            Who::Peer { level, .. } => level >= 2,
            Who::Model | Who::Recall => !submission.anchors.is_empty(),
        };
        let known = self.known(submission);
        let mut new: Vec<Source> = Vec::new();
        for source in sources(submission.who, &submission.anchors) {
            if !known.contains(&source) && !new.contains(&source) {
                new.push(source);
            }
        }
        if counts && new.is_empty() && submission.who.is_external() {
            let last = self.said_last(submission);
            if last.is_some_and(|last| submission.stamp - last >= DAY) {
                done.disposition = Disposition::Confirmed;
                return self.keep(submission, Act::Confirm { target: id }, done);
            }
        }
        if !counts || new.is_empty() {
            return done;
        }
        let act = Act::Corroborate {
            target: id,
            sources: new,
        };
        self.keep(submission, act, done)
    }

    /// What the source of the submission has said of the line before and is to make room: other values that hold at its start
    /// or later.
    fn replaced(&self, submission: &Submission<'_>) -> Vec<Id> {
        if !submission.said.replaces {
            return Vec::new();
        }
        let scene = self.scene(submission.request.agent, Micros::MAX);
        let start = own_window(submission.said.valid.as_ref(), submission.stamp).start;
        let by = sources(submission.who, &[]);
        let mut all = scene.claims(&submission.line);
        all.retain(|claim| {
            let holds_later = |end: Micros| start.is_none_or(|start| start < end);
            claim.who.is_external()
                && claim.value() != submission.said.value
                && sources(claim.who, &[]) == by
                && scene.is_in_force(claim)
                && scene.effective(claim).end.is_none_or(holds_later)
                && !submission.said.supersedes.contains(&claim.id)
        });
        all.into_iter().map(|claim| claim.id).collect()
    }

    fn write_claim(&mut self, submission: &Submission<'_>, mut decided: Decided) -> Done {
        decided.ignored.sort_unstable();
        let cardinality = counted(submission);
        let mut said = submission.said.clone();
        if said.replaces && said.valid.is_none() {
            said.valid = Some(Valid {
                from: Some(format!("@{}", submission.stamp)),
                until: None,
                confidence: 1.0,
            });
        }
        let act = Act::Claim {
            said: Box::new(said),
            cardinality,
            registered: self.registered(&submission.said.predicate),
            supersedes: decided.supersedes,
        };
        let done = Done {
            rivals: named(decided.rivals),
            equals: decided.equals,
            depth: decided.depth,
            ignored: decided.ignored,
            ..nothing(decided.disposition, decided.row, self.entries.len())
        };
        self.keep(submission, act, done)
    }

    fn keep(&mut self, submission: &Submission<'_>, act: Act, done: Done) -> Done {
        let unit = Entry {
            who: submission.who,
            anchors: submission.anchors.clone(),
            derived_from: submission.said.derived_from.clone(),
            ..Entry::new(submission.request, &submission.line, submission.stamp, act)
        };
        self.push(unit, done)
    }
}

/// What counts of what is said of cardinality: the word of the user and of the host.
fn counted(submission: &Submission<'_>) -> Cardinality {
    match submission.who {
        Who::User | Who::FirstHand => submission.said.said,
        _ => Cardinality::Unknown,
    }
}
