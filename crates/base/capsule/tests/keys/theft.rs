//! What someone can do with a stolen key, and what not (adversarial cases B of the capsule format).

use counterfoil_capsule::integrity::{Binding, sign};
use counterfoil_capsule::keys::{
    KeyCompromise, KeyDocument, KeyError, KeyRotation, next_key_commitment,
};
use counterfoil_capsule::{AgentSigner, SecretKey, Signed, Signer};
use counterfoil_types::DidKey;
use counterfoil_types::json::Value;
use proptest::prelude::*;

use crate::chain::{Chain, at, public, recovery, secret, signer, since};

/// A rotation that says what it likes, with the proofs of whoever signs it.
fn forged(chain: &Chain, change: impl FnOnce(&mut Value), signers: &[&dyn Signer]) -> KeyDocument {
    let mut document = chain.rotation().to_value().clone();
    document.as_object_mut().unwrap().remove("proof");
    change(&mut document);
    let signed = signers.iter().fold(document, |document, signer| {
        sign(document, *signer, at(), &Binding::ASSERTION).unwrap()
    });
    KeyDocument::Rotation(Signed::<KeyRotation>::parse(&signed).unwrap())
}

fn refused(mut chain: Chain, document: KeyDocument) -> &'static str {
    let before = chain.history.clone();
    let error = chain.offer(document).unwrap_err();
    assert_eq!(chain.history, before);
    assert!(!error.is_indeterminate(), "{error}");
    error.code()
}

/// Adversarial case B23: a rotation that is signed by the old key alone.
/// (C12)
#[test]
fn a_rotation_needs_both_proofs() {
    let chain = Chain::of(1);
    let old = forged(&chain, |_| (), &[&signer(1, 0)]);
    assert_eq!(refused(chain.clone(), old), "E_KEY_NOT_AUTHORISED");
    let new = forged(&chain, |_| (), &[&signer(1, 1)]);
    assert_eq!(refused(chain.clone(), new), "E_KEY_NOT_AUTHORISED");
    let none = forged(&chain, |_| (), &[]);
    assert_eq!(refused(chain, none), "E_SIGNATURE_MISSING");
}

/// Adversarial case B23: the revealed key is not the one that was committed to.
#[test]
fn a_rotation_reveals_the_key_that_was_committed_to() {
    let chain = Chain::of(1);
    let other = AgentSigner::rotated(public(1, 0), 1, secret(9, 9));
    let document = forged(
        &chain,
        |it| it["key"] = other.key().to_string().into(),
        &[&signer(1, 0), &other],
    );
    assert_eq!(refused(chain.clone(), document), "E_NEXT_KEY");
    let made = KeyRotation::sign(&chain.history, &signer(1, 0), &other, &public(1, 2), at());
    let revealed = other.key();
    assert_eq!(made, Err(KeyError::NextKey { revealed }));
}

/// Adversarial case B23: a rotation is replayed on another chain, or behind another record.
#[test]
fn a_rotation_fits_one_place_alone() {
    let chain = Chain::of(1);
    let rotation = chain.rotation();
    let others = Chain::of(2);
    assert_eq!(refused(others, rotation.clone()), "E_AGENT");
    // The same agent's second key chain, which nobody should believe in the first place.
    let elsewhere = forged(
        &chain,
        |it| it["chain"] = Chain::of(2).history.chain().to_string().into(),
        &[&signer(1, 0), &signer(1, 1)],
    );
    assert_eq!(refused(chain.clone(), elsewhere), "E_KEY_CHAIN");
    // Made before a mark was set, offered after it.
    let mut marked = chain;
    let mark = marked.compromise(0, since(3));
    marked.offer(mark).unwrap();
    assert_eq!(refused(marked, rotation), "E_PREVIOUS");
}

#[test]
fn a_rotation_counts_by_one_and_keeps_the_recovery_key() {
    let chain = Chain::of(1);
    let both: [&dyn Signer; 2] = [&signer(1, 0), &signer(1, 1)];
    let change =
        |member: &'static str, value: Value| forged(&chain, |it| it[member] = value, &both);
    for number in [0, 2, 7] {
        assert_eq!(
            refused(chain.clone(), change("number", number.into())),
            "E_KEY_NUMBER"
        );
    }
    let other = next_key_commitment(&public(5, 5)).to_string();
    assert_eq!(
        refused(chain.clone(), change("recovery_key", other.into())),
        "E_RECOVERY_KEY"
    );
}

