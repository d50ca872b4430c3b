//! From six results to a disposition: all of them, at all levels, under all demands (MRP-21 to MRP-27, MRP-30).

use counterfoil_exchange::checks::{
    CheckKind, CheckResult, Checks, Demands, Disposition, FailCode, Flag, SkipReason, dispose,
};
use counterfoil_exchange::trust::Level;

const PASS: CheckResult = CheckResult::Pass;

/// Pass, Skip and each Fail of a check that the table tells apart, the best first.
fn results(kind: CheckKind) -> Vec<CheckResult> {
    use CheckResult::{Fail, Skip};
    match kind {
        CheckKind::Identity => vec![PASS, Skip(SkipReason::NoKey), Fail(FailCode::OtherBinding)],
        CheckKind::Signature => vec![
            PASS,
            Skip(SkipReason::Unsigned),
            Fail(FailCode::MissingSignature),
        ],
        CheckKind::Evidence => {
            vec![
                PASS,
                Skip(SkipReason::Weak),
                Fail(FailCode::Dead),
                Fail(FailCode::Mismatch),
            ]
        }
        CheckKind::Freshness => vec![
            PASS,
            Skip(SkipReason::Undated),
            Fail(FailCode::Stale),
            Fail(FailCode::Future),
        ],
        CheckKind::Vouch => vec![PASS, Skip(SkipReason::NoVouches), Fail(FailCode::Disputed)],
        CheckKind::Consistency => vec![
            PASS,
            Skip(SkipReason::NotComparable),
            Fail(FailCode::Contradicts),
        ],
    }
}

fn with(checks: Checks, kind: CheckKind, result: CheckResult) -> Checks {
    match kind {
        CheckKind::Identity => Checks {
            identity: result,
            ..checks
        },
        CheckKind::Signature => Checks {
            signature: result,
            ..checks
        },
        CheckKind::Evidence => Checks {
            evidence: result,
            ..checks
        },
        CheckKind::Freshness => Checks {
            freshness: result,
            ..checks
        },
        CheckKind::Vouch => Checks {
            vouch: result,
            ..checks
        },
        CheckKind::Consistency => Checks {
            consistency: result,
            ..checks
        },
    }
}

fn passing() -> Checks {
    Checks {
        identity: PASS,
        signature: PASS,
        evidence: PASS,
        freshness: PASS,
        vouch: PASS,
        consistency: PASS,
    }
}

/// All 3^6 vectors, and those with the second Fail of evidence and freshness.
fn vectors() -> Vec<Checks> {
    CheckKind::ALL
        .into_iter()
        .fold(vec![passing()], |vectors, kind| {
            let each = |checks: Checks| {
                results(kind)
                    .into_iter()
                    .map(move |result| with(checks, kind, result))
            };
            vectors.into_iter().flat_map(each).collect()
        })
}

fn demands() -> Vec<Demands> {
    let mut all = Vec::new();
    for require_evidence in [false, true] {
        for require_vouches in [false, true] {
            let of = |min_level| Demands {
                require_evidence,
                require_vouches,
                min_level,
            };
            all.extend(Level::ALL.map(of));
        }
    }
    all
}

/// Adversarial case G97, R10, MRP-30: turning any result from Pass to Skip to Fail, or lowering the level, never raises the disposition; at
/// all vectors, levels and demands.
#[test]
fn no_worse_result_and_no_lower_level_gives_more() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 3 * 3 * 4 * 4 * 3 * 3);
    for demand in demands() {
        for checks in &vectors {
            let mut below = Disposition::Reject;
            for level in Level::ALL {
                let found = dispose(checks, level, demand).disposition;
                assert!(found >= below, "{checks:?} {level} {demand:?}");
                below = found;
                for kind in CheckKind::ALL {
                    let worse = results(kind)
                        .into_iter()
                        .skip_while(|result| *result != checks.of(kind));
                    for result in worse {
                        let lowered =
                            dispose(&with(*checks, kind, result), level, demand).disposition;
                        assert!(
                            lowered <= found,
                            "{checks:?} {kind:?} {result} {level} {demand:?}"
                        );
                    }
                }
            }
        }
    }
}

