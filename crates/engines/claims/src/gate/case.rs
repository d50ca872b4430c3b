//! A submission with the inputs of the rows of the gate. Inputs of later rows are read when those rows are reached.

use alloc::vec::Vec;
use core::cell::OnceCell;

use counterfoil_types::Confidence;

use super::matching::{self, Matched};
use super::references;
use super::rivals::{self, Contender};
use super::writing::Ruling;
use crate::effective::{Effective, Extent, denial_in_force, external_bound, instant_of};
use crate::limits::MAX_REFS;
use crate::time::{Boundary, Micros, ValidTime, Window};
use crate::unit::Keyed;
use crate::{
    Act, Anchor, Cardinality, ClaimBody, ClaimError, ClaimInView, ClaimRef, Disposition,
    GateDecision, LineState, LineView, ProvenanceRank, Reasons, Settings, SourceKey, Submission,
    Unit,
};

/// A model's claim that is deeper is quarantined.
pub const MAX_DEPTH: u32 = 2;

/// The depth of a claim that was recorded: 0 for an external one.
pub fn depth_of(claim: &Unit) -> u32 {
    if claim.provenance().is_external() {
        0
    } else {
        claim.because().depth.unwrap_or(1)
    }
}

/// Claims of other values by the source of the submission that hold at its start or later, at most [`MAX_REFS`]: it takes their
/// place if it is to replace them.
fn replaced(
    view: &dyn LineView,
    submission: &Submission,
    stamp_us: u64,
) -> Result<Vec<ClaimInView>, ClaimError> {
    if !submission.replaces {
        return Ok(Vec::new());
    }
    let own = Extent::own(submission.valid.as_ref(), stamp_us).window();
    let open = Window { end: None, ..own };
    let limit = rivals::MAX_COUNTED;
    let touching = view.touching(submission.line(), open, &submission.value, limit)?;
    let source = SourceKey::of(submission.provenance, &[]);
    let mut targets = Vec::new();
    for known in touching {
        let seen = Effective::of_view(&known, u64::MAX);
        let touches = seen.is_some_and(|seen| {
            let goes_on = |end: Micros| own.start.is_none_or(|start| start < end);
            seen.in_force() && seen.extent.window().end.is_none_or(goes_on)
        });
        let is_own = SourceKey::of(known.claim.provenance(), &[]) == source;
        let is_named = submission.supersedes.contains(known.claim.reference());
        if touches && is_own && !is_named {
            targets.push(known);
        }
    }
    let found = targets.len().saturating_add(submission.supersedes.len());
    match found <= MAX_REFS {
        true => Ok(targets),
        false => Err(ClaimError::TooMany {
            what: "supersedes",
            limit: MAX_REFS,
            found,
        }),
    }
}

/// A submission about to be decided.
pub(super) struct Case<'a> {
    settings: &'a Settings,
    stamp_us: u64,
    view: &'a dyn LineView,
    pub(super) submission: &'a Submission,
    keyed: Option<Keyed>,
    line: LineState,
    pub(super) anchors: Vec<Anchor>,
    ancestors: Vec<Unit>,
    targets: Vec<ClaimInView>,
    /// Claims of its value on the line.
    same: Vec<ClaimInView>,
    pub(super) matched: Matched,
    rivals: OnceCell<Vec<Unit>>,
}

impl<'a> Case<'a> {
    /// Steps 2 and 3 of section 4, once all references are good.
    pub(super) fn new(
        view: &'a dyn LineView,
        submission: &'a Submission,
        settings: &'a Settings,
        stamp_us: u64,
        keyed: Option<Keyed>,
    ) -> Result<Self, ClaimError> {
        let anchors = references::anchors(view, &submission.anchors)?;
        let ancestors = references::ancestors(view, &submission.derived_from)?;
        let name = submission.line();
        // It may take the place of claims of its own line alone.
        let targets = submission.supersedes.iter().map(|reference| {
            let target = references::claim(view, reference)?;
            match target.claim.line().name() == name {
                true => Ok(target),
                false => Err(ClaimError::OtherLine(reference.clone())),
            }
        });
        let mut targets = targets.collect::<Result<Vec<_>, _>>()?;
        let replaced = replaced(view, submission, stamp_us)?;
        let line = view.line(name)?;
        // No other claim of the value has its window, is live, was denied or ended.
        let window = Extent::own(submission.valid.as_ref(), stamp_us).window();
        let value = &submission.value;
        let same = view.of_value(name, value, window, matching::MAX_SAME)?;
        let mut matched = matching::compare(submission, &same, &anchors, stamp_us);
        if !replaced.is_empty() && !matched.is_echo {
            // Another value is to go, so that a claim is needed that takes its place.
            matched.claim = None;
        }
        let replaces_others = !replaced.is_empty();
        targets.extend(replaced);
        let case = Self {
            settings,
            stamp_us,
            view,
            submission,
            keyed,
            line,
            anchors,
            ancestors,
            targets,
            same,
            matched,
            rivals: OnceCell::new(),
        };
        match replaces_others && case.cardinality() == Cardinality::Many {
            false => Ok(case),
            true => Err(ClaimError::ManyValues {
                subject: submission.subject.clone(),
                predicate: submission.predicate.clone(),
            }),
        }
    }

