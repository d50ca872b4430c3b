//! What becomes of each memory (docs/format/exchange.md §11).

use counterfoil_claims::belief::{BeliefStatus, Marker};
use counterfoil_claims::{Act, ProvenanceClass};
use counterfoil_exchange::checks::{CheckResult, Disposition, FailCode, Flag, SkipReason};
use counterfoil_exchange::documents::{
    Attestation, Claim, Decay, DocumentHash, EvidenceLink, MemoryProvenance, ProvenanceSource,
    ResultParts, Text,
};
use counterfoil_exchange::machine::{ExchangeState, ItemState};
use counterfoil_exchange::trust::{Level, LocalRecord};
use counterfoil_peer::asking::{ReceivedMemory, StorePolicy};
use counterfoil_peer::{ExchangeQuestion, ExchangeReport};
use counterfoil_store::conformance::block_on;
use counterfoil_store::{AsOf, ClaimStore, MemoryStore};
use counterfoil_types::WorldId;

use crate::answers::{
    agent, answer, answer_of, attested, during, fact, key, memory, parts, result, salience, stamp,
    text, unsigned,
};
use crate::rig::{DAY_US, NOW_US, Rig, Scripted, question, values};

pub(crate) fn ask(
    rig: &Rig,
    mut results: impl FnMut() -> Vec<ResultParts> + Send + 'static,
) -> ExchangeReport {
    let mut way = Scripted::answering(rig, move |request| answer(request, results()));
    rig.ask(question(Some(key(9))), &mut way)
}

pub(crate) fn only(report: &ExchangeReport) -> &ReceivedMemory {
    assert_eq!(report.memories.len(), 1, "{report:?}");
    &report.memories[0]
}

/// MRP-5, R17, MRP-47: a text is a World that says from whom, at which level, by which exchange.
#[test]
fn a_text_is_stored_with_where_it_came_from() {
    let rig = Rig::new();
    let report = ask(&rig, || vec![memory("m1", text("decay beats deletion"))]);
    assert_eq!(report.state, ExchangeState::Stored);
    assert_eq!(
        (report.responder, report.level),
        (Some(key(9)), Level::Identified)
    );
    let memory = only(&report);
    assert_eq!(memory.state, ItemState::Stored);
    assert_eq!(memory.judged.disposition, Disposition::StoredUnverified);
    let data = rig.data(memory.stored.as_ref().unwrap());
    assert_eq!(data["kind"], "received");
    assert_eq!(data["text"], "decay beats deletion");
    assert_eq!(data["from"], key(9).to_string());
    assert_eq!(data["exchange"], report.id.as_str());
    assert_eq!(
        (&data["level"], &data["disposition"]),
        (&1.into(), &"stored_unverified".into())
    );
    assert_eq!(data["attestation"]["id"], "m1");
    assert!(data.get("share").is_none() && data.get("private").is_none());

    rig.trust(key(9));
    assert_eq!(rig.data(memory.stored.as_ref().unwrap()), data);
    let again = block_on(rig.asking().report(&report.id)).unwrap();
    assert_eq!(again.level, Level::Direct);
    assert_eq!(again.memories, report.memories);
}

/// MRP-5, R17: a structured claim goes through the gate as what a peer says, at its level.
#[test]
fn a_structured_claim_becomes_a_claim_of_the_peer() {
    let rig = Rig::new();
    rig.trust(key(9));
    let report = ask(&rig, || {
        vec![memory("m1", fact("ann", "lives in", "Porto"))]
    });
    let memory = only(&report);
    assert_eq!(memory.gate.as_deref(), Some("committed"));
    let unit = block_on(rig.store.unit_of(memory.stored.as_ref().unwrap()))
        .unwrap()
        .unwrap();
    let class = unit.provenance().class();
    assert_eq!(
        class,
        ProvenanceClass::Peer {
            agent: key(9),
            level: 3,
            inferred: false,
        }
    );
    assert_eq!(
        unit.key(),
        Some(format!("exchange:{}:0", report.id).as_str())
    );
    let belief = rig.believe("ann", "lives in");
    assert_eq!(values(&belief), ["\"Porto\""]);
    assert_eq!(belief.markers, [Marker::PeerSourced]);
}

