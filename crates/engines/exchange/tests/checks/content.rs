//! What a memory says of itself: age, witnesses, texts, successors; and what its host found.

use counterfoil_exchange::checks::{
    CheckResult, Disposition, FailCode, Flag, FreshnessLimits, JudgedMemory, SkipReason, freshness,
    lifetime,
};
use counterfoil_exchange::documents::{
    Attestation, AttestationParts, Claim, ClaimKind, Decay, DocumentHash, EvidenceLink,
    MemoryProvenance, ProvenanceSource, Salience,
};

use crate::support::scene::{ME, PEER, Scene};
use crate::support::words::{
    DAY, NOW, SECOND, attestation_parts, attested, result, said, salience, text, time,
};

fn parts() -> AttestationParts {
    attestation_parts("a", Claim::of_text(text("pruning is identity")), PEER)
}

fn decaying(decay: Decay) -> AttestationParts {
    AttestationParts {
        salience: Some(Salience {
            expected_decay: Some(decay),
            ..salience()
        }),
        ..parts()
    }
}

fn judged(parts: AttestationParts) -> JudgedMemory {
    Scene::trusting(&[PEER]).judged(attested(parts, PEER))
}

fn stored(parts: AttestationParts) -> (Disposition, Vec<Flag>) {
    let judged = judged(parts);
    (judged.disposition, judged.flags)
}

/// Adversarial cases G95, G87, MRP-30: witnesses without keys, twelve times the same, the author himself, and a source that is claimed,
/// count for nothing.
#[test]
fn witnesses_and_a_claimed_source_count_for_nothing() {
    let bare = stored(parts());
    let names = |name: &str, count: usize| vec![text(name); count];
    let claims = [
        (ProvenanceSource::Received, names("djclawd", 12)),
        (ProvenanceSource::Received, names("agent 2", 1)),
        (ProvenanceSource::DirectExperience, vec![]),
        (ProvenanceSource::Aggregated, names("x", 16)),
    ];
    for (source, witnesses) in claims {
        let claim = AttestationParts {
            provenance: Some(MemoryProvenance {
                witnesses,
                ..MemoryProvenance::of_source(source)
            }),
            ..parts()
        };
        assert_eq!(stored(claim), bare);
    }
}

/// Adversarial case H105: whom a memory says to take the place of changes nothing of what becomes of it.
#[test]
fn a_memory_that_supersedes_others_gains_nothing() {
    let supersedes = vec![text("world-1"), text("my-own-memory")];
    let superseding = AttestationParts {
        salience: Some(Salience {
            supersedes,
            ..salience()
        }),
        ..parts()
    };
    assert_eq!(stored(superseding), stored(parts()));
}

/// The agent's own confidence is shown and never counted (R8).
#[test]
fn confidence_in_oneself_counts_for_nothing() {
    let sure = AttestationParts {
        salience: Some(Salience {
            confidence: Some(1.0),
            ..salience()
        }),
        ..parts()
    };
    assert_eq!(stored(sure), stored(parts()));
}

/// Adversarial case H106: past its time: flagged and kept. Under a condition: Skip. "never" is no time and is not read.
#[test]
fn decay_flags_skips_or_is_not_read() {
    let past = Decay::TimeBound(time(NOW - 1));
    assert_eq!(
        stored(decaying(past)),
        (Disposition::StoredHigh, vec![Flag::Stale])
    );
    let ahead = judged(decaying(Decay::TimeBound(time(NOW + DAY))));
    assert_eq!(ahead.checks.freshness, CheckResult::Pass);
    let conditional = judged(decaying(Decay::Conditional(Some(text(
        "until the schema changes",
    )))));
    assert_eq!(
        conditional.checks.freshness,
        CheckResult::Skip(SkipReason::Conditional)
    );
    assert_eq!(conditional.disposition, Disposition::StoredHigh);
    let bytes = attested(decaying(Decay::TimeBound(time(NOW + DAY))), PEER)
        .to_value()
        .unwrap()
        .to_string();
    let until = time(NOW + DAY).to_string();
    assert!(bytes.contains(&until));
    assert!(Attestation::parse(bytes.replace(&until, "never").as_bytes()).is_err());
}

/// R12, MRP-24: by its type, from `created_at` on, and never from later than its receipt.
#[test]
fn a_memory_ages_by_its_type() {
    let limits = FreshnessLimits::default();
    let of = |kind, age_days: u64| {
        let claim = Claim {
            kind,
            ..Claim::of_text(text("x"))
        };
        let parts = AttestationParts {
            claim,
            created_at: Some(time(NOW - age_days * DAY)),
            ..parts()
        };
        freshness(&parts, NOW, NOW, &limits)
    };
    for (kind, days) in [
        (ClaimKind::Fact, 180),
        (ClaimKind::Observation, 30),
        (ClaimKind::Insight, 365),
        (ClaimKind::Relationship, 180),
    ] {
        assert_eq!(of(kind, days - 1), CheckResult::Pass, "{kind:?}");
        assert_eq!(
            of(kind, days),
            CheckResult::Fail(FailCode::Stale),
            "{kind:?}"
        );
    }
    assert_eq!(of(ClaimKind::Event, 10_000), CheckResult::Pass);
    let undated = AttestationParts {
        created_at: None,
        ..parts()
    };
    assert_eq!(
        freshness(&undated, NOW, NOW, &limits),
        CheckResult::Skip(SkipReason::Undated)
    );
    let ahead = AttestationParts {
        created_at: Some(time(NOW + 200 * SECOND)),
        ..parts()
    };
    assert_eq!(lifetime(&ahead, NOW, &limits), Ok(Some(NOW + 30 * DAY)));
    assert_eq!(
        freshness(
            &decaying(Decay::Permanent),
            NOW,
            NOW + 100_000 * DAY,
            &limits
        ),
        CheckResult::Pass
    );
}