    /// Refuses a second value of one source, if the submission asks.
    pub(super) fn ask_which_is_meant(&self) -> Result<(), ClaimError> {
        let own = SourceKey::of(self.matched.provenance, &self.anchors);
        let is_own = |rival: &&Unit| {
            let sources = SourceKey::of(rival.provenance(), &rival.anchors);
            sources.iter().any(|source| own.contains(source))
        };
        let mut rivals = self.rivals()?.iter().rev();
        match rivals.find(is_own).filter(|_| self.submission.asks) {
            None => Ok(()),
            Some(rival) => Err(ClaimError::SecondValue {
                subject: self.submission.subject.clone(),
                predicate: self.submission.predicate.clone(),
                reference: rival.reference().clone(),
            }),
        }
    }

    pub(super) fn is_external(&self) -> bool {
        self.matched.provenance.is_external()
    }

    pub(super) fn has_empty_window(&self) -> bool {
        self.submission.valid.is_some_and(|valid| valid.is_empty())
    }

    pub(super) const fn has_oracle(&self) -> bool {
        self.settings.oracle_days.is_some()
    }

    /// Number of derivations between the claim and its evidence; `None` for external claims.
    pub(super) fn depth(&self) -> Option<u32> {
        // 1 if it cites a World, else one more than the deepest that it was derived from.
        let ancestors = self.ancestors.iter().filter(|_| self.anchors.is_empty());
        let deepest = ancestors.map(depth_of).max().unwrap_or(0);
        (!self.is_external()).then(|| deepest.saturating_add(1))
    }

    /// The claim of its value that was denied by somebody of its rank, when it brings no evidence beyond that
    /// claim's and the denial's.
    pub(super) fn denied(&self) -> Option<&ClaimRef> {
        let rank = self.matched.provenance.rank();
        self.first_of_same(|known| {
            let denied = known.claim.reference();
            let is_denial =
                |unit: &&Unit| matches!(unit.act(), Act::Deny { target } if target == denied);
            let denials = known.assertions.iter().filter(is_denial);
            denial_in_force(known).is_some_and(|denied| denied >= rank)
                && !self.cites_beyond(denials.chain([&known.claim]))
        })
    }

    /// The claim of its value that somebody but a model has ended, when a model says that it goes on and brings no
    /// evidence beyond that claim's.
    pub(super) fn ended(&self) -> Option<&ClaimRef> {
        if self.is_external() {
            return None;
        }
        let end = Extent::own(self.submission.valid.as_ref(), self.stamp_us)
            .window()
            .end;
        let goes_on = |bound: Micros| end.is_none_or(|end| bound < end);
        self.first_of_same(|known| {
            Effective::of_view(known, u64::MAX).is_some_and(|seen| !seen.in_quarantine)
                && external_bound(known).is_some_and(goes_on)
                && !self.cites_beyond([&known.claim])
        })
    }

    /// The claim of its value of the lowest number for which `test` holds.
    fn first_of_same(&self, test: impl Fn(&ClaimInView) -> bool) -> Option<&ClaimRef> {
        let found = self.same.iter().filter(|known| test(known));
        let first = found.min_by_key(|known| known.claim.number())?;
        Some(first.claim.reference())
    }

