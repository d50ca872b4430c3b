//! The standing of a memory travels: what its log says of it under the checkpoint of its proof (docs/format/standing.md).
#![expect(clippy::expect_used, reason = "helpers of tests may panic too")]

mod support;

use counterfoil_authority::types::WorldId;
use counterfoil_authority::types::json::Value;
use counterfoil_authority::verifier::map::{KeyMark, MemoryStanding};
use counterfoil_authority::{Policy, Preset, ReviewReport, Verdict};
use counterfoil_capsule::{AgentSigner, Signer};
use serde_json::json;
use support::{Log, NOW, outcomes, preset, proposal, review, secret, signed, with, without};

const ATTESTED: &str = "/trace/context/attestations/memories/world-0";
const PRESETS: [Preset; 4] = [
    Preset::HighRisk,
    Preset::Standard,
    Preset::Sr04,
    Preset::Manifesto,
];

fn of(policy: &Value) -> Policy {
    Policy::from_json(policy.to_string().as_bytes()).expect("a policy")
}

/// A standing of entry 0 with one line more.
fn departed(change: impl FnOnce(&mut MemoryStanding)) -> MemoryStanding {
    let mut standing = MemoryStanding::new(0);
    change(&mut standing);
    standing
}

fn decided(report: &ReviewReport) -> (Verdict, &'static str) {
    let first = outcomes(report).into_iter().next();
    (report.decision().verdict(), first.expect("a memory"))
}

fn wire(report: &ReviewReport) -> Value {
    serde_json::to_value(report).expect("JSON")
}

/// Memories of forked chains, of stolen keys, forgotten and erased ones were approved under the strictest policy.
#[test]
fn each_departure_is_refused_where_the_policy_says_so() {
    let log = Log::of(2);
    let mark = Some(KeyMark { from: 0, record: 7 });
    let later = Some(KeyMark { from: 1, record: 7 });
    let successor = WorldId::new("world-9").ok();
    for (standing, mark, word, [high_risk, standard]) in [
        (MemoryStanding::new(0), None, None, [true, true]),
        (MemoryStanding::new(0), later, None, [true, true]),
        (
            departed(|it| it.superseded = Some((7, successor))),
            None,
            Some(("superseded", "superseded by a later version")),
            [false, true],
        ),
        (
            departed(|it| it.forgotten_actor = Some(7)),
            None,
            Some(("forgotten-by-actor", "forgotten by its actor")),
            [false, true],
        ),
        (
            departed(|it| it.forgotten_global = Some(7)),
            None,
            Some(("forgotten", "forgotten for all")),
            [false, false],
        ),
        (
            departed(|it| it.erased = Some(7)),
            None,
            Some(("erased", "erased")),
            [false, false],
        ),
        (
            departed(|it| it.forked = Some(7)),
            None,
            Some(("forked", "of a chain that forked")),
            [false, false],
        ),
        (
            MemoryStanding::new(0),
            mark,
            Some(("compromised", "signed with a key that is not believed")),
            [false, false],
        ),
    ] {
        let (word, said) = word.unzip();
        let proposal = log.standing(0, &standing, mark);
        // Where standing is not asked for, what is shown is refused all the same.
        for (rules, passes) in PRESETS
            .into_iter()
            .zip([high_risk, standard, standard, true])
        {
            let report = review(&log, preset(rules), &proposal);
            let expected = match (passes, rules) {
                (true, _) => (Verdict::Approved, "proven"),
                (false, _) => (Verdict::Rejected, word.unwrap_or_default()),
            };
            assert_eq!(decided(&report), expected, "{rules:?} {word:?}");
            let told = said.map_or_else(String::new, |said| format!("it is {said}, by entry 7"));
            let text = counterfoil_verify::render(&report);
            assert!(passes || text.contains(&told), "{text}");
            let shown = wire(&report)["memories"][0]["standing"].clone();
            assert_eq!(shown["current"], json!(word.is_none()), "{shown}");
            let next = (word == Some("superseded")).then_some("world-9");
            assert_eq!(shown.get("successor"), next.map(|it| json!(it)).as_ref());
            assert_eq!(
                shown.pointer("/by").cloned(),
                word.map(|word| json!({word: "7"}))
            );
        }
    }
}

/// Each rule with its value, and a proposal that breaks it.
fn broken_rules(log: &Log) -> Vec<(&'static str, Value, Value)> {
    let standing = |change: fn(&mut MemoryStanding)| log.standing(0, &departed(change), None);
    let mark = Some(KeyMark { from: 0, record: 7 });
    let bare = without(
        proposal(&[log.memory(0, "merkle")]),
        &format!("{ATTESTED}/standing"),
    );
    Vec::from([
        ("require_standing", json!(true), bare),
        (
            "require_current",
            json!(true),
            standing(|it| it.superseded = Some((7, None))),
        ),
        (
            "refuse_forked",
            json!(true),
            standing(|it| it.forked = Some(7)),
        ),
        (
            "refuse_erased",
            json!(true),
            standing(|it| it.erased = Some(7)),
        ),
        (
            "refuse_compromised",
            json!(true),
            log.standing(0, &MemoryStanding::new(0), mark),
        ),
        (
            "refuse_forgotten",
            json!("global"),
            standing(|it| it.forgotten_global = Some(7)),
        ),
        (
            "refuse_forgotten",
            json!("all"),
            standing(|it| it.forgotten_actor = Some(7)),
        ),
    ])
}

