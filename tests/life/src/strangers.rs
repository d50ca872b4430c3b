//! Capsules of a stranger, or of the thief of a key, do nothing to those that others signed (capsules 4.5-4.8; C8, C10, C20, B23).

use counterfoil_capsule::documents::Tombstone;
use counterfoil_capsule::keys::{KeyCompromise, KeyDocument};
use counterfoil_capsule::{CapsuleDocument, Document, RecordKind, Timestamp};
use counterfoil_store::{CapsuleLog, Draft, StoreError, StoredCapsule};
use counterfoil_types::WorldId;

use crate::LifeRig;
use crate::author::{
    Author, begun, events, export, has_kind, import, is_refused, key, of_keys, pending, redaction,
    refused, seed_by, texts, waits, with,
};
use crate::support::{Rig, START, assert_refused, block_on, world};
use counterfoil_life::{Life as _, LineReport};

/// A stranger's redaction takes no body out of another's capsule, before or after it (C20).
pub(crate) fn a_strangers_redaction_covers_no_capsule<F: LifeRig>(factory: &F) {
    let (mut victim, mut stranger) = (Author::new(5), Author::new(6));
    let seed = victim.seed("s", 0);
    let bare = seed.clone().without_bodies().to_text();
    let erased = redaction(&mut stranger, &seed);
    for lines in [[erased.clone(), bare.clone()], [bare, erased]] {
        let rig = Rig::new(factory);
        let store = &rig.store;
        import(store, &lines);
        assert_eq!(block_on(store.size()).unwrap(), 1);
        assert_eq!(import(store, &[seed.to_text()])[0], LineReport::Accepted);
        assert_eq!(rig.held(), 0);
    }
}

/// A record without its content would have no effect, so it waits for it, redaction or not.
pub(crate) fn a_record_never_enters_without_its_content<F: LifeRig>(factory: &F) {
    let mut victim = Author::new(5);
    let forgotten = Tombstone::new(
        WorldId::new("w").unwrap(),
        None,
        &victim.did().to_string(),
        "asked for",
    );
    let record = victim.record(RecordKind::Tombstone, &forgotten.unwrap().to_value(), 0);
    let erased = redaction(&mut victim, &record);
    let bare = record.clone().without_bodies().to_text();
    let rig = Rig::new(factory);
    let store = &rig.store;
    let outcomes = import(store, &[erased, bare]);
    assert_eq!(pending(&outcomes[1]), "body_erased");
    assert_eq!(import(store, &[record.to_text()])[0], LineReport::Accepted);
}

/// The holder of the operational key puts no World into the key chain, here or elsewhere (B23).
pub(crate) fn nothing_but_records_of_keys_enters_a_key_chain<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let (_, inception) = begun(store, &author);
    let line = CapsuleDocument::parse(export(store)[0].as_bytes()).unwrap();

    let draft = Draft::new(world("w", "w")).following(inception.chain, inception.capsule);
    let refusal = block_on(store.append(author.signer.clone(), vec![draft]));
    assert_refused!(refusal, StoreError::KeyChain { .. });

    let second = author.next(&line, "second", 20_000_000_000_000);
    let later = author.seed("later", 5);
    for lines in [
        vec![line.to_text(), second.to_text(), later.to_text()],
        vec![second.to_text(), line.to_text(), later.to_text()],
    ] {
        let rig = Rig::new(factory);
        let store = &rig.store;
        import(store, &lines);
        assert_eq!(block_on(store.size()).unwrap(), 2);
        assert_eq!(
            refused(&import(store, &lines[..2])[usize::from(lines[0] == line.to_text())]),
            "E_KEY_CHAIN"
        );
        let keys = block_on(store.key_records(author.did())).unwrap();
        assert_eq!(keys.len(), 1);
        assert!(block_on(store.forks()).unwrap().is_empty());
    }
}