/// A thief knows the keys that were used; none of them comes back.
#[test]
fn no_key_is_used_twice() {
    let chain = Chain::of(1).rotated();
    for used in [0, 1, 2] {
        let made = KeyRotation::sign(
            &chain.history,
            &signer(1, 1),
            &signer(1, 2),
            &public(1, used),
            at(),
        );
        assert!(matches!(made, Err(KeyError::Reused { .. })), "{used}");
    }
}

/// Adversarial case B24: a thief appends until the theft is marked. From then on what the key signed is contested, and
/// what it signed before is not.
#[test]
fn a_theft_is_marked_by_the_recovery_key() {
    let mut chain = Chain::of(1);
    assert_eq!(chain.history.authorise(0), Ok(public(1, 0)));
    let mark = chain.compromise(0, since(12));
    chain.offer(mark).unwrap();
    let from = chain.history.compromise_of(0).unwrap();
    assert_eq!((from.from, from.log.as_str()), (12, "example.org/log"));
    assert_eq!(chain.history.uncompromised().count(), 0);
    // The owner, who has the next key, goes on.
    let chain = chain.rotated();
    let left: Vec<_> = chain.history.uncompromised().collect();
    assert_eq!(left, [public(1, 1)]);
    assert_eq!(
        chain.history.key_at(0),
        Some(public(1, 0)),
        "history stays checkable"
    );
}

/// Adversarial case B24: only the recovery key marks a theft, or a thief could mark the owner's keys.
#[test]
fn a_mark_needs_the_recovery_key() {
    let mut chain = Chain::of(1).rotated();
    for thief in [signer(1, 0), signer(1, 1), signer(1, 2), recovery(2)] {
        let revealed = thief.key();
        let made = KeyCompromise::sign(&chain.history, &thief, 0, since(1), "theirs", at());
        assert_eq!(made, Err(KeyError::RecoveryKey { revealed }));
    }
    let mut document = chain.compromise(0, since(1)).to_value().clone();
    document.as_object_mut().unwrap().remove("proof");
    let signed = sign(document, &signer(1, 1), at(), &Binding::ASSERTION).unwrap();
    let mark = Signed::<KeyCompromise>::parse(&signed).unwrap();
    let error = chain.offer(KeyDocument::Compromise(mark)).unwrap_err();
    assert_eq!(error.code(), "E_KEY_NOT_AUTHORISED");
}

#[test]
fn a_key_that_is_not_there_is_not_marked() {
    let chain = Chain::of(1);
    let made = KeyCompromise::sign(&chain.history, &recovery(1), 1, since(1), "r", at());
    assert_eq!(
        made,
        Err(KeyError::Number {
            current: 0,
            found: 1
        })
    );
}

/// Adversarial case B26: who looks alike is someone else. An agent is its key, and its name has
/// one spelling in ASCII; there is no display name to be matched.
#[test]
fn a_name_that_looks_alike_is_another_or_none() {
    let babel = public(1, 0).to_string();
    let cyrillic = babel.replacen('e', "е", 1);
    assert_ne!(babel, cyrillic);
    assert!(cyrillic.parse::<DidKey>().is_err());
    let mut document = Chain::of(1).rotation().to_value().clone();
    document["agent"] = cyrillic.into();
    assert!(Signed::<KeyRotation>::parse(&document).is_err());
    let (one, other) = (Chain::of(1), Chain::of(2));
    assert_ne!(one.history.agent(), other.history.agent());
    assert_eq!(refused(one, other.rotation()), "E_AGENT");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Adversarial case B24: the operational key alone never rotates, whatever the thief reveals,
    /// commits to, and signs with besides.
    /// (C12)
    #[test]
    fn theft_of_the_operational_key_alone_cannot_rotate(
        rotations in 0..3_u8, stolen in any::<[u8; 32]>(), number in 0..5_u64, with_own in any::<bool>(),
    ) {
        let chain = (0..rotations).fold(Chain::of(1), |chain, _| chain.rotated());
        let operational = signer(1, rotations);
        let own = AgentSigner::rotated(public(1, 0), number, SecretKey::from_seed(stolen));
        let committed = next_key_commitment(&own.key()).to_string();
        let document = forged(&chain, |it| {
            if with_own {
                it["key"] = own.key().to_string().into();
                it["next_key"] = committed.into();
            }
        }, &[&operational, &own]);
        let code = refused(chain, document);
        prop_assert!(matches!(code, "E_NEXT_KEY" | "E_KEY_NOT_AUTHORISED"), "{}", code);
    }
}
