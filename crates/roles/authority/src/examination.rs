//! Cryptographic verification of memories, one by one and against each other (§7.4.2; M-12, CR-21, FP-17).

use alloc::boxed::Box;
use alloc::vec::Vec;

use counterfoil_trace::MemoryTrace;
use counterfoil_trace::types::{
    SelectedMemory, UnixMillis, VerificationEvidence, VerificationMethod, WorldId,
};
use counterfoil_verifier::equivocation::{self, Equivocation};
use counterfoil_verifier::{Entry, Expected, Proven, Refusal, Session, VerifierSet};

use crate::received::{Presented, Received};
use crate::{MemoryCause, MemoryOutcome, Policy, rules};

/// Judges the memories of one proposal. A checkpoint that several of them share is verified once.
pub(crate) struct Examination<'a> {
    verifiers: &'a VerifierSet,
    policy: &'a Policy,
    now: UnixMillis,
    session: Session,
    /// All verified proofs so far, also those that are too weak for the policy.
    shown: Vec<Proven>,
}

impl<'a> Examination<'a> {
    pub(crate) fn new(
        received: &'a Received<'_>,
        presented: &Presented,
        verifiers: &'a VerifierSet,
    ) -> Self {
        Self {
            verifiers,
            policy: &received.policy,
            now: received.now,
            session: Session::with_cosigned(presented.checkpoints.clone()),
            shown: Vec::new(),
        }
    }

    /// The outcome for one memory of `trace`; the rules first, since they are cheap.
    pub(crate) fn judge(&mut self, memory: &SelectedMemory, trace: &MemoryTrace) -> MemoryOutcome {
        if let Some(refused) = self.breaks_a_rule(memory, trace) {
            return MemoryOutcome::Refused(refused);
        }
        match memory.evidence() {
            None => MemoryOutcome::Unproven(MemoryCause::NoEvidence),
            Some(evidence) if *evidence.method() == VerificationMethod::None => {
                MemoryOutcome::Unproven(MemoryCause::MethodNone)
            }
            Some(evidence) => self.examine(evidence, memory.memory_ref().world_id()),
        }
    }

    /// Rule that a memory of `trace` breaks, whatever its proof.
    pub(crate) fn breaks_a_rule(
        &self,
        memory: &SelectedMemory,
        trace: &MemoryTrace,
    ) -> Option<MemoryCause> {
        rules::of_memory(memory, trace, self.policy, self.now)
    }

    /// The first contradiction among the verified proofs.
    pub(crate) fn equivocation(&self) -> Option<Equivocation> {
        equivocation::find(&self.shown)
    }

    /// M-12: the proof is taken out of the evidence here, and nothing else goes to a verifier.
    fn examine(&mut self, evidence: &VerificationEvidence, world: &WorldId) -> MemoryOutcome {
        let proof = evidence.to_proof();
        let expected = Expected::World(world);
        let custom = matches!(proof.method(), VerificationMethod::Custom { .. });
        // The World is compared before anything is verified, by equality alone (M-11). The verifier compares it again, on
        // the verified entry; this spares a signature.
        let entry = proof.proof().and_then(|data| data.get("entry")?.as_str());
        let entry = entry.filter(|_| !custom).map(Entry::parse);
        let subject = match entry {
            Some(Ok(entry)) => expected.check(&entry.world),
            _ => Ok(()),
        };
        let shown =
            subject.and_then(|()| self.verifiers.examine(&proof, expected, &mut self.session));
        match shown {
            Ok(proven) => {
                self.shown.push(proven.clone());
                let method = evidence.method();
                let (found, minimum) = (proven.strength(), self.policy.minimum_method);
                if custom && !self.policy.trusted_methods.contains(method) {
                    let method = method.clone();
                    MemoryOutcome::Unproven(MemoryCause::UntrustedMethod { method })
                } else if found < minimum {
                    MemoryOutcome::Unproven(MemoryCause::TooWeak { found, minimum })
                } else {
                    MemoryOutcome::Proven(Box::new(proven))
                }
            }
            Err(Refusal::UnknownMethod { method }) => {
                MemoryOutcome::Unproven(MemoryCause::UnknownMethod { method })
            }
            Err(refusal) => MemoryOutcome::Refused(MemoryCause::Proof(refusal)),
        }
    }
}
