//! Disclosure: fields are shown with path, salt and place under exactly the hashes that they need, or not at all.

use counterfoil_types::json::Value;
use counterfoil_types::{Sha256Hash, VerificationMethod, VerificationProof};
use counterfoil_verifier::payload::{
    DisclosedField, DisclosurePayload, EntrySignature, hash_payload, merkle_payload,
    signature_payload,
};
use counterfoil_verifier::{
    Examiner, Expected, HashVerifier, KeyFingerprint, Refusal, Session, field,
};
use serde_json::json;

use crate::support::{Case, TestWorld, agent, sign};

const CITY: &[&str] = &["/city"];
const SOME: &[&str] = &["/a~1b", "/city", "/ratio"];
const ALL: &[&str] = &[
    "/a/b", "/a~1b", "/city", "/empty", "/list/0", "/none", "/ratio",
];

fn not_in_fields(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::NotInFields { .. })
}

/// Every set of fields, by a bit each.
#[test]
fn any_fields_can_be_disclosed() {
    for chosen in 1..1_u32 << ALL.len() {
        let paths = (0..).zip(ALL).filter(|(bit, _)| chosen >> bit & 1 == 1);
        let paths: Vec<&str> = paths.map(|(_, path)| *path).collect();
        let proven = Case::disclosing(&paths).verdict().unwrap();
        let shown: Vec<&str> = proven.disclosed().iter().map(|it| it.0.as_str()).collect();
        assert_eq!(shown, paths);
        for (path, value) in proven.disclosed() {
            let mut fields = Case::merkle().target().fields.clone().into_iter();
            let shown = (path, value.to_string());
            assert!(fields.any(|(own, _, text)| (&own, text) == shown));
        }
    }
    let all = Case::disclosing(ALL);
    assert_eq!(all.data["disclosed"]["hashes"], json!([]));
}

/// The three methods that name an entry disclose its fields in one form.
#[test]
fn a_signed_and_a_hashed_entry_disclose_as_well() {
    let entry = Case::merkle().target().entry.clone();
    let disclosure = Case::merkle().target().disclosure(SOME);
    let signature = EntrySignature {
        key_id: KeyFingerprint::of(&agent(40)),
        value: sign(40, entry.to_text().as_bytes()),
    };
    let mut signed = Case::signed();
    signed.data = signature_payload(&entry.to_text(), &signature, Some(&disclosure));
    let mut hashed = Case::hashed();
    hashed.method = VerificationMethod::Hash;
    hashed.data = hash_payload(&entry.to_text(), Some(&disclosure));
    for case in [signed, hashed] {
        assert_eq!(case.verdict().unwrap().disclosed().len(), 3);
        let refusal = case.refusal_at("/disclosed/fields/1/value", |_| "\"Paris\"".into());
        assert!(not_in_fields(&refusal));
    }
}

#[test]
fn a_changed_value_path_or_salt_is_refused() {
    for (fields, at) in [(CITY, 0), (SOME, 1), (ALL, 2)] {
        let case = Case::disclosing(fields);
        let changed = |member: &str, text: &str| {
            let pointer = format!("/disclosed/fields/{at}/{member}");
            case.refusal_at(&pointer, |_| text.into())
        };
        assert!(not_in_fields(&changed("value", "\"Paris\"")));
        assert!(not_in_fields(&changed("path", "/cjty")));
        assert!(not_in_fields(&changed("salt", "AAAAAAAAAAAAAAAAAAAAAA==")));
    }
}

#[test]
fn a_misspelt_salt_is_refused() {
    let case = Case::disclosing(CITY);
    let (place, expected) = ("disclosed.fields[].salt", "16 bytes in base64");
    for salt in [
        "",
        "AAAA",
        "AAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAB==",
        "__AAAAAAAAAAAAAAAAAAAA==",
    ] {
        let refusal = case.refusal_at("/disclosed/fields/0/salt", |_| salt.into());
        assert_eq!(refusal, Refusal::Misspelled { place, expected });
    }
}

#[test]
fn a_changed_index_is_refused() {
    let case = Case::disclosing(CITY);
    let at = |index: &str| case.refusal_at("/disclosed/fields/0/index", |_| index.into());
    for index in ["0", "1", "3"] {
        assert!(not_in_fields(&at(index)), "{index}");
    }
    // The leaf alone at the right edge of seven has a shorter way.
    assert_eq!(at("6"), Refusal::FieldHashes { found: 3 });
    let (tree, size) = ("field tree", 7);
    for index in [7, 8, u64::MAX] {
        assert_eq!(
            at(&index.to_string()),
            Refusal::IndexOutOfRange { tree, index, size }
        );
    }
    let (place, expected) = ("disclosed.fields[].index", "a decimal number in a string");
    for index in ["02", "+2", " 2", "2.0", "", "-1"] {
        assert_eq!(at(index), Refusal::Misspelled { place, expected });
    }
}

