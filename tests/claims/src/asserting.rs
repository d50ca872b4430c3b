//! Assertions and verdicts (docs/format/claims.md 6).

use crate::answer::{Answer, Disposition, Done, Refused};
use crate::calendar::{Granule, Micros};
use crate::entry::{Act, Entry, Source};
use crate::oracle::{Oracle, is_pending};
use crate::request::{Asserted, Cardinality, Cited, Id, Request, Target, Who};
use crate::scene::Scene;
use crate::writing::{named, nothing};

/// An assertion of a claim that there is.
struct Assertion<'a> {
    request: &'a Request,
    target: Id,
    line: (String, String),
    stamp: Micros,
    anchors: Vec<(Cited, Source)>,
}

/// What is written, if something is: act, disposition, and the rivals that are left.
type Decided = (Act, Disposition, Vec<Id>);
type Decision = Result<Option<Decided>, Refused>;

impl Oracle {
    pub(crate) fn assert(
        &mut self,
        stamp: Micros,
        request: &Request,
        target: &Target,
        asserted: &Asserted,
        evidence: &[Cited],
    ) -> Answer {
        let scene = self.scene(request.agent, Micros::MAX);
        let target = match self.target(&scene, target, stamp) {
            Ok(target) => target,
            Err(refused) => return Answer::Refused(vec![refused]),
        };
        let mut refused = Vec::new();
        if !may_assert(request.who, target.who) {
            refused.push(Refused::InsufficientProvenance);
        }
        let anchors = match asserted {
            Asserted::Affirm | Asserted::Deny | Asserted::Undecided => {
                if request.who == Who::Model {
                    refused.push(Refused::InadmissibleEvidence);
                }
                self.evidence(&scene, target.id, evidence)
            }
            _ => Ok(Vec::new()),
        };
        let anchors = anchors.unwrap_or_else(|why| {
            refused.push(why);
            Vec::new()
        });
        if *asserted == Asserted::Release && !request.who.is_external() {
            refused.push(Refused::InsufficientProvenance);
        }
        let is_stranger = match (request.who, target.who) {
            (Who::Peer { number, .. }, Who::Peer { number: other, .. }) => number != other,
            (Who::Peer { .. }, Who::Model | Who::Recall) => true,
            _ => false,
        };
        if matches!(asserted, Asserted::Retract(_)) && is_stranger {
            refused.push(Refused::InsufficientProvenance);
        }
        let decision = self.decide(&scene, target, (request.who, asserted), stamp);
        if let Ok(Some((act, ..))) = &decision {
            let overturned = match act {
                Act::Reopen { undoes: others, .. } | Act::Affirm { rivals: others, .. } => others,
                _ => &Vec::new(),
            };
            let mut others = overturned.iter().filter_map(|id| scene.entry(*id));
            if others.any(|other| !may_assert(request.who, other.who)) {
                refused.push(Refused::InsufficientProvenance);
            }
        }
        if !refused.is_empty() {
            refused.extend(decision.err());
            return Answer::Refused(refused);
        }
        let assertion = Assertion {
            request,
            target: target.id,
            line: target.line.clone(),
            stamp,
            anchors,
        };
        match decision {
            Err(why) => Answer::Refused(vec![why]),
            Ok(None) => Answer::Done(nothing(Disposition::NoChange, 0, assertion.target)),
            Ok(Some(decided)) => Answer::Done(self.keep_assertion(&assertion, decided)),
        }
    }

