//! Binding: a proof is about one World and one content, and can't be moved (M-11, M-12).

use counterfoil_types::{Blake3Hash, WorldId};
use counterfoil_verifier::equivocation::{self, Equivocation};
use counterfoil_verifier::payload::{EntrySignature, signature_payload};
use counterfoil_verifier::{Entry, Proven, Refusal};
use serde_json::json;

use crate::support::{Case, Log, TestWorld, merkle_data};

fn not_in_log(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::NotInLog { .. })
}

/// The reference has another id than the proof.
fn moved(case: &Case, id: &str) -> Refusal {
    let world = WorldId::new(id).unwrap();
    case.refusal(|case| case.world = world)
}

#[test]
fn a_proof_can_not_be_moved_to_another_reference() {
    for case in [
        Case::merkle(),
        Case::signed(),
        Case::hashed(),
        Case::disclosing(&["/city", "/none"]),
    ] {
        let refusal = moved(&case, "w-6");
        let expected = WorldId::new("w-6").unwrap();
        let found = case.world;
        assert_eq!(refusal, Refusal::WorldMismatch { expected, found });
    }
}

#[test]
fn a_world_id_in_another_spelling_is_another_world() {
    let case = Case::merkle();
    for id in [
        "W-5",
        "w-5 ",
        " w-5",
        "w-5\n",
        "w-5\u{200b}",
        "w\u{2010}5",
        "w-5\0",
        "w-05",
    ] {
        assert!(
            matches!(moved(&case, id), Refusal::WorldMismatch { .. }),
            "{id:?}"
        );
    }
}

#[test]
fn normal_forms_of_unicode_are_not_equated() {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}");
    let case = with_world(TestWorld::new(composed));
    assert!(matches!(
        moved(&case, decomposed),
        Refusal::WorldMismatch { .. }
    ));
}

/// An id that would write lines of its own if it stood there as it is.
#[test]
fn a_newline_in_an_id_can_not_write_a_line_of_the_entry() {
    let inner = TestWorld::new("victim");
    let id = format!("victim\n{}", inner.entry.to_text());
    let case = with_world(TestWorld::new(&id));
    let expected = WorldId::new("victim").unwrap();
    let found = WorldId::new(id).unwrap();
    assert_eq!(
        moved(&case, "victim"),
        Refusal::WorldMismatch { expected, found }
    );
    let bare = Case::merkle().refusal_at("/entry", |entry| entry.replace("dy01", "w-5\nx"));
    assert!(not_in_log(&bare));
}

#[test]
fn changed_content_under_a_regenerated_entry_is_not_in_the_log() {
    let case = Case::merkle();
    let fields = vec![("/city".into(), [1; 16], "\"Paris\"".into())];
    let forged = TestWorld::of("w-5", fields);
    let refusal = case.refusal_of(|data| *data = merkle_data(&forged.entry, &case.proof()));
    assert!(not_in_log(&refusal));
    let signed = Case::signed();
    let refusal = signed.refusal_at("/entry", |_| forged.entry.to_text());
    assert!(matches!(refusal, Refusal::AgentSignatureInvalid { .. }));
}

/// `prove` recomputed another root than the entry has, and says so.
#[test]
fn changed_content_under_the_kept_entry_is_refused() {
    let case = Case::merkle();
    let other = TestWorld::of("w-5", vec![("/city".into(), [1; 16], "\"Paris\"".into())]);
    let claimed = other.entry.field_root;
    let derived = case.target().entry.field_root;
    for members in [
        &["computedRoot"][..],
        &["expectedRoot"],
        // Both alike are still compared with the entry.
        &["computedRoot", "expectedRoot"],
    ] {
        let refusal = case.refusal_of(|data| {
            for member in members {
                data[*member] = json!(claimed.to_string());
            }
        });
        let member = members[0];
        assert_eq!(
            refusal,
            Refusal::RootMismatch {
                member,
                claimed,
                derived
            }
        );
    }
}

#[test]
fn a_digest_in_another_spelling_is_refused() {
    let case = Case::merkle();
    let expected = "sha256: and 64 lower-case hexadecimal digits";
    let upper = |text: &str| format!("sha256:{}", text[7..].to_uppercase());
    let edits: [&dyn Fn(&str) -> String; 10] = [
        &|text| text.replace("sha256:", "sha1:"),
        &|text| text.replace("sha256:", "blake3:"),
        &|text| text[..text.len() - 1].into(),
        &|text| text[..text.len() - 2].into(),
        &|text| text.to_owned() + "00",
        &upper,
        &|text| text.replace("sha256:", "sha256:0x"),
        &|text| text.replace("sha256:", "0x"),
        &|text| text.replace("sha256:", ""),
        &|text| text.to_owned() + " ",
    ];
    for place in ["computedRoot", "expectedRoot"] {
        for edit in edits {
            let refusal = case.refusal_at(&format!("/{place}"), edit);
            assert_eq!(refusal, Refusal::Misspelled { place, expected });
        }
    }
}