#[test]
fn fields_out_of_order_or_twice_are_refused() {
    let case = Case::disclosing(SOME);
    let edited = |edit: fn(&mut Vec<Value>)| {
        case.refusal_of(|data| edit(data["disclosed"]["fields"].as_array_mut().unwrap()))
    };
    assert_eq!(edited(|fields| fields.swap(0, 1)), Refusal::FieldOrder);
    assert_eq!(edited(|fields| fields.swap(1, 2)), Refusal::FieldOrder);
    let twice = edited(|fields| fields.insert(1, fields[0].clone()));
    assert_eq!(twice, Refusal::FieldOrder);
    let renumbered = edited(|fields| {
        let mut second = fields[0].clone();
        second["index"] = json!("3");
        fields.insert(2, second);
    });
    assert_eq!(renumbered, Refusal::FieldOrder);
}

/// A tree with one path twice: its maker may show the one reader the first leaf, and the other the second.
#[test]
fn a_path_that_stands_twice_in_the_tree_is_not_shown_twice() {
    let field = |value: &str| ("/city".to_string(), [7; 16], value.to_string());
    let world = TestWorld::of("w-5", vec![field("1"), field("2")]);
    let both = DisclosurePayload {
        fields: (0..).zip(&world.fields).map(field_at).collect(),
        hashes: Vec::new(),
    };
    let mut case = Case::hashed();
    case.data = hash_payload(&world.entry.to_text(), Some(&both));
    assert_eq!(case.verdict(), Err(Refusal::FieldOrder));
}

fn field_at((index, (path, salt, value)): (u64, &(String, [u8; 16], String))) -> DisclosedField {
    DisclosedField {
        index,
        path: path.clone(),
        salt: *salt,
        value: value.clone(),
    }
}

