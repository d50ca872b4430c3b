//! Adversarial cases B of the capsule format: signatures and keys.

use base64::{Engine, engine::general_purpose::STANDARD};
use counterfoil_capsule::{Signer, StoredParts, Surroundings, check_all, check_capsule};
use counterfoil_types::DidKey;
use counterfoil_types::json::Value;

use crate::common::{Bytes, note, seal, seal_as, signer, stranger};
use crate::forge::{ENTRY, KEY_TYPE, KEY_WEAK, SIGNATURE, UNSIGNED, with_header};

/// Adversarial case B14: keys of small order, for which many messages share a signature.
#[test]
fn a_key_of_small_order_is_refused() {
    let mut identity = [0; 32];
    identity[0] = 1;
    let order_four = [0; 32];
    let order_eight: [u8; 32] =
        hex::decode("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa")
            .unwrap()
            .try_into()
            .unwrap();
    for key in [identity, order_four, order_eight] {
        let weak = DidKey::from_public_key(key).to_string();
        let good = signer().agent().to_string();
        assert_eq!(with_header(&good, &weak), KEY_WEAK);
    }
}

/// Adversarial case B14: S plus the group order is the same point and another signature.
#[test]
fn a_malleated_signature_does_not_hold() {
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let mut bytes = Bytes::of(&seal(&note()));
    let mut carry = 0;
    for (byte, order) in bytes.signature[32..].iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        *byte = sum.to_le_bytes()[0];
        carry = sum >> 8;
    }
    assert_eq!(bytes.check(), SIGNATURE);
}

const CCTV: &str = include_str!("../../../../../tests/vectors/ed25519/cctv.json");

/// Adversarial case B15: signatures on which verifiers differ, among them those that pass in a batch
/// and not alone. The check of a capsule takes exactly those that hold strictly: there is no batch.
#[test]
fn a_signature_is_checked_strictly_and_alone() {
    let file: Value = serde_json::from_str(CCTV).unwrap();
    let at = |table: &str, index: &Value| {
        let index = usize::try_from(index.as_u64().unwrap()).unwrap();
        file[table][index].as_str().unwrap()
    };
    let sealed = Bytes::of(&seal(&note()));
    let header = String::from_utf8(sealed.header.clone()).unwrap();
    let good = signer().agent().to_string();
    let cases = file["cases"].as_array().unwrap();
    let accepted = cases.iter().filter(|case| {
        let key: [u8; 32] = hex::decode(at("keys", &case[0]))
            .unwrap()
            .try_into()
            .unwrap();
        let agent = DidKey::from_public_key(key).to_string();
        let signature = STANDARD.decode(at("signatures", &case[1])).unwrap();
        let parts = StoredParts {
            header: &header.replacen(&good, &agent, 1).into_bytes(),
            entry: at("messages", &case[2]).as_bytes(),
            signature: Some(&signature),
            ..sealed.parts()
        };
        let found = check_all(&parts, &Surroundings::default());
        !found.contains(&KEY_WEAK) && !found.contains(&SIGNATURE)
    });
    assert_eq!((accepted.count(), cases.len()), (43, 914));
}

/// Adversarial case B16: keys of other types, fragments, other multibases.
#[test]
fn an_agent_is_an_ed25519_key() {
    let good = signer().agent().to_string();
    for other in [
        "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
        "did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme",
        "did:key:z6LSeu9HkTHSfLLeUs2nnzUSNedgDUevfNQgQjQC23ZCit6F",
        "did:web:example.com",
        &format!("{good}#{}", &good[8..]),
        &good.replacen(":z", ":f", 1),
        &good.replacen(":z", ":z1", 1),
    ] {
        assert_eq!(with_header(&good, other), KEY_TYPE, "{other}");
    }
}

/// Adversarial case B20: a signature that was taken away is missing, not skipped.
/// (CAP-25)
#[test]
fn a_removed_signature_is_missing() {
    let bytes = Bytes::of(&seal(&note()));
    for signature in [None, Some(&[][..])] {
        let parts = StoredParts {
            signature,
            ..bytes.parts()
        };
        let verdict = check_capsule(&parts, &Surroundings::default());
        assert_eq!(verdict, UNSIGNED);
    }
}

/// The header names the agent, so that a stranger's signature over the same entry does not hold.
/// (CAP-16, CAP-25)
#[test]
fn a_strangers_signature_does_not_hold() {
    let mut bytes = Bytes::of(&seal(&note()));
    bytes.signature = stranger().sign(&bytes.entry).to_vec();
    assert_eq!(bytes.check(), SIGNATURE);
}

/// The signature of one capsule is not the signature of another with the same content.
/// (C2)
#[test]
fn the_entry_of_another_capsule_is_noticed() {
    let other = seal_as(&note(), 9, &signer());
    let mut bytes = Bytes::of(&seal(&note()));
    let other = Bytes::of(&other);
    (bytes.entry, bytes.signature) = (other.entry, other.signature);
    assert_eq!(bytes.check(), ENTRY);
}
