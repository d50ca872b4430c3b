//! Who settles the fork of a chain: its owner's recovery key, or an operator for one store (capsules 4.5).

use counterfoil_capsule::integrity::{Binding, sign};
use counterfoil_capsule::keys::{ForkResolution, KeyError};
use counterfoil_capsule::{CapsuleError, Signer};
use counterfoil_types::{Blake3Hash, DidKey};
use serde_json::json;

use crate::chain::{Chain, at, public, recovery, signer};

fn hash(byte: u8) -> Blake3Hash {
    Blake3Hash::from_bytes([byte; 32])
}

/// A resolution about the chain of `agent`, not decided yet.
fn of(agent: DidKey, abandon: &[u8]) -> ForkResolution {
    let (chain, abandon) = (Chain::of(7).history.chain(), abandon.iter().copied());
    ForkResolution::new(agent, (chain, 5), hash(1), abandon.map(hash).collect(), "r").unwrap()
}

/// C8.
#[test]
fn the_recovery_key_settles_a_fork_for_everyone() {
    let history = Chain::of(1).rotated().history;
    let by = recovery(1);
    let mut decided = of(history.agent(), &[2, 3]);
    let made = decided.clone().by_recovery(&by, at()).unwrap();
    let read = ForkResolution::parse(made.to_value()).unwrap();
    assert_eq!(read, made);
    decided.recovery = Some(by.key());
    assert_eq!(*read, decided);
    assert_eq!(history.accepts(&read), Ok(()));
}

#[test]
fn no_other_key_settles_it() {
    let history = Chain::of(1).history;
    let agent = history.agent();
    for thief in [signer(1, 0), signer(1, 1), recovery(2)] {
        let made = of(agent, &[2]).by_recovery(&thief, at()).unwrap();
        let revealed = thief.key();
        assert_eq!(
            history.accepts(&made),
            Err(KeyError::RecoveryKey { revealed })
        );
    }
    // The recovery key is named, and another one signs.
    let made = of(agent, &[2]).by_recovery(&recovery(1), at()).unwrap();
    let mut document = made.to_value().clone();
    document.as_object_mut().unwrap().remove("proof");
    let forged = sign(document, &signer(1, 0), at(), &Binding::ASSERTION).unwrap();
    let forged = ForkResolution::parse(&forged).unwrap();
    assert_eq!(
        history.accepts(&forged).unwrap_err().code(),
        "E_KEY_NOT_AUTHORISED"
    );
    let others = of(public(2, 0), &[2]).by_recovery(&recovery(1), at());
    assert_eq!(
        history.accepts(&others.unwrap()).unwrap_err().code(),
        "E_AGENT"
    );
}

#[test]
fn an_operator_decides_for_one_store_and_nobody_else() {
    let history = Chain::of(1).history;
    let operator = public(3, 0);
    let made = of(history.agent(), &[2]).by_operator(operator);
    let read = ForkResolution::parse(made.unwrap().to_value()).unwrap();
    assert_eq!((read.recovery, read.operator), (None, Some(operator)));
    assert_eq!(read.reason.as_str(), "r");
    assert_eq!(history.accepts(&read).unwrap_err().code(), "E_RECOVERY_KEY");
}

#[test]
fn branches_are_apart_and_one_decides() {
    let agent = public(1, 0);
    let with = |abandon: &[u8]| of(agent, abandon).by_operator(agent);
    let too_many: Vec<u8> = (2..19).collect();
    for abandon in [&[][..], &[1], &[2, 2], &too_many] {
        assert!(matches!(
            with(abandon),
            Err(KeyError::Document(CapsuleError::Document { .. }))
        ));
    }
    let good = with(&[2]).unwrap().to_value().clone();
    assert!(ForkResolution::parse(&good).is_ok());
    for (member, value) in [
        ("abandon", json!([hash(2), hash(2)])),
        ("abandon", json!([])),
        ("abandon", json!(["blake3:00"])),
        ("proof", json!({})),
        ("recovery", json!(agent)),
        ("operator", json!(null)),
        ("reason", json!("")),
        ("reason", json!("a\u{7}b")),
        ("seq", json!(-1)),
        ("more", json!(1)),
    ] {
        let mut bad = good.clone();
        bad[member] = value;
        assert!(ForkResolution::parse(&bad).is_err(), "{bad}");
    }
}
