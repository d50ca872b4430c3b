//! Forks by a key that an agent rotated to: blamed and proven by its key chain (capsules 4.5, 4.7; C8, C12).

use counterfoil_capsule::keys::{KeyDocument, KeyRotation};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
use counterfoil_life::Life as _;
use counterfoil_life::LineReport;
use counterfoil_store::CapsuleLog;

use crate::author::{
    Author, START, begun, created, events, has_kind, import, key, of_keys, seed_by, texts,
};
use crate::common::block_on;

/// C12: after a rotation the event blames by the key chain of this log, and the proof brings it along.
#[test]
fn a_fork_after_a_rotation_is_proven_by_the_key_chain() {
    let (_place, store) = created(1);
    let author = Author::new(5);
    let (history, begun) = begun(&store, &author);
    let (then, now) = (key(92).key(), Timestamp::from_micros(START).unwrap());
    let rotation = KeyRotation::sign(&history, &*author.signer, &key(90), &then, now).unwrap();
    let rotation = of_keys(&KeyDocument::Rotation(rotation));
    let rotation = rotation.following(begun.chain, begun.capsule);
    block_on(store.append(author.signer.clone(), vec![rotation])).unwrap();

    let rotated = AgentSigner::rotated(author.did(), 1, SecretKey::from_seed([90; 32]));
    let [one, other] = ["one", "other"].map(|name| seed_by(&rotated, 3, name));
    let outcomes = import(&store, &texts(&[one.clone(), other]));
    assert_eq!(outcomes, [LineReport::Accepted, LineReport::Forked]);
    has_kind(&events(&store)[0], "equivocation", true);
    let chain = one.header().chain();
    let proof = block_on(store.fork_proof(chain)).unwrap().unwrap();
    assert_eq!(proof.check_alone(), Ok(()));
}
