//! Identity and echoes (I6): matches a submission with the claims of its value, and decides if it is new
//! (docs/format/claims.md 4, steps 2 to 4).

use alloc::vec::Vec;

use crate::effective::{Effective, instant_of};
use crate::provenance::{ProvenanceClass, ProvenanceRank};
use crate::time::{ValidTime, Window};
use crate::{
    Anchor, ClaimError, ClaimInView, ClaimRef, LineView, Provenance, SourceKey, Submission,
};

/// The most claims of one value on a line that are looked at: the newest.
pub(super) const MAX_SAME: usize = 1024;
/// So many re-entries of a value within a minute are borne; the next is a burst.
const MAX_RE_ENTRIES: u32 = 64;

/// A claim that says the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) reference: ClaimRef,
    pub(super) in_quarantine: bool,
}

/// Result of comparing a submission with the claims of its value.
pub(super) struct Matched {
    pub(super) provenance: Provenance,
    pub(super) is_re_entry: bool,
    pub(super) claim: Option<Match>,
    /// Sources of all claims that match but for their rank, and of their
    /// corroborations. A source of one of them is not new to another.
    known: Vec<SourceKey>,
    /// Claim that is answered in a burst.
    pub(super) burst: Option<ClaimRef>,
}

/// Compares a submission with the claims of its value on the line.
pub(super) fn compare(
    view: &dyn LineView,
    submission: &Submission,
    same: &[ClaimInView],
    anchors: &[Anchor],
    stamp_us: u64,
) -> Result<Matched, ClaimError> {
    let given = submission.provenance;
    let matching = matching(same, submission, anchors, stamp_us);
    let claim = first(&matching, given.rank());
    let claim_of_any = claim
        .clone()
        .or_else(|| first(&matching, ProvenanceRank::Inferred));
    let known = sources(&matching);
    let Submission {
        subject,
        predicate,
        value,
        ..
    } = submission;
    let is_re_entry = given.class() == ProvenanceClass::RecallReEntry
        || (!brings_evidence(&known, anchors) && view.was_served(subject, predicate, value)?);
    if !is_re_entry {
        return Ok(Matched {
            provenance: given,
            is_re_entry,
            claim,
            known,
            burst: None,
        });
    }
    let is_burst = view.re_entries(subject, predicate, value)? >= MAX_RE_ENTRIES;
    let told = match &claim_of_any {
        _ if !is_burst => None,
        Some(claim) => Some(claim.reference.clone()),
        None => {
            let always = Window {
                start: None,
                end: None,
            };
            let last = view.of_value(subject, predicate, value, always, 1)?;
            last.last().map(|known| known.claim.reference().clone())
        }
    };
    Ok(Matched {
        provenance: Provenance::assigned(if claim_of_any.is_some() {
            ProvenanceClass::RecallReEntry
        } else {
            ProvenanceClass::ModelDerived
        }),
        is_re_entry,
        burst: told,
        claim: claim_of_any,
        known,
    })
}

impl Matched {
    /// The sources that the submission adds to the claim; none where it may not corroborate it.
    pub(super) fn new_sources(&self, anchors: &[Anchor]) -> Vec<SourceKey> {
        let may = match self.provenance.class() {
            ProvenanceClass::UserAsserted | ProvenanceClass::FirstHand => true,
            ProvenanceClass::Peer { level, .. } => level >= 2,
            ProvenanceClass::ModelDerived => !anchors.is_empty(),
            ProvenanceClass::RecallReEntry => false,
        };
        let mut sources = SourceKey::of(self.provenance, anchors);
        sources.retain(|source| may && !self.known.contains(source));
        sources
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

/// The claims that say the same, whatever their rank.
fn matching<'a>(
    same: &'a [ClaimInView],
    submission: &Submission,
    anchors: &[Anchor],
    stamp_us: u64,
) -> Vec<Effective<'a>> {
    // What is kept apart keeps nothing apart that has evidence.
    let is_evident = !submission.valid.is_some_and(|valid| valid.is_incoherent());
    let stands_apart = |known: &Effective<'_>| {
        known.in_quarantine && is_evident && brings_evidence(&known.claim.sources(), anchors)
    };
    let matches = |known: &Effective<'_>| {
        let is_live = known.is_live(instant_of(stamp_us));
        let is_restated = submission.valid.is_none() && is_live;
        let is_same = same_window(known.body.valid.as_ref(), submission.valid.as_ref());
        let is_whole = known.cut.is_none() || is_live;
        known.denied_by.is_none() && (is_restated || (is_same && is_whole))
    };
    same.iter()
        .filter_map(|known| Effective::of_view(known, u64::MAX))
        .filter(|known| matches(known) && !stands_apart(known))
        .collect()
}

/// The one of the lowest number that has that rank at least.
fn first(matching: &[Effective<'_>], rank: ProvenanceRank) -> Option<Match> {
    matching
        .iter()
        .filter(|known| known.claim.provenance().rank() >= rank)
        .min_by_key(|known| known.claim.number())
        .map(|known| Match {
            reference: known.claim.reference().clone(),
            in_quarantine: known.in_quarantine,
        })
}

fn sources(matching: &[Effective<'_>]) -> Vec<SourceKey> {
    let own = matching.iter().flat_map(|known| known.claim.sources());
    let added = matching.iter().flat_map(|known| &known.corroborated_by);
    own.chain(added.copied().cloned()).collect()
}

/// Returns whether some anchor has a source that is not known.
fn brings_evidence(known: &[SourceKey], anchors: &[Anchor]) -> bool {
    anchors.iter().any(|anchor| {
        let cited = SourceKey::of_anchor(anchor);
        !known.contains(&cited)
    })
}
