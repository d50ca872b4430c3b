//! The authority: a verifier, a policy, and the review of a proposal (§7.4, §9.2.3; M-4, M-12).

use alloc::boxed::Box;

use counterfoil_trace::types::json::Value;
use counterfoil_trace::types::{DidKey, Proposal, UnixMillis};
use counterfoil_verifier::Examiner;
use counterfoil_verifier::decision::{DecisionError, digests, sign};

use crate::received::Received;
use crate::record::Unsigned;
use crate::verified::VerifiedTrace;
use crate::{BeliefFold, NonceMemory, Policy, ReviewReport};

/// Reviews the memories of proposals, with what it was constructed with and nothing else.
///
/// It holds no store, opens no connection, reads no clock and selects nothing again (M-4).
pub struct Authority {
    verifier: Box<dyn Examiner>,
    policy: Policy,
    nonces: Option<Box<dyn NonceMemory>>,
    beliefs: Option<Box<dyn BeliefFold>>,
}

impl Authority {
    /// An authority that trusts what `verifier` is anchored in, and decides by `policy`. A
    /// [`VerifierSet`](counterfoil_verifier::VerifierSet) is one, and so is any
    /// [`ProofVerifier`](counterfoil_verifier::ProofVerifier) of the application's own (§7.4).
    pub fn new(verifier: impl Examiner + 'static, policy: Policy) -> Self {
        Self {
            verifier: Box::new(verifier),
            policy,
            nonces: None,
            beliefs: None,
        }
    }

    /// Approves a signed proposal once: its nonce is kept in `nonces`. Without them a proposal that is handed in again is
    /// approved again, until it is too old.
    #[must_use]
    pub fn with_nonces(mut self, nonces: impl NonceMemory + 'static) -> Self {
        self.nonces = Some(Box::new(nonces));
        self
    }

    /// Folds the beliefs of claims with `beliefs`. Without it a claim is unproven where the policy refuses contested ones.
    #[must_use]
    pub fn with_beliefs(mut self, beliefs: impl BeliefFold + 'static) -> Self {
        self.beliefs = Some(Box::new(beliefs));
        self
    }

    /// The rules that it decides by.
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Reviews `proposal` at the time `now`. A pure function of its arguments and of what the
    /// authority was constructed with, the memory of nonces included.
    ///
    /// An approved report guarantees that every memory counted as proven has a proof about its own
    /// World under this authority's anchors, and that no rule of the policy is broken: where it requires a signature, that an
    /// anchored key signed this proposal, whole, for this authority. It does not
    /// say that a memory is true (M-1), nor that the actor left out no other.
    pub fn review(&self, proposal: &Proposal, now: UnixMillis) -> ReviewReport {
        let received = Received::new(proposal, &self.policy, now);
        VerifiedTrace::of(received, &*self.verifier, self.beliefs.as_deref())
            .report(self.nonces.as_deref())
    }
    /// Reviews `proposal`, and signs the decision with `key`: a document that `counterfoil_verifier::decision` opens
    /// (docs/format/decision.md). `signature` is the application's, so that no secret comes in here.
    ///
    /// # Errors
    /// [`DecisionError::Proof`] for a proposal without canonical form, which has no digest, and [`DecisionError::Document`]
    /// for one whose id has more than 1 MiB; neither is reviewed by hand.
    pub fn decide(
        &self,
        proposal: &Proposal,
        now: UnixMillis,
        key: DidKey,
        signature: impl FnOnce(&[u8]) -> [u8; 64],
    ) -> Result<(ReviewReport, Value), DecisionError> {
        // First, as a nonce that is kept for an approval that nobody gets would be lost.
        let (digests, policy) = (digests(proposal)?, self.policy.digest()?);
        let report = self.review(proposal, now);
        let record = Unsigned {
            report: &report,
            digests,
            policy,
            key,
            name: &self.policy.name,
        };
        let signed = sign(&record, signature)?;
        Ok((report, signed))
    }
}
