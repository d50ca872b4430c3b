//! Who is told what: labels, levels, and what never leaves (R14).

use std::sync::Arc;
use std::sync::atomic::Ordering;

use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_exchange::answering::{PassOn, Refusal, SeenQuotas, Share};
use counterfoil_exchange::documents::{
    Attestation, AttestationParts, Audience, Claim, Format, Party, ProvenanceSource, Request,
    Response, Signature, StatusCode, Text,
};
use counterfoil_exchange::trust::{Level, LocalRecord, Record};
use counterfoil_peer::answering::AnsweringSettings;
use counterfoil_store::conformance::block_on;
use counterfoil_types::DidKey;
use counterfoil_verifier::{Anchors, LogAnchor, Session, VerifierKey};
use proptest::prelude::*;
use serde_json::json;

use crate::support::{NOW_US, Rig, SECOND_US, agent, ann, home, names, query, rule, settings};

fn keep(rig: &Rig, document: &[u8]) {
    let signer = Arc::clone(&rig.signer);
    block_on(rig.store().add_records(signer, vec![document.to_vec()])).unwrap();
}

fn trusting(rig: &Rig, record: LocalRecord) {
    let at = Timestamp::from_micros(rig.timer.now_us()).unwrap();
    let record = Record::local(record, at, rig.signer.as_ref()).unwrap();
    keep(rig, record.bytes());
    rig.timer.pass(SECOND_US);
}

pub(crate) fn trusting_directly(rig: &Rig, key: DidKey) {
    let trust = LocalRecord::DirectTrust {
        key,
        domain: None,
        expires: None,
    };
    trusting(rig, trust);
}

/// R14: only what bears a label that the rule names; never what is private; nothing at all without a rule.
#[test]
fn only_what_bears_the_label_is_told() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    rig.remember_tea(&["friends"], "friends");
    rig.remember_tea(&["work"], "work");
    rig.remember("none", json!({"text": "tea"}));
    rig.remember(
        "several",
        json!({"text": "tea", "share": ["work", "friends"]}),
    );
    rig.remember(
        "secret",
        json!({"text": "tea", "share": "friends", "private": true}),
    );
    rig.remember(
        "odd",
        json!({"text": "tea", "share": "friends", "private": "yes"}),
    );
    rig.remember("not", json!({"text": "tea", "share": {"friends": true}}));
    let mut told = rig.told(&rig.request());
    told.sort_unstable();
    assert_eq!(told, ["friends", "several"]);
    let strangers = Request::anonymous(rig.parts()).unwrap();
    assert_eq!(
        rig.answer(&strangers).parts().status.code,
        StatusCode::NoMatch
    );
}

/// R14: a label that another agent has written is not this agent's.
#[test]
fn what_another_agent_has_labelled_is_not_told() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    let theirs = Arc::new(agent(3));
    rig.remember_as("theirs", json!({"text": "tea", "share": "friends"}), theirs);
    assert!(rig.told(&rig.request()).is_empty());
}

/// R14: a version that was replaced is not told, by whichever words it is asked for.
#[test]
fn what_was_taken_back_is_not_told_in_its_old_version() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    let id = rig.remember("a", json!({"text": "tea and milk", "share": "friends"}));
    assert_eq!(rig.told(&rig.request()), ["a"]);
    rig.replace(
        &id,
        "a2",
        json!({"text": "coffee", "share": "friends", "private": true}),
    );
    for words in ["tea", "milk", "tea and milk", "coffee"] {
        let request = rig.request_with(|parts| parts.query = query(words));
        assert!(rig.told(&request).is_empty(), "{words}");
    }
}