/// R12: what is dated in the future is rejected, and stays so however long one waits.
#[test]
fn a_memory_from_the_future_is_rejected() {
    let dated = |ahead: u64| AttestationParts {
        created_at: Some(time(NOW + SECOND + ahead)),
        ..parts()
    };
    assert_eq!(stored(dated(300 * SECOND)).0, Disposition::StoredHigh);
    let future = dated(300 * SECOND + 1);
    assert_eq!(stored(future.clone()).0, Disposition::Reject);
    let limits = FreshnessLimits::default();
    assert_eq!(
        freshness(&future, NOW + SECOND, NOW + DAY, &limits),
        CheckResult::Fail(FailCode::Future)
    );
    let permanent = AttestationParts {
        created_at: future.created_at,
        ..decaying(Decay::Permanent)
    };
    assert_eq!(stored(permanent).0, Disposition::Reject);
}

/// R16: whoever says it, what bears one of my keys is my own come back.
#[test]
fn what_comes_from_my_own_key_is_my_own() {
    let scene = Scene::trusting(&[PEER]);
    assert_eq!(scene.judged(said("a", ME)).flags, [Flag::Own]);
    assert_eq!(scene.judged(said("a", PEER)).flags, []);
}

/// MRP-46: the same claim twice in one answer, or heard before, is known.
#[test]
fn what_was_heard_before_is_known() {
    let mut scene = Scene::trusting(&[PEER]);
    let answer = scene.answer(
        ["a", "a", "b"]
            .map(|words| result(said(words, PEER)))
            .into(),
    );
    let flags = |scene: &Scene| -> Vec<Vec<Flag>> {
        let judged = scene.judge(&answer).into_iter();
        judged.map(|memory| memory.flags).collect()
    };
    assert_eq!(flags(&scene), [vec![], vec![Flag::Known], vec![]]);
    for (heard, known) in [("a", vec![Flag::Known]), ("c", vec![])] {
        scene.known = vec![said(heard, 9).claim_hash()];
        assert_eq!(flags(&scene)[0], known);
    }
}

/// R18: a text that hides or reorders is flagged wherever it stands, and stored as it is.
#[test]
fn suspicious_text_is_flagged_wherever_it_stands() {
    let bad = "safe\u{202e}elif";
    let claim = |claim| AttestationParts { claim, ..parts() };
    let places = [
        claim(Claim::of_text(text(bad))),
        claim(Claim {
            context: Some(text(bad)),
            ..Claim::of_text(text("x"))
        }),
        claim(Claim {
            references: vec![text(bad)],
            ..Claim::of_text(text("x"))
        }),
        AttestationParts {
            id: text(bad),
            ..parts()
        },
        AttestationParts {
            provenance: Some(MemoryProvenance {
                witnesses: vec![text(bad)],
                ..MemoryProvenance::of_source(ProvenanceSource::Received)
            }),
            ..parts()
        },
        AttestationParts {
            salience: Some(Salience {
                why_kept: Some(text(bad)),
                ..salience()
            }),
            ..parts()
        },
    ];
    for place in places {
        assert_eq!(
            stored(place),
            (Disposition::StoredHigh, vec![Flag::SuspiciousText])
        );
    }
}

fn with_url() -> AttestationParts {
    let hash = Some(DocumentHash::of(b"x"));
    AttestationParts {
        evidence: vec![EvidenceLink {
            url: text("https://a.example/x"),
            media_type: None,
            hash,
        }],
        ..parts()
    }
}

fn found(parts: AttestationParts, evidence: CheckResult) -> JudgedMemory {
    let mut scene = Scene::trusting(&[PEER]);
    scene.found = evidence;
    scene.judged(attested(parts, PEER))
}

/// Adversarial case H110: alive but changed: rejected. Alive without a hash: Pass(weak), which raises nothing. Gone: one level less, flagged.
#[test]
fn what_was_found_at_a_url_lowers_or_says_nothing() {
    let high = Disposition::StoredHigh;
    for (finding, disposition) in [
        (CheckResult::Fail(FailCode::Mismatch), Disposition::Reject),
        (CheckResult::Fail(FailCode::Dead), Disposition::StoredMedium),
        (CheckResult::Skip(SkipReason::Weak), high),
        (CheckResult::UNREACHABLE, high),
        (CheckResult::NOT_FETCHED, high),
        (CheckResult::Pass, high),
    ] {
        let memory = found(with_url(), finding);
        assert_eq!(
            (memory.checks.evidence, memory.disposition),
            (finding, disposition)
        );
    }
    let none = found(parts(), CheckResult::Pass);
    assert_eq!(
        none.checks.evidence,
        CheckResult::Skip(SkipReason::NoEvidence),
        "there is no URL to find anything at"
    );
}

/// R11: a URL that answers is no evidence where evidence is demanded.
#[test]
fn only_evidence_that_was_compared_meets_the_demand_for_it() {
    let mut scene = Scene::trusting(&[PEER]);
    scene.demands.require_evidence = true;
    for (evidence, kept) in [
        (CheckResult::Pass, true),
        (CheckResult::Skip(SkipReason::Weak), false),
        (CheckResult::NOT_FETCHED, false),
    ] {
        scene.found = evidence;
        let memory = scene.judged(attested(with_url(), PEER));
        assert_eq!(
            memory.disposition > Disposition::Reject,
            kept,
            "{evidence:?}"
        );
    }
}
