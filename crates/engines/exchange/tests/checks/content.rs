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
    DAY, NOW, SECOND, attestation_parts, attested, result, said, text, time,
};

fn parts() -> AttestationParts {
    attestation_parts("a", Claim::of_text(text("pruning is identity")), PEER)
}

fn decaying(decay: Decay) -> AttestationParts {
    let mut parts = parts();
    parts.salience.get_or_insert_default().expected_decay = Some(decay);
    parts
}

fn judged(parts: AttestationParts) -> JudgedMemory {
    Scene::trusting(&[PEER]).judged(attested(parts, PEER))
}

fn stored(parts: AttestationParts) -> (Disposition, Vec<Flag>) {
    let judged = judged(parts);
    (judged.disposition, judged.flags)
}

/// Adversarial cases G95, G87, H105, MRP-30, R8: witnesses without keys, twelve times the same, the author himself, a source that is
/// claimed, memories that it says to take the place of, and the agent's own confidence, count for nothing.
#[test]
fn confidence_in_oneself_counts_for_nothing() {
    // Direct trust gives all there is, so it could not rise.
    for scene in [Scene::new(), Scene::trusting(&[PEER])] {
        assert_unmoved_by_itself(&scene);
    }
}

fn assert_unmoved_by_itself(scene: &Scene) {
    let stored = |parts: AttestationParts| {
        let judged = scene.judged(attested(parts, PEER));
        (judged.disposition, judged.flags)
    };
    let bare = stored(parts());
    let names = |name: &str, count: usize| vec![text(name); count];
    for (source, witnesses) in [
        (ProvenanceSource::Received, names("djclawd", 12)),
        (ProvenanceSource::Received, names("agent 2", 1)),
        (ProvenanceSource::DirectExperience, vec![]),
        (ProvenanceSource::Aggregated, names("x", 16)),
    ] {
        let mut claim = parts();
        claim.provenance = Some(MemoryProvenance {
            witnesses,
            ..MemoryProvenance::of_source(source)
        });
        claim.salience = Some(Salience {
            confidence: Some(1.0),
            supersedes: vec![text("world-1"), text("my-own-memory")],
            ..Salience::default()
        });
        assert_eq!(stored(claim), bare);
    }
}

/// Adversarial case H106: past its time: flagged and kept. Under a condition: Skip. "never" is no time and is not read.
#[test]
fn decay_flags_skips_or_is_not_read() {
    let ahead = Decay::TimeBound(time(NOW + DAY));
    let conditional = Decay::Conditional(Some(text("until the schema changes")));
    for (decay, freshness, flags) in [
        (
            Decay::TimeBound(time(NOW - 1)),
            CheckResult::Fail(FailCode::Stale),
            vec![Flag::Stale],
        ),
        (ahead.clone(), CheckResult::Pass, vec![]),
        (
            conditional,
            CheckResult::Skip(SkipReason::Conditional),
            vec![],
        ),
    ] {
        let memory = judged(decaying(decay));
        assert_eq!((memory.checks.freshness, memory.flags), (freshness, flags));
        assert_eq!(memory.disposition, Disposition::StoredHigh);
    }
    let text = attested(decaying(ahead), PEER).text().to_owned();
    let never = text.replace(&time(NOW + DAY).to_string(), "never");
    assert!(never != text && Attestation::parse(never.as_bytes()).is_err());
}

/// R12, MRP-24: by its type, from `created_at` on, and never from later than its receipt.
#[test]
fn a_memory_ages_by_its_type() {
    let limits = FreshnessLimits::default();
    let dated = |created: Option<u64>| AttestationParts {
        created_at: created.map(time),
        ..parts()
    };
    let of = |kind, age_days: u64| {
        let mut parts = dated(Some(NOW - age_days * DAY));
        parts.claim.kind = kind;
        freshness(&parts, NOW, NOW, &limits)
    };
    for (kind, days) in [
        (ClaimKind::Fact, 180),
        (ClaimKind::Observation, 30),
        (ClaimKind::Insight, 365),
        (ClaimKind::Relationship, 180),
    ] {
        let aged = [of(kind, days - 1), of(kind, days)];
        assert_eq!(
            aged,
            [CheckResult::Pass, CheckResult::Fail(FailCode::Stale)],
            "{kind:?}"
        );
    }
    assert_eq!(of(ClaimKind::Event, 10_000), CheckResult::Pass);
    let undated = freshness(&dated(None), NOW, NOW, &limits);
    assert_eq!(undated, CheckResult::Skip(SkipReason::Undated));
    let ahead = dated(Some(NOW + 200 * SECOND));
    assert_eq!(lifetime(&ahead, NOW, &limits), Ok(Some(NOW + 30 * DAY)));
    let permanent = decaying(Decay::Permanent);
    let late = freshness(&permanent, NOW, NOW + 100_000 * DAY, &limits);
    assert_eq!(late, CheckResult::Pass);
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
    let later = freshness(&future, NOW + SECOND, NOW + DAY, &limits);
    assert_eq!(later, CheckResult::Fail(FailCode::Future));
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
    let words = ["a", "a", "b"];
    let answer = scene.answer(words.map(|words| result(said(words, PEER))).into());
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
    let places: [fn(&mut AttestationParts, &str); 6] = [
        |parts, bad| parts.claim.content = text(bad),
        |parts, bad| parts.claim.context = Some(text(bad)),
        |parts, bad| parts.claim.references = vec![text(bad)],
        |parts, bad| parts.id = text(bad),
        |parts, bad| parts.provenance.as_mut().unwrap().witnesses = vec![text(bad)],
        |parts, bad| parts.salience.get_or_insert_default().why_kept = Some(text(bad)),
    ];
    for put in places {
        let mut parts = parts();
        put(&mut parts, bad);
        assert_eq!(
            stored(parts),
            (Disposition::StoredHigh, vec![Flag::SuspiciousText])
        );
    }
}

fn with_url() -> AttestationParts {
    let link = EvidenceLink {
        url: text("https://a.example/x"),
        media_type: None,
        hash: Some(DocumentHash::of(b"x")),
    };
    AttestationParts {
        evidence: vec![link],
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
        let told = (memory.checks.evidence, memory.disposition);
        assert_eq!(told, (finding, disposition));
    }
    // There is no URL to find anything at.
    let none = found(parts(), CheckResult::Pass).checks.evidence;
    assert_eq!(none, CheckResult::Skip(SkipReason::NoEvidence));
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
        let is_kept = memory.disposition > Disposition::Reject;
        assert_eq!(is_kept, kept, "{evidence:?}");
    }
}
