//! Belief, history and what is contested (docs/format/claims.md 7).

use crate::answer::{Belief, Currency, Marker, Past, Side, State, Status, Support};
use crate::calendar::{DAY, Granule, Micros};
use crate::entry::{Act, Entry, Source};
use crate::oracle::Oracle;
use crate::request::{Cardinality, Id, Who};
use crate::scene::{CutKind, Scene};

/// How many ancestors are looked at.
const ANCESTORS: usize = 256;

/// The claims that hold at the instant.
struct Candidates<'a> {
    /// External ones that yield to none.
    external: Vec<&'a Entry>,
    /// Those of models that yield to none.
    inferred: Vec<&'a Entry>,
    /// Those of agents that do not count, and that yield to none.
    untrusted: Vec<&'a Entry>,
    yielded: Vec<&'a Entry>,
}

impl Oracle {
    /// What is believed of a line about `valid_at`, as known at `as_of`.
    #[must_use]
    pub fn believe(
        &self,
        agent: u8,
        line: &(String, String),
        valid_at: Micros,
        as_of: Micros,
    ) -> Belief {
        let (entries, line) = (self.read(agent, as_of), &self.main_line(line, as_of));
        let scene = Scene::of(&entries);
        let mut belief = fold(&scene, line, valid_at, as_of);
        for side in &mut belief.sides {
            if pending_review(&scene, side, valid_at, as_of) {
                side.markers.push(Marker::PendingReview);
                belief.markers.push(Marker::PendingReview);
            }
            side.markers.sort_unstable();
        }
        belief.markers.sort_unstable();
        belief.markers.dedup();
        belief
    }

    /// Every claim of a line with its state.
    #[must_use]
    pub fn history(
        &self,
        agent: u8,
        line: &(String, String),
        valid_at: Micros,
        as_of: Micros,
    ) -> Vec<Past> {
        let (entries, line) = (self.read(agent, as_of), &self.main_line(line, as_of));
        let scene = Scene::of(&entries);
        let belief = fold(&scene, line, valid_at, as_of);
        let claims = scene.claims(line).into_iter();
        claims
            .map(|claim| {
                let effective = scene.effective(claim);
                Past {
                    claim: claim.id,
                    state: state(&scene, &belief, claim, valid_at),
                    window: (!effective.is_empty()).then_some((effective.start, effective.end)),
                    corroborations: corroborations(&scene, &[claim]),
                }
            })
            .collect()
    }

    /// Every line of an agent that has a unit, in order, under the main names of a time.
    #[must_use]
    pub fn lines(&self, agent: u8, at: Micros) -> Vec<(String, String)> {
        let scene = self.scene(agent, Micros::MAX);
        let mut lines: Vec<_> = scene
            .entries
            .iter()
            .map(|entry| self.main_line(&entry.line, at))
            .collect();
        lines.sort();
        lines.dedup();
        lines
    }
}

fn candidates<'a>(scene: &Scene<'a>, line: &(String, String), valid_at: Micros) -> Candidates<'a> {
    let mut found = Candidates {
        external: Vec::new(),
        inferred: Vec::new(),
        untrusted: Vec::new(),
        yielded: Vec::new(),
    };
    for claim in scene.claims(line) {
        if !scene.is_live(claim, valid_at) {
            continue;
        }
        if !yields_to(scene, claim, valid_at).is_empty() {
            found.yielded.push(claim);
        } else {
            match weight(scene, claim) {
                2 => found.external.push(claim),
                1 => found.inferred.push(claim),
                _ => found.untrusted.push(claim),
            }
        }
    }
    found
}

/// 2 where it decides, 1 where it does so if nothing else does, 0 where it never does: another agent counts by itself, or
/// by an external source that says the same.
fn weight(scene: &Scene<'_>, claim: &Entry) -> u8 {
    if !claim.who.is_external() {
        return 1;
    }
    let mut about = scene.about(claim.id);
    let is_backed =
        about.any(|entry| matches!(entry.act, Act::Corroborate { .. }) && entry.who.is_external());
    if claim.who.counts() || is_backed {
        2
    } else {
        0
    }
}

/// Those of another value to which a claim yields: to its own weight or a higher one, none in a set.
fn yields_to<'a>(scene: &Scene<'a>, claim: &Entry, valid_at: Micros) -> Vec<&'a Entry> {
    if scene.cardinality(&claim.line, None) == Cardinality::Many {
        return Vec::new();
    }
    let others = scene.claims(&claim.line).into_iter();
    others
        .filter(|other| scene.is_live(other, valid_at))
        .filter(|other| weight(scene, other) >= weight(scene, claim))
        .filter(|other| yields(scene, claim, other, valid_at))
        .collect()
}

