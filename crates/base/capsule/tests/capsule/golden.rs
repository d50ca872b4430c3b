//! The golden vector: one capsule, byte for byte, which no later version may seal otherwise.

use counterfoil_capsule::{
    AgentSigner, CapsuleDocument, CapsuleId, FieldTree, Header, Position, SecretKey, Signer, Stamp,
    Surroundings, Timestamp, Verdict, World, check_capsule, seal_world,
};
use counterfoil_types::json::{Value, canonical};
use serde_json::json;

use crate::common::{Bytes, signed_header};

const VECTOR: &str = include_str!("../../../../../tests/vectors/capsule/v1.json");

fn text<'v>(vector: &'v Value, member: &str) -> &'v str {
    vector[member].as_str().unwrap()
}

fn bytes<const N: usize>(vector: &Value, member: &str) -> [u8; N] {
    hex::decode(text(vector, member))
        .unwrap()
        .try_into()
        .unwrap()
}

/// Seals the inputs of the vector and writes down everything that comes out.
fn sealed_again(vector: &Value) -> Value {
    let signer = AgentSigner::new(SecretKey::from_seed(bytes(vector, "seed")));
    let world = World::try_from(vector["world"].clone()).unwrap();
    let id: CapsuleId = text(vector, "id").parse().unwrap();
    let at: Timestamp = text(vector, "timestamp").parse().unwrap();
    let position = Position::seed(id, Stamp::next(at.micros(), None).unwrap());
    let sealed = seal_world(&world, &position, bytes(vector, "salt"), &signer).unwrap();
    let tree = FieldTree::build(world.content_value(), &sealed.salt).unwrap();
    let fields = tree.paths().map(|path| {
        let shown = tree.disclose(path).unwrap();
        json!({
            "path": path, "salt": hex::encode(shown.salt), "value": shown.value,
            "leafHash": shown.leaf_hash.to_hex(),
        })
    });
    json!({
        "about": vector["about"],
        "seed": vector["seed"], "world": vector["world"], "salt": vector["salt"],
        "id": vector["id"], "timestamp": vector["timestamp"],
        "agent": signer.agent().to_string(),
        "payload": sealed.payload,
        "payloadHash": sealed.header.payload().hash().to_string(),
        "fields": fields.collect::<Value>(),
        "fieldRoot": tree.root().to_string(),
        "header": sealed.header.canonical(),
        "capsuleHash": sealed.header.hash().to_string(),
        "entry": sealed.entry.to_text(),
        "leafHash": sealed.entry.leaf_hash().to_hex(),
        "signature": hex::encode(sealed.signature),
        "signedHeader": signed_header(&sealed),
        "exported": CapsuleDocument::of(&sealed, None).to_text(),
    })
}

#[test]
fn the_golden_capsule_is_sealed_byte_for_byte() {
    let vector: Value = serde_json::from_str(VECTOR).unwrap();
    let again = sealed_again(&vector);
    let pretty = serde_json::to_string_pretty(&again).unwrap();
    assert_eq!(
        canonical(&again),
        canonical(&vector),
        "sealed now:\n{pretty}"
    );
}

#[test]
fn the_golden_capsule_is_valid() {
    let vector: Value = serde_json::from_str(VECTOR).unwrap();
    let golden = Bytes {
        header: text(&vector, "header").into(),
        entry: text(&vector, "entry").into(),
        signature: bytes::<64>(&vector, "signature").into(),
        payload: text(&vector, "payload").into(),
        salt: bytes(&vector, "salt"),
        delta: None,
    };
    assert_eq!(
        check_capsule(&golden.parts(), &Surroundings::default()),
        Verdict::Valid
    );
    let header = Header::parse(&golden.header).unwrap();
    assert_eq!(header.hash().to_string(), text(&vector, "capsuleHash"));
}

/// `docs/format/capsule.md` shows this capsule; it must not fall behind.
#[test]
fn the_document_shows_the_golden_capsule() {
    const DOCUMENT: &str = include_str!("../../../../../docs/format/capsule.md");
    let vector: Value = serde_json::from_str(VECTOR).unwrap();
    for member in [
        "payload",
        "header",
        "entry",
        "leafHash",
        "signature",
        "signedHeader",
    ] {
        assert!(DOCUMENT.contains(text(&vector, member)), "{member}");
    }
}
