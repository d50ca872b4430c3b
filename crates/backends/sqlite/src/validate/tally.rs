//! Counts what is judged and hands it on (C16).

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::dangerous::decisive;
use counterfoil_capsule::{ChainId, IndeterminateReason, Verdict};
use counterfoil_store::StoreError;
use counterfoil_store::pool::{CapsuleIdentity, CapsuleVerdict, EachItem, PoolItem, PoolReport};
use rusqlite::Connection;

use super::pass::{Judgement, PassState};
use crate::aside::{aside, frozen};

/// Number of first bad capsules that are listed.
const MAX_LISTED: usize = 1_000;

pub(super) struct Tally {
    all_findings: bool,
    /// True if stubs are judged later, by their segments.
    deep: bool,
    each: EachItem,
    again: bool,
    missing: Vec<String>,
    counts: Counts,
    spoiled: BTreeSet<ChainId>,
}

#[derive(Default)]
struct Counts {
    valid: u64,
    invalid: u64,
    indeterminate: u64,
    redacted: u64,
    first_bad: Vec<CapsuleVerdict>,
    open: BTreeMap<IndeterminateReason, u64>,
}

impl Tally {
    pub(super) fn new(all_findings: bool, deep: bool, each: EachItem) -> Self {
        Self {
            all_findings,
            deep,
            each,
            again: false,
            missing: Vec::new(),
            counts: Counts::default(),
            spoiled: BTreeSet::new(),
        }
    }

    /// A second pass: it counts anew, and reports invalid capsules alone.
    pub(super) fn begin_again(&mut self) {
        self.again = true;
        self.counts = Counts::default();
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
        self.missing.extend(name);
    }

    /// Counts one capsule; `found` is in order; `recorded` when records in the log say that what it
    /// lacks was erased.
    pub(super) fn add(
        &mut self,
        index: u64,
        named: Option<CapsuleIdentity>,
        found: Vec<Verdict>,
        recorded: bool,
    ) {
        let verdict = decisive(&found);
        if recorded && !found.is_empty() && found.iter().all(is_erased) {
            self.counts.redacted += 1;
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
            Verdict::Valid => self.counts.valid += 1,
            Verdict::Invalid { .. } => {
                self.counts.invalid += 1;
                self.list(&told);
            }
            Verdict::Indeterminate { reason } => {
                self.counts.indeterminate += 1;
                *self.counts.open.entry(reason).or_default() += 1;
            }
        }
        if !self.again || verdict != Verdict::Valid {
            (self.each)(PoolItem::Capsule(told));
        }
    }

    fn list(&mut self, told: &CapsuleVerdict) {
        let first = match &told.named {
            Some(named) => self.spoiled.insert(named.chain),
            None => true,
        };
        if first && self.counts.first_bad.len() < MAX_LISTED {
            self.counts.first_bad.push(told.clone());
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
        for mut head in outcome.links.heads() {
            head.frozen_at = frozen.get(&head.chain).copied();
            (self.each)(PoolItem::Head(head));
        }
        let counts = self.counts;
        Ok(PoolReport {
            entries: outcome.frontier.size(),
            valid: counts.valid,
            invalid: counts.invalid,
            indeterminate: counts.indeterminate,
            redacted: counts.redacted,
            chains: outcome.links.len(),
            signatures: outcome.signatures,
            first_bad: counts.first_bad,
            log_fault: log,
            open: counts.open.into_iter().collect(),
            missing_segments: self.missing,
            aside: aside(connection)?,
        })
    }
}

fn is_erased(verdict: &Verdict) -> bool {
    use IndeterminateReason::{BodyErased, DeltaErased, RestoredErased};
    matches!(
        verdict,
        Verdict::Indeterminate {
            reason: BodyErased | DeltaErased | RestoredErased
        }
    )
}
