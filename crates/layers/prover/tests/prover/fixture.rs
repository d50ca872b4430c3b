//! A log of a few entries, signed, and the World that is one of them.

use counterfoil_capsule::{
    AgentSigner, CapsuleId, Consistency, Position, Receipt, SealedCapsule, SecretKey, Signer,
    Stamp, World, seal_world,
};
use counterfoil_prover::{ProveError, ProveResult};
use counterfoil_types::json::Value;
use counterfoil_types::{MemoryRef, Sha256Hash, UnixMillis, WorldId};
use counterfoil_verifier::note::{Algorithm, signature_line, signed_note};
use counterfoil_verifier::{Anchors, Checkpoint, LogAnchor, TlogProof, VerifierKey, merkle};
use proptest::prelude::*;
use serde_json::json;

const NOW: u64 = 1_770_681_600_123_456;
const ORIGIN: &str = "log.example";

/// The error of a proof that was not given.
pub(crate) fn error(result: &ProveResult) -> &ProveError {
    result.error().unwrap().downcast_ref().unwrap()
}

pub(crate) fn agent() -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([7; 32]))
}

fn log_secret() -> SecretKey {
    SecretKey::from_seed([9; 32])
}

fn log_key() -> VerifierKey {
    VerifierKey::new(ORIGIN, Algorithm::Ed25519, &log_secret().public_key()).unwrap()
}

pub(crate) fn anchors() -> Anchors {
    let anchors = Anchors::new(vec![LogAnchor::new(log_key())]).unwrap();
    anchors.with_agents([agent().agent()]).unwrap()
}

/// Anchors of somebody who trusts others.
pub(crate) fn foreign_anchors() -> Anchors {
    let secret = SecretKey::from_seed([1; 32]);
    let key = VerifierKey::new(ORIGIN, Algorithm::Ed25519, &secret.public_key()).unwrap();
    Anchors::new(vec![LogAnchor::new(key)]).unwrap()
}

pub(crate) fn reference(id: &str) -> MemoryRef {
    MemoryRef::new(WorldId::new(id).unwrap())
}

pub(crate) fn bare(id: &str, data: Value) -> World {
    let created_at = UnixMillis::new(1_770_000_000_000).unwrap();
    counterfoil_capsule::remember(WorldId::new(id).unwrap(), created_at, data).unwrap()
}

pub(crate) fn note() -> Value {
    json!({ "kind": "note", "text": "the key is under the blue pot", "tags": ["home", 3, null] })
}

/// `world` sealed, in a log of `size` entries at `index`, with its receipt.
pub(crate) fn logged(world: World, index: u64, size: u64) -> World {
    let receipt = receipt(&world, index, size);
    receipt.beside(world)
}

/// The same, sealed and not in a log.
pub(crate) fn sealed(world: World) -> World {
    let receipt = seal(&world);
    receipt.beside(world)
}

pub(crate) fn recalled() -> World {
    logged(bare("world-1", note()), 4, 11)
}

/// Canonical header of the capsule of `world`.
pub(crate) fn header(world: &World) -> String {
    capsule(world).header.canonical().to_owned()
}

fn seal(world: &World) -> Receipt {
    capsule(world).receipt().unwrap()
}

fn capsule(world: &World) -> SealedCapsule {
    let id = CapsuleId::from_parts(NOW / 1000, [1; 10]);
    let position = Position::seed(id, Stamp::next(NOW, None).unwrap());
    seal_world(world, &position, [0xa5; 32], &agent()).unwrap()
}

fn receipt(world: &World, index: u64, size: u64) -> Receipt {
    let receipt = seal(world);
    let leaves: Vec<Sha256Hash> = (0..size)
        .map(|at| match at == index {
            true => receipt.entry().leaf_hash(),
            false => merkle::leaf_hash(&at.to_be_bytes()),
        })
        .collect();
    let at = usize::try_from(index).unwrap();
    let hashes = path(at, &leaves);
    let checkpoint = checkpoint(&leaves);
    receipt.with_tlog_proof(TlogProof {
        index,
        hashes,
        checkpoint,
    })
}

pub(crate) fn with_consistency(world: World) -> World {
    let receipt = Receipt::of(&world).unwrap().unwrap();
    let consistency = Consistency {
        from: 11,
        hashes: vec![],
    };
    receipt.with_consistency(consistency).beside(world)
}

fn checkpoint(leaves: &[Sha256Hash]) -> String {
    let size = u64::try_from(leaves.len()).unwrap();
    let text = Checkpoint::new(ORIGIN, size, root(leaves))
        .unwrap()
        .to_text();
    let signature = log_secret().sign(text.as_bytes());
    signed_note(&text, &[signature_line(&log_key(), &signature)])
}

/// RFC 6962 §2.1 and §2.1.1, by the book.
fn root(leaves: &[Sha256Hash]) -> Sha256Hash {
    match leaves {
        [] => merkle::EMPTY_ROOT,
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            merkle::node_hash(&root(left), &root(right))
        }
    }
}

fn path(at: usize, leaves: &[Sha256Hash]) -> Vec<Sha256Hash> {
    if leaves.len() < 2 {
        return Vec::new();
    }
    let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
    let (mut below, beside) = match at < left.len() {
        true => (path(at, left), root(right)),
        false => (path(at - left.len(), right), root(left)),
    };
    below.push(beside);
    below
}

/// Any JSON that has a canonical form, not too large.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(Value::from),
        (-1e15..1e15).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    scalar.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::hash_map("[a-z~/é\\PC]{0,6}", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}
