//! The vectors of vc-di-eddsa for `eddsa-jcs-2022` (`tests/vectors/eddsa-jcs-2022`).

use counterfoil_capsule::integrity::{Binding, sign, verification_method, verify};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer};
use counterfoil_types::DidKey;
use counterfoil_types::json::{Value, canonical};
use sha2::{Digest, Sha256};

macro_rules! vector {
    ($name:literal) => {
        include_str!(concat!(
            "../../../../../tests/vectors/eddsa-jcs-2022/",
            $name
        ))
    };
}

fn secured() -> Value {
    serde_json::from_str(vector!("signedJCS.json")).unwrap()
}

fn unsecured() -> Value {
    serde_json::from_str(vector!("canonDocJCS.txt")).unwrap()
}

/// The key pair, multibase and multicodec (`ed25519-priv` is 0x1300) taken off.
fn signer() -> AgentSigner {
    let pair: Value = serde_json::from_str(vector!("keyPair.json")).unwrap();
    let secret = pair["privateKeyMultibase"].as_str().unwrap();
    let secret = bs58::decode(&secret[1..]).into_vec().unwrap();
    let seed = secret.strip_prefix(&[0x80, 0x26]).unwrap();
    let signer = AgentSigner::new(SecretKey::from_seed(seed.try_into().unwrap()));
    let public = pair["publicKeyMultibase"].as_str().unwrap();
    let did: DidKey = format!("did:key:{public}").parse().unwrap();
    assert_eq!(signer.agent(), did);
    signer
}

#[test]
fn the_published_document_is_verified() {
    let agent = signer().agent();
    let verified = verify(&secured(), agent, &[agent], &Binding::ASSERTION);
    assert_eq!(verified, Ok(agent));
    let method = secured()["proof"]["verificationMethod"].clone();
    assert_eq!(method, verification_method(&agent));
}

/// The same document, time and key give the same proof, byte for byte.
#[test]
fn the_published_proof_is_made() {
    let created: counterfoil_capsule::integrity::Created = "2023-02-24T23:36:38Z".parse().unwrap();
    let made = sign(unsecured(), &signer(), created, &Binding::ASSERTION).unwrap();
    assert_eq!(made, secured());
}

/// The steps in between: canonical forms, hashes, signature.
#[test]
fn the_published_steps_are_ours() {
    let (document, proof) = (vector!("canonDocJCS.txt"), vector!("proofCanonJCS.txt"));
    assert_eq!(canonical(&unsecured()).unwrap(), document);
    let hashes = [Sha256::digest(proof), Sha256::digest(document)].concat();
    assert_eq!(hex::encode(&hashes), vector!("combinedHashJCS.txt").trim());
    let signature = vector!("sigHexJCS.txt").trim();
    assert_eq!(hex::encode(signer().sign(&hashes)), signature);
}