/// R14: the neighbours of a turn, which may not be shared, neither find it nor change its relevance.
#[test]
fn words_of_neighbours_find_nothing() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    let turn = |name: &str, position: u64, text: &str, share: &str| {
        let source = json!({"conversation": "c", "session": "1", "position": position});
        let data = json!({"kind": "turn", "speaker": "ann", "text": text, "source": source, "share": share});
        rig.remember(name, data);
    };
    turn("secret", 0, "the code is swordfish", "none");
    turn("shared", 1, "tea at five", "friends");
    let ask = |words: &str| rig.request_with(|parts| parts.query = query(words));
    assert_eq!(rig.told(&ask("tea")), ["shared"]);
    assert!(rig.told(&ask("swordfish")).is_empty());
    let relevance = |words| rig.answer(&ask(words)).parts().results[0].relevance;
    assert_eq!(relevance("tea swordfish"), relevance("tea marlin"));
}

/// R14: a rule with a scope gives out the memories of that scope alone, also when the cache knows the others.
#[test]
fn a_rule_with_a_scope_tells_of_that_scope_alone() {
    let rig = Rig::new(settings(vec![Share {
        scope: "user=kit".parse().unwrap(),
        ..rule("friends")
    }]));
    for (name, scope) in [
        ("kits", json!({"user": "kit"})),
        ("narrower", json!({"user": "kit", "session": "4"})),
        ("bos", json!({"user": "bo"})),
        ("odd", json!("user=kit")),
        ("none", json!({})),
    ] {
        rig.remember(
            name,
            json!({"text": "tea", "share": "friends", "scope": scope}),
        );
    }
    for _ in 0..2 {
        let mut told = rig.told(&rig.request());
        told.sort_unstable();
        assert_eq!(told, ["kits", "narrower"]);
    }
}

/// A question of another agent finds what the same question of this agent's own user does: in the language of the question, and
/// by the day that "yesterday" was when it came.
#[test]
fn a_question_is_read_as_ones_own_is() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    let shared = |name: &str, text: &str| {
        rig.remember(name, json!({"text": text, "share": "friends"}));
    };
    shared("bill", "Die Rechnung ist bezahlt und liegt auf dem Tisch");
    shared("ferry", "14 January 2027: took the ferry");
    let ask = |words: &str| rig.told(&rig.request_with(|parts| parts.query = query(words)));
    assert_eq!(ask("Wo sind die Rechnungen?"), ["bill"]);
    assert_eq!(ask("what was taken yesterday?"), ["ferry"]);
    assert!(ask("what was taken last year?").is_empty());
}

/// R14, R8: the level is the one that this agent has recorded, and is read again within a second.
#[test]
fn a_rule_for_a_level_is_for_whom_this_agent_trusts() {
    let rig = Rig::new(settings(vec![Share {
        level: Level::Direct,
        ..rule("friends")
    }]));
    rig.remember_tea(&["a"], "friends");
    assert!(rig.told(&rig.request()).is_empty());
    let key = ann().agent();
    trusting_directly(&rig, key);
    let response = rig.answer(&rig.request());
    assert_eq!(names(&response), ["a"]);
    assert_eq!(
        response.parts().meta.total_matches,
        Some(1),
        "from level 2 on"
    );
    trusting(
        &rig,
        LocalRecord::Distrust {
            key,
            domain: None,
            reason: None,
        },
    );
    assert!(rig.told(&rig.request()).is_empty());
}

/// Adversarial cases F66 and F84: whoever makes keys without end fills the room for sightings; whom this agent trusts is
/// heard all the same.
#[test]
fn strangers_who_fill_the_room_for_sightings_leave_some_to_who_is_trusted() {
    let settings = AnsweringSettings {
        quotas: SeenQuotas {
            per_key: 10,
            in_all: 10,
        },
        ..settings(vec![rule("friends")])
    };
    let rig = Rig::new(settings);
    rig.remember_tea(&["a"], "friends");
    trusting_directly(&rig, ann().agent());
    let stranger = |by| rig.try_answer(&Request::sign(rig.parts(), &agent(by)).unwrap());
    let heard = (30..45).filter(|by| stranger(*by).is_ok()).count();
    assert_eq!(heard, 9);
    assert_eq!(rig.told(&rig.request()).len(), 1);
    let full = rig.try_answer(&rig.request());
    assert!(matches!(full, Err(Refusal::SeenFull { .. })));
}

