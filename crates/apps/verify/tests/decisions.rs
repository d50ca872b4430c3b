//! What each policy makes of honest and of weak proposals (MR-01, MR-04, MR-05, SR-01 to SR-04).
#![expect(clippy::expect_used, reason = "helpers of tests may panic too")]

mod support;

use counterfoil_authority::types::{UnixMillis, VerificationMethod, VerificationProof, WorldId};
use counterfoil_authority::verifier::{
    Examiner, Expected, ProofVerifier, Proven, Refusal, Session, Strength, VerifierSet,
};
use counterfoil_authority::{Authority, MemoryOutcome, Policy, Preset, ReviewReport, Verdict};
use serde_json::{Value, json};
use support::{
    Log, NOW, SELECTED_AT, SUBMITTED_AT, VERIFIED_AT, bare_memory, codes, outcomes, planner,
    preset, proposal, proposal_with, review, review_with, trace, with,
};

fn policy(json: &str) -> Policy {
    Policy::from_json(json.as_bytes()).expect("a policy")
}

fn verdict(report: &ReviewReport) -> Verdict {
    report.decision().verdict()
}

/// Verdict and codes of a proposal that recalled these memories, under a preset.
fn judged(log: &Log, name: Preset, selected: &[Value]) -> (Verdict, Vec<&'static str>) {
    let report = review(log, preset(name), &proposal(selected));
    (verdict(&report), codes(&report))
}

/// A policy names the least method that it accepts; what is weaker is unproven, not wrong.
#[test]
fn a_valid_proof_below_the_minimum_is_unproven() {
    let log = Log::of(3);
    let methods = ["existence", "hash", "signature", "merkle"];
    for (rank, minimum) in methods.iter().enumerate() {
        for (found, method) in methods.iter().enumerate() {
            let policy = policy(&format!(
                r#"{{"minimum_method": "{minimum}", "require_disclosed": [], "require_author": "any", "require_standing": false}}"#
            ));
            let report = review(&log, policy, &proposal(&[log.memory(0, method)]));
            let expected = match found {
                _ if found < rank => "too-weak",
                0 | 1 => "accepted",
                _ => "proven",
            };
            assert_eq!(outcomes(&report), [expected], "{method} under {minimum}");
        }
    }
}

