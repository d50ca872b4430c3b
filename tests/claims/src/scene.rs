//! What the units of an agent that were recorded until an instant say of its claims (docs/format/claims.md 3, 5).

use crate::answer::Disposition;
use crate::calendar::{Granule, Micros};
use crate::entry::{Act, Entry, Source};
use crate::request::{Cardinality, Id, Valid};
use crate::window::Extent;

/// The trust threshold: at it and below, a window is not used.
pub(crate) const TRUSTED_ABOVE: f64 = 0.7;

/// The units of an agent that count.
pub(crate) struct Scene<'a> {
    pub(crate) entries: Vec<&'a Entry>,
}

/// Something that cuts a claim; `None` is before all time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) by: Id,
    pub(crate) at: Option<Micros>,
    pub(crate) kind: CutKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CutKind {
    Bound,
    /// Another claim takes its place.
    Taken,
}

/// Whether a window is used.
pub(crate) fn is_dated(valid: Option<&Valid>) -> bool {
    valid.is_some_and(|valid| is_trusted(valid) && !is_incoherent(valid))
}

/// Whether it names a boundary, with enough confidence.
pub(crate) fn is_trusted(valid: &Valid) -> bool {
    (valid.from.is_some() || valid.until.is_some()) && valid.confidence > TRUSTED_ABOVE
}

/// Whether a window ends before it begins.
pub(crate) fn is_incoherent(valid: &Valid) -> bool {
    let granule = |text: &Option<String>| text.as_deref().and_then(Granule::read);
    match (granule(&valid.from), granule(&valid.until)) {
        (Some(from), Some(until)) => from.begin > until.begin && from.begin >= until.end,
        _ => false,
    }
}

/// Whether no instant lies in the window, so that the gate lets it in at no door.
pub(crate) fn is_empty(valid: &Valid) -> bool {
    let granule = |text: &Option<String>| text.as_deref().and_then(Granule::read);
    match (granule(&valid.from), granule(&valid.until)) {
        (Some(from), Some(until)) => from.begin >= until.end,
        _ => false,
    }
}

/// The own window of a claim that was recorded at `stamp`.
pub(crate) fn own_window(valid: Option<&Valid>, stamp: Micros) -> Extent {
    let granule = |text: &Option<String>| text.as_deref().and_then(Granule::read);
    match valid.filter(|valid| is_dated(Some(valid))) {
        Some(valid) => {
            let (from, until) = (granule(&valid.from), granule(&valid.until));
            Extent {
                start: from.map(|from| from.begin),
                start_granule: from,
                end: until.map(|until| until.end),
                end_granule: until,
            }
        }
        None => Extent {
            start: Some(stamp),
            start_granule: Some(Granule::instant(stamp)),
            end: None,
            end_granule: None,
        },
    }
}

impl<'a> Scene<'a> {
    /// All of these units.
    pub(crate) fn of(entries: &'a [Entry]) -> Self {
        Self {
            entries: entries.iter().collect(),
        }
    }

