//! Disclosure: a field is shown with its path, its salt and its place, or not at all.

use counterfoil_types::json::Value;
use counterfoil_verifier::{Refusal, Side, field};
use serde_json::json;

use crate::support::{Case, TestWorld};

const POINTER: &str = "/city";

fn leaf_mismatch(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::LeafMismatch { .. })
}

/// The leaf is recomputed for what is disclosed, as a thorough forger would.
fn with_own_leaf(data: &mut Value) {
    let disclosed = &data["disclosed"];
    let salt = salt_of(data);
    let (path, value) = (disclosed["path"].as_str(), disclosed["value"].as_str());
    let leaf = field::leaf_hash(path.unwrap(), &salt, value.unwrap());
    data["pathProof"]["leafHash"] = json!(leaf.to_hex());
}

fn salt_of(data: &Value) -> [u8; 16] {
    let case = Case::merkle();
    let path = data["disclosed"]["path"].as_str().unwrap();
    let fields = &case.target().fields;
    let known = fields.iter().find(|(own, ..)| own == path);
    known.map_or_else(
        || case.target().disclosure(POINTER).salt,
        |(_, salt, _)| *salt,
    )
}

#[test]
fn every_field_can_be_disclosed() {
    for (path, _, value) in Case::merkle().target().fields.clone() {
        let case = Case::disclosing(&path);
        let proven = case.verdict().unwrap();
        let (pointer, disclosed) = proven.disclosed().unwrap();
        assert_eq!((pointer, disclosed.to_string()), (&*path, value));
    }
}

#[test]
fn a_changed_value_is_refused() {
    let case = Case::disclosing(POINTER);
    let refusal = case.refusal_at("/disclosed/value", |_| "\"Paris\"".into());
    assert!(leaf_mismatch(&refusal));
    let refusal = case.refusal_of(|data| {
        data["disclosed"]["value"] = json!("\"Paris\"");
        with_own_leaf(data);
    });
    assert!(matches!(refusal, Refusal::NotInFields { .. }));
}

#[test]
fn a_changed_path_is_refused() {
    let case = Case::disclosing(POINTER);
    let refusal = case.refusal_at("/disclosed/path", |_| "/town".into());
    assert!(leaf_mismatch(&refusal));
    let refusal = case.refusal_of(|data| {
        data["disclosed"]["path"] = json!("/town");
        with_own_leaf(data);
    });
    assert!(matches!(refusal, Refusal::NotInFields { .. }));
}

#[test]
fn a_changed_salt_is_refused() {
    let case = Case::disclosing(POINTER);
    let other = "AAAAAAAAAAAAAAAAAAAAAA==";
    let refusal = case.refusal_at("/disclosed/salt", |_| other.into());
    assert!(leaf_mismatch(&refusal));
    let expected = "16 bytes in base64";
    for salt in [
        "",
        "AAAA",
        "AAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAB==",
        "__AAAAAAAAAAAAAAAAAAAA==",
    ] {
        let refusal = case.refusal_at("/disclosed/salt", |_| salt.into());
        let place = "disclosed.salt";
        assert_eq!(refusal, Refusal::Misspelled { place, expected });
    }
}

#[test]
fn a_changed_index_is_refused() {
    let case = Case::disclosing(POINTER);
    let at = |index: &str| case.refusal_at("/disclosed/index", |_| index.into());
    assert_eq!(at("3"), Refusal::SiblingSide { level: 0 });
    assert_eq!(at("0"), Refusal::SiblingSide { level: 1 });
    assert_eq!(at("6"), Refusal::SiblingSide { level: 0 });
    let (tree, size) = ("field tree", 7);
    for index in [7, 8, u64::MAX] {
        assert_eq!(
            at(&index.to_string()),
            Refusal::IndexOutOfRange { tree, index, size }
        );
    }
    for index in ["02", "+2", " 2", "2.0", "", "-1"] {
        let (place, expected) = ("disclosed.index", "a decimal number in a string");
        assert_eq!(at(index), Refusal::Misspelled { place, expected });
    }
}

#[test]
fn a_changed_side_is_refused() {
    let case = Case::disclosing(POINTER);
    for level in 0..3_u32 {
        let refusal = case.refusal_at(&format!("/pathProof/siblings/{level}/position"), |side| {
            let left = side == Side::Left.name();
            if left { "right".into() } else { "left".into() }
        });
        assert_eq!(refusal, Refusal::SiblingSide { level });
    }
    for side in ["Left", "", "left ", "up"] {
        let refusal = case.refusal_at("/pathProof/siblings/0/position", |_| side.into());
        let (place, expected) = ("pathProof.siblings[].position", "left or right");
        assert_eq!(refusal, Refusal::Misspelled { place, expected });
    }
}

