//! A log that holds what an agent remembers, and capsules opened under it.

use counterfoil_capsule::{
    AgentSigner, CapsuleId, Position, SealedCapsule, SecretKey, Signer, Stamp, seal_claim,
    seal_world,
};
use counterfoil_types::{Sha256Hash, UnixMillis, VerificationMethod, VerificationProof, WorldId};
use counterfoil_verifier::note::{Algorithm, VerifierKey, signature_line, signed_note};
use counterfoil_verifier::opened::{EntrySignature, OpenedCapsule};
use counterfoil_verifier::payload::merkle_payload;
use counterfoil_verifier::{Anchors, Checkpoint, KeyFingerprint, LogAnchor, TlogProof, merkle};
use serde_json::Value;

const AT_MS: u64 = 1_789_999_000_000;

/// The signer of a number.
pub(crate) fn agent(number: u8) -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([number; 32]))
}

/// The memories of one agent, all in one log under one checkpoint.
pub(crate) struct Log {
    owner: AgentSigner,
    secret: SecretKey,
    origin: String,
    sealed: Vec<SealedCapsule>,
}

impl Log {
    pub(crate) fn new(owner: u8, origin: &str) -> Self {
        Self {
            owner: agent(owner),
            secret: SecretKey::from_seed([owner ^ 0x80; 32]),
            origin: origin.into(),
            sealed: Vec::new(),
        }
    }

    /// Remembers `data`; as a claim unit where that is said.
    pub(crate) fn remember(&mut self, id: &str, data: Value, unit: Unit) -> usize {
        let at = UnixMillis::new(AT_MS).unwrap();
        let world = counterfoil_capsule::remember(WorldId::new(id).unwrap(), at, data).unwrap();
        let number = u8::try_from(self.sealed.len() % 250).unwrap();
        let id = CapsuleId::from_parts(AT_MS, [number; 10]);
        let position = Position::seed(id, Stamp::next(AT_MS * 1_000, None).unwrap());
        let seal = match unit {
            Unit::Memory => seal_world,
            Unit::Claim => seal_claim,
        };
        self.sealed
            .push(seal(&world, &position, [number; 32], &self.owner).unwrap());
        self.sealed.len() - 1
    }

    /// The capsule of a memory, opened.
    pub(crate) fn open(&self, at: usize) -> OpenedCapsule {
        let sealed = &self.sealed[at];
        let leaves = self.leaves();
        let tlog = TlogProof {
            index: at.try_into().unwrap(),
            hashes: path(at, &leaves),
            checkpoint: self.note(&leaves),
        };
        let entry = sealed.entry.as_world().unwrap();
        let payload = merkle_payload(&entry, &tlog, None, None);
        OpenedCapsule {
            header: sealed.header.canonical().into(),
            content: sealed.payload.clone(),
            salt: sealed.salt,
            signature: EntrySignature {
                key_id: KeyFingerprint::of(&self.owner.key()),
                value: sealed.signature,
            },
            proof: VerificationProof::new(VerificationMethod::Merkle, Some(payload)).unwrap(),
        }
    }

    pub(crate) fn anchors(&self) -> Anchors {
        let anchors = Anchors::new(vec![LogAnchor::new(self.key())]).unwrap();
        anchors.with_agents([self.owner.agent()]).unwrap()
    }

    fn key(&self) -> VerifierKey {
        VerifierKey::new(&self.origin, Algorithm::Ed25519, &self.secret.public_key()).unwrap()
    }

    fn leaves(&self) -> Vec<Sha256Hash> {
        self.sealed
            .iter()
            .map(|sealed| sealed.entry.leaf_hash())
            .collect()
    }

    fn note(&self, leaves: &[Sha256Hash]) -> String {
        let size = leaves.len().try_into().unwrap();
        let text = Checkpoint::new(&*self.origin, size, root(leaves))
            .unwrap()
            .to_text();
        signed_note(
            &text,
            &[signature_line(
                &self.key(),
                &self.secret.sign(text.as_bytes()),
            )],
        )
    }
}

/// What a capsule is of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unit {
    Memory,
    Claim,
}

/// RFC 6962 §2.1 and §2.1.1, by the book.
fn root(leaves: &[Sha256Hash]) -> Sha256Hash {
    match leaves {
        [] => merkle::EMPTY_ROOT,
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            merkle::node_hash(&root(left), &root(right))
        }
    }
}

fn path(at: usize, leaves: &[Sha256Hash]) -> Vec<Sha256Hash> {
    if leaves.len() < 2 {
        return Vec::new();
    }
    let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
    let (mut below, beside) = match at < left.len() {
        true => (path(at, left), root(right)),
        false => (path(at - left.len(), right), root(left)),
    };
    below.push(beside);
    below
}