/// Adversarial cases F66 and F84, R4: whoever makes keys without end at one address uses up the budget of that address. Newcomers
/// from elsewhere are heard, and so is whom this agent trusts; the budget comes back with time.
#[test]
fn fresh_keys_of_one_address_lock_no_newcomer_out() {
    let settings = AnsweringSettings {
        seen_per_address: 5,
        ..settings(vec![rule("friends")])
    };
    let rig = Rig::new(settings);
    trusting_directly(&rig, ann().agent());
    let ask = |by, from| {
        let request = Request::sign(rig.parts(), &agent(by)).unwrap();
        block_on(rig.answering.answer(request.bytes(), from))
    };
    let heard = (30..60).filter(|by| ask(*by, home()).is_ok()).count();
    assert_eq!(heard, 5);
    assert!(matches!(ask(60, home()), Err(Refusal::SeenFull { .. })));
    let elsewhere = Some([192, 0, 2, 1].into());
    assert!(ask(60, elsewhere).is_ok());
    assert!(rig.try_answer(&rig.request()).is_ok());
    rig.timer.pass(127 * SECOND_US);
    assert!(ask(61, home()).is_ok());
    assert!(ask(62, home()).is_err());
}

/// R8: a record that cannot be read makes trust unknown, and nobody is answered by what was known before it.
#[test]
fn while_the_records_cannot_be_read_nobody_is_answered() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    rig.remember_tea(&["a"], "friends");
    assert_eq!(rig.told(&rig.request()).len(), 1);
    keep(&rig, b"{}");
    rig.timer.pass(SECOND_US);
    for _ in 0..3 {
        let refused = rig.try_answer(&rig.request());
        assert!(matches!(refused, Err(Refusal::Internal { .. })));
    }
}

/// The context names the words of the question that are in the memory; a summary has the sentences with them.
#[test]
fn a_memory_says_why_it_was_chosen() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    let filler = "Nothing happened at the harbour. ".repeat(20);
    let text = format!("{filler}Tea is at five. {filler}");
    rig.remember("tea", json!({"text": text, "share": "friends"}));
    let request = rig.request_with(|parts| {
        parts.query = query("when is tea, marlin");
        parts.preferences.format = Format::Summary;
    });
    let response = rig.answer(&request);
    let result = &response.parts().results[0];
    assert_eq!(result.context.as_ref().unwrap().as_str(), "has \"tea\"");
    let content = result.attestation.parts().claim.content.as_str();
    assert_eq!(content, "\u{2026} Tea is at five. \u{2026}");
    let time = response.parts().meta.processing_time_ms;
    assert!(time.is_some(), "{time:?}");
}

/// R14: whom this agent trusts is told that nothing is shared with it; to all others it is as if nothing matched.
#[test]
fn without_a_rule_a_trusted_agent_is_declined_and_a_stranger_hears_that_nothing_matches() {
    let rig = Rig::new(settings(vec![]));
    rig.remember_tea(&["a"], "friends");
    let code = || rig.answer(&rig.request()).parts().status.code;
    assert_eq!(code(), StatusCode::NoMatch);
    trusting_directly(&rig, ann().agent());
    let response = rig.answer(&rig.request());
    assert_eq!(response.parts().status.code, StatusCode::Declined);
    assert_eq!(response.parts().meta.processing_time_ms, None);
}

/// The seed's own request is answered in its shape, with what anyone may have.
#[test]
fn a_request_of_version_0_1_is_answered_in_that_version() {
    let rig = Rig::new(settings(vec![Share {
        level: Level::Anonymous,
        ..rule("friends")
    }]));
    rig.remember_tea(&["a"], "friends");
    let at = Timestamp::from_micros(rig.timer.now_us()).unwrap();
    let asked = json!({
        "type": "memory_request", "version": "0.1", "timestamp": at,
        "request_id": "5b0d3f0e-8d1c-4c44-9a53-1b8f3c1f7a10",
        "requester": {"agent_id": "Babel"},
        "query": {"natural": "tea"},
    });
    let answer = block_on(rig.answering.answer(asked.to_string().as_bytes(), None)).unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["version"], "0.1");
    assert_eq!(answer["request_id"], asked["request_id"]);
    assert_eq!(answer["status"], "success");
    assert!(answer["memories"][0]["attestation"]["claim"]["content"].is_string());
    let read = Response::parse(answer.to_string().as_bytes()).unwrap();
    assert!(read.is_draft());
}