#[test]
fn a_changed_sibling_is_refused_on_every_level() {
    let case = Case::disclosing(POINTER);
    for level in 0..3 {
        let refusal = case.refusal_at(&format!("/pathProof/siblings/{level}/hash"), |hash| {
            let flipped = if hash.starts_with('0') { "1" } else { "0" };
            [flipped, &hash[1..]].concat()
        });
        assert!(matches!(refusal, Refusal::NotInFields { .. }));
    }
    let refusal = case.refusal_of(|data| {
        data["pathProof"]["siblings"]
            .as_array_mut()
            .unwrap()
            .swap(1, 2);
    });
    assert_eq!(refusal, Refusal::SiblingSide { level: 1 });
    for hash in ["", "00", &"A".repeat(64), &"0".repeat(63)] {
        let refusal = case.refusal_at("/pathProof/siblings/0/hash", |_| hash.into());
        assert!(matches!(refusal, Refusal::Misspelled { .. }));
    }
}

#[test]
fn a_field_path_of_another_length_is_refused() {
    let case = Case::disclosing(POINTER);
    let tree = "field tree";
    let refusal = case.refusal_of(|data| {
        data["pathProof"]["siblings"].as_array_mut().unwrap().pop();
    });
    assert_eq!(
        refusal,
        Refusal::PathLength {
            tree,
            expected: 3,
            found: 2
        }
    );
    let longer = |count: usize| {
        case.refusal_of(|data| {
            let siblings = data["pathProof"]["siblings"].as_array_mut().unwrap();
            let sibling = json!({"hash": "0".repeat(64), "position": "left"});
            siblings.resize(count, sibling);
        })
    };
    assert_eq!(
        longer(4),
        Refusal::PathLength {
            tree,
            expected: 3,
            found: 4
        }
    );
    assert!(matches!(longer(64), Refusal::TooMuch { max: 63, .. }));
}

#[test]
fn a_field_of_another_world_is_refused() {
    let case = Case::disclosing(POINTER);
    let other = Case::merkle().worlds[6].clone();
    let refusal = case.refusal_of(|data| {
        let mut forged = Case::disclosing(POINTER);
        forged.worlds[5] = other;
        let foreign = disclosed_of(&forged.worlds[5]);
        data["pathProof"] = foreign["pathProof"].clone();
        data["disclosed"] = foreign["disclosed"].clone();
    });
    assert!(matches!(refusal, Refusal::NotInFields { .. }));
}

/// The log's tree and the field tree have leaves of different form.
#[test]
fn a_path_of_the_log_is_not_a_path_of_fields() {
    let case = Case::disclosing(POINTER);
    let refusal = case.refusal_of(|data| {
        data["pathProof"]["leafHash"] = json!(case.log.leaves[5].to_hex());
        let hashes = case.proof().hashes;
        let siblings = hashes
            .iter()
            .map(|hash| json!({"hash": hash.to_hex(), "position": "left"}));
        data["pathProof"]["siblings"] = siblings.collect();
    });
    assert!(leaf_mismatch(&refusal));
    let entry = case.target().entry.to_text();
    assert_ne!(
        field::leaf_hash("", &[0; 16], &entry),
        counterfoil_verifier::merkle::leaf_hash(entry.as_bytes())
    );
}

#[test]
fn value_bytes_that_are_not_canonical_are_refused() {
    let case = Case::disclosing(POINTER);
    let expected = "canonical JSON of a scalar or an empty container";
    for value in ["\"\\u0042erlin\"", "Berlin", "[1]"] {
        let refusal = case.refusal_of(|data| {
            data["disclosed"]["value"] = json!(value);
            with_own_leaf(data);
        });
        let place = "disclosed.value";
        assert_eq!(
            refusal,
            Refusal::Misspelled { place, expected },
            "{value:?}"
        );
    }
}

#[test]
fn a_slash_in_a_name_is_not_a_step() {
    let case = Case::disclosing("/a/b");
    let refusal = case.refusal_at("/disclosed/path", |_| "/a~1b".into());
    assert!(leaf_mismatch(&refusal));
    let case = Case::disclosing("/a~1b");
    let refusal = case.refusal_at("/disclosed/path", |_| "/a/b".into());
    assert!(leaf_mismatch(&refusal));
    for path in ["a", "/a~", "/a~2b", "#/a"] {
        let refusal = case.refusal_at("/disclosed/path", |_| path.into());
        let (place, expected) = ("disclosed.path", "a JSON pointer (RFC 6901)");
        assert_eq!(refusal, Refusal::Misspelled { place, expected });
    }
}

#[test]
fn half_a_disclosure_is_refused() {
    let case = Case::disclosing(POINTER);
    for member in ["pathProof", "disclosed"] {
        let refusal = case.refusal_of(|data| {
            data.as_object_mut().unwrap().remove(member);
        });
        assert_eq!(refusal, Refusal::HalfDisclosure);
    }
}

fn disclosed_of(world: &TestWorld) -> Value {
    let proof = Case::merkle().proof();
    let field = world.disclosure(POINTER);
    counterfoil_verifier::payload::merkle_payload(&world.entry, &proof, Some(&field), None)
}
