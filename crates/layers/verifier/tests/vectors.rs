//! Published vectors: what others agree on, we agree on (`tests/vectors`, with sources there).

use counterfoil_types::Sha256Hash;
use counterfoil_types::json::Value;
use counterfoil_verifier::VerifierKey;
use counterfoil_verifier::dangerous::{
    log_key_signed, root_from_inclusion_proof, verify_consistency,
};
use counterfoil_verifier::note::Algorithm;
use ed25519_dalek::{Signature, VerifyingKey};

const INCLUSION: &str = include_str!("../../../../tests/vectors/rfc6962/inclusion.json");
const CONSISTENCY: &str = include_str!("../../../../tests/vectors/rfc6962/consistency.json");
const CCTV: &str = include_str!("../../../../tests/vectors/ed25519/cctv.json");

#[cfg(test)]
mod read {
    use super::*;

    pub(super) fn file(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    pub(super) fn cases(file: &Value) -> &[Value] {
        file["cases"].as_array().unwrap()
    }

    pub(super) fn number(value: &Value) -> usize {
        usize::try_from(value.as_u64().unwrap()).unwrap()
    }

    pub(super) fn bytes<'a>(table: &'a Value, index: &Value) -> &'a str {
        table[number(index)].as_str().unwrap()
    }

    /// A hash of the table, if it has the length of one.
    pub(super) fn hash(file: &Value, index: &Value) -> Option<Sha256Hash> {
        let bytes = base64(bytes(&file["hashes"], index));
        bytes.try_into().ok().map(Sha256Hash::from_bytes)
    }

    pub(super) fn hashes(file: &Value, indexes: &Value) -> Option<Vec<Sha256Hash>> {
        let indexes = indexes.as_array().unwrap().iter();
        indexes.map(|index| hash(file, index)).collect()
    }

    pub(super) fn base64(text: &str) -> Vec<u8> {
        use ::base64::Engine;
        ::base64::engine::general_purpose::STANDARD
            .decode(text)
            .unwrap()
    }

    pub(super) fn key(text: &str) -> [u8; 32] {
        hex::decode(text).unwrap().try_into().unwrap()
    }
}

use read::{bytes, cases, file, hash, hashes, key, number};

#[test]
fn rfc_6962_inclusion() {
    let file = file(INCLUSION);
    let mut checked = 0;
    for case in cases(&file) {
        let verdict = || {
            let path = hashes(&file, &case[5])?;
            let (leaf, root) = (hash(&file, &case[4])?, hash(&file, &case[3])?);
            let (index, size) = (case[1].as_u64()?, case[2].as_u64()?);
            let computed = root_from_inclusion_proof(index, size, &leaf, &path).ok()?;
            (computed == root).then_some(())
        };
        assert_eq!(verdict().is_none(), case[6].as_bool().unwrap(), "{case}");
        checked += 1;
    }
    assert_eq!(checked, 98);
}

#[test]
fn rfc_6962_consistency() {
    // Roots of 12 bytes, which a SHA-256 tree can't have.
    const NOT_APPLICABLE: &str = "additional/sizes-are-equal-one-and-proof-is-empty";
    let file = file(CONSISTENCY);
    let mut checked = 0;
    for case in cases(&file) {
        let verdict = || {
            let path = hashes(&file, &case[5])?;
            let from = (case[1].as_u64()?, hash(&file, &case[3])?);
            let to = (case[2].as_u64()?, hash(&file, &case[4])?);
            verify_consistency(from, to, &path).ok()
        };
        if case[0] != NOT_APPLICABLE {
            assert_eq!(verdict().is_none(), case[6].as_bool().unwrap(), "{case}");
            checked += 1;
        }
    }
    assert_eq!(checked, 97);
}

/// Two ways to 43: the curve library's strict check, and ours, which refuses bad keys first.
#[test]
fn exactly_43_of_the_cctv_signatures_are_accepted() {
    let file = file(CCTV);
    let refused = flags(&file);
    let mut accepted = 0;
    for case in cases(&file) {
        let public = key(bytes(&file["keys"], &case[0]));
        let signature: [u8; 64] = read::base64(bytes(&file["signatures"], &case[1]))
            .try_into()
            .unwrap();
        let message = bytes(&file["messages"], &case[2]);
        let strict = VerifyingKey::from_bytes(&public).is_ok_and(|key| {
            key.verify_strict(message.as_bytes(), &Signature::from_bytes(&signature))
                .is_ok()
        });
        let ours = VerifierKey::new("k", Algorithm::Ed25519, &public)
            .is_ok_and(|key| log_key_signed(&key, message, &signature));
        let expected = number(&case[3]) & refused == 0;
        assert_eq!((strict, ours), (expected, expected), "{case}");
        accepted += usize::from(ours);
    }
    assert_eq!((cases(&file).len(), accepted), (914, 43));
}

/// The flags that a strict verifier refuses, as a mask.
#[cfg(test)]
fn flags(file: &Value) -> usize {
    const TOLERATED: [&str; 2] = ["low_order_component_R", "low_order_component_A"];
    let names = file["flags"].as_array().unwrap().iter().enumerate();
    names
        .filter(|(_, name)| !TOLERATED.contains(&name.as_str().unwrap()))
        .map(|(bit, _)| 1 << bit)
        .sum()
}