    fn target<'a>(
        &self,
        scene: &Scene<'a>,
        target: &Target,
        stamp: Micros,
    ) -> Result<&'a Entry, Refused> {
        match target {
            Target::Claim(id) => scene.claim(*id).ok_or(Refused::ClaimNotFound),
            Target::Line(subject, predicate) => {
                let line = self.main_line(&(subject.clone(), predicate.clone()), stamp);
                // The claims of the lines of all its names.
                let mut live = scene.entries.clone();
                live.retain(|entry| {
                    entry.statement().is_some()
                        && self.main_line(&entry.line, stamp) == line
                        && scene.is_live(entry, stamp)
                });
                // What models say counts where nobody else says anything.
                if live.iter().any(|claim| claim.who.is_external()) {
                    live.retain(|claim| claim.who.is_external());
                }
                match live.as_slice() {
                    [one] => Ok(one),
                    others => Err(Refused::Ambiguous(others.len())),
                }
            }
        }
    }

    /// What a verdict rests on.
    fn evidence(
        &self,
        scene: &Scene<'_>,
        target: Id,
        evidence: &[Cited],
    ) -> Result<Vec<(Cited, Source)>, Refused> {
        if evidence.is_empty() {
            return Err(Refused::InadmissibleEvidence);
        }
        let admitted = evidence.iter().map(|cited| match cited {
            Cited::World(_) => {
                let anchors = self.anchors(&[*cited]).ok_or(Refused::AnchorNotFound)?;
                anchors.first().copied().ok_or(Refused::AnchorNotFound)
            }
            Cited::Unit(id) => match scene.claim(*id) {
                None => Err(Refused::AnchorNotFound),
                Some(_) if *id == target => Err(Refused::Itself),
                Some(claim) if !claim.who.is_external() => Err(Refused::InadmissibleEvidence),
                Some(_) => Ok((*cited, Source::Unit(*id))),
            },
        });
        admitted.collect()
    }

    fn decide(
        &self,
        scene: &Scene<'_>,
        target: &Entry,
        (who, asserted): (Who, &Asserted),
        stamp: Micros,
    ) -> Decision {
        let id = target.id;
        match asserted {
            Asserted::End(at) => end(scene, target, at.as_deref(), stamp),
            Asserted::Reopen => Ok(reopen(scene, target, self)),
            Asserted::Supersede(by) => match scene.claim(*by) {
                _ if *by == id => Err(Refused::Itself),
                None => Err(Refused::ClaimNotFound),
                Some(by) if by.line != target.line => Err(Refused::OtherLine),
                Some(by) => {
                    let act = Act::Supersede {
                        target: id,
                        by: by.id,
                    };
                    let cuts = scene.cuts(target);
                    let said_already = cuts.iter().any(|cut| {
                        let said = scene.entry(cut.by).map(|entry| &entry.act);
                        matches!(said, Some(Act::Supersede { by: other, .. }) if *other == by.id)
                    });
                    Ok((!said_already).then_some((act, Disposition::Superseded, Vec::new())))
                }
            },
            Asserted::Retract(_) => {
                let Act::Claim { supersedes, .. } = &target.act else {
                    return Ok(None);
                };
                let act = Act::Retract {
                    target: id,
                    frees: supersedes.clone(),
                };
                let is_news = !scene.is_retracted(target);
                Ok(is_news.then_some((act, Disposition::Retracted, Vec::new())))
            }
            Asserted::Release => Ok(scene.is_quarantined(target).then(|| {
                (
                    Act::Release { target: id },
                    Disposition::Released,
                    Vec::new(),
                )
            })),
            verdict => {
                let rivals = rivals(scene, target);
                let elsewhere = self.rivals_elsewhere(scene, target, stamp);
                if *verdict == Asserted::Affirm && elsewhere {
                    return Err(Refused::OtherLine);
                }
                // What only a model says may be denied though nothing contradicts it.
                let is_guess = *verdict == Asserted::Deny
                    && who.is_external()
                    && !target.who.is_external()
                    && scene.is_in_force(target);
                let is_contested = !rivals.is_empty() || elsewhere;
                if !is_guess && !is_pending(scene, target, stamp) && !is_contested {
                    return Err(Refused::HandleNotFound);
                }
                let (act, disposition) = match verdict {
                    Asserted::Affirm => (Act::Affirm { target: id, rivals }, Disposition::Affirmed),
                    Asserted::Deny => (Act::Deny { target: id }, Disposition::Denied),
                    _ => (Act::Undecided { target: id }, Disposition::Contested),
                };
                Ok(Some((act, disposition, Vec::new())))
            }
        }
    }

    /// Whether a claim has rivals under other names of its subject.
    fn rivals_elsewhere(&self, scene: &Scene<'_>, claim: &Entry, at: Micros) -> bool {
        let many = scene.cardinality(&claim.line, None) == Cardinality::Many;
        if many || !claim.who.is_external() || !scene.is_in_force(claim) {
            return false;
        }
        let own = self.main_line(&claim.line, at);
        let mut lines: Vec<&(String, String)> = scene.entries.iter().map(|it| &it.line).collect();
        lines.retain(|line| **line != claim.line && self.main_line(line, at) == own);
        let extent = scene.effective(claim);
        let contradicts = |line: &(String, String)| {
            let rivals = scene.overlapping(line, claim.value(), &extent);
            !rivals.is_empty()
        };
        lines.into_iter().any(contradicts)
    }

    fn keep_assertion(
        &mut self,
        assertion: &Assertion<'_>,
        (act, disposition, rivals): Decided,
    ) -> Done {
        let mut done = nothing(disposition, 0, assertion.target);
        done.rivals = named(rivals);
        let unit = Entry {
            anchors: assertion.anchors.clone(),
            ..Entry::new(assertion.request, &assertion.line, assertion.stamp, act)
        };
        self.push(unit, done)
    }
}

