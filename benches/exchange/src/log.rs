//! A log of 10,000 memories, of which a few are opened.

use anyhow::{Context, Result};
use counterfoil_capsule::{
    AgentSigner, CapsuleId, Position, SealedCapsule, SecretKey, Signer, Stamp, seal_world,
};
use counterfoil_types::{Sha256Hash, UnixMillis, VerificationMethod, VerificationProof, WorldId};
use counterfoil_verifier::note::{Algorithm, VerifierKey, signature_line, signed_note};
use counterfoil_verifier::opened::{EntrySignature, OpenedCapsule};
use counterfoil_verifier::payload::merkle_payload;
use counterfoil_verifier::{Anchors, Checkpoint, KeyFingerprint, LogAnchor, TlogProof, merkle};
use serde_json::json;

const SIZE: u64 = 10_000;
const ORIGIN: &str = "log.example";
const START_MILLIS: u64 = 1_789_000_000_000;

/// A log of 10,000 memories. All but the first few are leaves without content.
pub(crate) struct Log {
    owner: AgentSigner,
    key: VerifierKey,
    sealed: Vec<SealedCapsule>,
    leaves: Vec<Sha256Hash>,
    note: String,
}

impl Log {
    pub(crate) fn of(owner: AgentSigner, texts: &[String]) -> Result<Self> {
        let secret = SecretKey::from_seed([9; 32]);
        let key = VerifierKey::new(ORIGIN, Algorithm::Ed25519, &secret.public_key())?;
        let sealed: Vec<SealedCapsule> = texts
            .iter()
            .zip(0_u8..)
            .map(|(text, number)| seal(&owner, text, number))
            .collect::<Result<_>>()?;
        let mut leaves: Vec<Sha256Hash> = sealed
            .iter()
            .map(|sealed| sealed.entry.leaf_hash())
            .collect();
        let first = u64::try_from(leaves.len())?;
        leaves.extend((first..SIZE).map(|number| merkle::leaf_hash(&number.to_be_bytes())));
        let text = Checkpoint::new(ORIGIN, SIZE, root(&leaves))?.to_text();
        let note = signed_note(
            &text,
            &[signature_line(&key, &secret.sign(text.as_bytes()))],
        );
        Ok(Self {
            owner,
            key,
            sealed,
            leaves,
            note,
        })
    }

    pub(crate) fn anchors(&self) -> Result<Anchors> {
        let anchors = Anchors::new(vec![LogAnchor::new(self.key.clone())])?;
        Ok(anchors.with_agents([self.owner.agent()])?)
    }

    /// How long the signed texts of a receipt are: the entry, and the checkpoint's.
    pub(crate) fn signed_bytes(&self, at: usize) -> Result<(usize, usize)> {
        let entry = self.sealed.get(at).context("a memory")?.entry.to_text();
        let text = self.note.split("\n\n").next().context("a text")?;
        Ok((entry.len(), text.len()))
    }

    pub(crate) fn open(&self, at: usize) -> Result<OpenedCapsule> {
        let sealed = self.sealed.get(at).context("a memory")?;
        let entry = sealed.entry.as_world().context("a World")?;
        let proof = TlogProof {
            index: u64::try_from(at)?,
            hashes: path(at, &self.leaves),
            checkpoint: self.note.clone(),
        };
        let payload = merkle_payload(&entry, &proof, None, None);
        Ok(OpenedCapsule {
            header: sealed.header.canonical().into(),
            content: sealed.payload.clone(),
            salt: sealed.salt,
            signature: EntrySignature {
                key_id: KeyFingerprint::of(&self.owner.key()),
                value: sealed.signature,
            },
            proof: VerificationProof::new(VerificationMethod::Merkle, Some(payload))?,
        })
    }
}

fn seal(owner: &AgentSigner, text: &str, number: u8) -> Result<SealedCapsule> {
    let data = json!({"kind": "note", "text": text, "share": ["friends"]});
    let id = WorldId::new(format!("world-{number:032x}"))?;
    let world = counterfoil_capsule::remember(id, UnixMillis::new(START_MILLIS)?, data)?;
    let id = CapsuleId::from_parts(START_MILLIS, [number; 10]);
    let position = Position::seed(id, Stamp::next(START_MILLIS * 1_000, None)?);
    Ok(seal_world(&world, &position, [number; 32], owner)?)
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
    let (mut below, beside) = if at < left.len() {
        (path(at, left), root(right))
    } else {
        (path(at - left.len(), right), root(left))
    };
    below.push(beside);
    below
}