/// A failure is answered as one, and is not held as the answer: sent again, the same request is answered.
#[test]
fn a_failure_is_said_and_the_request_may_be_sent_again() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    rig.remember_tea(&["a"], "friends");
    let request = rig.request();
    rig.index.is_broken.store(true, Ordering::Relaxed);
    let failed = rig.answer(&request).parts().status.clone();
    assert_eq!(failed.code, StatusCode::Error);
    assert_eq!(failed.problem.unwrap().as_str(), "internal");
    rig.index.is_broken.store(false, Ordering::Relaxed);
    assert_eq!(names(&rig.answer(&request)), ["a"]);
}

/// R14: below level 2 nobody is told how much there is.
#[test]
fn a_stranger_is_not_told_how_much_there_is() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    rig.remember_tea(&["a", "b", "c"], "friends");
    // With fewer results than asked for, the total is known.
    let response = rig.answer(&rig.request());
    assert_eq!(names(&response).len(), 3);
    assert_eq!(response.parts().meta.total_matches, None);
    // A step: the exact time tells of what was passed over.
    assert_eq!(response.parts().meta.processing_time_ms, Some(50));
}

/// MRP-44: a receipt holds under the log's key, without the store, and says what the attestation says.
#[test]
fn a_receipt_holds_under_the_key_of_the_log() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    rig.remember_tea(&["a", "b"], "friends");
    let response = rig.answer(&rig.request());
    let note = counterfoil_store::log::NoteSigner::new(
        "example.com/log",
        counterfoil_capsule::SecretKey::from_seed([9; 32]),
    );
    let log: VerifierKey = note.unwrap().verifier_key().clone();
    let anchors = Anchors::new(vec![LogAnchor::new(log)]).unwrap();
    let anchors = anchors.with_agents([rig.key()]).unwrap();
    let anchors = Arc::new(anchors);
    for result in &response.parts().results {
        let receipt = result.receipt.as_ref().unwrap();
        let opened = receipt.open(&anchors, &mut Session::new()).unwrap();
        assert_eq!(opened.entry.world.to_string(), result.memory_id.as_str());
        let said = counterfoil_exchange::answering::claim_of_world(&opened.content).unwrap();
        assert_eq!(said, result.attestation.parts().claim);
        assert_eq!(result.attestation.signature(), Signature::Holds(rig.key()));
    }
}

/// MRP-38: attestation, raw, summary; with evidence and without.
#[test]
fn what_is_asked_for_is_the_form_of_the_answer() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    let evidence = json!([{"url": "https://example.com/tea"}, {"no": "url"}]);
    rig.remember(
        "a",
        json!({"kind": "insight", "text": "tea", "share": "friends", "evidence": evidence}),
    );
    let result = |format, include_evidence| {
        let request = rig.request_with(|parts| {
            (parts.preferences.format, parts.preferences.include_evidence) =
                (format, include_evidence);
        });
        rig.answer(&request).parts().results[0].clone()
    };
    let full = result(Format::Attestation, true);
    assert_eq!(full.attestation.parts().evidence.len(), 1);
    assert_eq!(
        full.attestation.parts().created_at.map(Timestamp::micros),
        Some(NOW_US)
    );
    let again = result(Format::Attestation, true);
    assert_eq!(
        full.attestation, again.attestation,
        "the same memory, the same attestation"
    );
    let bare = result(Format::Attestation, false);
    assert!(bare.receipt.is_none() && bare.attestation.parts().evidence.is_empty());
    assert_eq!(bare.attestation.signature(), Signature::Holds(rig.key()));
    let sources = |evidence| {
        let raw = result(Format::Raw, evidence);
        raw.attestation.parts().evidence.len()
    };
    assert_eq!((sources(true), sources(false)), (1, 0));
    for format in [Format::Raw, Format::Summary] {
        let raw = result(format, true);
        assert!(raw.receipt.is_none() && raw.attestation.parts().agent.is_none());
        assert_eq!(raw.attestation.signature(), Signature::Absent);
        assert_eq!(raw.attestation.claim_hash(), full.attestation.claim_hash());
    }
}