/// I4: what another agent has from a model stays inferred here, and contests nothing.
#[test]
fn a_models_guess_of_a_peer_stays_inferred() {
    let rig = Rig::new();
    rig.trust(key(9));
    rig.user_says("ann", "lives in", "Lisbon");
    let mut guess = parts("m1", fact("ann", "lives in", "Porto"));
    guess.provenance = Some(MemoryProvenance::of_source(ProvenanceSource::Inference));
    let report = ask(&rig, move || vec![attested(&agent(9), guess.clone())]);
    assert_eq!(only(&report).gate.as_deref(), Some("committed_inferred"));
    let belief = rig.believe("ann", "lives in");
    assert_eq!(values(&belief), ["\"Lisbon\""]);
    assert_eq!(belief.markers, [Marker::ModelDissent]);
}

/// R17: the source is who attests, and the level the lesser of both.
#[test]
fn who_attests_is_the_source_and_the_lesser_level_counts() {
    let rig = Rig::new();
    rig.trust(key(8));
    let attest = || {
        vec![attested(
            &agent(8),
            parts("m1", fact("ann", "lives in", "Porto")),
        )]
    };
    let report = ask(&rig, attest);
    let memory = only(&report);
    assert_eq!(memory.judged.source, Some(key(8)));
    assert_eq!(memory.judged.level(), Level::Identified);
}

/// MRP-36: without a signature it is shown, and stored only where the asker keeps what is raw; never as a claim.
#[test]
fn what_is_raw_is_stored_only_where_it_is_kept() {
    for (store_policy, state, stored) in [
        (StorePolicy::Attested, ExchangeState::Discarded, 0),
        (StorePolicy::All, ExchangeState::Stored, 1),
    ] {
        let rig = Rig::new();
        let mut way =
            Scripted::answering(&rig, |request| unsigned(request, "success", &["a rumour"]));
        let asked = ExchangeQuestion {
            store_policy,
            ..question(None)
        };
        let report = rig.ask(asked, &mut way);
        assert_eq!(report.state, state, "{report:?}");
        let memory = only(&report);
        assert_eq!(memory.judged.disposition, Disposition::RawOnly);
        assert_eq!(rig.size(), stored);
        if let Some(world) = &memory.stored {
            let data = rig.data(world);
            assert_eq!(
                (&data["text"], &data["level"]),
                (&"a rumour".into(), &0.into())
            );
            assert!(data.get("from").is_none() && data.get("attestation").is_none());
        }
    }
}

/// A dry run writes nothing into the log, and the exchange is there all the same.
#[test]
fn a_dry_run_stores_nothing() {
    let rig = Rig::new();
    let mut way = Scripted::answering(&rig, |request| {
        let claim = memory("m2", fact("ann", "lives in", "Porto"));
        answer(request, vec![memory("m1", text("a")), claim])
    });
    let dry = ExchangeQuestion {
        store_policy: StorePolicy::None,
        ..question(Some(key(9)))
    };
    let report = rig.ask(dry, &mut way);
    assert_eq!(report.state, ExchangeState::Discarded);
    assert_eq!(rig.size(), 0);
    assert!(report.memories.iter().all(|memory| memory.stored.is_none()));
    assert_eq!(
        block_on(rig.asking().report(&report.id)).unwrap().memories,
        report.memories
    );
}

/// Adversarial case H103, R13, MRP-28, MRP-29: a peer contradicts what the user said; both are there, and nothing is replaced.
#[test]
fn h103_a_contradiction_shows_and_replaces_nothing() {
    let rig = Rig::new();
    rig.user_says("ann", "lives in", "Lisbon");
    let report = ask(&rig, || {
        vec![memory("m1", fact("ann", "lives in", "Porto"))]
    });
    let memory = only(&report);
    assert_eq!(
        memory.judged.checks.consistency,
        CheckResult::Fail(FailCode::Contradicts)
    );
    assert_eq!(memory.judged.disposition, Disposition::StoredUnverified);
    assert_eq!(memory.judged.flags, [Flag::Contested]);
    assert_eq!(memory.sides, ["\"Lisbon\""]);
    assert_eq!(memory.gate.as_deref(), Some("committed"));
    let belief = rig.believe("ann", "lives in");
    assert_eq!(belief.status, BeliefStatus::TimingUncertain);
    assert_eq!(values(&belief), ["\"Lisbon\""]);
    assert_eq!(belief.markers, [Marker::Untrusted]);
    assert_eq!(belief.alternatives[0].value.canonical(), "\"Porto\"");
}