fn may_assert(who: Who, of: Who) -> bool {
    (who.is_external() && who.standing() >= of.standing())
        || (who == Who::Model && of == Who::Model)
}

fn end(scene: &Scene<'_>, target: &Entry, at: Option<&str>, stamp: Micros) -> Decision {
    let Some(at) = at.map_or(Some(Granule::instant(stamp)), Granule::read) else {
        return Ok(None);
    };
    let own = Scene::own(target);
    if Scene::is_dated(target) && own.start.is_some_and(|start| at.begin < start) {
        return Err(Refused::IncoherentWindow);
    }
    let effective = scene.effective(target);
    // Where nothing is left, that ends where it begins, be that the beginning of time.
    let is_over = if effective.is_empty() {
        own.start.is_none_or(|start| at.begin >= start)
    } else {
        effective.end.is_some_and(|end| at.begin >= end)
    };
    if is_over {
        return Ok(None);
    }
    let act = Act::Bound {
        target: target.id,
        at,
    };
    Ok(Some((act, Disposition::Bounded, Vec::new())))
}

/// External claims in force of another value that overlap the claim as it stands.
fn rivals(scene: &Scene<'_>, claim: &Entry) -> Vec<Id> {
    let many = scene.cardinality(&claim.line, None) == Cardinality::Many;
    if many || !claim.who.is_external() || !scene.is_in_force(claim) {
        return Vec::new();
    }
    let extent = scene.effective(claim);
    let overlapping = scene.overlapping(&claim.line, claim.value(), &extent);
    overlapping.iter().map(|rival| rival.id).collect()
}

fn reopen(scene: &Scene<'_>, target: &Entry, oracle: &Oracle) -> Option<Decided> {
    let mut undoes: Vec<Id> = scene.cuts(target).iter().map(|cut| cut.by).collect();
    undoes.extend(scene.denials(target).iter().map(|denial| denial.id));
    undoes.extend(scene.retractions(target).iter().map(|taken| taken.id));
    if undoes.is_empty() {
        return None;
    }
    let act = Act::Reopen {
        target: target.id,
        undoes,
    };
    let mut trial = oracle.clone();
    trial.entries.push(Entry {
        id: oracle.entries.len(),
        act: act.clone(),
        ..target.clone()
    });
    let then = trial.scene(target.agent, Micros::MAX);
    let rivals = rivals(&then, target);
    let disposition = if rivals.is_empty() {
        Disposition::Reinstated
    } else {
        Disposition::Contested
    };
    Some((act, disposition, rivals))
}
