//! From seven results to a disposition: all of them, at all levels, under all demands (MRP-21 to MRP-27, MRP-30).

use counterfoil_exchange::checks::{
    CheckKind, CheckResult, Checks, Disposition, FailCode, Flag, SkipReason, dispose,
};
use counterfoil_exchange::documents::Filters;
use counterfoil_exchange::trust::Level;

use CheckResult::{Fail, Pass, Skip};
use Disposition::{RawOnly, Reject, StoredHigh, StoredMedium, StoredUnverified};

/// Pass, Skip and each Fail of a check that the table distinguishes, the best first.
fn results(kind: CheckKind) -> Vec<CheckResult> {
    let (skip, fails) = match kind {
        CheckKind::Identity => (SkipReason::NoKey, vec![FailCode::OtherBinding]),
        CheckKind::Signature => (SkipReason::Unsigned, vec![FailCode::MissingSignature]),
        CheckKind::Record => (SkipReason::UnknownLog, vec![FailCode::Mismatch]),
        CheckKind::Evidence => (SkipReason::Weak, vec![FailCode::Dead, FailCode::Mismatch]),
        CheckKind::Freshness => (SkipReason::Undated, vec![FailCode::Stale, FailCode::Future]),
        CheckKind::Vouch => (SkipReason::NoVouches, vec![FailCode::Disputed]),
        CheckKind::Consistency => (SkipReason::NotComparable, vec![FailCode::Contradicts]),
    };
    let fails = fails.into_iter().map(Fail);
    [Pass, Skip(skip)].into_iter().chain(fails).collect()
}

fn with(mut checks: Checks, kind: CheckKind, result: CheckResult) -> Checks {
    *match kind {
        CheckKind::Identity => &mut checks.identity,
        CheckKind::Signature => &mut checks.signature,
        CheckKind::Record => &mut checks.record,
        CheckKind::Evidence => &mut checks.evidence,
        CheckKind::Freshness => &mut checks.freshness,
        CheckKind::Vouch => &mut checks.vouch,
        CheckKind::Consistency => &mut checks.consistency,
    } = result;
    checks
}

const PASSING: Checks = Checks {
    identity: Pass,
    signature: Pass,
    record: Pass,
    evidence: Pass,
    freshness: Pass,
    vouch: Pass,
    consistency: Pass,
};

/// All 3^7 vectors, and those with the second Fail of evidence and freshness.
fn vectors() -> Vec<Checks> {
    CheckKind::ALL
        .into_iter()
        .fold(vec![PASSING], |vectors, kind| {
            let each = |checks: Checks| {
                let all = results(kind).into_iter();
                all.map(move |result| with(checks, kind, result))
            };
            vectors.into_iter().flat_map(each).collect()
        })
}

fn demands() -> impl Iterator<Item = Filters> {
    let levels = [None, Some(0), Some(1), Some(2), Some(3)].into_iter();
    levels.flat_map(|min_trust_level| {
        [(false, false), (false, true), (true, false), (true, true)].map(|(evidence, vouches)| {
            Filters {
                require_evidence: evidence,
                require_vouches: vouches,
                min_trust_level,
            }
        })
    })
}

/// Adversarial case G97, R10, MRP-30: turning any result from Pass to Skip to Fail, or lowering the level, never raises the disposition; at
/// all vectors, levels and demands.
#[test]
fn no_worse_result_and_no_lower_level_gives_more() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 3 * 3 * 3 * 4 * 4 * 3 * 3);
    for demand in demands() {
        for checks in &vectors {
            let mut below = Reject;
            for level in Level::ALL {
                let (found, _) = dispose(checks, level, demand);
                assert!(found >= below, "{checks:?} {level:?} {demand:?}");
                below = found;
                for kind in CheckKind::ALL {
                    let worse = results(kind).into_iter();
                    for result in worse.skip_while(|result| *result != checks.of(kind)) {
                        let (lowered, _) = dispose(&with(*checks, kind, result), level, demand);
                        assert!(
                            lowered <= found,
                            "{checks:?} {kind} {result} {level} {demand:?}"
                        );
                    }
                }
            }
        }
    }
}

