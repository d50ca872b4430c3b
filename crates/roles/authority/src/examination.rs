//! Cryptographic verification of memories, one by one and against each other (§7.4.2; M-12, CR-21, FP-17).

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_trace::MemoryTrace;
use counterfoil_trace::types::{
    DidKey, SelectedMemory, UnixMillis, VerificationEvidence, VerificationMethod, WorldId,
};
use counterfoil_verifier::attestations::{Attestations, Author};
use counterfoil_verifier::equivocation::{self, Equivocation};
use counterfoil_verifier::limits::MAX_WHOLE_CONTENT;
use counterfoil_verifier::{Entry, Examiner, Expected, Proven, Refusal, Session, Strength};

use crate::belief::Beliefs;
use crate::received::{Presented, Received};
use crate::standing::Standing;
use crate::{
    AuthorRule, BeliefFold, ClaimStanding, MemoryCause, MemoryOrigin, MemoryOutcome, Policy, rules,
};

/// Begin of the paths of a World's data.
const DATA: &str = "/data";

/// Judges the memories of one proposal. A checkpoint that several of them share is verified once.
pub(crate) struct Examination<'a> {
    verifier: &'a dyn Examiner,
    policy: &'a Policy,
    now: UnixMillis,
    signer: Option<DidKey>,
    attestations: &'a Attestations,
    beliefs: Beliefs<'a>,
    session: Session,
    /// All verified proofs so far, also those that are too weak for the policy.
    shown: Vec<Proven>,
}

impl<'a> Examination<'a> {
    pub(crate) fn new(
        received: &'a Received<'_>,
        presented: &'a Presented,
        signer: Option<DidKey>,
        (verifier, fold): (&'a dyn Examiner, Option<&'a dyn BeliefFold>),
    ) -> Self {
        Self {
            verifier,
            policy: &received.policy,
            now: received.now,
            signer,
            attestations: &presented.attestations,
            beliefs: Beliefs::new(fold, received),
            session: Session::with_cosigned(presented.checkpoints.clone()),
            shown: Vec::new(),
        }
    }

