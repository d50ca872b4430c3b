//! The golden vectors of chains and records: later versions seal the same inputs to the same bytes (C1, C2).

#![cfg(test)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use counterfoil_capsule::delta::{Change, Delta, FORMAT, normalise};
use counterfoil_capsule::keys::{KeyHistory, KeyInception, KeyRotation};
use counterfoil_capsule::{
    AgentSigner, BodyRef, CapsuleDocument, CapsuleId, Extensions, Position, SaltedBody,
    SealedCapsule, SecretKey, Signed, Signer, Stamp, Timestamp, World, seal_claim, seal_record,
    seal_world,
};
use counterfoil_types::json::{Limits, Value, canonical, parse};
use serde_json::json;

const CAPSULE: &str = include_str!("../../../../../tests/vectors/capsule/v1.json");
const CHAIN: &str = include_str!("../../../../../tests/vectors/capsule/chain-v1.json");
const KEYS: &str = include_str!("../../../../../tests/vectors/capsule/keys-v1.json");
const CLAIM: &str = include_str!("../../../../../tests/vectors/capsule/claim-v1.json");
const RECORD: &str = include_str!("../../../../../tests/vectors/capsule/record-v1.json");

fn vector(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn text<'v>(of: &'v Value, member: &str) -> &'v str {
    of[member].as_str().unwrap()
}

fn bytes<const N: usize>(of: &Value, member: &str) -> [u8; N] {
    hex::decode(text(of, member)).unwrap().try_into().unwrap()
}

/// The `number`-th key of the vector's agent.
fn signer(of: &Value, number: usize) -> AgentSigner {
    let seed = |number: usize| {
        let seed = hex::decode(of["seeds"][number].as_str().unwrap()).unwrap();
        SecretKey::from_seed(seed.try_into().unwrap())
    };
    let agent = AgentSigner::new(seed(0)).agent();
    AgentSigner::rotated(agent, u64::try_from(number).unwrap(), seed(number))
}

/// What a record says: as it stands in the vector, or for keys as it is signed now.
fn document(of: &Value, inputs: &Value, before: &[SealedCapsule]) -> Value {
    let created: Timestamp = text(inputs, "timestamp").parse().unwrap();
    match text(&inputs["record"], "kind") {
        "key_inception" => {
            let recovery = AgentSigner::new(SecretKey::from_seed(bytes(of, "recoverySeed")));
            let (next, recovery) = (signer(of, 1).key(), recovery.key());
            let inception = KeyInception::sign(&signer(of, 0), &next, &recovery, created);
            inception.unwrap().to_value().clone()
        }
        "key_rotation" => {
            let inception = Signed::parse(&content(&before[0])).unwrap();
            let history = KeyHistory::begin(&before[0].header, &inception).unwrap();
            let (now, next) = (signer(of, 0), signer(of, 1));
            let then = signer(of, 2).key();
            let rotation = KeyRotation::sign(&history, &now, &next, &then, created);
            rotation.unwrap().to_value().clone()
        }
        _ => inputs["record"]["document"].clone(),
    }
}

/// The delta from the last content to this one, and where the capsule is written.
fn place(inputs: &Value, new: &Value, before: &[SealedCapsule]) -> (Option<Delta>, Position) {
    let id: CapsuleId = text(inputs, "id").parse().unwrap();
    let at: Timestamp = text(inputs, "timestamp").parse().unwrap();
    let stamp = Stamp::next(at.micros(), None).unwrap();
    let rollback_to = inputs["rollbackTo"]
        .as_str()
        .map(|hash| hash.parse().unwrap());
    let extensions = Extensions {
        rollback_to,
        next_key: new["next_key"].as_str().map(|hash| hash.parse().unwrap()),
        recovery_key: new["recovery_key"]
            .as_str()
            .map(|hash| hash.parse().unwrap()),
        ..Extensions::default()
    };
    let Some(last) = before.last() else {
        return (None, Position::seed(id, stamp).with(extensions));
    };
    let delta = normalise(&content(last), Change::Replacement(new)).unwrap();
    let salt = bytes(inputs, "deltaSalt");
    let body = BodyRef::delta(&salt, &delta.canonical().unwrap(), FORMAT).unwrap();
    let position = Position::after(&last.header, body, id, stamp).with(extensions);
    (Some(delta), position)
}

