//! Properties of decisions under random damage: nothing that is taken away or broken helps.

mod support;

use std::sync::LazyLock;

use counterfoil_authority::types::json::Value;
use counterfoil_authority::{Preset, UnprovenRule, Verdict};
use proptest::prelude::*;
use serde_json::json;
use support::{Log, bare_memory, preset, proposal, review, with, without};

/// One log for all cases: sealing costs more than the cases do.
static LOG: LazyLock<Log> = LazyLock::new(|| Log::of(4));
static FOREIGN: LazyLock<Log> = LazyLock::new(|| Log::foreign(4));

/// A memory of World `index` with good, weak, false or no evidence.
fn memory(index: usize, kind: u8) -> Value {
    match kind {
        0 => LOG.memory(index, "merkle"),
        1 => LOG.memory(index, "signature"),
        2 => LOG.memory(index, "hash"),
        3 => LOG.memory(index, "existence"),
        4 => LOG.memory(index, "none"),
        5 => FOREIGN.memory(index, "merkle"),
        _ => bare_memory(&format!("world-{index}")),
    }
}

fn verdict(name: Preset, proposal: &Value) -> Verdict {
    review(&LOG, preset(name), proposal).decision().verdict()
}

/// Presets under which the unproven does not count as if it were nothing.
fn demanding() -> impl Strategy<Value = Preset> {
    let all = Preset::ALL.to_vec();
    let allows = |name: &Preset| preset(*name).unproven == UnprovenRule::Allow;
    prop::sample::select(all).prop_filter("demanding", move |name| !allows(name))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Stripping evidence never turns a rejected proposal into an approved one.
    #[test]
    fn removing_evidence_never_turns_rejected_into_approved(
        kinds in prop::collection::vec((0usize..4, 0u8..7), 1..4),
        strip in 0usize..4,
        preset in demanding(),
    ) {
        let selected: Vec<Value> = kinds.iter().map(|(index, kind)| memory(*index, *kind)).collect();
        let before = proposal(&selected);
        let place = format!("/trace/context/memory/selected/{}/evidence", strip % selected.len());
        prop_assume!(before.pointer(&place).is_some());
        let after = without(before.clone(), &place);
        if verdict(preset, &before) == Verdict::Rejected {
            prop_assert_ne!(verdict(preset, &after), Verdict::Approved);
        }
        prop_assert_ne!(verdict(preset, &after), Verdict::Approved, "unproven is never approved");
    }

    /// No change of one character in a proof is approved.
    #[test]
    fn a_damaged_proof_is_never_approved(
        index in 0usize..4,
        member in prop::sample::select(vec!["entry", "tlogProof", "computedRoot", "expectedRoot"]),
        at in any::<prop::sample::Index>(),
        letter in prop::sample::select(vec!['0', 'A', 'f', '\n', ' ', '+', '\u{0}']),
    ) {
        let honest = proposal(&[LOG.memory(index, "merkle")]);
        let place = format!("/trace/context/memory/selected/0/evidence/proof/{member}");
        let text = honest.pointer(&place).and_then(Value::as_str).expect("a text").to_string();
        let mut letters: Vec<char> = text.chars().collect();
        let at = at.index(letters.len());
        prop_assume!(letters[at] != letter);
        letters[at] = letter;
        let damaged: String = letters.into_iter().collect();
        let attack = with(honest, &place, json!(damaged));
        prop_assert_eq!(verdict(Preset::Permissive, &attack), Verdict::Rejected);
    }

    /// A stricter preset never approves what a laxer one rejects.
    #[test]
    fn high_risk_approves_nothing_that_standard_rejects(
        kinds in prop::collection::vec((0usize..4, 0u8..7), 0..4),
    ) {
        let selected: Vec<Value> = kinds.iter().map(|(index, kind)| memory(*index, *kind)).collect();
        let proposal = proposal(&selected);
        let verdicts = [Preset::Permissive, Preset::Standard, Preset::HighRisk]
            .map(|preset| verdict(preset, &proposal));
        prop_assert!(verdicts.is_sorted(), "{verdicts:?}");
    }
}
