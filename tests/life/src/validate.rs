//! The report of `check` on a store as it was written, erased and archived.

use std::sync::{Arc, Mutex};

use counterfoil_capsule::{IndeterminateReason, Verdict};
use counterfoil_store::pool::{PoolItem, PoolReport, PoolVerdict, Validation};
use counterfoil_store::{CapsuleLog, Draft, Head};

use crate::LifeRig;
use crate::support::{DAY_US, Rig, agent, block_on, id, world};
use counterfoil_life::Life as _;

/// Turns, and a World of seventy versions, so that most contents follow from deltas.
pub fn fill<F: LifeRig>(rig: &Rig<'_, F>) {
    for number in 0..5 {
        rig.remember(&format!("w-{number}"), &format!("the heron {number}"));
    }
    let mut head = rig.remember("v-100", "the stork 0");
    for number in 1..70 {
        let name = format!("v-{}", 100 + number);
        head = rig.update(&head, &name, &format!("the stork {number}"));
    }
    block_on(
        rig.store
            .append(agent(2), vec![Draft::new(world("o-1", "hers"))]),
    )
    .unwrap();
}

fn filled<F: LifeRig>(factory: &F) -> Rig<'_, F> {
    let rig = Rig::new(factory);
    fill(&rig);
    rig
}

pub struct Told {
    pub report: PoolReport,
    pub bad: Vec<(u64, Verdict)>,
    /// Verdicts of the bad ones, in their order.
    pub findings: Vec<Vec<Verdict>>,
    /// The ends of the chains, with their first bad capsules.
    pub heads: Vec<(Head, Option<u64>)>,
}

pub fn validated<F: LifeRig>(rig: &Rig<'_, F>, how: Validation) -> Told {
    let items = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&items);
    let each = Box::new(move |item| into.lock().unwrap().push(item));
    let report = block_on(rig.store.validate(how, each)).unwrap();
    let mut told = Told {
        report,
        bad: Vec::new(),
        findings: Vec::new(),
        heads: Vec::new(),
    };
    for item in std::mem::take(&mut *items.lock().unwrap()) {
        match item {
            PoolItem::Capsule(one) if one.verdict != Verdict::Valid => {
                told.bad.push((one.index, one.verdict));
                told.findings.push(one.findings);
            }
            PoolItem::Head {
                head, first_bad, ..
            } => told.heads.push((head, first_bad)),
            _ => {}
        }
    }
    told
}

pub fn with(each_signature: bool) -> Validation {
    Validation {
        each_signature,
        ..Validation::default()
    }
}

const fn open(reason: IndeterminateReason) -> Verdict {
    Verdict::Indeterminate { reason }
}

/// C16: a report, with the heads of all chains and the counts.
/// (CAP-26)
pub(crate) fn a_store_as_it_was_written_is_valid<F: LifeRig>(factory: &F) {
    let rig = filled(factory);
    for each_signature in [true, false] {
        let Told {
            report, bad, heads, ..
        } = validated(&rig, with(each_signature));
        assert_eq!(bad, []);
        assert_eq!(report.verdict(), PoolVerdict::Valid);
        assert_eq!((report.entries, report.valid, report.chains), (76, 76, 7));
        let checked = if each_signature { 76 } else { 0 };
        assert_eq!(report.signatures, checked);
        assert_eq!(heads.len(), 7);
        let (evolving, bad) = heads.iter().find(|(head, _)| head.seq == 69).unwrap();
        assert_eq!((evolving.index, *bad), (74, None));
    }
    let empty = Rig::new(factory);
    let report = validated(&empty, Validation::default()).report;
    assert_eq!((report.verdict(), report.entries), (PoolVerdict::Valid, 0));
}

/// Adversarial case D58: a content that was erased with a record leaves a valid header and an open state.
pub(crate) fn what_was_erased_with_a_record_is_open<F: LifeRig>(factory: &F) {
    let rig = filled(factory);
    for world in ["w-3", "v-120"] {
        rig.erase(&id(world));
    }
    for each_signature in [true, false] {
        let told = validated(&rig, with(each_signature));
        let erased = open(IndeterminateReason::BodyErased);
        // Of the version after it only the change is gone, since it held what was there before.
        let change = open(IndeterminateReason::DeltaErased);
        assert_eq!(told.bad, [(3, erased), (25, erased), (26, change)]);
        assert_eq!(told.report.verdict(), PoolVerdict::Indeterminate);
        assert_eq!(
            told.report.open,
            [
                (IndeterminateReason::BodyErased, 2),
                (IndeterminateReason::DeltaErased, 1)
            ]
        );
        assert_eq!(told.report.redacted, 3);
        assert!(told.report.is_open_by_erasure_alone());
    }
}

/// C9: stubs keep their chains checkable; `--deep` looks into the segments, and finds one that was
/// changed (D53) or is missing.
/// (CAP-32)
pub(crate) fn archives_are_open_until_they_are_looked_into<F: LifeRig>(factory: &F) {
    let rig = filled(factory);
    rig.wait(10 * DAY_US);
    let archived = rig.archives();
    let moved = archived.capsules;
    let deep = |each_signature| Validation {
        segments: Some(rig.archive()),
        ..with(each_signature)
    };
    for each_signature in [true, false] {
        let told = validated(&rig, with(each_signature));
        assert_eq!(told.report.indeterminate, moved);
        assert_eq!(told.report.invalid, 0);
        let told = validated(&rig, deep(each_signature));
        assert_eq!(told.bad, []);
        assert_eq!(told.report.verdict(), PoolVerdict::Valid);
        assert_eq!(told.report.valid, told.report.entries);
    }
    let segment = rig.archive().join(&archived.name);
    let whole = std::fs::read(&segment).unwrap();
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    std::fs::write(&segment, flipped).unwrap();
    let told = validated(&rig, deep(false));
    assert_eq!(told.report.invalid, moved);
    std::fs::remove_file(&segment).unwrap();
    let told = validated(&rig, deep(false));
    assert_eq!(told.report.indeterminate, moved);
}