/// Seals the inputs of one capsule and lays everything that comes out beside them.
fn sealed_again(of: &Value, inputs: &Value, before: &[SealedCapsule]) -> (Value, SealedCapsule) {
    let number = inputs["key"].as_u64().unwrap_or_default();
    let signer = signer(of, usize::try_from(number).unwrap());
    let salt = bytes(inputs, "salt");
    let mut again = inputs.clone();
    let (delta, sealed) = match inputs.get("world") {
        Some(world) => {
            let world = World::try_from(world.clone()).unwrap();
            let (delta, position) = place(inputs, world.content_value(), before);
            let seal = match inputs["kind"].as_str() {
                Some("claim") => seal_claim,
                _ => seal_world,
            };
            (delta, seal(&world, &position, salt, &signer).unwrap())
        }
        None => {
            let kind = text(&inputs["record"], "kind").parse().unwrap();
            let document = document(of, inputs, before);
            let (delta, position) = place(inputs, &document, before);
            let sealed = seal_record(kind, &document, &position, salt, &signer);
            again["record"]["document"] = document;
            (delta, sealed.unwrap())
        }
    };
    let header = &sealed.header;
    let text = |text: Option<String>| text.map_or(Value::Null, Value::from);
    let delta_hash = header.delta().map(BodyRef::hash);
    let delta_text = |delta: &Delta| delta.canonical().unwrap();
    let mut signed_header: Value = header.canonical().parse().unwrap();
    signed_header["signature"] = STANDARD.encode(sealed.signature).into();
    let outcome = json!({
        "payload": sealed.payload,
        "payloadHash": header.payload().hash().to_string(),
        "fieldRoot": sealed.entry.field_root.to_string(),
        "fieldCount": sealed.entry.field_count,
        "delta": text(delta.as_ref().map(delta_text)),
        "inverse": text(delta.as_ref().map(|delta| delta_text(&delta.invert()))),
        "deltaHash": text(delta_hash.map(|hash| hash.to_string())),
        "mutation": text(header.mutation().map(|hash| hash.to_string())),
        "header": header.canonical(),
        "capsuleHash": header.hash().to_string(),
        "entry": sealed.entry.to_text(),
        "leafHash": sealed.entry.leaf_hash().to_hex(),
        "signature": hex::encode(sealed.signature),
        "signedHeader": canonical(&signed_header).unwrap(),
        "exported": exported(inputs, &sealed, delta.as_ref()),
    });
    for (member, value) in outcome.as_object().unwrap() {
        again[member] = value.clone();
    }
    (again, sealed)
}

fn exported(inputs: &Value, sealed: &SealedCapsule, delta: Option<&Delta>) -> String {
    let delta = delta.map(|delta| SaltedBody {
        text: delta.canonical().unwrap(),
        salt: bytes(inputs, "deltaSalt"),
    });
    CapsuleDocument::of(sealed, delta).to_text()
}

fn content(sealed: &SealedCapsule) -> Value {
    parse(sealed.payload.as_bytes(), Limits::CONTENT).unwrap()
}

/// Every capsule of a vector, sealed now.
fn all(of: &Value) -> (Value, Vec<SealedCapsule>) {
    let mut again = of.clone();
    let mut capsules = Vec::new();
    for (at, inputs) in of["capsules"].as_array().unwrap().iter().enumerate() {
        let (one, sealed) = sealed_again(of, inputs, &capsules);
        again["capsules"][at] = one;
        capsules.push(sealed);
    }
    (again, capsules)
}

/// One capsule, whose vector lies in a form of its own; `docs/format/capsule.md` shows it and must not fall behind.
#[test]
fn the_golden_capsule_is_sealed_byte_for_byte() {
    const DOCUMENT: &str = include_str!("../../../../../docs/format/capsule.md");
    let golden = vector(CAPSULE);
    let (again, sealed) = sealed_again(&json!({ "seeds": [golden["seed"]] }), &golden, &[]);
    for (member, stated) in golden.as_object().unwrap() {
        assert_eq!(&again[member], stated, "{member}");
    }
    assert_eq!(sealed.agent().to_string(), text(&golden, "agent"));
    for shown in [
        "payload",
        "header",
        "entry",
        "leafHash",
        "signature",
        "signedHeader",
    ] {
        assert!(DOCUMENT.contains(text(&golden, shown)), "{shown}");
    }
}

/// C1, C2, CAP-14: no later version may seal these inputs otherwise.
#[test]
fn golden_chains_and_records_are_sealed_byte_for_byte() {
    for (name, golden) in [
        ("chain", CHAIN),
        ("keys", KEYS),
        ("record", RECORD),
        ("claim", CLAIM),
    ] {
        let golden = vector(golden);
        let (again, _) = all(&golden);
        let pretty = serde_json::to_string_pretty(&again).unwrap();
        assert_eq!(
            canonical(&again),
            canonical(&golden),
            "{name} now:\n{pretty}"
        );
    }
}

/// CAP-3, C4: each delta leads forward and its inverse back, and the rollback is the seed's state.
#[test]
fn golden_deltas_lead_from_one_version_to_the_next_and_back() {
    let (_, capsules) = all(&vector(CHAIN));
    let golden = vector(CHAIN);
    let versions: Vec<Value> = capsules.iter().map(content).collect();
    for (at, pair) in versions.windows(2).enumerate() {
        let delta = text(&golden["capsules"][at + 1], "delta");
        let delta = Delta::parse(delta.as_bytes()).unwrap();
        assert_eq!(delta.apply(&pair[0]).unwrap(), pair[1]);
        assert_eq!(delta.invert().apply(&pair[1]).unwrap(), pair[0]);
    }
    assert_eq!(versions[2]["data"], versions[0]["data"]);
    assert_eq!(versions[2]["snapshotHash"], versions[0]["snapshotHash"]);
    assert_ne!(versions[2]["worldId"], versions[0]["worldId"]);
    let seed = capsules[0].header.hash();
    let rollback = capsules[2].header.extensions();
    assert_eq!(rollback.rollback_to, Some(seed));
}

/// CAP-6, CAP-29: the exported line says it all, and says it again when it is read.
#[test]
fn golden_capsules_come_back_from_their_exported_form() {
    for golden in [CHAIN, KEYS, RECORD, CLAIM] {
        let golden = vector(golden);
        for (at, stated) in golden["capsules"].as_array().unwrap().iter().enumerate() {
            let exported = text(stated, "exported");
            let document = CapsuleDocument::parse(exported.as_bytes()).unwrap();
            assert_eq!(document.to_text(), exported);
            assert_eq!(document.header().canonical(), text(stated, "header"));
            assert_eq!(document.header().previous().is_none(), at == 0);
        }
    }
}
