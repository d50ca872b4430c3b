//! The authority's half of a verifier (§6.2), and the five methods of the specification (§5.1.2; M-12).

mod existence;
mod hash;
mod merkle;
mod none;
mod signature;

pub use existence::ExistenceVerifier;
pub use hash::HashVerifier;
pub use merkle::MerkleVerifier;
pub use none::NoneVerifier;
pub use signature::SignatureVerifier;

use counterfoil_types::{ProofVerifier, VerificationProof, WorldId};

use crate::anchors::Anchors;
use crate::entry::Entry;
use crate::proven::{Proven, Strength};
use crate::refusal::Refusal;
use crate::session::Session;

/// Verifies proofs and returns its findings. Every [`ProofVerifier`] is one, without findings of its own: its
/// `verify_proof` decides, and the findings name no World and rank as [`Strength::Existence`], below `hash`, until a
/// policy ranks them.
///
/// An implementation is a pure function of its arguments and of what it was built with: no clock, no randomness, no IO
/// (M-8). It refuses what it does not know.
pub trait Examiner: Send + Sync {
    /// Verifies a proof and returns its findings.
    ///
    /// # Errors
    /// The first [`Refusal`], cheap checks before dear ones; [`Refusal::NotVerified`] where `verify_proof` is false.
    fn examine(
        &self,
        proof: &VerificationProof,
        expected: Expected<'_>,
        session: &mut Session,
    ) -> Result<Proven, Refusal>;

    /// The anchors whose agents may sign proposals ([`envelope`](crate::envelope)); `None`: no key is known.
    fn anchors(&self) -> Option<&Anchors> {
        None
    }

    /// Returns true if the proof is valid: `verify_proof` of the specification (§6.2, CR-21), from the proof alone (M-8).
    ///
    /// `true` does not say *which* memory it is valid for: a proof can be moved to another reference. A holder of the
    /// reference calls [`examine`](Self::examine) with [`Expected::World`]. Never `true` for an unknown method, log or
    /// agent. Always `false` under anchors that ask for a quorum of witnesses, whose cosignatures are outside the proof.
    fn verifies(&self, proof: &VerificationProof) -> bool {
        let findings = self.examine(proof, Expected::AnyWorld, &mut Session::new());
        findings.is_ok()
    }
}

impl<V: ProofVerifier> Examiner for V {
    fn examine(
        &self,
        proof: &VerificationProof,
        _expected: Expected<'_>,
        _session: &mut Session,
    ) -> Result<Proven, Refusal> {
        match self.verify_proof(proof) {
            true => Ok(Proven::nothing(Strength::Existence)),
            false => Err(Refusal::NotVerified {
                method: proof.method().clone(),
            }),
        }
    }
}

/// Memory that a proof must be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected<'a> {
    /// Whichever it names: what `verify_proof` can ask.
    AnyWorld,
    /// The World of the reference; compared byte for byte (M-11).
    World(&'a WorldId),
}

impl Expected<'_> {
    /// Compares the World that a proof is about.
    ///
    /// # Errors
    /// [`Refusal::WorldMismatch`] with both.
    pub fn check(self, found: &WorldId) -> Result<(), Refusal> {
        match self {
            Self::World(expected) if expected != found => Err(Refusal::WorldMismatch {
                expected: expected.clone(),
                found: found.clone(),
            }),
            _ => Ok(()),
        }
    }
}

/// Step 9 for the methods that carry an entry.
fn expected_entry(text: &str, expected: Expected<'_>) -> Result<Entry, Refusal> {
    let entry = Entry::parse(text)?;
    expected.check(&entry.world)?;
    Ok(entry)
}