/// MRP-17 to MRP-20: what each level gives when all is well, and that level 3 still needs identity and signature.
#[test]
fn each_level_gives_its_own_disposition() {
    let of = |checks: &Checks, level| dispose(checks, level, Demands::default()).disposition;
    let given = Level::ALL.map(|level| of(&passing(), level));
    assert_eq!(
        given,
        [
            Disposition::RawOnly,
            Disposition::StoredUnverified,
            Disposition::StoredMedium,
            Disposition::StoredHigh,
        ]
    );
    for kind in [CheckKind::Identity, CheckKind::Signature] {
        let failed = with(passing(), kind, results(kind)[2]);
        assert_eq!(of(&failed, Level::Direct), Disposition::Reject);
    }
    let unsigned = with(
        passing(),
        CheckKind::Signature,
        CheckResult::Skip(SkipReason::Unsigned),
    );
    assert_eq!(of(&unsigned, Level::Direct), Disposition::StoredUnverified);
    let nobody = with(
        passing(),
        CheckKind::Identity,
        CheckResult::Skip(SkipReason::NoKey),
    );
    assert_eq!(of(&nobody, Level::Direct), Disposition::RawOnly);
}

/// The effects of the table that are no refusal.
#[test]
fn stale_contested_and_dead_are_kept_and_flagged() {
    let of = |kind, code| {
        dispose(
            &with(passing(), kind, CheckResult::Fail(code)),
            Level::Direct,
            Demands::default(),
        )
    };
    let stale = of(CheckKind::Freshness, FailCode::Stale);
    assert_eq!(
        (stale.disposition, stale.flags),
        (Disposition::StoredHigh, vec![Flag::Stale])
    );
    let contested = of(CheckKind::Consistency, FailCode::Contradicts);
    assert_eq!(
        (contested.disposition, contested.flags),
        (Disposition::StoredHigh, vec![Flag::Contested])
    );
    let dead = of(CheckKind::Evidence, FailCode::Dead);
    assert_eq!(
        (dead.disposition, dead.level),
        (Disposition::StoredMedium, Level::Vouched)
    );
    assert_eq!(dead.flags, [Flag::EvidenceDead]);
    let disputed = of(CheckKind::Vouch, FailCode::Disputed);
    assert_eq!(disputed.disposition, Disposition::StoredUnverified);
    for (kind, code) in [
        (CheckKind::Evidence, FailCode::Mismatch),
        (CheckKind::Freshness, FailCode::Future),
    ] {
        assert_eq!(of(kind, code).disposition, Disposition::Reject);
    }
}

/// MRP-28: what contradicts what I believe is never dropped for that.
#[test]
fn a_contradiction_never_changes_the_disposition() {
    for checks in vectors() {
        let all = results(CheckKind::Consistency).into_iter();
        let mut given = all.map(|result| {
            dispose(
                &with(checks, CheckKind::Consistency, result),
                Level::Direct,
                Demands::default(),
            )
            .disposition
        });
        let first = given.next().unwrap();
        assert!(given.all(|other| other == first));
    }
}

/// MRP-39: what the asker demands is held against each memory, and by nobody else's word.
#[test]
fn what_is_demanded_is_there_or_the_memory_is_rejected() {
    let evidence = Demands {
        require_evidence: true,
        ..Demands::default()
    };
    let vouches = Demands {
        require_vouches: true,
        ..Demands::default()
    };
    let vouched = Demands {
        min_level: Level::Vouched,
        ..Demands::default()
    };
    let weak = with(
        passing(),
        CheckKind::Evidence,
        CheckResult::Skip(SkipReason::Weak),
    );
    let alone = with(
        passing(),
        CheckKind::Vouch,
        CheckResult::Skip(SkipReason::NoVouches),
    );
    let of = |checks: &Checks, level, demands| dispose(checks, level, demands).disposition;
    assert_eq!(of(&weak, Level::Direct, evidence), Disposition::Reject);
    assert_eq!(
        of(&passing(), Level::Direct, evidence),
        Disposition::StoredHigh
    );
    assert_eq!(of(&alone, Level::Identified, vouches), Disposition::Reject);
    assert_eq!(of(&alone, Level::Direct, vouches), Disposition::StoredHigh);
    assert_eq!(
        of(&passing(), Level::Identified, vouched),
        Disposition::Reject
    );
    assert_eq!(
        of(&passing(), Level::Vouched, vouched),
        Disposition::StoredMedium
    );
}