/// MRP-17 to MRP-20: the disposition of each level when all is well; level 3 still needs identity and signature.
#[test]
fn each_level_gives_its_own_disposition() {
    let of = |checks: &Checks, level| dispose(checks, level, Filters::default()).0;
    let given = Level::ALL.map(|level| of(&PASSING, level));
    assert_eq!(given[..], Disposition::ALL[1..]);
    for (kind, result, disposition) in [
        (CheckKind::Identity, Fail(FailCode::OtherBinding), Reject),
        (
            CheckKind::Signature,
            Fail(FailCode::MissingSignature),
            Reject,
        ),
        (
            CheckKind::Signature,
            Skip(SkipReason::Unsigned),
            StoredUnverified,
        ),
        (CheckKind::Identity, Skip(SkipReason::NoKey), RawOnly),
    ] {
        assert_eq!(of(&with(PASSING, kind, result), Level::Direct), disposition);
    }
}

/// The effects of the table that are no refusal.
#[test]
fn stale_contested_and_dead_are_kept_and_flagged() {
    use CheckKind::{Consistency, Evidence, Freshness, Record, Vouch};
    for (kind, code, disposition, flags) in [
        (Freshness, FailCode::Stale, StoredHigh, vec![Flag::Stale]),
        (
            Consistency,
            FailCode::Contradicts,
            StoredHigh,
            vec![Flag::Contested],
        ),
        (
            Evidence,
            FailCode::Dead,
            StoredMedium,
            vec![Flag::EvidenceDead],
        ),
        (Vouch, FailCode::Disputed, StoredUnverified, vec![]),
        (Record, FailCode::Mismatch, Reject, vec![]),
        (Evidence, FailCode::Mismatch, Reject, vec![]),
        (Freshness, FailCode::Future, Reject, vec![]),
    ] {
        let checks = with(PASSING, kind, Fail(code));
        let found = dispose(&checks, Level::Direct, Filters::default());
        assert_eq!(found, (disposition, flags), "{code}");
    }
}

/// MRP-28: what contradicts what I believe is never dropped for that.
#[test]
fn a_contradiction_never_changes_the_disposition() {
    for checks in vectors() {
        let all = results(CheckKind::Consistency).into_iter();
        let mut given = all.map(|result| {
            let checks = with(checks, CheckKind::Consistency, result);
            dispose(&checks, Level::Direct, Filters::default()).0
        });
        let first = given.next().unwrap();
        assert!(given.all(|other| other == first));
    }
}

/// MRP-39: what the asker demands is held against each memory, and by nobody else's word.
#[test]
fn what_is_demanded_is_there_or_the_memory_is_rejected() {
    let demand = |require_evidence, require_vouches, min_trust_level| Filters {
        require_evidence,
        require_vouches,
        min_trust_level,
    };
    let (evidence, vouches) = (demand(true, false, None), demand(false, true, None));
    let vouched = demand(false, false, Some(2));
    let weak = with(PASSING, CheckKind::Evidence, Skip(SkipReason::Weak));
    let alone = with(PASSING, CheckKind::Vouch, Skip(SkipReason::NoVouches));
    for (checks, level, demands, disposition) in [
        (weak, Level::Direct, evidence, Reject),
        (PASSING, Level::Direct, evidence, StoredHigh),
        (alone, Level::Identified, vouches, Reject),
        (alone, Level::Direct, vouches, StoredHigh),
        (PASSING, Level::Identified, vouched, Reject),
        (PASSING, Level::Vouched, vouched, StoredMedium),
    ] {
        assert_eq!(
            dispose(&checks, level, demands).0,
            disposition,
            "{demands:?} {level}"
        );
    }
}
