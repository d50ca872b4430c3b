//! Erasure holds: no byte of it is left, all that proves it stays, and nothing brings it back.

use counterfoil_capsule::documents::RedactedField;
use counterfoil_store::{CapsuleLog, Draft, MemoryStore, StoreError};

use crate::LifeRig;
use crate::support::{Rig, agent, assert_refused, block_on, id, world};
use counterfoil_life::{Certificate, DerivedPolicy, ErasureScope, Life as _};

/// Tests whether the certificate names no copy that remains, and the file was written anew.
fn is_all(certificate: &Certificate) -> bool {
    let mut remaining = certificate.clone();
    remaining.capsules.clear();
    remaining.destinations.retain(|it| it.obstacle.is_some());
    remaining == Certificate::default()
}

/// Fills the database, so that erased content lies in pages that were split and merged.
fn filled<F: LifeRig>(factory: &F) -> Rig<'_, F> {
    let rig = Rig::new(factory);
    for number in 0..40 {
        rig.remember(
            &format!("w-{number}"),
            &format!("an ordinary sentence {number}"),
        );
    }
    rig
}

/// Erasure takes the words out of the database, its write-ahead log and its index, in any
/// spelling that the tokenizer makes of them; what a neighbour's row of the index holds of it goes as well.
pub(crate) fn no_byte_of_what_is_erased_is_left<F: LifeRig>(factory: &F) {
    let rig = filled(factory);
    rig.remember("w-41", "the passphrase is Zanzibarine Quokkatorium");
    for number in 42..80 {
        rig.remember(
            &format!("w-{number}"),
            &format!("another sentence {number}"),
        );
    }
    for word in ["zanzibarin quokka", "zanzibarin", "quokkatorium"] {
        assert!(
            !rig.holding(word).is_empty(),
            "the test looks for {word} in vain"
        );
    }
    assert!(rig.found("zanzibarin", None).contains(&"w-42".to_owned()));
    let certificate = rig.erase(&id("w-41"));
    assert_eq!(certificate.not_scrubbed, None);
    for word in ["zanzibar", "quokka", "uokkatori"] {
        assert_eq!(rig.holding(word), [""; 0], "{word}");
    }
    assert!(rig.found("zanzibarin", None).is_empty());
    assert!(
        rig.found("sentence", None).len() >= 10,
        "the others are found"
    );
    assert_eq!(block_on(rig.store.get(&id("w-41"))).unwrap(), None);
    rig.is_sound();
    assert_eq!(rig.holding("zanzibar"), [""; 0], "after a rebuild");
    let rig = rig.reopened();
    assert_eq!(block_on(rig.store.get(&id("w-41"))).unwrap(), None);
}

/// The certificate names all that is gone, and its proof holds: the entry is a leaf under the signed
/// checkpoint, and the header still has the hash that the redaction names.
pub(crate) fn the_certificate_says_what_is_gone_and_what_proves_it<F: LifeRig>(factory: &F) {
    let rig = filled(factory);
    let placed = rig.remember("w-50", "a secret");
    let certificate = rig.erase(&id("w-50"));
    let [erased] = certificate.capsules.as_slice() else {
        panic!("{certificate:?}")
    };
    assert_eq!(
        (erased.index, erased.header.hash()),
        (placed.index, placed.capsule)
    );
    assert!(erased.erased_now);
    assert_eq!(erased.next_delta, None);
    let (.., redaction) = &erased.redaction;
    assert_eq!(redaction.capsule, placed.capsule);
    assert_eq!(redaction.by, agent(1).agent());
    assert_eq!(
        redaction.fields,
        [RedactedField::Payload, RedactedField::PayloadSalt]
    );
    let stored = block_on(rig.store.capsule(placed.index)).unwrap().unwrap();
    assert_eq!(stored.header, erased.header);
    assert!(stored.payload.is_none());
    assert_eq!(stored.entry.to_text(), erased.entry);
    let size = block_on(rig.store.size()).unwrap();
    let inclusion = block_on(rig.store.inclusion(placed.index, size)).unwrap();
    assert_eq!(erased.proof.hashes, inclusion);
    assert!(is_all(&certificate), "{certificate:?}");
}

/// A second erasure changes nothing and says so; an unknown World is none.
pub(crate) fn to_erase_again_changes_nothing<F: LifeRig>(factory: &F) {
    let rig = filled(factory);
    let first = rig.erase(&id("w-3"));
    let size = block_on(rig.store.size()).unwrap();
    let again = rig.erase(&id("w-3"));
    assert!(!again.capsules[0].erased_now);
    assert_eq!(again.capsules[0].redaction, first.capsules[0].redaction);
    assert_eq!(block_on(rig.store.size()).unwrap(), size);
    let none = rig.erasure(&id("no-such"));
    assert_eq!(none.unwrap(), None);
    rig.is_sound();
}

