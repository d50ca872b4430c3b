//! The receipt: closed, strict, the same after a round trip, and silent in a log line.

use counterfoil_capsule::{CapsuleError, Consistency, Receipt};
use counterfoil_types::Sha256Hash;
use counterfoil_types::json::Value;
use counterfoil_verifier::tlog_proof::TlogProof;
use proptest::prelude::*;
use serde_json::json;

use crate::common::{note, seal};

fn receipt() -> Receipt {
    let hash = Sha256Hash::from_bytes([4; 32]);
    let checkpoint = "counterfoil.example/log\n2\nAAAA\n\n\u{2014} n AAAA\n".to_owned();
    seal(&note())
        .receipt()
        .unwrap()
        .with_tlog_proof(TlogProof {
            index: 1,
            hashes: vec![hash],
            checkpoint,
        })
        .with_consistency(Consistency {
            from: 1,
            hashes: vec![hash],
        })
}

fn read(value: &Value) -> Result<Receipt, CapsuleError> {
    Receipt::from_json(value.to_string().as_bytes())
}

#[test]
fn a_receipt_survives_its_json() {
    for receipt in [receipt(), seal(&note()).receipt().unwrap()] {
        assert_eq!(read(&receipt.to_value()).unwrap(), receipt);
        let world = receipt.beside(note());
        assert_eq!(Receipt::of(&world).unwrap().unwrap(), receipt);
        assert_eq!(world.content().unwrap(), note().content().unwrap());
    }
    assert_eq!(Receipt::of(&note()).unwrap(), None);
}

#[test]
fn a_receipt_has_what_was_sealed_and_what_the_log_gave() {
    let sealed = seal(&note());
    let sealed_alone = sealed.receipt().unwrap();
    assert_eq!(sealed_alone.agent(), sealed.key);
    assert_eq!(sealed_alone.signature(), &sealed.signature);
    assert_eq!(sealed_alone.salt(), &sealed.salt);
    assert!(sealed_alone.tlog_proof().is_none() && sealed_alone.consistency().is_none());
    let logged = receipt();
    assert_eq!(logged.tlog_proof().map(|proof| proof.index), Some(1));
    assert_eq!(logged.consistency().map(|proof| proof.from), Some(1));
}

#[test]
fn a_receipt_replaces_the_one_before() {
    let newer = seal(&note()).receipt().unwrap();
    let world = newer.beside(receipt().beside(note()));
    assert_eq!(
        Receipt::of(&world).unwrap().unwrap(),
        seal(&note()).receipt().unwrap()
    );
}

#[test]
fn members_are_closed_and_required() {
    for member in ["agent", "entry", "salt", "signature"] {
        let mut value = receipt().to_value();
        value.as_object_mut().unwrap().remove(member);
        assert!(read(&value).is_err(), "{member} left out");
    }
    for member in receipt().to_value().as_object().unwrap().keys() {
        for wrong in [Value::Null, json!(1), json!([]), json!({}), json!("")] {
            let mut value = receipt().to_value();
            value[member] = wrong;
            assert!(read(&value).is_err(), "{member}: {}", value[member]);
        }
    }
    let mut value = receipt().to_value();
    value["verifiedAt"] = json!(1);
    assert!(matches!(read(&value), Err(CapsuleError::Document { .. })));
    let mut value = receipt().to_value();
    value["consistency"]["to"] = json!("2");
    assert!(read(&value).is_err());
    let text = receipt()
        .to_value()
        .to_string()
        .replacen('{', r#"{"salt":"","#, 1);
    assert!(Receipt::from_json(text.as_bytes()).is_err());
}

#[test]
fn texts_have_one_spelling() {
    let salt = receipt().to_value()["salt"].as_str().unwrap().to_owned();
    for wrong in [
        salt.trim_end_matches('=').to_owned(),
        salt.replace('p', "-"),
        format!("{salt}\n"),
    ] {
        let mut value = receipt().to_value();
        value["salt"] = wrong.clone().into();
        assert!(read(&value).is_err(), "salt {wrong:?}");
    }
    for wrong in ["01", "+1", " 1", "1 ", "1.0", "18446744073709551616", ""] {
        let mut value = receipt().to_value();
        value["consistency"]["from"] = wrong.into();
        assert!(read(&value).is_err(), "from {wrong:?}");
    }
    let mut value = receipt().to_value();
    value["entry"] = format!("{}\n", value["entry"].as_str().unwrap()).into();
    assert!(read(&value).is_err());
}

#[test]
fn a_log_line_does_not_open_the_content() {
    let sealed = seal(&note());
    let shown = [format!("{:?}", receipt()), format!("{sealed:?}")];
    for (shown, name) in shown.iter().zip(["Receipt {", "SealedCapsule {"]) {
        assert!(shown.starts_with(name), "{shown}");
        assert!(
            !shown.contains("165, 165") && !shown.contains("blue pot"),
            "{shown}"
        );
    }
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes: Vec<u8>) {
        let _ = Receipt::from_json(&bytes);
    }
}