/// Where the log has been made to hold it, the spelling alone refuses the entry.
#[test]
fn a_misspelled_entry_is_refused_even_if_the_log_holds_it() {
    let text = TestWorld::new("w").entry.to_text();
    for (from, to, line) in [
        ("capsule blake3:", "capsule blake3:0x", "capsule"),
        ("capsule blake3:", "capsule sha256:", "capsule"),
        ("content blake3:", "content sha256:", "content"),
        ("fields sha256:", "fields sha1:", "fields"),
        ("fields sha256:", "fields blake3:", "fields"),
        (" 187\n", " 0187\n", "content"),
        (" 187\n", " +187\n", "content"),
        (" 7\n", " 7 \n", "fields"),
        (" 7\n", " 7\nextension\n", "end"),
        (" 7\n", " 7\n\n", "end"),
        (" 7\n", " 7", "fields"),
        (" 187\n", "\n", "content"),
        ("world ", "world  ", "world"),
        ("world dw==", "world /w==", "world"),
        ("world dw==", "world dw", "world"),
        ("world dw==", "world dx==", "world"),
        ("world dw==", "world ", "world"),
        ("world dw==", "world _w==", "world"),
    ] {
        assert!(text.contains(from), "{from:?}");
        let refusal = refusal_of_logged(&text.replacen(from, to, 1));
        assert_eq!(refusal, Refusal::EntryLine { line }, "{to:?}");
    }
    let upper = text.to_uppercase();
    let found = "COUNTERFOIL/CAPSULE/V1".into();
    assert_eq!(refusal_of_logged(&upper), Refusal::EntryKind { found });
}

#[test]
fn another_kind_of_entry_is_not_a_world() {
    let text = TestWorld::new("w").entry.to_text();
    for kind in [
        "counterfoil/rollback/v1",
        "counterfoil/capsule/v2",
        "counterfoil/capsule/v1 ",
        "counterfoil/capsule/v1\r",
        "",
    ] {
        let refusal = refusal_of_logged(&text.replacen("counterfoil/capsule/v1", kind, 1));
        assert_eq!(refusal, Refusal::EntryKind { found: kind.into() });
    }
}

/// The same id and content in the log of somebody else.
#[test]
fn another_tenant_s_log_is_not_ours() {
    let case = Case::merkle();
    let mut theirs = Log::new("example.com/other", 9);
    theirs.leaves = case.log.leaves.clone();
    let refusal = case.refusal_of_proof(|proof| *proof = theirs.proof(5, 13));
    let origin = "example.com/other".into();
    assert_eq!(refusal, Refusal::UnknownOrigin { origin });
}

#[test]
fn a_signature_of_another_agent_is_refused() {
    let case = Case::signed();
    let entry = case.target().entry.to_text();
    let forged = crate::support::sign(77, entry.as_bytes());
    let refusal = case.refusal_of(|data| {
        let signature = EntrySignature {
            key_id: data["keyId"].as_str().unwrap().parse().unwrap(),
            value: forged,
        };
        *data = signature_payload(&entry, &signature, None);
    });
    assert!(matches!(refusal, Refusal::AgentSignatureInvalid { .. }));
    let stranger = counterfoil_verifier::KeyFingerprint::of(&crate::support::agent(77));
    let refusal = case.refusal_at("/keyId", |_| stranger.to_hex());
    assert_eq!(
        refusal,
        Refusal::UnknownAgent {
            key_id: stranger.digest()
        }
    );
}

#[test]
fn one_world_with_two_contents_is_equivocation() {
    let first = shown(TestWorld::new("w"));
    let second = shown(TestWorld::of(
        "w",
        vec![("/city".into(), [1; 16], "1".into())],
    ));
    assert_eq!(equivocation::find(&[first.clone(), first.clone()]), None);
    let found = equivocation::find(&[first.clone(), second.clone()]);
    let contents: [Blake3Hash; 2] = [
        first.entry().unwrap().content,
        second.entry().unwrap().content,
    ];
    let expected = Equivocation::World {
        world: WorldId::new("w").unwrap(),
        contents,
        field_roots: [
            first.entry().unwrap().field_root,
            second.entry().unwrap().field_root,
        ],
    };
    assert_eq!(found, Some(expected));
}

/// What a hash proof of a World shows: no log in play.
fn shown(world: TestWorld) -> Proven {
    let mut case = Case::hashed();
    case.world = world.entry.world.clone();
    case.data = json!({"entry": world.entry.to_text()});
    case.verdict().unwrap()
}

/// A case about this World, which is in the log.
fn with_world(world: TestWorld) -> Case {
    let mut case = Case::merkle();
    case.log.leaves[5] = world.entry.leaf_hash();
    case.world = world.entry.world.clone();
    case.data = merkle_data(&world.entry, &case.log.proof(5, 13));
    case.verdict().expect("the untouched case passes");
    case
}

/// The verdict on a text that the log holds as a leaf, whatever it is.
fn refusal_of_logged(text: &str) -> Refusal {
    let mut case = Case::merkle();
    case.log.leaves[5] = counterfoil_verifier::merkle::leaf_hash(text.as_bytes());
    let proof = case.log.proof(5, 13);
    case.data["entry"] = json!(text);
    case.data["tlogProof"] = json!(proof.to_text());
    assert!(Entry::parse(text).is_err());
    case.verdict().expect_err("the entry is refused")
}