/// Whether `claim` gave way to `other`, or `other` does not yet to it, at `valid_at`.
fn yields(scene: &Scene<'_>, claim: &Entry, other: &Entry, valid_at: Micros) -> bool {
    if claim.value() == other.value() {
        return false;
    }
    let (mine, its) = (scene.effective(claim), scene.effective(other));
    let gave_way = mine.hands_over(&its).is_some_and(|at| at <= valid_at);
    let not_yet = its.hands_over(&mine).is_some_and(|at| valid_at < at);
    gave_way || not_yet
}

fn fold(scene: &Scene<'_>, line: &(String, String), valid_at: Micros, as_of: Micros) -> Belief {
    let many = scene.cardinality(line, None) == Cardinality::Many;
    let found = candidates(scene, line, valid_at);
    let is_external = !found.external.is_empty();
    let holding = if is_external {
        &found.external
    } else {
        &found.inferred
    };
    let sides = sides(scene, holding, many, as_of);
    let decides = |claim: &&&Entry| sides.iter().any(|side| side.value == claim.value());
    let dissent = found.inferred.iter().filter(|claim| !decides(claim));
    let dissent: Vec<&Entry> = dissent.copied().collect();
    let mut others = found.yielded.clone();
    others.retain(|claim| !decides(&claim));
    others.extend(dissent.iter().copied());
    others.extend(found.untrusted.iter().filter(|claim| !decides(claim)));
    others.sort_by_key(|claim| claim.number);
    let mut markers = Vec::new();
    for side in &sides {
        markers.extend(side.markers.clone());
    }
    if sides.iter().any(|side| side.currency != Currency::Fresh) {
        markers.push(Marker::AgingUnconfirmed);
    }
    let alternatives = self::sides(scene, &others, many, as_of);
    let is_untrusted = |side: &Side| side.markers.contains(&Marker::Untrusted);
    if alternatives.iter().any(is_untrusted) {
        markers.push(Marker::Untrusted);
    }
    if !dissent.is_empty() {
        markers.push(Marker::ModelDissent);
    }
    let of_peers = |side: &Side| side.markers.contains(&Marker::PeerSourced);
    if !sides.iter().all(of_peers) {
        markers.retain(|marker| *marker != Marker::PeerSourced);
    }
    Belief {
        status: status(scene, line, holding, &sides, many, valid_at),
        support: match (sides.is_empty(), is_external) {
            (true, _) => None,
            (_, true) => Some(Support::External),
            (_, false) => Some(Support::Inferred),
        },
        sides,
        alternatives,
        markers,
    }
}

fn status(
    scene: &Scene<'_>,
    line: &(String, String),
    holding: &[&Entry],
    sides: &[Side],
    many: bool,
    valid_at: Micros,
) -> Status {
    match sides.len() {
        0 => {
            let claims = scene.claims(line);
            let ended = claims.iter().any(|claim| {
                let end = scene.effective(claim).end;
                scene.is_in_force(claim) && end.is_some_and(|end| end <= valid_at)
            });
            if ended {
                Status::Ended
            } else {
                Status::NoBelief
            }
        }
        _ if many => Status::Resolved,
        1 if holding.iter().any(|claim| is_certain(claim, valid_at)) => Status::Resolved,
        1 => Status::TimingUncertain,
        _ => Status::Contested,
    }
}

/// Whether the instant is outside of the coarse boundaries of a dated claim.
fn is_certain(claim: &Entry, valid_at: Micros) -> bool {
    let valid = claim.statement().and_then(|said| said.valid.clone());
    let inside = |text: Option<String>| {
        let granule = text.as_deref().and_then(Granule::read);
        granule.is_some_and(|granule| granule.coarse && granule.covers(valid_at))
    };
    Scene::is_dated(claim) && valid.is_some_and(|valid| !inside(valid.from) && !inside(valid.until))
}

fn sides(scene: &Scene<'_>, claims: &[&Entry], is_set: bool, as_of: Micros) -> Vec<Side> {
    let mut values: Vec<&str> = Vec::new();
    for claim in claims {
        if !values.contains(&claim.value()) {
            values.push(claim.value());
        }
    }
    let side = |value: &str| {
        let its = claims.iter().filter(|claim| claim.value() == value);
        side(scene, its.copied().collect(), is_set, as_of)
    };
    values.into_iter().map(side).collect()
}

