//! Adversarial cases C of the capsule format: deltas, versions, and what stands beside a chain.

use counterfoil_capsule::delta::{Change, Delta, FORMAT, normalise, replacement};
use counterfoil_capsule::{
    BodyRef, CapsuleDocument, Check, Code, Extensions, Header, Position, SaltedBody, Surroundings,
    Verdict, World, seal_world,
};
use serde_json::json;

use crate::chain::{Chain, seed, seed_by};
use crate::common::{Bytes, NOW, SALT, after, at, id, signer, stamp, stranger};
use crate::forge::{
    AGENT, CHRONOLOGY, DELTA, DELTA_HASH, ERASED, LATER, MUTATION, NOT_CANONICAL, PARENT, RECORD,
    ROLLBACK, SCHEMA, SEQUENCE, invalid, signed_by, signed_over,
};

fn two() -> Chain {
    let mut chain = seed(json!({ "a": 1, "b": [1, 2] }));
    chain.update(&json!({ "a": 2, "b": [1, 2] }));
    chain
}

/// The second capsule of [`two`] sealed anew by its agent, with this delta.
fn sealed_with(chain: &Chain, text: &str, format: &str) -> CapsuleDocument {
    sealed_as(chain, text, format, Extensions::default())
}

fn sealed_as(chain: &Chain, text: &str, format: &str, with: Extensions) -> CapsuleDocument {
    let named = BodyRef::delta(&[3; 32], text, format).unwrap();
    let before = &chain.0[0].sealed.header;
    let position = Position::after(before, named, id(9), stamp(NOW + 1)).with(with);
    let world = World::try_from(chain.0[1].content.clone()).unwrap();
    let sealed = seal_world(&world, &position, SALT, &signer()).unwrap();
    CapsuleDocument::of(&sealed, delta(text))
}

fn with_delta(document: &CapsuleDocument, delta: Option<SaltedBody>) -> CapsuleDocument {
    let (header, fields) = (document.header().clone(), document.fields());
    let signature = *document.signature().unwrap();
    CapsuleDocument::new(
        header,
        signature,
        fields,
        document.payload().cloned(),
        delta,
    )
}

/// Adversarial case C28: the delta is replaced by another one with the same effect.
#[test]
fn another_delta_of_the_same_effect_is_noticed() {
    let chain = two();
    let sealed = chain.0[1].delta.clone().unwrap();
    let (old, new) = (&chain.0[0].content, &chain.0[1].content);
    let root = json!([{ "op": "replace", "path": "", "value": new }]);
    let other = normalise(old, Change::Patch(&root)).unwrap();
    assert_eq!(other.apply(old).unwrap(), *new);
    let other = SaltedBody {
        text: other.canonical().unwrap(),
        ..sealed.clone()
    };
    let document = chain.document(1);
    assert_eq!(
        chain.judge(1, &with_delta(&document, Some(other))),
        DELTA_HASH
    );
    let salted = SaltedBody {
        salt: [1; 32],
        ..sealed
    };
    assert_eq!(
        chain.judge(1, &with_delta(&document, Some(salted))),
        DELTA_HASH
    );
    assert_eq!(chain.judge(1, &with_delta(&document, None)), ERASED);
}

/// Adversarial cases C27 and C46, signed: an agent's own delta that does not lead from the content
/// before to this one, is no delta, or is one of another document.
#[test]
fn a_delta_leads_from_the_content_before_to_this_one() {
    let chain = two();
    for text in [
        "[]",
        r#"[{"op":"add","path":"/data/c","value":1}]"#,
        r#"[{"old":1,"op":"replace","path":"/data/a","value":3}]"#,
        r#"[{"old":9,"op":"replace","path":"/data/a","value":2}]"#,
        r#"[{"old":9,"op":"remove","path":"/data/b/-"}]"#,
        r#"[{"old":9,"op":"remove","path":"/data/b/01"}]"#,
        r#"[{"op":"test","path":"/data/a","value":1}]"#,
        r#"{"op":"add"}"#,
        "null",
    ] {
        let document = sealed_with(&chain, text, FORMAT);
        assert_eq!(chain.judge(1, &document), DELTA, "{text}");
    }
    let spaced = sealed_with(&chain, "[ ]", FORMAT);
    let verdict = invalid(Check::Body, Code::NotCanonical);
    assert_eq!(chain.judge(1, &spaced), verdict);
    let later = sealed_with(&chain, "[]", "rev-json-patch/2");
    assert_eq!(chain.judge(1, &later), LATER);
}

/// Without the content before, a delta is at least undone: what it put there must be there.
#[test]
fn a_delta_is_undone_where_the_content_before_is_gone() {
    let chain = two();
    let around = after(&chain.0[0].sealed.header);
    assert_eq!(chain.document(1).check(&around), Verdict::Valid);
    let wrong = r#"[{"old":1,"op":"replace","path":"/data/a","value":3}]"#;
    let document = sealed_with(&chain, wrong, FORMAT);
    assert_eq!(document.check(&around), DELTA);
}