/// Adversarial case H103, MRP-26: equal values pass, and what says nothing of the same time contradicts nothing.
#[test]
fn h103_only_what_holds_at_the_same_time_contradicts() {
    let rig = Rig::new();
    rig.user_says("ann", "lives in", "Lisbon");
    for (value, from, until, found) in [
        ("Lisbon", "", "", CheckResult::Pass),
        (
            "Porto",
            "2019-01-01",
            "2020-01-01",
            CheckResult::Skip(SkipReason::NotComparable),
        ),
        (
            "Porto",
            "2019-01-01",
            "2099-01-01",
            CheckResult::Fail(FailCode::Contradicts),
        ),
    ] {
        let claim = during(fact("ann", "lives in", value), from, until);
        let report = ask(&rig, move || vec![memory("m1", claim.clone())]);
        assert_eq!(
            only(&report).judged.checks.consistency,
            found,
            "{value} {from} {until}"
        );
    }
}

/// Adversarial case H104: two whom I trust disagree, and one takes it back; what was known before stays known.
#[test]
fn h104_two_trusted_agents_disagree_and_one_retracts() {
    let rig = Rig::new();
    let mut kept = Vec::new();
    for (who, value) in [(8, "Porto"), (9, "Braga")] {
        rig.trust(key(who));
        let mut way = Scripted::answering(&rig, move |request| {
            let said = attested(&agent(who), parts("m1", fact("ann", "lives in", value)));
            answer_of(&agent(who), request, vec![said])
        });
        let report = rig.ask(question(Some(key(who))), &mut way);
        assert_eq!(only(&report).judged.level(), Level::Direct);
        kept.push(only(&report).stored.clone().unwrap());
        rig.clocks.pass(1_000_000);
    }
    let then = rig.believe("ann", "lives in");
    assert_eq!(then.status, BeliefStatus::Contested);
    rig.clocks.pass(DAY_US);
    rig.user_denies(&kept[1], &kept[0]);
    let now = rig.believe("ann", "lives in");
    assert_eq!(values(&now), ["\"Porto\""]);
    let asked = AsOf {
        as_of_us: Some(then.question.as_of_us),
        ..AsOf::default()
    };
    assert_eq!(
        rig.believe_at("ann", "lives in", asked).status,
        BeliefStatus::Contested
    );
}

/// Adversarial case H105: nobody takes the place of what others have said; the same author's word is a link and no more.
#[test]
fn h105_supersedes_is_a_link_of_the_same_author_or_nothing() {
    let rig = Rig::new();
    rig.trust(key(9));
    let mine = rig.user_says("ann", "lives in", "Lisbon");
    let first = ask(&rig, || vec![memory("old", text("first words"))]);
    let old = only(&first).stored.clone().unwrap();
    let mut same = parts("new", text("better words"));
    same.salience = salience(None, &["old", &mine.to_string(), &old.to_string()]);
    let other = {
        let mut other = same.clone();
        other.claim = text("others' words");
        other
    };
    let report = ask(&rig, move || {
        vec![
            attested(&agent(9), same.clone()),
            attested(&agent(8), other.clone()),
        ]
    });
    assert_eq!(report.memories[0].supersedes, std::slice::from_ref(&old));
    assert_eq!(
        rig.data(report.memories[0].stored.as_ref().unwrap())["supersedes"],
        serde_json::json!([old])
    );
    assert!(report.memories[1].supersedes.is_empty());
    assert_eq!(rig.data(&old)["text"], "first words");

    let mut claim = parts("c", fact("ann", "lives in", "Porto"));
    claim.salience = salience(None, &[&mine.to_string()]);
    let report = ask(&rig, move || vec![attested(&agent(9), claim.clone())]);
    let unit = block_on(rig.store.unit_of(only(&report).stored.as_ref().unwrap()))
        .unwrap()
        .unwrap();
    assert!(matches!(unit.act(), Act::Claim(body) if body.supersedes.is_empty()));
    assert_eq!(
        rig.believe("ann", "lives in").status,
        BeliefStatus::Contested
    );
}