#[test]
fn a_span_of_time_is_held_to() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    rig.remember_tea(&["a"], "friends");
    let at = |us: u64| Timestamp::from_micros(us).ok();
    let found = |from, until| {
        rig.told(&rig.request_with(|parts| {
            parts.query.time_range = Some((from, until));
        }))
        .len()
    };
    assert_eq!(found(at(NOW_US), None), 1);
    assert_eq!(found(at(NOW_US), at(NOW_US + 1000)), 1);
    assert_eq!(found(None, at(NOW_US)), 0);
    assert_eq!(found(None, at(NOW_US + 1)), 1);
    assert_eq!(found(at(NOW_US + 1), None), 0);
    assert_eq!(found(at(NOW_US + 1000), None), 0);
}

/// What another agent attested a day ago, which may be handed on or not.
fn received(pass_on: bool) -> Attestation {
    let claim = Claim::of_text(Text::new("tea is best at four").unwrap());
    let then = Timestamp::from_micros(NOW_US - 86_400 * SECOND_US).unwrap();
    let parts = AttestationParts {
        agent: Some(Party::named(Text::new("origin").unwrap())),
        created_at: Some(then),
        pass_on,
        ..AttestationParts::of_claim(Text::new("theirs").unwrap(), claim)
    };
    Attestation::sign(parts, &agent(5)).unwrap()
}

fn receive(rig: &Rig, name: &str, theirs: &Attestation, from: DidKey) {
    let (theirs, from) = (theirs.to_value().unwrap(), from.to_string());
    let data = json!({"kind": "received", "text": "tea is best at four", "attestation": theirs,
        "from": from, "share": "friends"});
    rig.remember(name, data);
}

/// R16, R17: what another agent has said is handed on with its own attestation and one hop more, and not made new.
#[test]
fn what_was_received_is_handed_on_with_who_said_it() {
    let theirs = received(true);
    for pass_on in [false, true] {
        let rig = Rig::new(settings(vec![Share {
            pass_on: PassOn::of(pass_on),
            ..rule("friends")
        }]));
        receive(&rig, "received", &theirs, agent(5).agent());
        let response = rig.answer(&rig.request());
        let attestation = &response.parts().results[0].attestation;
        let parts = attestation.parts();
        let from = parts.provenance.as_ref().map(|from| from.source);
        assert_eq!(from, Some(ProvenanceSource::Received));
        assert_eq!(parts.origin(), Some(&theirs));
        let chain = parts.chain().unwrap();
        let first = Some(theirs.hash());
        assert_eq!(chain.verify(&attestation.claim_hash(), first), Ok(()));
        assert_eq!(chain.agents().collect::<Vec<_>>(), [rig.key()]);
        assert!(parts.repeats(theirs.parts()));
        assert_eq!(parts.created_at, theirs.parts().created_at);
        assert_eq!(parts.pass_on, pass_on);
        // The next agent hands on the same first word, behind one hop more.
        let next = Rig::new(settings(vec![rule("friends")]));
        receive(&next, "received", attestation, agent(5).agent());
        let response = next.answer(&next.request());
        let results = &response.parts().results;
        assert_eq!(results.len(), usize::from(pass_on));
        for result in results {
            let parts = result.attestation.parts();
            assert_eq!(parts.origin(), Some(&theirs));
            let chain = parts.chain().unwrap();
            let hash = result.attestation.claim_hash();
            assert_eq!(chain.verify(&hash, first), Ok(()));
            assert_eq!(chain.agents().collect::<Vec<_>>(), [rig.key(), next.key()]);
        }
    }
}