/// M-8: a checkpoint beside the proofs is verified once and serves all memories.
#[test]
fn a_disclosed_field_stands_in_the_report() {
    let log = Log::of(5);
    let rules = policy(r#"{"preset": "permissive", "require_disclosed": ["/data/text"]}"#);
    let report = review(&log, rules, &proposal(&[log.memory(3, "disclosed")]));
    let Some(MemoryOutcome::Proven(proven)) = report.memories.first().map(|it| &it.outcome) else {
        panic!("{report:?}");
    };
    let text = json!("note 3");
    assert_eq!(proven.disclosed(), [("/data/text".to_string(), text)]);
    assert_eq!(
        proven.checkpoint().map(|checkpoint| checkpoint.size()),
        Some(5)
    );
}

/// Approved means that somebody could read the memories' words: what is not shown whole is unproven, by every method.
#[test]
fn a_memory_of_which_not_all_is_shown_leaves_the_decision_open() {
    let log = Log::of(2);
    for method in ["undisclosed", "disclosed", "withholding"] {
        let selected = [log.memory(0, method), log.memory(1, "merkle")];
        let judged = |name| judged(&log, name, &selected);
        let open = (Verdict::Indeterminate, vec!["unproven-open"]);
        assert_eq!(judged(Preset::Standard), open, "{method}");
        assert_eq!(judged(Preset::Sr02), open, "{method}");
        let rejected = (Verdict::Rejected, vec!["unproven-refused"]);
        for name in [Preset::HighRisk, Preset::Sr01, Preset::Sr03] {
            assert_eq!(judged(name), rejected, "{method} under {name}");
        }
        for name in [Preset::Permissive, Preset::Manifesto] {
            assert_eq!(
                judged(name),
                (Verdict::Approved, vec!["all-proven"]),
                "{method}"
            );
        }
        let report = review(&log, preset(Preset::Standard), &proposal(&selected));
        let first = report.memories.first().expect("a memory");
        assert_eq!(first.outcome.code(), Some("undisclosed"), "{method}");
    }
    let whole = [log.memory(0, "merkle"), log.memory(1, "merkle")];
    let proven = (Verdict::Approved, vec!["all-proven"]);
    assert_eq!(judged(&log, Preset::Standard, &whole), proven);
}

/// A policy may ask for fields by name; a high-risk part can only ask for more.
#[test]
fn a_policy_asks_for_the_fields_that_it_names() {
    let log = Log::of(1);
    let shown = [log.memory(0, "disclosed")];
    let verdict_of = |rules: &str| {
        let rules = policy(&format!(r#"{{{rules}}}"#));
        verdict(&review(&log, rules, &proposal(&shown)))
    };
    let (approved, open) = (Verdict::Approved, Verdict::Indeterminate);
    let high =
        r#""high_risk": {"intents": ["note.add"], "preset": "permissive", "require_disclosed""#;
    for (rules, expected) in [
        (r#""require_disclosed": ["/data/text"]"#.into(), approved),
        (r#""require_disclosed": []"#.into(), approved),
        (
            r#""require_disclosed": ["/data/text", "/data/kind"]"#.into(),
            open,
        ),
        (r#""require_disclosed": ["/data"]"#.into(), open),
        (r#""require_disclosed": ["/data/nothing"]"#.into(), open),
        (r#""require_disclosed": "all""#.into(), open),
        (format!(r#""require_disclosed": "all", {high}: []}}"#), open),
        (format!(r#""require_disclosed": [], {high}: "all"}}"#), open),
        (
            format!(r#""require_disclosed": [], {high}: ["/data/kind"]}}"#),
            open,
        ),
        (
            format!(r#""require_disclosed": ["/data/text"], {high}: []}}"#),
            approved,
        ),
    ] {
        assert_eq!(verdict_of(&rules), expected, "{rules}");
    }
    for wrong in [r#""some""#, r#"["data/text"]"#, "true", r#"[1]"#] {
        let rules = format!(r#"{{"require_disclosed": {wrong}}}"#);
        assert!(Policy::from_json(rules.as_bytes()).is_err(), "{wrong}");
    }
}

/// No proof holds all of a content above 64 KiB: one field of its data is enough, a field about it is not.
#[test]
fn of_a_content_above_64_kib_some_of_the_data_is_enough() {
    let log = Log::with_text(1, &"long ".repeat(14_000));
    let data = (Verdict::Approved, vec!["all-proven"]);
    let selected = [log.memory(0, "disclosed")];
    assert_eq!(judged(&log, Preset::HighRisk, &selected), data);
    let about = [log.memory(0, "dated")];
    let open = (Verdict::Indeterminate, vec!["unproven-open"]);
    assert_eq!(judged(&log, Preset::Standard, &about), open);

    // One of exactly 64 KiB is shown whole.
    let rest = (64 << 10) - Log::with_text(1, "a").content_size(0);
    for (over, expected) in [(0, open), (1, data)] {
        let log = Log::with_text(1, &"a".repeat(1 + rest + over));
        assert_eq!(log.content_size(0), (64 << 10) + over);
        let selected = [log.memory(0, "disclosed")];
        assert_eq!(judged(&log, Preset::Standard, &selected), expected);
    }
}

/// Disclosed words are in the report under every outcome, and withheld fields are named.
#[test]
fn the_words_that_are_shown_stand_in_the_report() {
    let log = Log::of(1);
    let selected = [log.memory(0, "withholding")];
    let place = "/trace/context/withheld";
    let with_word = |word: Value| with(proposal(&selected), place, word);
    let report = review(
        &log,
        preset(Preset::Standard),
        &with_word(json!(["/data/text"])),
    );
    let json = serde_json::to_value(&report).expect("JSON");
    assert_eq!(json["summary"], "s");
    assert_eq!(json["withheld"], json!(["/data/text"]));
    let words = &json["memories"][0]["words"];
    assert_eq!((&words["shown"], &words["of"]), (&json!(6), &json!(7)));
    let kind = json!({"path": "/data/kind", "value": "note"});
    let fields = words["fields"].as_array().expect("fields");
    assert!(fields.contains(&kind) && fields.len() == 6, "{words}");
    let text = counterfoil_verify::render(&report);
    assert!(text.contains("\nwithheld  /data/text\n"), "{text}");
    assert!(text.contains("6 of 7 fields are shown"), "{text}");
    let mut long = vec!["/a"; 64];
    assert_eq!(
        codes(&review(
            &log,
            preset(Preset::Standard),
            &with_word(json!(long))
        )),
        ["unproven-open"]
    );
    long.push("/a");
    for wrong in [
        json!(long),
        json!("/a"),
        json!(["a"]),
        json!([1]),
        json!(["/a".repeat(513)]),
    ] {
        let report = review(&log, preset(Preset::Permissive), &with_word(wrong));
        assert_eq!(codes(&report), ["withheld-invalid"]);
    }
}

/// MR-05; a policy that asks for memories counts each World that is not refused once, and the unproven only where they
/// matter.
#[test]
fn an_empty_selection_is_a_trace_and_is_approved_unless_memories_are_asked_for() {
    let log = Log::of(2);
    let nothing = (Verdict::Approved, vec!["no-memory"]);
    assert_eq!(judged(&log, Preset::Standard, &[]), nothing);
    let too_few = (Verdict::Rejected, vec!["too-few-memories"]);
    assert_eq!(judged(&log, Preset::HighRisk, &[]), too_few);
    let codes_of =
        |rules: &str, selected: &[Value]| codes(&review(&log, policy(rules), &proposal(selected)));
    let of_notes = |rules: &str| format!(r#"{{"high_risk": {{"intents": ["note.add"]{rules}}}}}"#);
    assert_eq!(codes_of(&of_notes(""), &[]), ["too-few-memories"]);
    assert_eq!(
        codes_of(&of_notes(r#", "minimum_memories": 0"#), &[]),
        ["no-memory"]
    );
    let two = r#"{"minimum_memories": 2, "unproven": "allow"}"#;
    let [proven, bare] = [log.memory(0, "merkle"), bare_memory("world-1")];
    for selected in [vec![proven.clone()], vec![proven.clone(), bare.clone()]] {
        assert_eq!(codes_of(two, &selected)[0], "too-few-memories");
    }
    let open = r#"{"minimum_memories": 2, "require_standing": false}"#;
    assert_eq!(codes_of(open, &[proven.clone(), bare]), ["unproven-open"]);
    assert_eq!(
        codes_of(open, &[proven, log.memory(1, "signature")]),
        ["all-proven"]
    );
    // Without `require_trace` a proposal may use no memory either.
    let report = review(&log, preset(Preset::Permissive), &proposal_with(None));
    assert_eq!((verdict(&report), codes(&report)), nothing);
}

/// M-2 is about proposals that use memory: one that presents none is judged by the policy, with or without a trace.
#[test]
fn a_proposal_without_memories_is_judged_by_the_policy() {
    let log = Log::of(1);
    for (rule, verdict, code) in [
        ("allow", Verdict::Approved, "no-memory"),
        ("indeterminate", Verdict::Indeterminate, "no-memory-open"),
        ("refuse", Verdict::Rejected, "no-memory-refused"),
    ] {
        let rules = format!(r#"{{"require_trace": false, "no_memory": "{rule}"}}"#);
        for wire in [proposal(&[]), proposal_with(None)] {
            let report = review(&log, policy(&rules), &wire);
            assert_eq!(report.decision().verdict(), verdict);
            assert_eq!(codes(&report), [code]);
        }
        let required = format!(r#"{{"no_memory": "{rule}"}}"#);
        let report = review(&log, policy(&required), &proposal_with(None));
        assert_eq!(codes(&report), ["trace-missing"]);
    }
}

/// §11: a selector that the policy names may select for others; each `verifiedBy` is the selector all the same.
#[test]
fn a_selector_that_the_policy_names_may_select_for_others() {
    let log = Log::of(1);
    let service = json!({"actorId": "service", "kind": "system"});
    let memory = log.memory(0, "merkle");
    let by = |verifier: &Value| {
        let memory = with(memory.clone(), "/evidence/verifiedBy", verifier.clone());
        let wire = proposal(&[memory]);
        with(wire, "/trace/context/memory/selector", service.clone())
    };
    let codes_under = |rules: &str, wire: &Value| codes(&review(&log, policy(rules), wire));
    let named = r#"{"selectors": ["service"]}"#;
    assert_eq!(codes_under(named, &by(&service)), ["all-proven"]);
    assert_eq!(codes_under("{}", &by(&service)), ["selector-not-actor"]);
    let other = r#"{"selectors": ["planner"]}"#;
    assert_eq!(codes_under(other, &by(&service)), ["selector-not-actor"]);
    assert_eq!(codes_under(named, &by(&planner())), ["memories-refused"]);
    // Whoever is named may still propose on memories of its own, and others must not select for it.
    assert_eq!(
        codes_under(named, &proposal(core::slice::from_ref(&memory))),
        ["all-proven"]
    );
    let high_risk = r#"{"selectors": ["service"], "high_risk": {"intents": ["note.add"]}}"#;
    assert_eq!(
        codes_under(high_risk, &by(&service))[0],
        "selector-not-actor"
    );
}

/// §7.4.1: without evidence, by another selector, at another World; a false proof is refused all the same.
#[test]
fn a_plain_manifesto_proposal_passes_where_the_host_wants_it() {
    let log = Log::of(1);
    let plain = with(
        proposal(&[bare_memory("world-0"), log.memory(0, "existence")]),
        "/trace/context/memory/selector/actorId",
        json!("service"),
    );
    let plain = with(plain, "/trace/context/memory/atWorldId", json!("world-9"));
    let report = review(&log, preset(Preset::Manifesto), &plain);
    assert_eq!(verdict(&report), Verdict::Approved, "{report:?}");
    assert_eq!(codes(&report), ["unproven-allowed", "accepted"]);
    let rejected = review(&log, preset(Preset::Standard), &plain);
    assert_eq!(verdict(&rejected), Verdict::Rejected);
    let moved = with(log.memory(0, "hash"), "/ref/worldId", json!("world-1"));
    let report = review(&log, preset(Preset::Manifesto), &proposal(&[moved]));
    assert_eq!(verdict(&report), Verdict::Rejected);
}

/// SR-01: verify memory refs before high-risk decisions.
#[test]
fn sr_01_refuses_what_is_not_proven() {
    let log = Log::of(2);
    for method in ["existence", "hash"] {
        let (_, codes) = judged(&log, Preset::Sr01, &[log.memory(0, method)]);
        assert_eq!(codes, ["unproven-refused"], "{method}");
    }
    let (verdict, _) = judged(&log, Preset::Sr01, &[log.memory(0, "merkle")]);
    assert_eq!(verdict, Verdict::Approved);
}

/// SR-02: prefer verified memories.
#[test]
fn sr_02_leaves_the_unproven_open() {
    let log = Log::of(2);
    let mixed = [log.memory(0, "merkle"), bare_memory("world-1")];
    let open = (Verdict::Indeterminate, vec!["unproven-open"]);
    assert_eq!(judged(&log, Preset::Sr02, &mixed), open);
}

/// SR-03: reject unverified memories for high-risk intents; `verified: false` may refuse.
#[test]
fn sr_03_takes_verified_false_at_its_word() {
    let log = Log::of(2);
    let honest = proposal(&[log.memory(0, "merkle")]);
    assert_eq!(
        verdict(&review(&log, preset(Preset::Sr03), &honest)),
        Verdict::Approved
    );
    let doubted = with(
        honest,
        "/trace/context/memory/selected/0/verified",
        json!(false),
    );
    let report = review(&log, preset(Preset::Sr03), &doubted);
    assert_eq!(verdict(&report), Verdict::Rejected);
    assert_eq!(outcomes(&report), ["claimed-unverified"]);
    assert_eq!(
        verdict(&review(&log, preset(Preset::Sr01), &doubted)),
        Verdict::Approved
    );
}

/// SR-04: high-risk proposals include evidence. `existence` evidence on an invented World is accepted there, and not called proven.
#[test]
fn sr_04_asks_for_evidence_of_some_method_and_calls_it_what_it_is() {
    let log = Log::of(2);
    let invented = with(
        log.memory(0, "existence"),
        "/ref/worldId",
        json!("no-world"),
    );
    for memory in [invented, log.memory(0, "hash")] {
        let report = review(&log, preset(Preset::Sr04), &proposal(&[memory]));
        assert_eq!(verdict(&report), Verdict::Approved);
        assert_eq!(outcomes(&report), ["accepted"]);
        assert_eq!(codes(&report), ["accepted"]);
    }
    for memory in [bare_memory("world-0"), log.memory(0, "none")] {
        let (_, codes) = judged(&log, Preset::Sr04, &[memory]);
        assert_eq!(codes, ["unproven-refused"]);
    }
}

/// Stricter rules for the intents that are named, and for no others.
#[test]
fn a_high_risk_intent_is_judged_more_strictly() {
    let log = Log::of(2);
    let policy =
        policy(r#"{"require_standing": false, "high_risk": {"intents": ["payment.send"]}}"#);
    let note = proposal(&[log.memory(0, "signature")]);
    let report = review(&log, policy.clone(), &note);
    assert_eq!(
        (verdict(&report), report.high_risk),
        (Verdict::Approved, false)
    );
    let payment = with(note, "/intent/body/type", json!("payment.send"));
    let report = review(&log, policy, &payment);
    assert_eq!(
        (verdict(&report), report.high_risk),
        (Verdict::Rejected, true)
    );
    assert_eq!(outcomes(&report), ["too-weak"]);
}

/// Both have a valid proof.
#[test]
fn a_method_or_a_confidence_that_the_policy_does_not_allow_is_refused() {
    let log = Log::of(2);
    for (rule, expected) in [
        (r#"{"allowed_methods": ["merkle"]}"#, "method-not-allowed"),
        (r#"{"minimum_confidence": 0.51}"#, "confidence-too-low"),
    ] {
        let memory = proposal(&[log.memory(0, "signature")]);
        assert_eq!(outcomes(&review(&log, policy(rule), &memory)), [expected]);
    }
}

/// A limit is kept by what is exactly at it, and broken by one more (policy.md).
#[test]
fn a_limit_is_broken_by_one_more() {
    let log = Log::of(3);
    let two = [0, 1].map(|index| log.memory(index, "merkle"));
    let honest = proposal(&two);
    let memory = "/trace/context/memory";
    let at = |member: &str, time: u64| {
        let moved = with(honest.clone(), &format!("{memory}{member}"), json!(time));
        let earliest = format!("{memory}/selected/0/evidence/verifiedAt");
        match member {
            "/selectedAt" => moved,
            _ => with(moved, &earliest, json!(time)),
        }
    };
    let verified = "/selected/1/evidence/verifiedAt";
    for (rule, proposal, decision) in [
        (
            json!({"maximum_memories": 2}),
            honest.clone(),
            Verdict::Approved,
        ),
        (
            json!({"maximum_memories": 1}),
            honest.clone(),
            Verdict::Rejected,
        ),
        (
            json!({"minimum_confidence": 0.5}),
            honest.clone(),
            Verdict::Approved,
        ),
        (
            json!({}),
            at("/selectedAt", SUBMITTED_AT),
            Verdict::Approved,
        ),
        (
            json!({}),
            at("/selectedAt", SUBMITTED_AT + 1),
            Verdict::Rejected,
        ),
        (json!({}), at(verified, SELECTED_AT), Verdict::Approved),
        (json!({}), at(verified, SELECTED_AT + 1), Verdict::Rejected),
        (
            json!({"maximum_age_ms": NOW - VERIFIED_AT}),
            honest.clone(),
            Verdict::Approved,
        ),
        (
            json!({"maximum_age_ms": NOW - VERIFIED_AT - 1}),
            honest.clone(),
            Verdict::Rejected,
        ),
        (
            json!({"maximum_age_ms": NOW - SELECTED_AT}),
            at(verified, SELECTED_AT),
            Verdict::Approved,
        ),
        (
            json!({"maximum_age_ms": NOW - SELECTED_AT - 1}),
            at(verified, SELECTED_AT),
            Verdict::Rejected,
        ),
    ] {
        let report = review(&log, policy(&rule.to_string()), &proposal);
        assert_eq!(verdict(&report), decision, "{rule}: {:?}", codes(&report));
    }
}

/// ATTACH-2: an honest merge of two recalls is approved, each memory judged once.
#[test]
fn an_honest_merge_of_two_recalls_is_approved() {
    let log = Log::of(3);
    let [a, b, c] = [0, 1, 2].map(|index| log.memory(index, "merkle"));
    let (first, second) = (
        trace(&[a.clone(), b.clone()]),
        trace(&[b.clone(), c.clone()]),
    );
    let second = with(second, "/query", json!("and what else"));
    let merged = with(
        trace(&[a, b, c]),
        "/query",
        json!("what was noted; and what else"),
    );
    let context = json!({"memory": merged, "memoryTraces": [first, second]});
    let report = review(
        &log,
        preset(Preset::HighRisk),
        &proposal_with(Some(context)),
    );
    assert_eq!(verdict(&report), Verdict::Approved, "{report:?}");
    assert_eq!(outcomes(&report), ["proven", "proven", "proven"]);
}

/// The rows of the report were counted: a World that two recalls found was two memories.
#[test]
fn a_world_that_several_recalls_found_is_counted_once() {
    let log = Log::of(2);
    let [a, b] = [0, 1].map(|index| log.memory(index, "merkle"));
    let reworded = with(a.clone(), "/reason", json!("for another reason"));
    let merged = with(
        trace(&[a.clone(), b]),
        "/query",
        json!("what was noted; more"),
    );
    let first = merged["selected"].as_array().cloned().expect("memories");
    let second = with(
        trace(&[with(reworded, "/confidence", json!(0.1))]),
        "/query",
        json!("more"),
    );
    let context = json!({"memory": merged, "memoryTraces": [trace(&first), second]});
    let proposal = proposal_with(Some(context));
    let report = review(&log, preset(Preset::Standard), &proposal);
    assert_eq!(outcomes(&report), ["proven", "proven", "proven"]);
    let said: Vec<String> = report
        .decision()
        .reasons()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(said, ["2 memories are proven"]);
}

/// Witnesses stand beside the trace, since a cosignature carries a time (M-8).
#[test]
fn a_cosigned_checkpoint_beside_the_trace_reaches_the_quorum() {
    let log = Log::of(3);
    let memories = trace(&[log.memory(0, "merkle"), log.memory(2, "merkle")]);
    let under = |checkpoints: Option<Value>| {
        let mut context = json!({"memory": memories});
        if let Some(checkpoints) = checkpoints {
            context["checkpoints"] = checkpoints;
        }
        let proposal = proposal_with(Some(context));
        review_with(log.witnessed_anchors(), preset(Preset::HighRisk), &proposal)
    };
    let report = under(Some(json!([log.cosigned_checkpoint()])));
    assert_eq!(verdict(&report), Verdict::Approved, "{report:?}");
    let other = json!([Log::of(2).cosigned_checkpoint()]);
    for report in [under(None), under(Some(other))] {
        assert_eq!(outcomes(&report), ["proof-refused", "proof-refused"]);
    }
    assert_eq!(codes(&under(Some(json!("x")))), ["checkpoints-invalid"]);
}

/// An application's own method (MR-04): it proves what the proof's data name.
struct Oracle;

impl Oracle {
    fn says(proof: &VerificationProof) -> Option<WorldId> {
        WorldId::new(proof.proof()?["says"].as_str()?).ok()
    }
}

impl Examiner for Oracle {
    fn examine(
        &self,
        proof: &VerificationProof,
        _: Expected<'_>,
        _: &mut Session,
    ) -> Result<Proven, Refusal> {
        let world = Self::says(proof).ok_or(Refusal::DataMissing)?;
        Ok(Proven::by_method(Strength::Signature, world))
    }
}

/// An application's verifier of Appendix E's kind: a bool, for roots that the prover wrote down himself.
struct Believer;

impl ProofVerifier for Believer {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        let data = proof.proof();
        data.is_some_and(|data| data["computedRoot"] == data["expectedRoot"])
    }
}

/// The outcome of one memory under a policy and an application's own verifier, alone or as the method of a set.
fn outcome_by(
    verifier: impl Examiner + 'static,
    policy_json: &str,
    proposal: &Value,
) -> (Verdict, &'static str) {
    let proposal = serde_json::from_value(proposal.clone()).expect("a proposal");
    let now = UnixMillis::new(NOW).expect("a time");
    // It has no anchors that a signature could be checked against.
    let mut policy = policy(policy_json);
    policy.require_signed = false;
    let report = Authority::new(verifier, policy).review(&proposal, now);
    let outcome = outcomes(&report).into_iter().next();
    (verdict(&report), outcome.expect("one memory"))
}

fn evidence_by(log: &Log, method: &str, proof: Value) -> Value {
    let evidence = with(log.evidence(0, method), "/proof", proof);
    with(bare_memory("world-0"), "/evidence", evidence)
}

/// MR-04: a custom method counts if the policy trusts it by name, and only about its own World.
#[test]
fn a_custom_method_counts_only_when_the_policy_trusts_it() {
    let log = Log::of(1);
    let memory = evidence_by(&log, "oracle", json!({"says": "world-0"}));
    let own = proposal(core::slice::from_ref(&memory));
    let moved = proposal(&[with(memory, "/ref/worldId", json!("world-1"))]);
    let outcome = |policy_json: &str, wire: &Value| {
        let method = VerificationMethod::new("oracle").expect("a name");
        let set = VerifierSet::new(log.anchors()).with_method(method, Oracle);
        let in_set = outcome_by(set.expect("a new method"), policy_json, wire).1;
        assert_eq!(in_set, outcome_by(Oracle, policy_json, wire).1);
        in_set
    };
    let trusted = r#"{"trusted_methods": ["oracle"], "require_disclosed": [], "require_author": "any", "require_standing": false}"#;
    assert_eq!(outcome(trusted, &own), "proven");
    assert_eq!(outcome("{}", &own), "untrusted-method");
    assert_eq!(outcome(trusted, &moved), "proof-refused");
    let weak = r#"{"trusted_methods": ["oracle"], "minimum_method": "merkle"}"#;
    assert_eq!(outcome(weak, &own), "too-weak");
    assert_eq!(
        outcome(
            r#"{"minimum_method": "existence", "require_disclosed": [], "require_author": "any", "require_standing": false}"#,
            &own
        ),
        "accepted"
    );
    let unknown = review(&log, policy(trusted), &own);
    assert_eq!(outcomes(&unknown), ["unknown-method"]);
}

/// §7.4: a verifier that returns a bool is accepted below `hash`, whichever method it takes for its own, and never
/// proven unless the policy ranks it.
#[test]
fn a_bool_is_accepted_and_never_proven_unless_the_policy_ranks_its_verifier() {
    let log = Log::of(1);
    let roots = |expected: &str| {
        let roots = json!({"computedRoot": "abc", "expectedRoot": expected});
        proposal(&[evidence_by(&log, "merkle", roots)])
    };
    let outcome = |policy_json: &str| outcome_by(Believer, policy_json, &roots("abc"));
    let least = r#"{"minimum_method": "existence", "require_disclosed": [], "require_author": "any", "require_standing": false}"#;
    assert_eq!(outcome(least), (Verdict::Approved, "accepted"));
    for minimum in ["hash", "signature", "merkle"] {
        let untrusted = (Verdict::Indeterminate, "untrusted-method");
        let policy_json = format!(r#"{{"minimum_method": "{minimum}"}}"#);
        assert_eq!(outcome(&policy_json), untrusted, "{minimum}");
    }
    let ranked = r#"{"require_disclosed": [], "require_author": "any", "require_standing": false, "verifier_ranks": {"merkle": "hash"}, "minimum_method": "hash"}"#;
    assert_eq!(outcome(ranked), (Verdict::Approved, "accepted"));
    let proves = r#"{"require_disclosed": [], "require_author": "any", "require_standing": false, "verifier_ranks": {"merkle": "signature"}}"#;
    assert_eq!(outcome(proves), (Verdict::Approved, "proven"));
    let above = r#"{"verifier_ranks": {"merkle": "hash"}, "minimum_method": "signature"}"#;
    assert_eq!(outcome(above), (Verdict::Indeterminate, "too-weak"));
    // The rank is for the method that it names, and the high-risk rules have the lower one.
    let other = r#"{"verifier_ranks": {"signature": "merkle"}, "minimum_method": "hash"}"#;
    assert_eq!(outcome(other).1, "untrusted-method");
    let refused = outcome_by(Believer, least, &roots("other"));
    assert_eq!(refused, (Verdict::Rejected, "proof-refused"));
}

/// The verdict is a function of proposal, anchors, policy and time.
#[test]
fn the_same_review_gives_the_same_report() {
    let log = Log::of(3);
    let proposal = proposal(&[log.memory(1, "merkle"), bare_memory("world-0")]);
    let report = || review(&log, preset(Preset::Standard), &proposal);
    let write = |report: &ReviewReport| serde_json::to_string(report).expect("JSON");
    assert_eq!(report(), report());
    let here = write(&report());
    let there = std::thread::scope(|scope| scope.spawn(|| write(&report())).join());
    assert_eq!(here, there.expect("no panic"));
}

/// The document of `docs/format/report.md`.
#[test]
fn the_report_serialises_as_documented() {
    let log = Log::of(2);
    let proposal = proposal(&[log.memory(0, "merkle"), bare_memory("world-1")]);
    let report = review(&log, preset(Preset::Standard), &proposal);
    let wire = serde_json::to_value(&report).expect("JSON");
    for (pointer, value) in [
        ("/type", json!("counterfoil/report")),
        ("/version", json!("1")),
        ("/decision", json!("indeterminate")),
        ("/reasons/0/code", json!("unproven-open")),
        ("/reviewedAt", json!(NOW)),
        ("/trace/selector/actorId", json!("planner")),
        ("/memories/0/outcome", json!("proven")),
        ("/memories/0/proven/strength", json!("merkle")),
        ("/memories/0/proven/checkpoint/size", json!("2")),
        ("/memories/0/proven/index", json!("0")),
        ("/memories/1/outcome", json!("unproven")),
        ("/memories/1/code", json!("no-evidence")),
        ("/memories/1/claim/verified", json!(true)),
    ] {
        assert_eq!(wire.pointer(pointer), Some(&value), "{pointer}");
    }
    for absent in ["/memories/0/reason", "/memories/1/method"] {
        assert_eq!(wire.pointer(absent), None, "{absent}");
    }
}