#[test]
fn other_hashes_are_refused() {
    for fields in [CITY, SOME] {
        let case = Case::disclosing(fields);
        let count = case.data["disclosed"]["hashes"].as_array().unwrap().len();
        let hashes = |edit: &dyn Fn(&mut Vec<Value>)| {
            case.refusal_of(|data| edit(data["disclosed"]["hashes"].as_array_mut().unwrap()))
        };
        let found = count - 1;
        assert_eq!(hashes(&|it| drop(it.pop())), Refusal::FieldHashes { found });
        let found = count + 1;
        let more = hashes(&|it| it.push(it[0].clone()));
        assert_eq!(more, Refusal::FieldHashes { found });
        assert!(not_in_fields(&hashes(&|it| it.swap(0, 1))));
        for at in 0..count {
            let other =
                hashes(&|it| it[at] = json!("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="));
            assert!(not_in_fields(&other));
        }
        for text in ["", "AAAA", "__AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="] {
            let refusal = hashes(&|it| it[0] = json!(text));
            assert!(matches!(refusal, Refusal::Misspelled { .. }), "{refusal}");
        }
    }
    // Nothing stands beside a content that is shown whole.
    let surplus = Case::disclosing(ALL).refusal_of(|data| {
        data["disclosed"]["hashes"] = json!(["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]);
    });
    assert_eq!(surplus, Refusal::FieldHashes { found: 1 });
}

/// Left out, a field would have to be hashed by the reader.
#[test]
fn a_field_can_not_be_taken_out_or_put_in() {
    let case = Case::disclosing(SOME);
    let refusal = case.refusal_of(|data| {
        data["disclosed"]["fields"]
            .as_array_mut()
            .unwrap()
            .remove(1);
    });
    assert!(not_in_fields(&refusal) || refusal == Refusal::FieldHashes { found: 3 });
    let none = case.refusal_of(|data| data["disclosed"]["fields"] = json!([]));
    assert!(matches!(none, Refusal::WrongType { .. }), "{none}");
    let refusal = case.refusal_of(|data| {
        let more = disclosed_of(case.target(), ALL)["disclosed"]["fields"][3].clone();
        data["disclosed"]["fields"]
            .as_array_mut()
            .unwrap()
            .insert(2, more);
    });
    assert!(not_in_fields(&refusal) || refusal == Refusal::FieldHashes { found: 3 });
}

#[test]
fn fields_of_another_world_are_refused() {
    let case = Case::disclosing(SOME);
    let other = Case::merkle().worlds[6].clone();
    let foreign = disclosed_of(&other, SOME)["disclosed"].clone();
    let refusal = case.refusal_of(|data| data["disclosed"] = foreign.clone());
    assert!(not_in_fields(&refusal));
    let one = case.refusal_of(|data| {
        data["disclosed"]["fields"][1] = foreign["fields"][1].clone();
    });
    assert!(not_in_fields(&one));
}

/// The log's tree and the field tree have leaves of different form.
#[test]
fn hashes_of_the_log_are_no_hashes_of_fields() {
    let case = Case::disclosing(CITY);
    let refusal = case.refusal_of(|data| {
        let hashes: Vec<Sha256Hash> = case.proof().hashes;
        let own = case.target().disclosure(CITY);
        let forged = DisclosurePayload {
            hashes: hashes[..own.hashes.len()].to_vec(),
            ..own
        };
        let entry = &case.target().entry;
        *data = merkle_payload(entry, &case.proof(), Some(&forged), None);
    });
    assert!(not_in_fields(&refusal));
    let entry = case.target().entry.to_text();
    assert_ne!(
        field::leaf_hash("", &[0; 16], &entry),
        counterfoil_verifier::merkle::leaf_hash(entry.as_bytes())
    );
}

#[test]
fn value_bytes_that_are_not_canonical_are_refused() {
    let case = Case::disclosing(CITY);
    let expected = "canonical JSON of a scalar or an empty container";
    for value in ["\"\\u0042erlin\"", "Berlin", "[1]"] {
        let refusal = case.refusal_at("/disclosed/fields/0/value", |_| value.into());
        let place = "disclosed.fields[].value";
        assert_eq!(
            refusal,
            Refusal::Misspelled { place, expected },
            "{value:?}"
        );
    }
}

#[test]
fn a_slash_in_a_name_is_not_a_step() {
    for (path, other) in [("/a/b", "/a~1b"), ("/a~1b", "/a/b")] {
        let case = Case::disclosing(&[path]);
        let refusal = case.refusal_at("/disclosed/fields/0/path", |_| other.into());
        assert!(not_in_fields(&refusal));
    }
    let case = Case::disclosing(CITY);
    for path in ["a", "/a~", "/a~2b", "#/a"] {
        let refusal = case.refusal_at("/disclosed/fields/0/path", |_| path.into());
        let (place, expected) = ("disclosed.fields[].path", "a JSON pointer (RFC 6901)");
        assert_eq!(refusal, Refusal::Misspelled { place, expected });
    }
}

/// The former form, with one field and its path, is refused.
#[test]
fn a_path_proof_is_an_unknown_member() {
    let case = Case::disclosing(CITY);
    let refusal = case.refusal_of(|data| data["pathProof"] = json!({"leafHash": "00"}));
    let (place, member) = ("proof", "pathProof".into());
    assert_eq!(refusal, Refusal::UnknownMember { place, member });
}

/// A tree of 2^62 leaves has 62 levels; who claims one pays a hash in the proof for each step.
#[test]
fn a_claimed_tree_of_any_size_costs_no_more_than_its_hashes() {
    let world = Case::merkle().target().clone();
    let mut entry = world.entry.clone();
    let disclosure = world.disclosure(CITY);
    let verdict = |entry: &counterfoil_verifier::Entry, disclosure: &DisclosurePayload| {
        let mut case = Case::hashed();
        case.data = hash_payload(&entry.to_text(), Some(disclosure));
        case.verdict()
    };
    for count in [1 << 62, (1 << 62) - 1, 1 << 40] {
        entry.field_count = count;
        assert_eq!(
            verdict(&entry, &disclosure),
            Err(Refusal::FieldHashes { found: 3 })
        );
    }
    for size in [(1 << 62) + 1, u64::MAX] {
        entry.field_count = size;
        let tree = "field tree";
        assert_eq!(
            verdict(&entry, &disclosure),
            Err(Refusal::TreeTooLarge { tree, size })
        );
    }
}

/// Our own vectors of disclosed fields, which `tests/vectors/check_proof.py` verifies too: byte for byte.
#[test]
fn disclosed_fields_are_those_of_the_golden_vectors() {
    const GOLDEN: &str = include_str!("../../../../../tests/vectors/proof/disclosed-v1.json");
    let many = (10..31).map(|n| (format!("/list/{n}"), [n; 16], format!("\"é{n}\"")));
    let (few, many) = (TestWorld::new("w-1"), TestWorld::of("w-2", many.collect()));
    let cases: [(&str, &TestWorld, &[&str]); 5] = [
        ("one field of seven", &few, &["/city"]),
        ("three of seven", &few, &["/a~1b", "/empty", "/ratio"]),
        (
            "all of seven",
            &few,
            &[
                "/a/b", "/a~1b", "/city", "/empty", "/list/0", "/none", "/ratio",
            ],
        ),
        ("the last of 21", &many, &["/list/30"]),
        (
            "some of 21",
            &many,
            &["/list/10", "/list/17", "/list/18", "/list/29"],
        ),
    ];
    let written = cases.map(|(about, world, paths)| {
        let data = hash_payload(&world.entry.to_text(), Some(&world.disclosure(paths)));
        let proof = VerificationProof::new(VerificationMethod::Hash, Some(data.clone())).unwrap();
        let expected = Expected::World(&world.entry.world);
        let proven = HashVerifier.examine(&proof, expected, &mut Session::new());
        assert_eq!(proven.unwrap().disclosed().len(), paths.len(), "{about}");
        json!({"about": about, "proof": data})
    });
    let written = serde_json::to_string_pretty(&written).unwrap() + "\n";
    assert_eq!(written, GOLDEN, "{written}");
}

fn disclosed_of(world: &TestWorld, pointers: &[&str]) -> Value {
    let proof = Case::merkle().proof();
    let disclosure = world.disclosure(pointers);
    merkle_payload(&world.entry, &proof, Some(&disclosure), None)
}
