//! Count of the verdicts on all capsules.

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::dangerous::decisive;
use counterfoil_capsule::documents::CapsuleName;
use counterfoil_capsule::{ChainId, IndeterminateReason, Verdict};
use counterfoil_store::StoreError;
use counterfoil_store::pool::{CapsuleVerdict, EachItem, PoolItem, PoolReport, Validation};
use counterfoil_types::WorldId;

use super::examine::Judgement;
use super::links::is_erased;
use super::pass::PassState;
use crate::aside::{aside, frozen};
use crate::port::Txn;

/// Number of first bad capsules that are listed.
const MAX_LISTED: usize = 1_000;

pub(super) struct Tally {
    all_findings: bool,
    /// True if stubs are judged later, by their segments.
    deep: bool,
    each: EachItem,
    /// True in a second pass, which reports invalid capsules alone.
    again: bool,
    report: PoolReport,
    open: BTreeMap<IndeterminateReason, u64>,
    spoiled: BTreeSet<ChainId>,
}

impl Tally {
    pub(super) fn new(how: &Validation, each: EachItem) -> Self {
        Self {
            all_findings: how.all_findings,
            deep: how.segments.is_some(),
            each,
            again: false,
            report: PoolReport::default(),
            open: BTreeMap::new(),
            spoiled: BTreeSet::new(),
        }
    }

    /// Returns the count of a second pass.
    pub(super) fn again(self, how: &Validation) -> Self {
        Self {
            again: true,
            ..Self::new(how, self.each)
        }
    }

    pub(super) fn capsule(&mut self, judged: Judgement) {
        let only_archived = judged.stub && !judged.found.iter().any(Verdict::is_invalid);
        if !(self.deep && only_archived) {
            self.add(judged.index, judged.named, judged.found, judged.recorded);
        }
    }

    /// A segment that is not in its folder.
    pub(super) fn missing(&mut self, name: Option<String>) {
        self.report.missing_segments.extend(name);
    }

    /// Counts one capsule; `found` is in order; `recorded` when records in the log say that its
    /// missing bodies were erased.
    pub(super) fn add(
        &mut self,
        index: u64,
        named: Option<(CapsuleName, Option<WorldId>)>,
        found: Vec<Verdict>,
        recorded: bool,
    ) {
        let verdict = decisive(&found);
        if recorded && !found.is_empty() && found.iter().all(is_erased) {
            self.report.redacted += 1;
        }
        let judged = CapsuleVerdict {
            index,
            named,
            verdict,
            findings: match self.all_findings {
                true => found,
                false => Vec::new(),
            },
        };
        match verdict {
            Verdict::Valid => self.report.valid += 1,
            Verdict::Invalid { .. } => {
                self.report.invalid += 1;
                let chain = judged.named.as_ref().map(|(named, _)| named.chain);
                let first = chain.is_none_or(|chain| self.spoiled.insert(chain));
                if first && self.report.first_bad.len() < MAX_LISTED {
                    self.report.first_bad.push(judged.clone());
                }
            }
            Verdict::Indeterminate { reason } => {
                self.report.indeterminate += 1;
                *self.open.entry(reason).or_default() += 1;
            }
        }
        if !self.again || verdict != Verdict::Valid {
            (self.each)(PoolItem::Capsule(judged));
        }
    }

    pub(super) fn finish(
        mut self,
        txn: &dyn Txn,
        state: &PassState,
        log_fault: Option<String>,
    ) -> Result<PoolReport, StoreError> {
        state.links.heads(&frozen(txn)?).for_each(&mut self.each);
        Ok(PoolReport {
            entries: state.frontier.size(),
            chains: state.links.len(),
            signatures: state.signatures,
            log_fault,
            open: self.open.into_iter().collect(),
            aside: aside(txn)?,
            ..self.report
        })
    }
}
