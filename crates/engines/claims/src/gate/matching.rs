//! Identity and echoes (I6): matches a submission with the claims of its value, and decides if it is new
//! (docs/format/claims.md 4, steps 2 to 4).

use alloc::vec::Vec;

use counterfoil_types::DidKey;

use crate::effective::{Effective, instant_of};
use crate::provenance::{ProvenanceClass, ProvenanceRank};
use crate::time::ValidTime;
use crate::{
    Act, Anchor, ClaimInView, ClaimRef, Provenance, SourceKey, Submission, Submitter, Unit,
};

/// The most claims of one value on a line that are looked at: the newest.
pub(super) const MAX_SAME: usize = 1024;

/// A claim that says the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) reference: ClaimRef,
    pub(super) in_quarantine: bool,
}

/// Result of comparing a submission with the claims of its value.
pub(super) struct Matched {
    pub(super) provenance: Provenance,
    /// A model or an extractor says what the line holds, without new evidence.
    pub(super) is_echo: bool,
    pub(super) claim: Option<Match>,
    /// When a source of the submission said it last, in microseconds since 1970.
    said_us: Option<u64>,
    /// Sources of all claims that match but for their rank, and of their
    /// corroborations. A source of one of them is not new to another.
    known: Vec<SourceKey>,
}

/// A day, in microseconds: the shortest time between confirmations of a claim by one source.
const DAY_US: u64 = 86_400_000_000;

/// Compares a submission with the claims of its value on the line.
pub(super) fn compare(
    submission: &Submission,
    same: &[ClaimInView],
    anchors: &[Anchor],
    stamp_us: u64,
) -> Matched {
    let provenance = match submission.provenance.class() {
        ProvenanceClass::RecallReEntry => Provenance::assigned(ProvenanceClass::ModelDerived),
        _ => submission.provenance,
    };
    let may_echo = !provenance.is_external() || submission.door == Submitter::Extractor;
    let own = SourceKey::of(provenance, anchors);
    let (ended, mut matching): (Vec<_>, Vec<_>) = matching(same, submission, anchors, stamp_us)
        .into_iter()
        .partition(|known| known.has_ended);
    let mut claim = first(&matching, provenance.rank());
    if may_echo && matching.is_empty() {
        matching = ended;
    }
    let known = sources(&matching, &submission.via);
    let said = matching
        .iter()
        .flat_map(|known| known.said_by(&own, &submission.via));
    let said_us = said.max();
    let is_echo = may_echo && !matching.is_empty() && !brings_evidence(&known, anchors);
    if is_echo {
        let any = || first(&matching, ProvenanceRank::Inferred);
        claim = first(&matching, provenance.rank()).or_else(any);
    }
    Matched {
        provenance,
        is_echo,
        claim,
        said_us,
        known,
    }
}

impl Matched {
    /// The sources that the submission adds to the claim; none where it may not corroborate it.
    pub(super) fn new_sources(&self, anchors: &[Anchor]) -> Vec<SourceKey> {
        let mut sources = SourceKey::of(self.provenance, anchors);
        sources.retain(|source| {
            self.provenance.is_trusted() && !self.is_echo && !self.known.contains(source)
        });
        sources
    }

    /// Returns whether the submission confirms the claim: its source said so a day ago at least. A model only echoes.
    pub(super) fn confirms(&self, stamp_us: u64) -> bool {
        let is_later = |said_us: u64| stamp_us.saturating_sub(said_us) >= DAY_US;
        self.provenance.is_trusted() && !self.is_echo && self.said_us.is_some_and(is_later)
    }
}

/// Returns whether two windows are the same as given: their boundaries, and their trust.
pub(super) fn same_window(one: Option<&ValidTime>, other: Option<&ValidTime>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            one.from == other.from
                && one.until == other.until
                && one.is_trusted() == other.is_trusted()
        }
        _ => false,
    }
}

/// A claim that says the same.
struct Known<'a> {
    view: &'a ClaimInView,
    seen: Effective<'a>,
    /// A bound or another claim has ended it, or it was taken back: only an echo matches it.
    has_ended: bool,
}

impl Known<'_> {
    /// The times at which one of the sources said so through some of these agents, in microseconds since 1970.
    fn said_by(&self, sources: &[SourceKey], via: &[DidKey]) -> impl Iterator<Item = u64> {
        let own = self.view.claim.reference();
        let again = self.view.assertions.iter().filter(move |unit| {
            matches!(unit.act(), Act::Corroborate { target, .. } | Act::Confirm { target } if target == own)
        });
        let said = core::iter::once(&self.view.claim).chain(again);
        said.filter(move |unit| is_through(unit, via))
            .filter(|unit| unit.sources().iter().any(|it| sources.contains(it)))
            .map(|unit| unit.stamp().micros())
    }
}

/// The claims that say the same, whatever their rank.
fn matching<'a>(
    same: &'a [ClaimInView],
    submission: &Submission,
    anchors: &[Anchor],
    stamp_us: u64,
) -> Vec<Known<'a>> {
    // What is kept apart keeps nothing apart that has evidence.
    let is_evident = !submission.valid.is_some_and(|valid| valid.is_empty());
    let stands_apart = |seen: &Effective<'_>| {
        seen.in_quarantine && is_evident && brings_evidence(&seen.claim.sources(), anchors)
    };
    let known = |view: &'a ClaimInView| {
        let seen = Effective::of_view(view, u64::MAX)?;
        let is_live = seen.is_live(instant_of(stamp_us));
        let is_restated = submission.valid.is_none() && is_live;
        let is_same = same_window(seen.body.valid.as_ref(), submission.valid.as_ref());
        let matches = seen.denied_by.is_none() && (is_restated || is_same) && !stands_apart(&seen);
        let has_ended = seen.retracted_by.is_some() || (seen.cut.is_some() && !is_live);
        matches.then_some(Known {
            view,
            seen,
            has_ended,
        })
    };
    same.iter().filter_map(known).collect()
}

/// The one of the lowest number that has that rank at least.
fn first(matching: &[Known<'_>], rank: ProvenanceRank) -> Option<Match> {
    matching
        .iter()
        .map(|known| &known.seen)
        .filter(|seen| seen.claim.provenance().rank() >= rank)
        .min_by_key(|seen| seen.claim.number())
        .map(|seen| Match {
            reference: seen.claim.reference().clone(),
            in_quarantine: seen.in_quarantine,
        })
}

/// The sources of the claims and of their corroborations that came through no other agents than these. A source that is heard
/// through fewer is heard anew: whom it depends on has changed.
fn sources(matching: &[Known<'_>], via: &[DidKey]) -> Vec<SourceKey> {
    let seen = matching.iter().map(|known| &known.seen);
    let units = seen.flat_map(|seen| core::iter::once(seen.claim).chain(seen.corroborations()));
    let units = units.filter(|unit| is_through(unit, via));
    units.flat_map(Unit::sources).collect()
}

/// Returns whether no other agents than these handed a unit on.
fn is_through(unit: &Unit, via: &[DidKey]) -> bool {
    unit.via().iter().all(|relay| via.contains(relay))
}

/// Returns whether some anchor has a source that is not known.
fn brings_evidence(known: &[SourceKey], anchors: &[Anchor]) -> bool {
    anchors.iter().any(|anchor| {
        let cited = SourceKey::of_anchor(anchor);
        !known.contains(&cited)
    })
}
