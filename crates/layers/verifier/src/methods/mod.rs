//! The five methods of the specification (§6.3) and the two entrances that each has (M-12).

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

use counterfoil_types::{VerificationMethod, VerificationProof, WorldId};

use crate::entry::Entry;
use crate::proven::{Proven, Strength};
use crate::refusal::Refusal;
use crate::session::Session;

/// The authority's half of the specification's `MemoryVerifier` (§6.2): it can verify, and there
/// is no way from here to `prove`.
pub trait ProofVerifier: Send + Sync {
    /// Returns true if the proof is valid, from the proof alone (M-8, CR-21).
    ///
    /// `true` does not say *which* memory it is valid for: a proof can be moved to another
    /// reference. A holder of the reference calls [`MethodVerifier::examine`] or
    /// [`VerifierSet::examine`](crate::VerifierSet::examine) with
    /// [`Expected::World`]. Never `true` for an unknown method, log or agent. Always `false` under anchors that
    /// ask for a quorum of witnesses, whose cosignatures are outside the proof.
    ///
    /// Evidence is not a proof; the proof is extracted first (M-12, FP-17):
    ///
    /// ```
    /// # use counterfoil_verifier::{ProofVerifier, types::VerificationEvidence};
    /// fn check(verifier: &dyn ProofVerifier, evidence: &VerificationEvidence) -> bool {
    ///     verifier.verify_proof(&evidence.to_proof())
    /// }
    /// ```
    ///
    /// ```compile_fail,E0308
    /// # use counterfoil_verifier::{ProofVerifier, types::VerificationEvidence};
    /// fn check(verifier: &dyn ProofVerifier, evidence: &VerificationEvidence) -> bool {
    ///     verifier.verify_proof(evidence)
    /// }
    /// ```
    fn verify_proof(&self, proof: &VerificationProof) -> bool;
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

/// A verifier of one method; applications add their own (MR-04).
pub trait MethodVerifier: Send + Sync {
    /// The method, compared byte for byte.
    fn method(&self) -> &VerificationMethod;

    /// Strength of a valid proof of this method.
    fn strength(&self) -> Strength;

    /// Verifies a proof and says what it has shown, or why it has not.
    ///
    /// An implementation is a pure function of its arguments and of what it was built with: no
    /// clock, no randomness, no IO (M-8). It refuses what it does not know.
    ///
    /// # Errors
    /// The first [`Refusal`], cheap checks before dear ones.
    fn examine(
        &self,
        proof: &VerificationProof,
        expected: Expected<'_>,
        session: &mut Session,
    ) -> Result<Proven, Refusal>;
}

/// Two entrances, one algorithm: `verify_proof` is `examine` without a reference.
impl<T: MethodVerifier + ?Sized> ProofVerifier for T {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        self.examine(proof, Expected::AnyWorld, &mut Session::new())
            .is_ok()
    }
}

/// Step 9 for the methods that carry an entry.
fn expected_entry(text: &str, expected: Expected<'_>) -> Result<Entry, Refusal> {
    let entry = Entry::parse(text)?;
    expected.check(&entry.world)?;
    Ok(entry)
}
