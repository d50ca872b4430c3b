//! Forks by a key that an agent rotated to: blamed and proven by its key chain (capsules 4.5, 4.7; C8, C12).

use counterfoil_capsule::keys::{KeyDocument, KeyHistory, KeyInception, KeyRotation};
use counterfoil_capsule::{
    AgentSigner, CapsuleDocument, CapsuleId, Position, SecretKey, Signer, Stamp, Timestamp,
    seal_world,
};
use counterfoil_sqlite::LineReport;
use counterfoil_store::{CapsuleLog, Draft};

use crate::common::{Author, START, block_on, created, events, import, texts, world};

/// C12: after a rotation the event blames by the key chain of this log, and the proof brings it along.
#[test]
fn a_fork_after_a_rotation_is_proven_by_the_key_chain() {
    let (_place, store) = created(1);
    let key = |seed: u8| AgentSigner::new(SecretKey::from_seed([seed; 32]));
    let author = Author::new(5);
    let now = Timestamp::from_micros(START).unwrap();
    let draft = |document: &KeyDocument| {
        Draft::record(document.kind(), document.to_value().clone()).with(document.extensions())
    };
    let (next, recovery) = (key(90).key(), key(91).key());
    let inception = KeyInception::sign(&*author.signer, &next, &recovery, now).unwrap();
    let begun = draft(&KeyDocument::Inception(inception.clone()));
    let begun = block_on(store.append(author.signer.clone(), vec![begun])).unwrap();
    let stored = block_on(store.capsule(begun[0].index)).unwrap().unwrap();
    let history = KeyHistory::begin(&stored.header, &inception).unwrap();
    let then = key(92).key();
    let rotation = KeyRotation::sign(&history, &*author.signer, &key(90), &then, now).unwrap();
    let rotation = draft(&KeyDocument::Rotation(rotation));
    let rotation = rotation.following(begun[0].chain, begun[0].capsule);
    block_on(store.append(author.signer.clone(), vec![rotation])).unwrap();

    let rotated = AgentSigner::rotated(author.did(), 1, SecretKey::from_seed([90; 32]));
    let stamp = Stamp::next(START + 9, None).unwrap();
    let position = Position::seed(CapsuleId::from_parts(1_780_272_000_000, [3; 10]), stamp);
    let [one, other] = ["one", "other"].map(|name| {
        let sealed = seal_world(&world(name, name), &position, [1; 32], &rotated);
        CapsuleDocument::of(&sealed.unwrap(), None)
    });
    let outcomes = import(&store, &texts(&[one.clone(), other]));
    assert_eq!(outcomes, [LineReport::Accepted, LineReport::Forked]);
    assert_eq!(events(&store)[0]["attributable"], true);
    let chain = one.header().chain();
    let proof = block_on(store.fork_proof(chain)).unwrap().unwrap();
    assert_eq!(proof.check_alone(), Ok(()));
}