/// R12, I11, adversarial case H106: what is past its time says nothing of the present, and is flagged where it is stored.
#[test]
fn what_is_stale_says_nothing_of_the_present() {
    let rig = Rig::new();
    rig.trust(key(9));
    rig.user_says("bob", "lives in", "Lisbon");
    let old = stamp(NOW_US - 200 * DAY_US);
    let mut aged = parts("m1", fact("ann", "lives in", "Porto"));
    aged.created_at = Some(old);
    let mut bound = parts("m2", fact("bob", "lives in", "Porto"));
    bound.created_at = Some(old);
    bound.salience = salience(Some(Decay::TimeBound(stamp(NOW_US - 100 * DAY_US))), &[]);
    let mut words = parts("m3", text("an old observation"));
    words.created_at = Some(old);
    let all = move || {
        [aged.clone(), bound.clone(), words.clone()]
            .map(|parts| attested(&agent(9), parts))
            .into()
    };
    let report = ask(&rig, all);
    for memory in &report.memories {
        assert_eq!(memory.judged.flags, [Flag::Stale], "{memory:?}");
        assert!(memory.stored.is_some());
    }
    assert_eq!(rig.believe("ann", "lives in").status, BeliefStatus::Ended);
    let then = AsOf {
        valid_at: Some(i64::try_from(NOW_US - 190 * DAY_US).unwrap()),
        as_of_us: None,
    };
    assert_eq!(
        values(&rig.believe_at("ann", "lives in", then)),
        ["\"Porto\""]
    );
    let bob = rig.believe("bob", "lives in");
    assert_eq!(values(&bob), ["\"Lisbon\""]);
    assert_eq!(
        rig.data(report.memories[2].stored.as_ref().unwrap())["until"],
        stamp(NOW_US - 170 * DAY_US).to_string()
    );
}

/// R12: what will be past its time ends by itself; what the claim says of itself counts before that.
#[test]
fn what_is_bound_to_a_time_ends_with_it() {
    let rig = Rig::new();
    rig.trust(key(9));
    let until = stamp(NOW_US + 10 * DAY_US);
    let mut bound = parts("m1", fact("ann", "visits", "Porto"));
    bound.salience = salience(Some(Decay::TimeBound(until)), &[]);
    let report = ask(&rig, move || vec![attested(&agent(9), bound.clone())]);
    assert!(only(&report).judged.flags.is_empty());
    assert_eq!(values(&rig.believe("ann", "visits")), ["\"Porto\""]);
    rig.clocks.pass(11 * DAY_US);
    assert_eq!(rig.believe("ann", "visits").status, BeliefStatus::Ended);
}

/// A window that ends before it begins is no claim; the words are kept.
#[test]
fn an_incoherent_window_is_kept_in_words() {
    let rig = Rig::new();
    let claim = during(fact("ann", "lives in", "Porto"), "2026-01-01", "2025-01-01");
    let report = ask(&rig, move || vec![memory("m1", claim.clone())]);
    let memory = only(&report);
    assert_eq!(
        rig.data(memory.stored.as_ref().unwrap())["kind"],
        "received"
    );
    assert_eq!(
        rig.believe("ann", "lives in").status,
        BeliefStatus::NoBelief
    );
}

/// R10, R21: a key whose signed answer was accepted is known to sign from then on.
#[test]
fn a_peer_that_signs_is_recorded_as_one_that_does() {
    let rig = Rig::new();
    ask(&rig, || vec![memory("m1", text("a"))]);
    ask(&rig, || vec![memory("m2", text("b"))]);
    let pins = rig.recorded();
    assert_eq!(
        pins,
        [LocalRecord::Pin {
            key: key(9),
            signs: true
        }]
    );

    let rig = Rig::new();
    rig.record(LocalRecord::Pin {
        key: key(9),
        signs: false,
    });
    ask(&rig, || vec![memory("m1", text("a"))]);
    assert_eq!(rig.recorded().len(), 1);
}