    pub(crate) fn entry(&self, id: Id) -> Option<&'a Entry> {
        self.entries.iter().copied().find(|entry| entry.id == id)
    }

    /// The claim of that name.
    pub(crate) fn claim(&self, id: Id) -> Option<&'a Entry> {
        self.entry(id).filter(|entry| entry.statement().is_some())
    }

    /// The claims of a line, in the order of their numbers.
    pub(crate) fn claims(&self, line: &(String, String)) -> Vec<&'a Entry> {
        let on_line = self.entries.iter().copied();
        on_line
            .filter(|entry| entry.line == *line && entry.statement().is_some())
            .collect()
    }

    pub(crate) fn about(&self, id: Id) -> impl Iterator<Item = &'a Entry> + '_ {
        let all = self.entries.iter().copied();
        all.filter(move |entry| entry.target() == Some(id))
    }

    pub(crate) fn is_released(&self, claim: &Entry) -> bool {
        self.about(claim.id)
            .any(|entry| matches!(entry.act, Act::Release { .. }))
    }

    pub(crate) fn is_quarantined(&self, claim: &Entry) -> bool {
        claim.disposition == Disposition::Quarantined && !self.is_released(claim)
    }

    fn is_undone(&self, claim: Id, unit: Id) -> bool {
        self.about(claim)
            .any(|entry| matches!(&entry.act, Act::Reopen { undoes, .. } if undoes.contains(&unit)))
    }

    /// The denials of a claim that are in force.
    pub(crate) fn denials(&self, claim: &Entry) -> Vec<&'a Entry> {
        self.about(claim.id)
            .filter(|entry| matches!(entry.act, Act::Deny { .. }))
            .filter(|entry| !self.is_undone(claim.id, entry.id))
            .collect()
    }

    /// The retractions of a claim that are in force.
    pub(crate) fn retractions(&self, claim: &Entry) -> Vec<&'a Entry> {
        self.about(claim.id)
            .filter(|entry| matches!(entry.act, Act::Retract { .. }))
            .filter(|entry| !self.is_undone(claim.id, entry.id))
            .collect()
    }

    pub(crate) fn is_retracted(&self, claim: &Entry) -> bool {
        !self.retractions(claim).is_empty()
    }

    pub(crate) fn is_denied(&self, claim: &Entry) -> bool {
        !self.denials(claim).is_empty()
    }

    /// Whether the window of the claim is used.
    pub(crate) fn is_dated(claim: &Entry) -> bool {
        is_dated(claim.statement().and_then(|said| said.valid.as_ref()))
    }

    pub(crate) fn own(claim: &Entry) -> Extent {
        let valid = claim.statement().and_then(|said| said.valid.as_ref());
        own_window(valid, claim.stamp)
    }

    /// Whether the claim that took its place was taken back.
    fn is_freed(&self, claim: Id, taker: Id) -> bool {
        self.about(taker)
            .any(|entry| matches!(&entry.act, Act::Retract { frees, .. } if frees.contains(&claim)))
    }

    /// What cuts the claim and is in force.
    pub(crate) fn cuts(&self, claim: &Entry) -> Vec<Cut> {
        let taken = |by: &Entry, taker: Id| {
            let start = self.claim(taker).map(|taker| Self::own(taker).start);
            start.map(|at| Cut {
                by: by.id,
                at,
                kind: CutKind::Taken,
            })
        };
        let cut = |entry: &&Entry| match &entry.act {
            Act::Bound { target, at } if *target == claim.id => Some(Cut {
                by: entry.id,
                at: Some(at.begin),
                kind: CutKind::Bound,
            }),
            Act::Claim { supersedes, .. }
                if supersedes.contains(&claim.id) && !self.is_freed(claim.id, entry.id) =>
            {
                (entry.disposition != Disposition::Quarantined).then(|| taken(entry, entry.id))?
            }
            Act::Supersede { target, by } if *target == claim.id => taken(entry, *by),
            Act::Affirm { target, rivals } if rivals.contains(&claim.id) => taken(entry, *target),
            _ => None,
        };
        let all = self.entries.iter().filter_map(cut);
        all.filter(|cut| !self.is_undone(claim.id, cut.by))
            .collect()
    }

    /// The bounds before its own end that somebody but a model has set.
    pub(crate) fn external_bounds(&self, claim: &Entry) -> Vec<Micros> {
        let own = Self::own(claim);
        let by_others = |cut: &Cut| {
            let unit = self.entry(cut.by);
            unit.is_some_and(|unit| unit.who.is_external()) && cut.kind == CutKind::Bound
        };
        let cuts = self.cuts(claim).into_iter().filter(by_others);
        cuts.filter_map(|cut| cut.at)
            .filter(|at| own.end.is_none_or(|end| *at < end))
            .collect()
    }

    /// The cut that counts, if one does.
    pub(crate) fn cutting(&self, claim: &Entry) -> Option<Cut> {
        let own = Self::own(claim);
        let earliest = self
            .cuts(claim)
            .into_iter()
            .min_by_key(|cut| (cut.at, cut.kind != CutKind::Bound))?;
        let too_late = matches!((earliest.at, own.end), (Some(at), Some(end)) if at >= end);
        (!too_late).then_some(earliest)
    }

    /// The effective window; it may be empty.
    pub(crate) fn effective(&self, claim: &Entry) -> Extent {
        let own = Self::own(claim);
        let Some(cut) = self.cutting(claim) else {
            return own;
        };
        let nothing = Extent {
            start: Some(0),
            end: Some(0),
            ..own
        };
        let Some(at) = cut.at else { return nothing };
        let cut_off = Extent {
            end: Some(at),
            end_granule: Some(Granule::instant(at)),
            ..own
        };
        if own.start.is_none_or(|start| start < at) {
            return cut_off;
        }
        if cut.kind == CutKind::Bound && !Self::is_dated(claim) {
            return Extent {
                start: None,
                start_granule: None,
                ..cut_off
            };
        }
        nothing
    }

    pub(crate) fn is_in_force(&self, claim: &Entry) -> bool {
        !self.is_quarantined(claim)
            && !self.is_denied(claim)
            && !self.is_retracted(claim)
            && !self.effective(claim).is_empty()
    }

    pub(crate) fn is_live(&self, claim: &Entry, at: Micros) -> bool {
        self.is_in_force(claim) && self.effective(claim).contains(at)
    }

    /// Sources of the claim and of its corroborations.
    pub(crate) fn sources(&self, claim: &Entry) -> Vec<Source> {
        let mut all = claim.sources();
        all.extend(self.corroborations(claim));
        all
    }

    /// When one of these sources has said so: in the claim, or in a unit that agrees with it.
    pub(crate) fn said_by(&self, claim: &Entry, by: &[Source]) -> Vec<Micros> {
        let one_of = |sources: &[Source]| sources.iter().any(|source| by.contains(source));
        let mut times = Vec::new();
        if one_of(&claim.sources()) {
            times.push(claim.stamp);
        }
        for entry in self.about(claim.id) {
            let says_so = match &entry.act {
                Act::Corroborate { sources, .. } => one_of(sources),
                Act::Confirm { .. } => one_of(&entry.sources()),
                _ => false,
            };
            times.extend(says_so.then_some(entry.stamp));
        }
        times
    }

    /// The distinct sources of its corroborations.
    pub(crate) fn corroborations(&self, claim: &Entry) -> Vec<Source> {
        let mut all = Vec::new();
        for entry in self.about(claim.id) {
            if let Act::Corroborate { sources, .. } = &entry.act {
                for source in sources {
                    if !all.contains(source) {
                        all.push(*source);
                    }
                }
            }
        }
        all
    }

    /// When the claim was confirmed last.
    pub(crate) fn confirmed(&self, claim: &Entry) -> Micros {
        self.about(claim.id)
            .filter(|entry| matches!(entry.act, Act::Corroborate { .. } | Act::Confirm { .. }))
            .map(|entry| entry.stamp)
            .fold(claim.stamp, Micros::max)
    }

    /// Cardinality of the line; `and` is what a submission adds to it.
    pub(crate) fn cardinality(
        &self,
        line: &(String, String),
        and: Option<(Cardinality, Option<Cardinality>)>,
    ) -> Cardinality {
        let mut registered = None;
        let mut said = Vec::new();
        for claim in self.claims(line) {
            if let Act::Claim {
                cardinality,
                registered: host,
                ..
            } = &claim.act
            {
                registered = host.or(registered);
                if claim.who.is_external() && claim.disposition != Disposition::Quarantined {
                    said.push(*cardinality);
                }
            }
        }
        if let Some((cardinality, host)) = and {
            registered = host.or(registered);
            said.push(cardinality);
        }
        if let Some(registered) = registered {
            registered
        } else if said.contains(&Cardinality::One) {
            Cardinality::One
        } else if said.contains(&Cardinality::Many) {
            Cardinality::Many
        } else {
            Cardinality::Unknown
        }
    }

    /// External claims in force on the line, of another value, that overlap.
    pub(crate) fn overlapping(
        &self,
        line: &(String, String),
        value: &str,
        extent: &Extent,
    ) -> Vec<&'a Entry> {
        let claims = self.claims(line).into_iter();
        claims
            .filter(|claim| claim.who.is_external() && claim.value() != value)
            .filter(|claim| self.is_in_force(claim) && self.effective(claim).overlaps(extent))
            .collect()
    }

    /// How far a claim is from evidence.
    pub(crate) fn depth(&self, claim: &Entry) -> u32 {
        if claim.who.is_external() {
            0
        } else {
            self.depth_of(!claim.anchors.is_empty(), &claim.derived_from)
        }
    }

    /// Depth of a model's claim.
    pub(crate) fn depth_of(&self, is_anchored: bool, derived_from: &[Id]) -> u32 {
        if is_anchored {
            return 1;
        }
        let parents = derived_from.iter().filter_map(|id| self.claim(*id));
        1 + parents.map(|parent| self.depth(parent)).max().unwrap_or(0)
    }
}