    /// Returns whether it cites a source that none of the units cites.
    fn cites_beyond<'u>(&self, units: impl IntoIterator<Item = &'u Unit>) -> bool {
        let known: Vec<&Anchor> = units.into_iter().flat_map(|unit| &unit.anchors).collect();
        let is_known = |anchor: &Anchor| known.iter().any(|one| one.source == anchor.source);
        !self.anchors.iter().all(is_known)
    }

    /// Claims whose place it takes, those of equal or lower rank, and claims whose place it may not take.
    fn supersedes(&self) -> (Vec<ClaimRef>, Vec<ClaimRef>) {
        let rank = self.matched.provenance.rank();
        let (taken, ignored): (Vec<_>, Vec<_>) = self
            .targets
            .iter()
            .map(|target| &target.claim)
            .partition(|target| target.provenance().rank() <= rank);
        let names =
            |units: Vec<&Unit>| units.into_iter().map(|it| it.reference().clone()).collect();
        (names(taken), names(ignored))
    }

    /// Rivals besides those whose place it takes.
    pub(super) fn rivals(&self) -> Result<&[Unit], ClaimError> {
        if let Some(rivals) = self.rivals.get() {
            return Ok(rivals);
        }
        let rivals = match self.contender() {
            None => Vec::new(),
            Some(contender) => {
                contender.rivals(self.view, &self.supersedes().0, rivals::MAX_COUNTED)?
            }
        };
        Ok(self.rivals.get_or_init(|| rivals))
    }

    /// Returns whether a claim whose place it takes would be its rival.
    pub(super) fn supersedes_a_rival(&self) -> bool {
        let (taken, _) = self.supersedes();
        self.contender().is_some_and(|contender| {
            self.targets
                .iter()
                .filter(|target| taken.contains(target.claim.reference()))
                .any(|target| contender.is_opposed_by(target))
        })
    }

    /// `None` where nothing can contradict it: the line may hold many values, or another agent states it that does not count.
    fn contender(&self) -> Option<Contender<'_>> {
        let is_side = self.matched.provenance.is_trusted();
        (is_side && self.cardinality() != Cardinality::Many).then(|| Contender {
            line: self.submission.line(),
            value: &self.submission.value,
            extent: Extent::own(self.submission.valid.as_ref(), self.stamp_us),
            by_trusted: true,
        })
    }

    /// Returns the cardinality that the submission gives: only those of the user and the host count.
    fn said(&self) -> Cardinality {
        if self.matched.provenance.rank() == ProvenanceRank::Own {
            self.submission.cardinality
        } else {
            Cardinality::Unknown
        }
    }

    /// The cardinality that this agent has decided for the predicate.
    fn registered(&self) -> Option<Cardinality> {
        let vocabulary = &self.settings.vocabulary;
        vocabulary.decided(&self.submission.predicate, self.stamp_us)
    }

    /// The cardinality of the line, the submission included.
    pub(super) fn cardinality(&self) -> Cardinality {
        let said = self.said();
        let by_units = Cardinality::of_line(
            self.line.registered,
            self.line.said_one || said == Cardinality::One,
            self.line.said_many || said == Cardinality::Many,
        );
        let vocabulary = &self.settings.vocabulary;
        vocabulary.cardinality(&self.submission.predicate, by_units, self.stamp_us)
    }

    /// A window from now on, for a claim that replaces others and says nothing of time.
    fn dated_now(&self) -> Option<ValidTime> {
        let now = Boundary::instant(instant_of(self.stamp_us));
        self.submission.replaces.then_some(ValidTime {
            from: Some(now),
            until: None,
            confidence: Confidence::ONE,
        })
    }

    /// Writes it as a claim.
    pub(super) fn write_claim(
        &self,
        disposition: Disposition,
        row: u8,
        rivals: &[Unit],
    ) -> Result<GateDecision, ClaimError> {
        let (mut supersedes, mut ignored) = self.supersedes();
        if disposition == Disposition::Quarantined {
            ignored.append(&mut supersedes);
        }
        let known = Some(self.cardinality()).filter(|known| *known != Cardinality::Unknown);
        let mut because = Reasons {
            equals: self.ended().filter(|_| row == 4).cloned(),
            depth: self.depth(),
            cardinality: known.filter(|_| self.is_external()),
            ignored,
            ..Reasons::default()
        };
        rivals::name(&mut because, rivals);
        let claim = ClaimBody {
            value: self.submission.value.clone(),
            valid: self.submission.valid.or_else(|| self.dated_now()),
            cardinality: self.said(),
            domain: self.submission.domain.clone(),
            registered: self.registered(),
            supersedes,
        };
        self.write(Act::Claim(claim), disposition, row, because)
    }

    /// Writes that it says the same as a claim.
    pub(super) fn write_corroboration(
        &self,
        target: ClaimRef,
        sources: Vec<SourceKey>,
        row: u8,
        because: Reasons,
    ) -> Result<GateDecision, ClaimError> {
        let act = Act::Corroborate { target, sources };
        self.write(act, Disposition::Corroborated, row, because)
    }

    /// Returns whether it says again, a day later at least, what its source said of a claim.
    pub(super) fn confirms(&self) -> bool {
        self.matched.confirms(self.stamp_us)
    }

    /// Writes that a source of a claim says it again.
    pub(super) fn write_confirmation(
        &self,
        target: ClaimRef,
        row: u8,
        because: Reasons,
    ) -> Result<GateDecision, ClaimError> {
        self.write(
            Act::Confirm { target },
            Disposition::Confirmed,
            row,
            because,
        )
    }

    fn write(
        &self,
        act: Act,
        disposition: Disposition,
        row: u8,
        because: Reasons,
    ) -> Result<GateDecision, ClaimError> {
        let submission = self.submission;
        let ruling = Ruling {
            act,
            provenance: self.matched.provenance,
            via: submission.via.clone(),
            disposition,
            row,
            because,
            anchors: self.anchors.clone(),
            derived_from: submission.derived_from.clone(),
            key: self.keyed.clone(),
        };
        ruling.write(submission.line(), &self.line)
    }
}
