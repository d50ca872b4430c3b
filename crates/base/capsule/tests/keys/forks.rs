//! Who settles the fork of a chain: its owner's recovery key, or an operator for one store (capsules 4.5).

use counterfoil_capsule::integrity::{ProofOptions, sign};
use counterfoil_capsule::keys::{Branches, ForkResolution, KeyError};
use counterfoil_capsule::{CapsuleError, Signer};
use counterfoil_types::Blake3Hash;
use serde_json::json;

use crate::chain::{Chain, at, public, recovery, signer};

fn hash(byte: u8) -> Blake3Hash {
    Blake3Hash::from_bytes([byte; 32])
}

fn branches() -> Branches {
    Branches {
        chain: Chain::of(7).history.chain(),
        seq: 5,
        keep: hash(1),
        abandon: vec![hash(2), hash(3)],
    }
}

/// C8.
#[test]
fn the_recovery_key_settles_a_fork_for_everyone() {
    let history = Chain::of(1).rotated().history;
    let by = recovery(1);
    let made = ForkResolution::by_recovery(history.agent(), &by, branches(), "restored", at());
    let made = made.unwrap();
    let read = ForkResolution::parse(made.to_value()).unwrap();
    assert_eq!(read, made);
    let Branches {
        chain,
        seq,
        keep,
        abandon,
    } = branches();
    let read_branches = (read.chain, read.seq, read.keep, read.abandon.clone());
    assert_eq!(read_branches, (chain, seq, keep, abandon));
    assert_eq!((read.recovery, read.operator), (Some(by.key()), None));
    assert_eq!(history.accepts(&read), Ok(()));
}

#[test]
fn no_other_key_settles_it() {
    let history = Chain::of(1).history;
    let agent = history.agent();
    for thief in [signer(1, 0), signer(1, 1), recovery(2)] {
        let made = ForkResolution::by_recovery(agent, &thief, branches(), "mine", at()).unwrap();
        let revealed = thief.key();
        assert_eq!(
            history.accepts(&made),
            Err(KeyError::RecoveryKey { revealed })
        );
    }
    // The recovery key is named, and another one signs.
    let mut document = ForkResolution::by_recovery(agent, &recovery(1), branches(), "r", at())
        .unwrap()
        .to_value()
        .clone();
    document.as_object_mut().unwrap().remove("proof");
    let forged = sign(document, &signer(1, 0), &ProofOptions::assertion(at())).unwrap();
    let forged = ForkResolution::parse(&forged).unwrap();
    assert_eq!(
        history.accepts(&forged).unwrap_err().code(),
        "E_KEY_NOT_AUTHORISED"
    );
    let others = ForkResolution::by_recovery(public(2, 0), &recovery(1), branches(), "r", at());
    assert_eq!(
        history.accepts(&others.unwrap()).unwrap_err().code(),
        "E_AGENT"
    );
}

#[test]
fn an_operator_decides_for_one_store_and_nobody_else() {
    let history = Chain::of(1).history;
    let operator = public(3, 0);
    let made = ForkResolution::by_operator(history.agent(), operator, branches(), "the older one");
    let read = ForkResolution::parse(made.unwrap().to_value()).unwrap();
    assert_eq!((read.recovery, read.operator), (None, Some(operator)));
    assert_eq!(read.reason.as_str(), "the older one");
    assert_eq!(history.accepts(&read).unwrap_err().code(), "E_RECOVERY_KEY");
}

#[test]
fn branches_are_apart_and_one_decides() {
    let agent = public(1, 0);
    let with = |abandon: Vec<Blake3Hash>| {
        let branches = Branches {
            abandon,
            ..branches()
        };
        ForkResolution::by_operator(agent, agent, branches, "r")
    };
    for abandon in [
        vec![],
        vec![hash(1)],
        vec![hash(2), hash(2)],
        (2..19).map(hash).collect(),
    ] {
        assert!(matches!(
            with(abandon),
            Err(KeyError::Document(CapsuleError::Document { .. }))
        ));
    }
    let good = with(vec![hash(2)]).unwrap().to_value().clone();
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
