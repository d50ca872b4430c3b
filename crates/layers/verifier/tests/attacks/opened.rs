//! Opened capsules: header and content are those that the entry names, signed by a key of the header's agent.

use std::sync::Arc;

use counterfoil_types::{Sha256Hash, VerificationMethod, VerificationProof, WorldId};
use counterfoil_verifier::digest::{header_hash, payload_hash};
use counterfoil_verifier::opened::{EntrySignature, Opened, OpenedCapsule};
use counterfoil_verifier::{Anchors, Entry, KeyFingerprint, Refusal, Session};
use serde_json::json;

use crate::support::{Log, agent, merkle_data, sign};

/// Number of the agent that the header names, and of another one; both are anchored.
const AGENT: u8 = 40;
const OTHER: u8 = 41;

const SALT: [u8; 32] = [9; 32];
const CONTENT: &str = r#"{"city":"Berlin","worldId":"w"}"#;

/// Capsule of the World `w`, the only entry of its log, under the signature of a number's key.
fn capsule(content: &str, key_number: u64, signer: u8) -> (OpenedCapsule, Log) {
    let (hash, size) = (payload_hash(&SALT, content.as_bytes()), content.len());
    let header = json!({
        "agent": agent(AGENT), "chain": "c", "ext": {"key": key_number},
        "payload": {"hash": hash, "size": size}, "seq": 3,
        "timestamp": "2026-01-01T00:00:00.000000Z",
        "type": "memory_capsule", "version": "1", "world": "w",
    });
    let header = counterfoil_types::json::canonical(&header).unwrap();
    let entry = Entry {
        world: WorldId::new("w").unwrap(),
        capsule: header_hash(header.as_bytes()),
        content: hash,
        content_size: size.try_into().unwrap(),
        field_root: Sha256Hash::from_bytes([3; 32]),
        field_count: 1,
    };
    let mut log = Log::new("example.com/memory", 1);
    log.leaves = vec![entry.leaf_hash()];
    let data = merkle_data(&entry, &log.proof(0, 1));
    let capsule = OpenedCapsule {
        header,
        content: content.into(),
        salt: SALT,
        signature: EntrySignature {
            key_id: KeyFingerprint::of(&agent(signer)),
            value: sign(signer, entry.to_text().as_bytes()),
        },
        proof: VerificationProof::new(VerificationMethod::Merkle, Some(data)).unwrap(),
    };
    (capsule, log)
}

fn open((capsule, log): &(OpenedCapsule, Log)) -> Result<Opened, Refusal> {
    let anchors = Anchors::new(vec![log.anchor()]).unwrap();
    let anchors = anchors.with_agents([AGENT, OTHER].map(agent)).unwrap();
    capsule.open(&Arc::new(anchors), &mut Session::default())
}

#[test]
fn a_capsule_opens_to_its_content() {
    let opened = open(&capsule(CONTENT, 0, AGENT)).unwrap();
    assert_eq!((opened.agent, opened.seq), (agent(AGENT), 3));
    assert_eq!(opened.timestamp_us, 1_767_225_600_000_000);
    assert_eq!(opened.content, json!({"city": "Berlin", "worldId": "w"}));
}

#[test]
fn a_changed_content_is_refused() {
    for changed in [
        CONTENT.replace("Berlin", "Lisbon"),
        CONTENT.replace("Berlin", "Bonn"),
    ] {
        let (mut capsule, log) = capsule(CONTENT, 0, AGENT);
        capsule.content = changed;
        assert_eq!(open(&(capsule, log)), Err(Refusal::ContentChanged));
    }
}

#[test]
fn a_content_of_another_world_is_refused() {
    let content = r#"{"city":"Berlin","worldId":"v"}"#;
    assert_eq!(
        open(&capsule(content, 0, AGENT)),
        Err(Refusal::ContentOfAnother)
    );
}

/// The first key is the one that the agent is named after; a later key counts because it is anchored.
#[test]
fn a_first_key_of_another_agent_is_refused() {
    assert_eq!(
        open(&capsule(CONTENT, 0, OTHER)),
        Err(Refusal::KeyOfAnother)
    );
    let opened = open(&capsule(CONTENT, 1, OTHER)).unwrap();
    assert_eq!(opened.agent, agent(AGENT));
}
