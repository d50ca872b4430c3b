//! Counts what is judged and hands it on (C16).

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::dangerous::decisive;
use counterfoil_capsule::documents::CapsuleName;
use counterfoil_capsule::{ChainId, IndeterminateReason, Verdict};
use counterfoil_store::StoreError;
use counterfoil_store::pool::{CapsuleVerdict, EachItem, PoolItem, PoolReport};
use counterfoil_types::WorldId;
use rusqlite::Connection;

use super::examine::Judgement;
use super::is_erased;
use super::pass::PassState;
use crate::aside::{aside, frozen};

/// Number of first bad capsules that are listed.
const MAX_LISTED: usize = 1_000;

pub(super) struct Tally {
    all_findings: bool,
    /// True if stubs are judged later, by their segments.
    deep: bool,
    each: EachItem,
    again: bool,
    report: PoolReport,
    open: BTreeMap<IndeterminateReason, u64>,
    spoiled: BTreeSet<ChainId>,
}

impl Tally {
    pub(super) fn new(all_findings: bool, deep: bool, each: EachItem) -> Self {
        Self {
            all_findings,
            deep,
            each,
            again: false,
            report: PoolReport::default(),
            open: BTreeMap::new(),
            spoiled: BTreeSet::new(),
        }
    }

    /// A second pass: it counts anew, and reports invalid capsules alone.
    pub(super) fn begin_again(&mut self) {
        self.again = true;
        self.report = PoolReport::default();
        self.open.clear();
        self.spoiled.clear();
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

    /// Counts one capsule; `found` is in order; `recorded` when records in the log say that what it
    /// lacks was erased.
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
        let told = CapsuleVerdict {
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
                let chain = told.named.as_ref().map(|(named, _)| named.chain);
                let first = chain.is_none_or(|chain| self.spoiled.insert(chain));
                if first && self.report.first_bad.len() < MAX_LISTED {
                    self.report.first_bad.push(told.clone());
                }
            }
            Verdict::Indeterminate { reason } => {
                self.report.indeterminate += 1;
                *self.open.entry(reason).or_default() += 1;
            }
        }
        if !self.again || verdict != Verdict::Valid {
            (self.each)(PoolItem::Capsule(told));
        }
    }

    /// `log` says in what the log differs.
    pub(super) fn finish(
        mut self,
        connection: &Connection,
        outcome: &PassState,
        log: Option<String>,
    ) -> Result<PoolReport, StoreError> {
        let frozen = frozen(connection)?;
        outcome.links.heads(&frozen).for_each(&mut self.each);
        Ok(PoolReport {
            entries: outcome.frontier.size(),
            chains: outcome.links.len(),
            signatures: outcome.signatures,
            log_fault: log,
            open: self.open.into_iter().collect(),
            aside: aside(connection)?,
            ..self.report
        })
    }
}