/// A store that took such a World before it was refused still reads the keys, up to it (B23).
pub(crate) fn a_key_chain_is_read_as_far_as_it_is_one<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    begun(store, &author);
    let line = CapsuleDocument::parse(export(store)[0].as_bytes()).unwrap();
    let second = author.next(&line, "second", 20_000_000_000_000);
    let capsule = StoredCapsule::received(&second, author.did()).unwrap();
    block_on(store.receive("earlier", vec![capsule])).unwrap();
    let keys = block_on(store.key_records(author.did())).unwrap();
    assert_eq!(keys.len(), 1);
    let later = author.seed("later", 5).to_text();
    assert_eq!(import(store, &[later])[0], LineReport::Accepted);
}

/// A fork of an archived place is kept by what its stub says, and a rollback to one waits.
pub(crate) fn what_is_archived_stops_no_import<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let chain = author.chain("c", 3);
    import(store, &texts(&chain));
    let before = Timestamp::from_micros(START + 3_600_000_000).unwrap();
    let signer = author.signer.clone();
    block_on(store.archive(signer, before, Some(before), rig.archive())).unwrap();
    let fork = author.next(&chain[0], "other", 1_000_001);
    let outcomes = import(store, &[fork.to_text(), author.seed("n", 3).to_text()]);
    assert_eq!(outcomes, [LineReport::Forked, LineReport::Accepted]);
    assert_eq!(block_on(store.forks()).unwrap().len(), 1);
}

/// A chain's name and a WorldId go to the agent that comes first; the other one waits, and no agent
/// is blamed for it but the source.
pub(crate) fn a_taken_name_keeps_nobody_out_for_good<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut victim = Author::new(5);
    let own = seed_by(&key(5), 3, "mine");
    let after = victim.next(&own, "after", 5);
    import(store, &[seed_by(&key(6), 3, "squat").to_text()]);
    let outcomes = import(store, &texts(&[own, after]));
    assert_eq!(pending(&outcomes[0]), "chain_taken");
    assert_eq!(pending(&outcomes[1]), "chain_taken");
    import(store, &[seed_by(&key(6), 7, "name").to_text()]);
    let named = import(store, &[seed_by(&key(5), 8, "name").to_text()]);
    assert_eq!(pending(&named[0]), "world_taken");
    for event in events(store) {
        assert_eq!(event["attributable"], false);
        assert!(event.pointer("/subject/agent").is_none());
    }
    assert_eq!(events(store).len(), 3);
}

/// A known capsule is compared with the one that was delivered under its name.
pub(crate) fn a_known_capsule_with_another_body_is_refused<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let chain = Author::new(5).chain("c", 2);
    import(store, &texts(&chain));
    let damaged = with(&chain[1], "/payload/state/data/text", "other".into());
    is_refused(store, damaged, "E_STATE");
    has_kind(&events(store)[0], "integrity", false);
    let bare = chain[1].clone().without_bodies().to_text();
    assert_eq!(import(store, &[bare])[0], LineReport::AlreadyThere);
}

/// A key that is known to be in other hands freezes no chain with an earlier time (C8, B24).
pub(crate) fn a_compromised_key_forks_no_chain<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let chain = author.chain("c", 3);
    import(store, &texts(&chain));
    let (history, inception) = begun(store, &author);
    let now = Timestamp::from_micros(START + 9_000_000).unwrap();
    let since = ("conformance.example/log", 3, now);
    let mark = KeyCompromise::sign(&history, &key(91), 0, since, "stolen", now).unwrap();
    let document = KeyDocument::Compromise(mark);
    let draft = of_keys(&document).following(inception.chain, inception.capsule);
    block_on(store.append(author.signer.clone(), vec![draft])).unwrap();
    let fork = author.next(&chain[0], "backdated", 1_000_001);
    waits(store, fork.to_text(), "key_compromised");
    assert!(block_on(store.forks()).unwrap().is_empty());
    assert_eq!(events(store)[0]["attributable"], false);
}