/// Adversarial case D58, first half: one version of an evolving World is erased. The version after
/// it stays whole, its delta is gone, and the certificate names the versions that hold unchanged
/// parts.
pub(crate) fn a_version_goes_and_its_neighbours_stay<F: LifeRig>(factory: &F) {
    let rig = filled(factory);
    let first = rig.remember("v-50", "the door code is one");
    let second = rig.update(&first, "v-51", "the door code is zanzibarin");
    let third = rig.update(&second, "v-52", "the door code is three");
    let fourth = rig.update(&third, "v-53", "the door code is four");
    let certificate = rig.erase(&id("v-51"));
    assert_eq!(rig.holding("zanzibarin"), [""; 0]);
    let erased = &certificate.capsules[0];
    assert!(erased.header.delta().is_some());
    assert_eq!(erased.next_delta.unwrap().0, third.index);
    let versions = certificate.versions.iter().map(|copy| copy.0);
    assert_eq!(versions.collect::<Vec<_>>(), [0, 2, 3]);
    for (world, text) in [("v-50", "one"), ("v-52", "three"), ("v-53", "four")] {
        let world = block_on(rig.store.get(&id(world))).unwrap().unwrap();
        let said = world.data().unwrap()["text"].as_str().unwrap().to_owned();
        assert!(said.ends_with(text), "{said}");
    }
    assert_eq!(block_on(rig.store.get(&id("v-51"))).unwrap(), None);
    rig.is_sound();
    let fifth = rig.update(&fourth, "v-54", "the door code is five");
    assert_eq!(fifth.index, block_on(rig.store.size()).unwrap() - 1);
    rig.is_sound();
}

/// With all versions nothing of the chain is left, and nothing can follow it.
pub(crate) fn all_versions_go_together<F: LifeRig>(factory: &F) {
    let rig = filled(factory);
    let mut head = rig.remember("v-50", "zanzibarin 0");
    for number in 1..70_u32 {
        let name = format!("v-{}", 50 + number);
        head = rig.update(&head, &name, &format!("zanzibarin {number}"));
    }
    let middle = id("v-60");
    let scope = ErasureScope {
        all_versions: true,
        derived: DerivedPolicy::Keep,
    };
    let erased = rig.store.erase_scope(agent(1), &middle, "asked to", scope);
    let certificate = block_on(erased).unwrap().unwrap();
    assert_eq!(certificate.capsules.len(), 70);
    assert_eq!(rig.holding("zanzibarin"), [""; 0]);
    assert!(is_all(&certificate), "{certificate:?}");
    let draft = Draft::new(world("v-999", "more"));
    let draft = draft.following(head.chain, head.capsule);
    assert_refused!(
        block_on(rig.store.append(agent(1), vec![draft])),
        StoreError::ContentErased { .. }
    );
    rig.is_sound();
}

/// Adversarial case D59. The rest of an erased World is salted: guesses at its few possible
/// contents cannot be distinguished, since the 32 bytes of salt are gone with it.
/// (C20)
pub(crate) fn a_small_secret_cannot_be_guessed_from_what_is_left<F: LifeRig>(factory: &F) {
    let rig = filled(factory);
    let placed = rig.remember("w-50", "blood type A");
    let stored = block_on(rig.store.capsule(placed.index)).unwrap().unwrap();
    let salt = stored.payload.unwrap().salt;
    rig.erase(&id("w-50"));
    assert_eq!(rig.holding_bytes(&salt[..16]), [""; 0], "the salt is left");
    let unsalted = world("w-50", "blood type A");
    let guess = unsalted.content().unwrap();
    let address = stored.header.payload().hash();
    for salt in [[0; 32], [0xff; 32]] {
        assert_ne!(
            counterfoil_capsule::payload_hash(&salt, guess.as_bytes()),
            address
        );
    }
}

/// The certificate names Worlds that say the same.
pub(crate) fn the_same_words_elsewhere_are_named<F: LifeRig>(factory: &F) {
    let rig = filled(factory);
    for name in ["n-a", "n-b"] {
        rig.remember(name, "twice");
    }
    let certificate = rig.erase(&id("n-a"));
    assert_eq!(certificate.same_data, [id("n-b")]);
}

/// A version that was rolled back to another holds it byte for byte, although it is kept as what
/// changed: the certificate says so, whichever of the two is erased, now and when it is asked again.
pub(crate) fn a_version_that_says_the_same_is_named<F: LifeRig>(factory: &F) {
    for (erased, same, rest) in [("v-50", 2, 1), ("v-52", 0, 1)] {
        let rig = filled(factory);
        let first = rig.remember("v-50", "the door code is one");
        let second = rig.update(&first, "v-51", "the door code is two");
        let text = "the door code is one";
        let back = Draft::new(world("v-52", text)).following(second.chain, second.capsule);
        let extensions = counterfoil_capsule::Extensions {
            rollback_to: Some(first.capsule),
            ..Default::default()
        };
        let back = block_on(rig.store.append(agent(1), vec![back.with(extensions)]));
        assert!(back.is_ok(), "{back:?}");
        for _ in 0..2 {
            let certificate = rig.erase(&id(erased));
            let says = |seq| {
                let version = certificate.versions.iter().find(|it| it.0 == seq);
                version.map(|version| version.2)
            };
            assert_eq!(
                (says(same), says(rest)),
                (Some(true), Some(false)),
                "{erased}"
            );
            assert_eq!(certificate.same_data, []);
        }
    }
}