/// Number of sources that stand behind the claims, less the most of one. An agent is one source, by whichever of its
/// ways it counts.
fn corroborations(scene: &Scene<'_>, claims: &[&Entry]) -> usize {
    let mut sources: Vec<Source> = Vec::new();
    for source in claims.iter().flat_map(|claim| scene.corroborations(claim)) {
        if !sources.contains(&source) {
            sources.push(source);
        }
    }
    let mut own = 1;
    for claim in claims {
        let stating = match claim.who {
            Who::Peer { number, .. } => vec![Source::Peer(number)],
            _ => claim.sources(),
        };
        let mut its = Vec::new();
        for source in stating {
            let counts = claim.who.counts() || sources.contains(&source);
            if counts && !its.contains(&source) {
                its.push(source);
            }
        }
        own = own.max(its.len());
        its.retain(|source| !sources.contains(source));
        sources.extend(its);
    }
    sources.len().saturating_sub(own)
}

/// The side of claims of one value.
fn side(scene: &Scene<'_>, claims: Vec<&Entry>, is_set: bool, as_of: Micros) -> Side {
    let confirmed = claims.iter().map(|claim| scene.confirmed(claim)).max();
    let confirmed = confirmed.unwrap_or_default();
    let currency = match (as_of - confirmed) / DAY {
        ..30 => Currency::Fresh,
        30..90 => Currency::AgingUnconfirmed,
        _ => Currency::Decayed,
    };
    let mut markers = Vec::new();
    if currency != Currency::Fresh {
        let [set, other] = [Marker::AgedSetMember, Marker::AgingUnconfirmed];
        markers.push(if is_set { set } else { other });
    }
    let is_peers = |claim: &&Entry| matches!(claim.who, Who::Peer { .. });
    if claims.iter().all(is_peers) {
        markers.push(Marker::PeerSourced);
    }
    if claims.iter().all(|claim| weight(scene, claim) == 0) {
        markers.push(Marker::Untrusted);
    }
    let window = |claim: &Entry| {
        let effective = scene.effective(claim);
        (effective.start, effective.end)
    };
    Side {
        value: claims
            .first()
            .map(|claim| claim.value().to_owned())
            .unwrap_or_default(),
        claims: claims
            .iter()
            .map(|claim| (claim.id, window(claim)))
            .collect(),
        corroborations: corroborations(scene, &claims),
        confirmed,
        currency,
        markers,
    }
}

/// Whether something that the claims were derived from does not stand.
fn pending_review(scene: &Scene<'_>, side: &Side, valid_at: Micros, as_of: Micros) -> bool {
    let mut ancestors: Vec<Id> = Vec::new();
    let mut next: Vec<Id> = side.claims.iter().map(|(id, _)| *id).collect();
    while let Some(id) = next.pop() {
        let parents = scene.claim(id).map(|claim| claim.derived_from.clone());
        for parent in parents.unwrap_or_default() {
            if !ancestors.contains(&parent) {
                ancestors.push(parent);
                next.push(parent);
            }
        }
    }
    let falls = |id: &Id| {
        scene.claim(*id).is_some_and(|claim| {
            let there = fold(scene, &claim.line, valid_at, as_of);
            is_superseded(scene, claim)
                || scene.is_denied(claim)
                || scene.is_retracted(claim)
                || (there.status == Status::Contested && names(&there, *id))
        })
    };
    ancestors.len() > ANCESTORS || ancestors.iter().any(falls)
}

fn is_superseded(scene: &Scene<'_>, claim: &Entry) -> bool {
    scene
        .cutting(claim)
        .is_some_and(|cut| cut.kind == CutKind::Taken)
}

fn names(belief: &Belief, id: Id) -> bool {
    let mut claims = belief.sides.iter().flat_map(|side| &side.claims);
    claims.any(|(claim, _)| *claim == id)
}

fn state(scene: &Scene<'_>, belief: &Belief, claim: &Entry, valid_at: Micros) -> State {
    if scene.is_quarantined(claim) {
        return State::Quarantined;
    }
    if scene.is_denied(claim) {
        return State::Denied;
    }
    if scene.is_retracted(claim) {
        return State::Retracted;
    }
    let past = if is_superseded(scene, claim) {
        State::Superseded
    } else {
        State::Ended
    };
    let effective = scene.effective(claim);
    if effective.is_empty() {
        return past;
    }
    if !effective.contains(valid_at) {
        return match effective.start {
            Some(start) if start > valid_at => State::Scheduled,
            _ => past,
        };
    }
    let later = yields_to(scene, claim, valid_at);
    let starts_later = |other: &&Entry| scene.effective(other).start > effective.start;
    if later.iter().any(starts_later) {
        State::Ended
    } else if !later.is_empty() {
        State::Scheduled
    } else if belief.status == Status::Contested && names(belief, claim.id) {
        State::Contested
    } else {
        State::Current
    }
}
