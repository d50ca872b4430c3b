//! Policies: presets, documents, and tightening for high-risk intents (MR-01, SR-01 to SR-04).
#![expect(clippy::expect_used, reason = "helpers of tests may panic too")]

use counterfoil_authority::types::json::Value;
use counterfoil_authority::verifier::Strength;
use counterfoil_authority::{Policy, PolicyError, Preset, UnprovenRule};
use proptest::prelude::*;
use serde_json::json;

fn policy(document: &Value) -> Result<Policy, PolicyError> {
    Policy::from_json(document.to_string().as_bytes())
}

fn sound(document: &Value) -> Policy {
    policy(document).expect("a policy")
}

/// A policy document that says nothing is the preset `standard`.
#[test]
fn an_empty_document_is_the_standard_preset() {
    assert_eq!(sound(&json!({})), Policy::preset(Preset::Standard));
}

#[test]
fn each_preset_is_known_by_its_name() {
    for preset in Preset::ALL {
        let name = preset.name();
        assert_eq!(
            sound(&json!({"preset": name})),
            Policy::preset(preset),
            "{name}"
        );
    }
}

/// The columns of the table in `docs/format/policy.md` are the presets.
#[test]
fn the_documented_presets_are_the_presets() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../docs/format/policy.md"
    );
    let text = std::fs::read_to_string(path).expect("the document");
    let (_, table) = text.split_once("## Presets\n").expect("the section");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    for (column, preset) in Preset::ALL.into_iter().enumerate() {
        let policy = Policy::preset(preset);
        assert_eq!(rows[0][column + 1], preset.name());
        for row in &rows[2..] {
            let knob = row[0].trim_matches('`');
            assert_eq!(
                row[column + 1],
                value_of(&policy, knob),
                "{knob} of {preset}"
            );
        }
    }
    assert_eq!(rows.len(), 30);
}

fn value_of(policy: &Policy, knob: &str) -> String {
    let rules = serde_json::to_value(policy).expect("JSON");
    match (knob, rules.get(knob).unwrap_or(&Value::Null)) {
        ("maximum_age_ms", Value::Null) => "-".into(),
        ("require_disclosed", Value::Array(fields)) if *fields == [json!("")] => "all".into(),
        ("minimum_confidence", value) => value.as_f64().expect("a number").to_string(),
        (_, Value::Array(list)) if list.is_empty() => "none".into(),
        (_, Value::Object(table)) if table.is_empty() => "none".into(),
        (_, Value::String(word)) => word.clone(),
        (_, value @ (Value::Bool(_) | Value::Number(_))) => value.to_string(),
        (other, _) => format!("{other} is not a knob that this test knows"),
    }
}

/// A misspelt rule must not pass for a rule.
#[test]
fn an_unknown_key_is_an_error_at_both_levels() {
    for document in [
        json!({"require_trce": true}),
        json!({"high_risk": {"intents": ["a"], "minimum_methd": "merkle"}}),
        json!({"Preset": "standard"}),
    ] {
        let error = policy(&document).expect_err("unknown");
        assert!(matches!(error, PolicyError::Document { .. }), "{error}");
        assert!(error.to_string().contains("docs/format/policy.md"));
    }
}