/// What is second-hand is handed on only where it says so itself; what came without an attestation does not.
#[test]
fn what_may_not_be_handed_on_is_not() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    receive(&rig, "kept", &received(false), agent(5).agent());
    let raw = json!({"kind": "received", "text": "tea with lemon", "share": "friends"});
    rig.remember("raw", raw);
    let response = rig.answer(&rig.request());
    assert_eq!(response.parts().status.code, StatusCode::NoMatch);
}

/// An attestation that is not by the recorded source is not shown as the first word: the memory is this agent's own hearsay.
#[test]
fn what_cannot_be_shown_is_ones_own_word() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    receive(&rig, "received", &received(true), agent(6).agent());
    let response = rig.answer(&rig.request());
    let parts = response.parts().results[0].attestation.parts();
    assert_eq!(parts.origin(), None);
    let hops: Vec<_> = parts.chain().unwrap().agents().collect();
    assert_eq!(hops, [rig.key()]);
}

/// Adversarial case F86, R14: what nobody finds by its words is nowhere, however it is asked for.
#[test]
fn a_question_without_a_word_finds_nothing() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    rig.remember_tea(&["a"], "friends");
    let request = rig.request_with(|parts| parts.query = query("?! *"));
    assert_eq!(
        rig.answer(&request).parts().status.code,
        StatusCode::NoMatch
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// R14: no memory without an allowed label leaves, whatever is asked, by whom, and however.
    #[test]
    fn nothing_without_an_allowed_label_ever_leaves(
        words in "[a-d*\"(] (tea|milk|secret|NEAR|OR) [a-z]{0,3}",
        keywords in prop::collection::vec("tea|milk|secret", 0..3),
        domain in prop::option::of("tea|tea/green|work"),
        max in 1_u8..=100,
        format in prop::sample::select(vec![Format::Attestation, Format::Raw, Format::Summary]),
        (by, signed, everyone) in (20_u8..24, any::<bool>(), any::<bool>()),
        rules in prop::collection::vec((0_u8..4, 0_u8..4, prop::option::of("tea|work"), any::<bool>()), 0..3),
    ) {
        let labels = ["friends", "work", "public", "none"];
        let shares: Vec<Share> = rules.iter().map(|(label, level, domain, continues)| Share {
            continues: *continues,
            level: Level::of_number(*level).unwrap(),
            domains: domain.iter().map(|domain| domain.parse().unwrap()).collect(),
            ..rule(labels[usize::from(*label)])
        }).collect();
        let rig = Rig::new(settings(shares));
        for (number, label) in labels.into_iter().enumerate() {
            let text = "tea milk secret";
            rig.remember(&format!("{label}-{number}"), json!({"text": text, "share": label}));
            rig.remember(&format!("private-{number}"), json!({"text": text, "share": label, "private": true}));
        }
        rig.remember("bare", json!("tea milk secret"));
        let mut parts = rig.parts();
        parts.query = query(&words);
        parts.query.keywords = keywords.iter().map(|word| Text::new(word.clone()).unwrap()).collect();
        parts.query.domain = domain.as_ref().map(|domain| domain.parse().unwrap());
        (parts.preferences.max_results, parts.preferences.format) = (max, format);
        if everyone {
            parts.audience = Audience::Everyone;
        }
        let level = if signed && !everyone { Level::Identified } else { Level::Anonymous };
        let asked = parts.query.domain.clone();
        let request = if signed {
            Request::sign(parts, &agent(by)).unwrap()
        } else {
            Request::anonymous(parts).unwrap()
        };
        let mut fitting = rules.iter().filter(|(_, least, domain, _)| {
            let domain: Option<counterfoil_exchange::documents::Domain> =
                domain.as_ref().map(|domain| domain.parse().unwrap());
            level.number() >= *least
                && domain.is_none_or(|domain| asked.as_ref().is_some_and(|asked| domain.covers(asked)))
        });
        let told = rig.told(&request);
        let mut allowed = Vec::new();
        for (label, _, _, continues) in &mut fitting {
            allowed.push(format!("{}-{label}", labels[usize::from(*label)]));
            if !continues {
                break;
            }
        }
        prop_assert!(told.iter().all(|name| allowed.contains(name)), "{told:?}");
    }
}
