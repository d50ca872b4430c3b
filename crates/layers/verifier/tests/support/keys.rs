//! Those who sign: logs, witnesses, agents. Keys are made of a number, so every run is alike.

use counterfoil_types::{DidKey, Sha256Hash};
use counterfoil_verifier::note::{
    Algorithm, VerifierKey, cosignature_line, cosigned_message, signature_line, signed_note,
};
use counterfoil_verifier::{Checkpoint, LogAnchor, TlogProof};
use ed25519_dalek::{Signer, SigningKey};

use super::tree;

fn secret(number: u8) -> SigningKey {
    SigningKey::from_bytes(&[number; 32])
}

/// The agent of a number.
pub(crate) fn agent(number: u8) -> DidKey {
    DidKey::from_public_key(secret(number).verifying_key().to_bytes())
}

/// What the holder of a number's key signs.
pub(crate) fn sign(number: u8, message: &[u8]) -> [u8; 64] {
    secret(number).sign(message).to_bytes()
}

/// A log that holds whatever it is given.
#[derive(Clone)]
pub(crate) struct Log {
    pub(crate) origin: String,
    pub(crate) key: VerifierKey,
    pub(crate) leaves: Vec<Sha256Hash>,
    number: u8,
}

impl Log {
    pub(crate) fn new(origin: &str, number: u8) -> Self {
        let public = secret(number).verifying_key().to_bytes();
        Self {
            origin: origin.into(),
            key: VerifierKey::new(origin, Algorithm::Ed25519, &public).unwrap(),
            leaves: Vec::new(),
            number,
        }
    }

    pub(crate) fn anchor(&self) -> LogAnchor {
        LogAnchor::new(self.key.clone())
    }

    pub(crate) fn root_at(&self, size: usize) -> Sha256Hash {
        tree::root(&self.leaves[..size])
    }

    /// The text of the checkpoint at a size, without signatures.
    pub(crate) fn text_at(&self, size: usize) -> String {
        let checkpoint =
            Checkpoint::new(&*self.origin, size.try_into().unwrap(), self.root_at(size));
        checkpoint.unwrap().to_text()
    }

    /// This log's signature line over any text.
    pub(crate) fn line(&self, text: &str) -> String {
        signature_line(&self.key, &sign(self.number, text.as_bytes()))
    }

    /// Any text as a note that this log signed.
    pub(crate) fn note(&self, text: &str) -> String {
        signed_note(text, &[self.line(text)])
    }

    pub(crate) fn proof(&self, index: usize, size: usize) -> TlogProof {
        TlogProof {
            index: index.try_into().unwrap(),
            hashes: tree::inclusion(index, &self.leaves[..size]),
            checkpoint: self.note(&self.text_at(size)),
        }
    }
}

/// A witness.
#[derive(Clone)]
pub(crate) struct Witness {
    pub(crate) key: VerifierKey,
    number: u8,
}

impl Witness {
    pub(crate) fn new(name: &str, number: u8) -> Self {
        let public = secret(number).verifying_key().to_bytes();
        Self {
            key: VerifierKey::new(name, Algorithm::CosignatureV1, &public).unwrap(),
            number,
        }
    }

    /// This witness's signature line over a checkpoint.
    pub(crate) fn line(&self, time_s: u64, text: &str) -> String {
        let message = cosigned_message(time_s, text);
        cosignature_line(&self.key, time_s, &sign(self.number, message.as_bytes()))
    }
}