#[test]
fn a_duplicate_key_is_an_error() {
    let error = Policy::from_json(br#"{"unproven": "refuse", "unproven": "allow"}"#);
    assert!(matches!(error, Err(PolicyError::Json(_))));
}

#[test]
fn values_out_of_range_are_errors() {
    for document in [
        json!({"minimum_confidence": 1.01}),
        json!({"minimum_confidence": -0.01}),
        json!({"maximum_memories": 1001}),
        json!({"maximum_memories": 0}),
        json!({"maximum_age_ms": 0}),
        json!({"minimum_method": "none"}),
        json!({"allowed_selectors": []}),
        json!({"allowed_methods": []}),
        json!({"allowed_methods": [""]}),
        json!({"trusted_methods": ["signature"]}),
        json!({"maximum_age_ms": null}),
        json!({"belief": {"maximum_age_days": 0}}),
    ] {
        let error = policy(&document).expect_err("out of range").to_string();
        let key = document
            .as_object()
            .and_then(|it| it.keys().next())
            .expect("one");
        assert!(error.starts_with(&format!("/{key}")), "{error}");
        assert!(error.contains(" must be "), "{error}");
    }
    let unnamed = policy(&json!({"high_risk": {}}));
    assert_eq!(unnamed, Err(PolicyError::NoIntents));
}

/// The names of intents are compared whole and exactly.
#[test]
fn an_intent_is_high_risk_by_its_exact_type() {
    let policy = sound(&json!({"high_risk": {"intents": ["payment.send"]}}));
    assert!(policy.is_high_risk("payment.send"));
    for other in ["payment", "payment.send.now", "Payment.send"] {
        assert!(!policy.is_high_risk(other), "{other}");
    }
}

/// `payment.send` with a zero-width space behind it was judged like any harmless intent.
#[test]
fn an_intent_that_may_only_look_like_a_named_one_is_high_risk() {
    let policy = sound(&json!({"high_risk": {"intents": ["payment.send"]}}));
    for other in [
        "payment.send\u{200b}",
        "payment.send ",
        "p\u{430}yment.send",
        "\n",
        "",
    ] {
        assert!(policy.is_high_risk(other), "{other:?}");
    }
    assert!(!Policy::preset(Preset::Standard).is_high_risk("payment.send\u{200b}"));
}

/// Such a name in the policy itself would match nothing that an honest proposal says.
#[test]
fn an_intent_that_nobody_writes_can_not_be_named() {
    for intent in ["payment.send ", "", "\u{200b}"] {
        let refused = policy(&json!({"high_risk": {"intents": [intent]}}));
        assert_eq!(
            refused,
            Err(PolicyError::Intent {
                found: intent.into()
            })
        );
    }
}

/// Its preset is `high-risk` unless it names another.
#[test]
fn the_high_risk_part_begins_at_the_high_risk_preset() {
    let policy = sound(&json!({"high_risk": {"intents": ["a"]}})).for_intent("a");
    assert_eq!(policy.minimum_method, Strength::Merkle);
    assert_eq!(policy.unproven, UnprovenRule::Refuse);
    assert_eq!(policy.maximum_age_ms, Some(3_600_000));
}

#[test]
fn the_skew_of_a_document_is_kept() {
    assert_eq!(sound(&json!({"allowed_skew_ms": 5})).allowed_skew_ms, 5);
}

/// What the high-risk part allows and the rest does not stays forbidden.
#[test]
fn lists_of_both_parts_are_intersected() {
    let policy = sound(&json!({
        "allowed_selectors": ["a", "b"], "trusted_methods": ["x", "y"],
        "selectors": ["a", "b"], "verifier_ranks": {"x": "hash", "y": "merkle", "z": "hash"},
        "high_risk": {"intents": ["t"], "allowed_selectors": ["b", "c"], "trusted_methods": ["y"],
                      "allowed_methods": ["merkle"], "selectors": ["b"],
                      "verifier_ranks": {"y": "hash", "z": "merkle"}},
    }));
    let tight = policy.for_intent("t");
    assert_eq!(tight.allowed_selectors, Some(vec!["b".to_string()]));
    assert_eq!(tight.trusted_methods.len(), 1);
    assert_eq!(tight.selectors, ["b"]);
    let ranks: Vec<_> = tight.verifier_ranks.values().collect();
    assert_eq!(ranks, [&Strength::Hash; 2]);
    assert_eq!(tight.allowed_methods.map(|it| it.len()), Some(1));
    let plain = policy.for_intent("other");
    assert_eq!(plain.allowed_methods, None);
    assert_eq!(plain.trusted_methods.len(), 2);
}

/// A switch that either part sets is set for its intents (policy.md, `[high_risk]` can only tighten).
#[test]
fn a_switch_of_either_part_is_set() {
    for name in [
        "require_signed",
        "require_trace",
        "require_at_base_world",
        "require_same_actor",
        "require_time_order",
        "refuse_duplicates",
        "refuse_claimed_unverified",
        "require_standing",
        "require_current",
        "refuse_forked",
        "refuse_compromised",
        "refuse_erased",
        "refuse_contested",
    ] {
        let tight = |plain: bool, strict: bool| {
            let mut document = json!({"preset": "permissive",
                                      "high_risk": {"intents": ["t"], "preset": "permissive"}});
            document[name] = plain.into();
            document["high_risk"][name] = strict.into();
            sound(&document).for_intent("t")
        };
        let both = tight(true, true);
        assert_ne!(both, tight(false, false), "{name}");
        assert_eq!(tight(true, false), both, "{name}");
        assert_eq!(tight(false, true), both, "{name}");
    }
}

/// Knobs with random values, as a document.
fn knobs() -> impl Strategy<Value = Value> {
    let methods = prop::sample::select(vec!["existence", "hash", "signature", "merkle"]);
    let rules = prop::sample::select(vec!["allow", "indeterminate", "refuse"]);
    let numbers = (1u64..1000, 1u64..1_000_000, 0u64..100_000, 0.0f64..1.0);
    let authors = prop::sample::select(vec!["any", "known", "anchored"]);
    let values = (methods, rules, authors, numbers, any::<[bool; 4]>());
    values.prop_map(|(method, rule, author, numbers, switches)| {
        json!({
            "minimum_method": method, "unproven": rule, "maximum_memories": numbers.0,
            "maximum_age_ms": numbers.1, "allowed_skew_ms": numbers.2,
            "minimum_confidence": numbers.3, "require_trace": switches[0],
            "require_at_base_world": switches[1], "require_same_actor": switches[2],
            "refuse_duplicates": switches[3], "no_memory": rule,
            "require_author": author,
        })
    })
}

proptest! {
    /// Whatever the two parts say, the high-risk rules are at least as strict as either.
    #[test]
    fn a_high_risk_part_can_only_tighten(plain in knobs(), strict in knobs()) {
        let mut document = plain.clone();
        document["high_risk"] = strict.clone();
        document["high_risk"]["intents"] = json!(["t"]);
        let tight = sound(&document).for_intent("t");
        for part in [sound(&plain), sound(&strict)] {
            prop_assert!(tight.minimum_method >= part.minimum_method);
            prop_assert!(tight.unproven >= part.unproven);
            prop_assert!(tight.require_author >= part.require_author);
            prop_assert!(tight.no_memory >= part.no_memory);
            prop_assert!(tight.minimum_confidence >= part.minimum_confidence);
            prop_assert!(tight.maximum_memories <= part.maximum_memories);
            prop_assert!(tight.maximum_age_ms <= part.maximum_age_ms);
            prop_assert!(tight.allowed_skew_ms <= part.allowed_skew_ms);
            prop_assert!(tight.require_trace >= part.require_trace);
            prop_assert!(tight.require_at_base_world >= part.require_at_base_world);
            prop_assert!(tight.require_same_actor >= part.require_same_actor);
            prop_assert!(tight.refuse_duplicates >= part.refuse_duplicates);
        }
        prop_assert_eq!(sound(&document).for_intent("other"), sound(&plain));
    }
}
