//! Partial disclosure: every field leads to the root, and no other value does (Appendix E).

use std::collections::BTreeMap;

use crate::common::{SALT, any_json};
use counterfoil_capsule::FieldTree;
use counterfoil_types::Sha256Hash;
use counterfoil_types::json::{self, Limits, Value};
use counterfoil_verifier::payload::{DisclosedField, DisclosurePayload};
use counterfoil_verifier::{field, merkle};
use proptest::prelude::*;
use serde_json::json;

/// The root by the fields and the hashes alone: a subtree without a field is the next hash.
fn root_by(shown: &DisclosurePayload, count: u64) -> Sha256Hash {
    let leaves = shown.fields.iter();
    let leaves = leaves.map(|it| (it.index, leaf_of(it))).collect();
    let mut hashes = shown.hashes.clone().into_iter();
    let root = subtree(0, count, &leaves, &mut hashes);
    assert_eq!(hashes.next(), None);
    root
}

fn subtree(
    from: u64,
    to: u64,
    leaves: &BTreeMap<u64, Sha256Hash>,
    hashes: &mut impl Iterator<Item = Sha256Hash>,
) -> Sha256Hash {
    if leaves.range(from..to).next().is_none() {
        return hashes.next().unwrap();
    }
    if to - from == 1 {
        return leaves[&from];
    }
    let mut size = 1;
    while size * 2 < to - from {
        size *= 2;
    }
    let left = subtree(from, from + size, leaves, hashes);
    merkle::node_hash(&left, &subtree(from + size, to, leaves, hashes))
}

fn leaf_of(field: &DisclosedField) -> Sha256Hash {
    field::leaf_hash(&field.path, &field.salt, &field.value)
}

fn field_of(tree: &FieldTree<'_>, path: &str) -> Option<DisclosedField> {
    let shown = tree.disclose(|own| own == path)?;
    assert_eq!(shown.fields.len(), 1);
    shown.fields.first().cloned()
}

#[test]
fn a_field_is_a_scalar_or_an_empty_container() {
    let content = json!({
        "a": { "b": 1, "empty": {}, "list": [true, null, []] },
        "a/b": 2, "a~b": 3, "": 4, "é": 5, "a-": 6, "list": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, "ten"],
    });
    let tree = FieldTree::build(&content, &SALT).unwrap();
    let lists =
        "/list/0 /list/1 /list/10 /list/2 /list/3 /list/4 /list/5 /list/6 /list/7 /list/8 /list/9";
    let others = "/ /a- /a/b /a/empty /a/list/0 /a/list/1 /a/list/2 /a~0b /a~1b";
    let expected = [others, lists, "/é"].join(" ");
    assert_eq!(
        tree.fields().map(|it| it.0).collect::<Vec<_>>().join(" "),
        expected
    );
    for container in ["/a", "/a/list", "/list", "/nothing", "a", "/list/01"] {
        assert_eq!(field_of(&tree, container), None, "{container}");
    }
    assert_eq!(field_of(&tree, "/a/empty").unwrap().value, "{}");
    assert_eq!(field_of(&tree, "/").unwrap().value, "4");
}

#[test]
fn a_single_value_is_a_tree_of_one_leaf() {
    let content = json!("alone");
    let tree = FieldTree::build(&content, &SALT).unwrap();
    assert_eq!((tree.len(), tree.is_empty()), (1, false));
    assert_eq!(tree.root(), leaf_of(&field_of(&tree, "").unwrap()));
}

#[test]
fn the_salt_of_a_field_depends_on_content_salt_and_path() {
    let content = json!({ "a": 1, "b": 1 });
    let tree = FieldTree::build(&content, &SALT).unwrap();
    let (a, b) = (
        field_of(&tree, "/a").unwrap(),
        field_of(&tree, "/b").unwrap(),
    );
    assert_ne!(a.salt, b.salt);
    assert_ne!(leaf_of(&a), leaf_of(&b));
    let other = FieldTree::build(&content, &[1; 32]).unwrap();
    assert_ne!(field_of(&other, "/a").unwrap().salt, a.salt);
    let material = [&SALT[..], b"/a"].concat();
    let derived = blake3::derive_key("memory-capsule 2026-02-10 v1 field-salt", &material);
    assert_eq!(a.salt, derived[..16]);
}

/// RFC 6962 §2.1: the tree of seven leaves of the RFC's example, built by hand.
#[test]
fn the_tree_is_that_of_rfc_6962() {
    let content = json!([0, 1, 2, 3, 4, 5, 6]);
    let tree = FieldTree::build(&content, &SALT).unwrap();
    let leaf = |index: usize| leaf_of(&field_of(&tree, &format!("/{index}")).unwrap());
    let node = |a, b| merkle::node_hash(&a, &b);
    let left = node(node(leaf(0), leaf(1)), node(leaf(2), leaf(3)));
    let right = node(node(leaf(4), leaf(5)), leaf(6));
    assert_eq!(tree.root(), node(left, right));
}

#[test]
fn whatever_has_no_canonical_form_has_no_tree() {
    assert!(FieldTree::build(&json!([9_007_199_254_740_992_u64]), &SALT).is_err());
    let deep = (0..65).fold(json!(0), |inner, _| json!([inner]));
    assert!(FieldTree::build(&deep, &SALT).is_err());
    let most = Value::from(vec![0; 10_000]);
    assert!(FieldTree::build(&most, &SALT).is_ok());
    assert!(FieldTree::build(&Value::from(vec![0; 10_001]), &SALT).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_fields_lead_to_the_root(content in any_json(), salt: [u8; 32], chosen: [bool; 7]) {
        let tree = FieldTree::build(&content, &salt).unwrap();
        let paths: Vec<String> = tree.fields().map(|it| it.0.into()).collect();
        prop_assert!(paths.is_sorted_by(|a, b| a.as_bytes() < b.as_bytes()));
        let place = |path: &str| paths.iter().position(|own| own == path).unwrap();
        let all = tree.disclose(|_| true).unwrap();
        prop_assert_eq!((all.fields.len(), all.hashes.len()), (paths.len(), 0));
        prop_assert_eq!(tree.disclose(|_| false), None);
        let some = tree.disclose(|path| chosen[place(path) % 7]);
        for shown in [Some(all), some].into_iter().flatten() {
            prop_assert_eq!(root_by(&shown, tree.len()), tree.root());
            for field in &shown.fields {
                prop_assert_eq!(field.index, u64::try_from(place(&field.path)).unwrap());
                let value = json::admit(field.value.as_bytes(), Limits::CONTENT).unwrap();
                let named = content.pointer(&field.path).unwrap();
                prop_assert_eq!(json::canonical(&value).unwrap(), json::canonical(named).unwrap());
            }
        }
    }

    #[test]
    fn the_tree_is_that_of_the_canonical_bytes(content in any_json()) {
        let again: Value = serde_json::from_str(&json::canonical(&content).unwrap()).unwrap();
        let (a, b) = (FieldTree::build(&content, &SALT), FieldTree::build(&again, &SALT));
        prop_assert_eq!(a.unwrap().root(), b.unwrap().root());
    }
}