/// Raw in a signed answer is the responder's word.
#[test]
fn an_unsigned_memory_in_a_signed_answer_is_the_responders_word() {
    let rig = Rig::new();
    let report = ask(&rig, || {
        vec![result(
            Attestation::raw(Text::new("m1").unwrap(), text("plain words"), Vec::new()).unwrap(),
        )]
    });
    let memory = only(&report);
    assert_eq!(memory.judged.source, Some(key(9)));
    assert_eq!(memory.judged.disposition, Disposition::StoredUnverified);
}

/// MRP-23: evidence is also a memory of mine that a claim cites with the hash of its content; one of another content, one that
/// another agent has said, and none at all are not.
#[test]
fn a_cited_memory_of_mine_is_evidence() {
    let rig = Rig::new();
    let mine = rig.user_says("kettle", "holds", "two litres");
    let theirs = ask(&rig, || vec![memory("m0", text("decay beats deletion"))]);
    let theirs = only(&theirs).stored.clone().unwrap();
    let hash = |world: &WorldId| {
        let found = block_on(rig.store.get(world)).unwrap().unwrap();
        DocumentHash::of(found.content().unwrap().as_bytes())
    };
    let other = DocumentHash::of(b"another content");
    for (number, (world, hash, is_evidence)) in [
        (&mine, Some(hash(&mine)), true),
        (&mine, Some(other), false),
        (&mine, None, false),
        (&theirs, Some(hash(&theirs)), false),
    ]
    .into_iter()
    .enumerate()
    {
        let mut cited = parts("m1", text(&format!("number {number}")));
        cited.evidence = vec![EvidenceLink {
            url: Text::new(world.to_string()).unwrap(),
            media_type: None,
            hash,
        }];
        let mut asked = question(Some(key(9)));
        asked.query.filters.require_evidence = true;
        let mut way = Scripted::answering(&rig, move |request| {
            answer(request, vec![attested(&agent(9), cited.clone())])
        });
        let report = rig.ask(asked, &mut way);
        let judged = &only(&report).judged;
        assert_eq!(judged.checks.evidence.is_pass(), is_evidence, "{number}");
        let kept = judged.disposition > Disposition::Reject;
        assert_eq!(kept, is_evidence, "{number}");
    }
}

/// R17, MRP-26: a claim that the question did not ask for, or whose words state something else, is kept as a text: it enters no
/// belief and contradicts none. Asked for later, the same claim is one.
#[test]
fn what_was_not_asked_for_is_testimony() {
    let rig = Rig::new();
    rig.user_says("carol", "lives in", "Lisbon");
    let before = rig.believe("carol", "lives in").sides;
    let claim = || fact("carol", "lives in", "Porto");
    let report = ask(&rig, move || vec![memory("m1", claim())]);
    let judged = &only(&report).judged;
    assert_eq!(judged.flags, [Flag::Unasked]);
    assert!(judged.checks.consistency != CheckResult::Fail(FailCode::Contradicts));
    let stored = only(&report).stored.clone().unwrap();
    assert_eq!(rig.data(&stored)["kind"], "received");
    assert_eq!(rig.believe("carol", "lives in").sides, before);

    let other = || Claim {
        content: Text::new("ann likes tea").unwrap(),
        ..fact("ann", "lives in", "Porto")
    };
    let report = ask(&rig, move || vec![memory("m2", other())]);
    assert_eq!(only(&report).judged.flags, [Flag::OtherWords]);
    assert!(values(&rig.believe("ann", "lives in")).is_empty());

    let mut asked = question(Some(key(9)));
    asked.query.natural = Text::new("Where does Carol live?").unwrap();
    let mut way = Scripted::answering(&rig, move |request| {
        answer(request, vec![memory("m3", claim())])
    });
    let report = rig.ask(asked, &mut way);
    assert_eq!(only(&report).judged.flags, [Flag::Contested]);
    assert!(only(&report).gate.is_some(), "{report:?}");
}