    /// The outcome for one memory of `trace`, with what its proof shows; the rules first, since they are cheap.
    pub(crate) fn judge(
        &mut self,
        memory: &SelectedMemory,
        trace: &MemoryTrace,
    ) -> (MemoryOutcome, Option<Shown>) {
        if let Some(refused) = self.breaks_a_rule(memory, trace) {
            return (MemoryOutcome::Refused(refused), None);
        }
        match memory.evidence() {
            None => (MemoryOutcome::Unproven(MemoryCause::NoEvidence), None),
            Some(evidence) if *evidence.method() == VerificationMethod::None => {
                (MemoryOutcome::Unproven(MemoryCause::MethodNone), None)
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
    fn examine(
        &mut self,
        evidence: &VerificationEvidence,
        world: &WorldId,
    ) -> (MemoryOutcome, Option<Shown>) {
        let proof = evidence.to_proof();
        let expected = Expected::World(world);
        // The World is compared before anything is verified, by equality alone (M-11). The verifier compares it again, on
        // the verified entry; this spares a signature.
        let entry = proof.proof().and_then(|data| data.get("entry")?.as_str());
        let subject = match entry.map(Entry::parse) {
            Some(Ok(entry)) => expected.check(&entry.world),
            _ => Ok(()),
        };
        let shown =
            subject.and_then(|()| self.verifier.examine(&proof, expected, &mut self.session));
        // Once more on the findings, in case a verifier of the application's own does not compare.
        let compared = shown.and_then(|proven| {
            let checked = proven.world().map_or(Ok(()), |found| expected.check(found));
            checked.map(|()| proven)
        });
        match compared {
            Ok(proven) => {
                self.shown.push(proven.clone());
                self.attested(proven, evidence.method())
            }
            Err(Refusal::UnknownMethod { method }) => {
                let cause = MemoryCause::UnknownMethod { method };
                (MemoryOutcome::Unproven(cause), None)
            }
            Err(refusal) => (MemoryOutcome::Refused(MemoryCause::Proof(refusal)), None),
        }
    }

    /// Adds author and standing to verified findings, and ranks them.
    fn attested(
        &mut self,
        proven: Proven,
        method: &VerificationMethod,
    ) -> (MemoryOutcome, Option<Shown>) {
        let author = proven.entry().map(|entry| self.attestations.author(entry));
        let (author, refused) = match author.transpose() {
            Ok(author) => (author.flatten(), None),
            Err(refusal) => (None, Some(MemoryCause::Author(refusal))),
        };
        let signer = self.signer.as_ref();
        let origin = MemoryOrigin::of(&proven, author.as_ref(), signer, self.attestations);
        let standing = author.as_ref();
        let standing = standing.map(|author| self.attestations.standing(&proven, author));
        let (standing, refused) = match standing.transpose() {
            Ok(standing) => (standing.flatten(), refused),
            Err(refusal) => (None, refused.or(Some(MemoryCause::Standing(refusal)))),
        };
        let standing = standing.map(|(memory, mark)| Standing { memory, mark });
        let departed = standing.as_ref().and_then(|it| it.refused(self.policy));
        let (attestations, anchors) = (self.attestations, self.verifier.anchors());
        let (claim, belief) = match &author {
            Some(author) => self.beliefs.judge(&proven, author, attestations, anchors),
            None => (None, None),
        };
        let shown = Shown {
            proven,
            author,
            origin,
            standing,
            claim,
        };
        let outcome = match (refused.or(departed), belief) {
            (Some(refused), _) => MemoryOutcome::Refused(refused),
            (None, Some(refused @ MemoryOutcome::Refused(_))) => refused,
            (None, belief) => match (self.ranked(&shown, method), belief) {
                (MemoryOutcome::Proven(_) | MemoryOutcome::Accepted(_), Some(open)) => open,
                (ranked, _) => ranked,
            },
        };
        (outcome, Some(shown))
    }

    /// Ranks verified findings by the policy. Findings without an entry are the verdict of the application's verifier (or
    /// of method `existence`): the policy ranks its method or trusts its findings, or else they rank below `hash`.
    fn ranked(&self, shown: &Shown, method: &VerificationMethod) -> MemoryOutcome {
        let proven = shown.proven.clone();
        let minimum = self.policy.minimum_method;
        let trusts = self.policy.trusted_methods.contains(method);
        let (proven, is_bound) = match self.policy.verifier_ranks.get(method) {
            _ if proven.entry().is_some() => (proven, true),
            Some(rank) => (proven.ranked(*rank), true),
            None if trusts && proven.world().is_some() => (proven, true),
            None => (proven.ranked(Strength::Existence), false),
        };
        let found = proven.strength();
        let missing = undisclosed(&proven, &self.policy.require_disclosed);
        let missing = missing.or_else(|| self.unauthored(shown));
        let unplaced = self.policy.require_standing && shown.standing.is_none();
        let missing = missing.or_else(|| unplaced.then_some(MemoryCause::StandingMissing));
        match (found >= minimum, is_bound) {
            (true, _) if let Some(missing) = missing => MemoryOutcome::Unproven(missing),
            (true, true) if found >= Strength::Signature => MemoryOutcome::Proven(Box::new(proven)),
            (true, _) => MemoryOutcome::Accepted(found),
            (false, false) if *method != VerificationMethod::Existence && !trusts => {
                let method = method.clone();
                MemoryOutcome::Unproven(MemoryCause::UntrustedMethod { method })
            }
            _ => MemoryOutcome::Unproven(MemoryCause::TooWeak { found, minimum }),
        }
    }

    /// Compares the author with the one that the policy asks for. An anchored agent signed a proof of method `signature`.
    fn unauthored(&self, shown: &Shown) -> Option<MemoryCause> {
        let rule = self.policy.require_author;
        let anchors = self.verifier.anchors();
        let is_anchored =
            |key: &DidKey| anchors.is_some_and(|them| them.agents().any(|agent| agent == key));
        match (&shown.author, &shown.origin) {
            _ if rule == AuthorRule::Any => None,
            (None, _) if shown.proven.agent().is_none() => Some(MemoryCause::AuthorMissing),
            _ if rule == AuthorRule::Known => None,
            (Some(Author { agent, key, .. }), _) if ![agent, key].into_iter().any(is_anchored) => {
                Some(MemoryCause::AuthorNotAnchored { agent: *agent })
            }
            (_, Some(MemoryOrigin::Peer { agent, .. }))
                if !agent.as_ref().is_some_and(is_anchored) =>
            {
                Some(MemoryCause::PeerNotAnchored { agent: *agent })
            }
            _ => None,
        }
    }
}

/// Findings of a verified proof, with author and standing of the memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shown {
    pub(crate) proven: Proven,
    pub(crate) author: Option<Author>,
    pub(crate) origin: Option<MemoryOrigin>,
    pub(crate) standing: Option<Standing>,
    pub(crate) claim: Option<ClaimStanding>,
}

/// First field that is asked for and not disclosed. A content above 64 KiB shows enough with one field of its data.
fn undisclosed(proven: &Proven, asked: &[String]) -> Option<MemoryCause> {
    let (shown, entry) = (proven.disclosed(), proven.entry());
    let count = entry.map_or(0, |entry| entry.field_count);
    let is_large = entry.is_some_and(|entry| entry.content_size > MAX_WHOLE_CONTENT);
    let all = entry.is_some() && u64::try_from(shown.len()) == Ok(count);
    let some = is_large && shown.iter().any(|(path, _)| path.starts_with(DATA));
    let is_shown = |path: &str| match path {
        "" => all || some,
        field => shown.iter().any(|(path, _)| path == field),
    };
    let missing = asked.iter().find(|path| !is_shown(path))?.clone();
    let shown = shown.len();
    Some(MemoryCause::Undisclosed {
        shown,
        count,
        missing,
    })
}