/// C14: a change without delta names the addresses of both contents, and no others.
#[test]
fn a_replacement_names_both_contents() {
    let chain = two();
    let (old, new) = (chain.0[0].sealed.header.payload().hash(), {
        // The payload is sealed with one salt, so its address is known before.
        let document = sealed_with(&chain, "[]", FORMAT);
        document.header().payload().hash()
    });
    let good = replacement(&old, &new);
    let document = sealed_with(&chain, &good, "replace/1");
    assert_eq!(chain.judge(1, &document), Verdict::Valid);
    for bad in [
        replacement(&new, &new),
        replacement(&old, &old),
        good.replace(r#","old"#, r#", "old"#),
        good.replace("old", "OLD"),
        good.replace("blake3", "sha256"),
        format!("{good} "),
        "[]".to_owned(),
    ] {
        let document = sealed_with(&chain, &bad, "replace/1");
        assert_eq!(chain.judge(1, &document), DELTA, "{bad}");
    }
}

/// Adversarial case C29: the mutation of a sibling, which has the same predecessor.
#[test]
fn the_mutation_of_a_sibling_is_noticed() {
    let (chain, mut other) = (two(), two());
    other.0.pop();
    other.update(&json!({ "a": 7 }));
    let (mine, sibling) = (&chain.0[1].sealed.header, &other.0[1].sealed.header);
    assert_eq!(mine.previous(), sibling.previous());
    let mutation = |header: &Header| header.mutation().unwrap().to_string();
    let forged = mine
        .canonical()
        .replacen(&mutation(mine), &mutation(sibling), 1);
    let verdict = signed_over(&signer(), &forged, &chain.0[1].sealed).check();
    assert_eq!(verdict, MUTATION);
}

/// Adversarial case C32: a capsule of another agent is put behind the same predecessor.
#[test]
fn a_capsule_of_another_agent_extends_no_chain() {
    let chain = two();
    let named = BodyRef::delta(&[3; 32], "[]", FORMAT).unwrap();
    let position = Position::after(&chain.0[0].sealed.header, named, id(9), stamp(NOW + 1));
    let world = World::try_from(chain.0[0].content.clone()).unwrap();
    let hers = seal_world(&world, &position, SALT, &stranger()).unwrap();
    let verdict = chain.judge(1, &CapsuleDocument::of(&hers, delta("[]")));
    assert_eq!(verdict, AGENT);
}

fn delta(text: &str) -> Option<SaltedBody> {
    Some(SaltedBody {
        text: text.to_owned(),
        salt: [3; 32],
    })
}

/// Adversarial case C33: a gap is open; the same number again is the same capsule; numbers that are none
/// are refused.
#[test]
fn numbers_have_no_gap_and_one_spelling() {
    let mut chain = two();
    chain.update(&json!(3));
    let around = after(&chain.0[0].sealed.header);
    assert_eq!(chain.document(2).check(&around), PARENT);
    let header = chain.0[1].sealed.header.canonical();
    for (seq, verdict) in [
        ("9007199254740992", NOT_CANONICAL),
        ("-1", SCHEMA),
        ("1.5", SCHEMA),
        ("\"1\"", SCHEMA),
    ] {
        let forged = header.replacen(r#""seq":1"#, &format!(r#""seq":{seq}"#), 1);
        assert_eq!(signed_by(&signer(), &forged).check(), verdict, "{seq}");
    }
}

/// Adversarial case C35: a capsule that names itself or a later one as the one before. No signer can make
/// such a cycle, since a hash is not known before what it is of; a forged store is noticed.
#[test]
fn a_link_to_itself_or_forward_is_noticed() {
    let mut chain = two();
    chain.update(&json!(3));
    let second = &chain.0[1].sealed.header;
    let previous = second.previous().unwrap().to_string();
    for later in [second.hash(), chain.0[2].sealed.header.hash()] {
        let forged = second
            .canonical()
            .replacen(&previous, &later.to_string(), 1);
        let verdict = signed_over(&signer(), &forged, &chain.0[1].sealed).check();
        // The mutation is over the old link; whoever makes it anew has another hash, and so no cycle.
        assert_eq!(verdict, MUTATION);
    }
}

/// Adversarial case C39: a chain whose clock once ran to 2038 is continued by another, which begins its
/// time anew; both verify, and only a seed may do so.
#[test]
fn a_poisoned_chain_is_continued_by_another() {
    let in_2038 = 2_145_916_800_000_000;
    let poisoned = seed_by(&signer(), json!(1), 1, in_2038, Extensions::default());
    let head = poisoned.head().sealed.header.hash();
    let continues = Extensions {
        continues: Some(head),
        ..Extensions::default()
    };
    let fresh = seed_by(&signer(), json!(1), 2, NOW, continues.clone());
    let around = Surroundings {
        agent_before: Some(at(in_2038)),
        ..Surroundings::default()
    };
    assert_eq!(poisoned.verdict(0), Verdict::Valid);
    assert_eq!(fresh.document(0).check(&around), Verdict::Valid);

    let plain = seed_by(&signer(), json!(1), 2, NOW, Extensions::default());
    assert_eq!(plain.document(0).check(&around), CHRONOLOGY);

    let chain = two();
    let successor = extended(&chain, continues);
    assert_eq!(chain.judge(1, &successor), SEQUENCE);
}

fn extended(chain: &Chain, extensions: Extensions) -> CapsuleDocument {
    let change = Change::Replacement(&chain.0[1].content);
    let change = normalise(&chain.0[0].content, change).unwrap();
    sealed_as(chain, &change.canonical().unwrap(), FORMAT, extensions)
}

/// Adversarial case C45, forged: a version says that it restores another and does not.
#[test]
fn a_rollback_that_restores_nothing_is_noticed() {
    let chain = two();
    let says = |hash| Extensions {
        rollback_to: Some(hash),
        ..Extensions::default()
    };
    let seed = chain.0[0].sealed.header.hash();
    assert_eq!(chain.judge(1, &extended(&chain, says(seed))), ROLLBACK);
    let unknown = counterfoil_types::Blake3Hash::from_bytes([9; 32]);
    assert_eq!(chain.judge(1, &extended(&chain, says(unknown))), PARENT);
    // A later version is none to go back to.
    let later = chain.0[1].sealed.header.hash();
    assert_eq!(chain.judge(1, &extended(&chain, says(later))), ROLLBACK);
}

/// Adversarial case C49: a delta that changes nothing is a delta; a seed with one is refused.
#[test]
fn an_empty_delta_is_recorded_and_a_seed_has_none() {
    let mut chain = two();
    let same = chain.head().content["data"].clone();
    let content = &chain.head().content;
    let delta_of_nothing = normalise(content, Change::Replacement(content)).unwrap();
    assert_eq!(delta_of_nothing, Delta::default());
    chain.update(&same);
    assert_eq!(chain.verdict(2), Verdict::Valid);

    let document = chain.document(0);
    assert_eq!(
        chain.judge(0, &with_delta(&document, delta("[]"))),
        DELTA_HASH
    );
    let named = r#""delta":{"format":"rev-json-patch/1","hash":"blake3:0000000000000000000000000000000000000000000000000000000000000000","size":2}"#;
    let header = document.header().canonical();
    let forged = header.replacen(r#""delta":null"#, named, 1);
    let verdict = signed_over(&signer(), &forged, &chain.0[0].sealed).check();
    assert_eq!(verdict, MUTATION);
}

/// Adversarial case C50: a payload of `null` and an empty text are contents like any other; `media_type`
/// is its writer's word, and nothing is decided by it.
#[test]
fn empty_contents_are_contents() {
    for data in [json!(null), json!(""), json!({}), json!([])] {
        assert_eq!(seed(data).verdict(0), Verdict::Valid);
    }
    let chain = seed(json!(null));
    let header = chain.0[0].sealed.header.canonical();
    let lies = header.replacen(
        r#""payload":{"hash":"#,
        r#""payload":{"media_type":"image/png","hash":"#,
        1,
    );
    // Out of its sorted place it is another spelling; in it, it is a header like any other.
    let verdict = signed_by(&signer(), &lies).check();
    assert_eq!(verdict, NOT_CANONICAL);
    let hash = chain.0[0].sealed.header.payload().hash();
    let lies = header.replacen(
        &format!(r#""hash":"{hash}","size""#),
        &format!(r#""hash":"{hash}","media_type":"image/png","size""#),
        1,
    );
    let parsed = Header::parse(lies.as_bytes()).unwrap();
    assert_eq!(parsed.payload().label(), Some("image/png"));
}

/// Records: the payload must be a document of the kind that the header names.
#[test]
fn a_record_that_is_no_document_of_its_kind_is_noticed() {
    let kind = counterfoil_capsule::RecordKind::Tombstone;
    let position = Position::seed(id(1), stamp(NOW));
    let good = json!({
        "type": "tombstone", "version": "1", "world": "w", "scope": "actor", "actor": "a", "reason": "r",
    });
    for (document, verdict) in [
        (good.clone(), Verdict::Valid),
        (json!({ "type": "tombstone" }), RECORD),
        (json!(null), RECORD),
        (json!({ "type": "tombstone", "version": "2" }), LATER),
    ] {
        let sealed =
            counterfoil_capsule::seal_record(kind, &document, &position, SALT, &signer()).unwrap();
        assert_eq!(Bytes::of(&sealed).check(), verdict, "{document}");
    }
}
