//! The laws of capsules 4.3, for arbitrary documents and patches.

use counterfoil_capsule::delta::{Change, Delta, apply_all, normalise, roll_back};
use counterfoil_types::json::Value;
use proptest::prelude::*;

use crate::any::{canonical, document, documents, patched};

fn between(before: &Value, after: &Value) -> Delta {
    normalise(before, Change::Replacement(after)).unwrap()
}

/// What any RFC 6902 library makes of a delta, which ignores `old`.
fn elsewhere(delta: &Delta, document: &Value) -> Value {
    let patch: json_patch::Patch = serde_json::from_str(&delta.canonical().unwrap()).unwrap();
    let mut document = document.clone();
    json_patch::patch(&mut document, &patch).unwrap();
    document
}

/// The laws that hold for every delta between two documents.
fn hold(delta: &Delta, before: &Value, after: &Value) -> Result<(), TestCaseError> {
    let applied = delta.apply(before).unwrap();
    prop_assert_eq!(canonical(&applied), canonical(after));
    prop_assert_eq!(canonical(&elsewhere(delta, before)), canonical(after));

    let inverse = delta.invert();
    prop_assert_eq!(&inverse.invert(), delta);
    let back = inverse.apply(&applied).unwrap();
    prop_assert_eq!(canonical(&back), canonical(before));
    let back = roll_back(&applied, [delta]).unwrap();
    prop_assert_eq!(canonical(&back), canonical(before));

    for delta in [delta, &inverse] {
        let text = delta.canonical().unwrap();
        let read = Delta::parse(text.as_bytes()).unwrap();
        prop_assert_eq!(&read, delta);
        prop_assert_eq!(read.canonical().unwrap(), text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// CAP-3: the difference of two documents leads from one to the other and back.
    #[test]
    fn a_replacement_leads_there_and_back((before, after) in documents()) {
        let delta = between(&before, &after);
        hold(&delta, &before, &after)?;
        prop_assert_eq!(delta.is_empty(), canonical(&before) == canonical(&after));
        let root = format!(
            r#"[{{"old":{},"op":"replace","path":"","value":{}}}]"#,
            canonical(&before),
            canonical(&after),
        );
        prop_assert!(delta.canonical().unwrap().len() <= root.len());
    }

    /// CAP-3: a normalised patch does what an independent library makes of the patch itself, and
    /// refuses what that refuses.
    /// (C4)
    #[test]
    fn a_patch_means_what_it_means_elsewhere((before, patch) in patched()) {
        let theirs: json_patch::Patch = serde_json::from_value(patch.clone()).unwrap();
        let mut after = before.clone();
        let applied = json_patch::patch_unsafe(&mut after, &theirs);
        match normalise(&before, Change::Patch(&patch)) {
            Ok(delta) => {
                prop_assert!(applied.is_ok(), "{applied:?}");
                hold(&delta, &before, &after)?;
            }
            Err(error) => prop_assert!(applied.is_err(), "{error}"),
        }
    }

    #[test]
    fn a_merge_patch_means_what_it_means_elsewhere((before, patch) in documents()) {
        let mut after = before.clone();
        json_patch::merge(&mut after, &patch);
        let delta = normalise(&before, Change::MergePatch(&patch)).unwrap();
        hold(&delta, &before, &after)?;
    }

    /// A delta of another document is refused or fits; in neither case the document changes.
    #[test]
    fn an_application_that_fails_changes_nothing(
        (before, after) in documents(),
        other in document(),
    ) {
        let delta = between(&before, &after);
        let kept = other.clone();
        if let Ok(applied) = delta.apply(&other) {
            prop_assert_eq!(canonical(&delta.invert().apply(&applied).unwrap()), canonical(&other));
        }
        prop_assert_eq!(other, kept);
    }

    /// Adversarial case C45: rollback to any version, new edits, rollback of the rollback; byte for byte.
    /// (CAP-3)
    #[test]
    fn every_version_comes_back_byte_for_byte(
        versions in prop::collection::vec(document(), 2..7),
        later in prop::collection::vec(document(), 1..4),
        target in any::<prop::sample::Index>(),
    ) {
        let steps = |versions: &[Value]| -> Vec<Delta> {
            versions.windows(2).map(|pair| between(&pair[0], &pair[1])).collect()
        };
        let deltas = steps(&versions);
        let head = versions.last().unwrap();
        prop_assert_eq!(canonical(&apply_all(&versions[0], &deltas).unwrap()), canonical(head));

        let target = target.index(versions.len());
        let rolled = roll_back(head, deltas[target..].iter().rev()).unwrap();
        prop_assert_eq!(canonical(&rolled), canonical(&versions[target]));

        let rollback = between(head, &rolled);
        let mut onwards = vec![rolled];
        onwards.extend(later);
        let edits = steps(&onwards);
        let undone = roll_back(onwards.last().unwrap(), edits.iter().rev().chain([&rollback]));
        prop_assert_eq!(canonical(&undone.unwrap()), canonical(head));
    }
}