/// Each rule alone decides about its departure.
#[test]
fn each_rule_is_about_one_departure() {
    let log = Log::of(1);
    let rules = broken_rules(&log);
    for (rule, value, _) in &rules {
        for (name, least, proposal) in &rules {
            let refuses = name == rule && (least == value || *value == json!("all"));
            let policy = json!({"preset": "manifesto", "unproven": "refuse", *rule: value});
            let report = review(&log, of(&policy), proposal);
            let rejected = report.decision().verdict() == Verdict::Rejected;
            assert_eq!(rejected, refuses, "{rule} {value} against {name} {least}");
        }
    }
}

/// A high-risk part can only ask for more.
#[test]
fn neither_part_of_a_policy_loosens_the_other() {
    let log = Log::of(1);
    let lax = json!({"preset": "manifesto", "unproven": "refuse", "refuse_forgotten": "none"});
    for (rule, value, proposal) in broken_rules(&log) {
        let (outer, mut inner) = (lax.clone(), lax.clone());
        inner["intents"] = json!(["note.add"]);
        let (mut strict, mut within) = (outer.clone(), inner.clone());
        strict[rule] = value.clone();
        within[rule] = value;
        for (mut policy, high_risk) in [(strict, inner), (outer, within)] {
            policy["high_risk"] = high_risk;
            let report = review(&log, of(&policy), &proposal);
            assert_eq!(report.decision().verdict(), Verdict::Rejected, "{policy}");
        }
    }
}

/// What a proposer shows falsely is refused under every policy, and what it leaves out is open.
#[test]
fn a_standing_is_of_this_memory_under_this_checkpoint() {
    let log = Log::of(2);
    let honest = proposal(&[log.memory(0, "merkle")]);
    let other = proposal(&[log.memory(1, "merkle")]);
    let forked = log.standing(0, &departed(|it| it.forked = Some(7)), None);
    let standing = format!("{ATTESTED}/standing");
    let (memory, mark) = (
        format!("{standing}/memory"),
        "/trace/context/attestations/marks/0",
    );
    let of = |of: &Value, place: &str| of.pointer(place).expect("a member").clone();
    let of_other = of(&other, &memory.replace("world-0", "world-1"));
    let cut = json!(MemoryStanding::new(0).to_text());
    let false_ones = [
        // Of another memory, of another map, one lookup for the other, and a fork that is cut out of the value.
        with(honest.clone(), &memory, of_other),
        with(forked.clone(), &memory, of(&honest, &memory)),
        with(honest.clone(), &memory, of(&forked, &memory)),
        with(honest.clone(), mark, of(&forked, mark)),
        with(honest.clone(), &memory, of(&honest, mark)),
        with(honest.clone(), mark, of(&honest, &memory)),
        with(forked.clone(), &format!("{memory}/value"), cut),
        log.standing(0, &MemoryStanding::new(1), None),
        without(honest.clone(), &format!("{memory}/value")),
    ];
    for (case, proposal) in false_ones.iter().enumerate() {
        for rules in PRESETS {
            let report = review(&log, preset(rules), proposal);
            let expected = (Verdict::Rejected, "standing-refused");
            assert_eq!(decided(&report), expected, "{rules:?} {case}");
        }
    }
    for (rules, expected) in PRESETS.into_iter().zip([
        (Verdict::Rejected, "standing-missing"),
        (Verdict::Indeterminate, "standing-missing"),
        (Verdict::Approved, "proven"),
        (Verdict::Approved, "proven"),
    ]) {
        let nowhere = with(forked.clone(), &format!("{standing}/key"), json!(1));
        for stripped in [without(forked.clone(), &standing), nowhere] {
            let report = review(&log, preset(rules), &stripped);
            assert_eq!(decided(&report), expected, "{rules:?}");
        }
        // Without author nothing says which key has to be believed.
        let anonymous = without(honest.clone(), ATTESTED);
        let open = review(&log, preset(rules), &anonymous);
        assert_eq!(open.decision().verdict(), expected.0, "{rules:?}");
    }
    // A proof of no log has no checkpoint, and so no standing.
    let signature = proposal(&[log.memory(0, "signature")]);
    let report = review(&log, preset(Preset::Standard), &signature);
    assert_eq!(
        decided(&report),
        (Verdict::Indeterminate, "standing-missing")
    );
}

/// The decision that an authority signs says how each memory stood.
#[test]
fn a_decision_names_the_standing() {
    let log = Log::of(1);
    let key = AgentSigner::new(secret(21));
    for (standing, word) in [
        (MemoryStanding::new(0), "current"),
        (
            departed(|it| (it.forked, it.erased) = (Some(7), Some(9))),
            "forked",
        ),
    ] {
        let proposal = signed(&log.standing(0, &standing, None));
        let bytes = serde_json::to_vec(&proposal).expect("JSON");
        let proposal =
            counterfoil_authority::types::Proposal::from_json(&bytes).expect("a proposal");
        let verifiers = counterfoil_authority::verifier::VerifierSet::new(log.anchors());
        let authority = counterfoil_authority::Authority::new(verifiers, preset(Preset::Standard));
        let now = counterfoil_authority::types::UnixMillis::new(NOW).expect("a time");
        let sign = |bytes: &[u8]| key.sign(bytes);
        let decided = authority
            .decide(&proposal, now, key.key(), sign)
            .expect("a decision");
        assert_eq!(
            decided.1.pointer("/memories/0/standing"),
            Some(&json!(word))
        );
    }
}
