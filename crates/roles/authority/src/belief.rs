//! Belief of a memory that is a claim: folded again by a port, and judged (docs/format/attestation.md, Beliefs).

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;

use counterfoil_trace::types::json::Value;
use counterfoil_trace::types::{BoxError, UnixMillis, WorldId, words};
use counterfoil_verifier::attestations::{Attestations, Author};
use counterfoil_verifier::{Anchors, Checkpoint, Proven};

use crate::received::Received;
use crate::{MemoryCause, MemoryOutcome, Policy};

/// Kind of the capsule of a claim unit.
const CLAIM: &str = "claim";

words! {
    /// State of a claim in the belief about its line.
    pub enum ClaimStanding {
        /// Its value is believed.
        Believed = "believed",
        /// It holds later.
        Scheduled = "scheduled",
        /// It held before.
        Ended = "ended",
        /// Another claim took its place.
        Superseded = "superseded",
        /// Other values are claimed with as much right.
        Contested = "contested",
        /// It was denied.
        Denied = "denied",
        /// Its source took it back: it never held.
        Retracted = "retracted",
        /// The gate kept it apart.
        Quarantined = "quarantined",
        /// Another value is believed, or none.
        NotBelieved = "not-believed",
    }
}

impl ClaimStanding {
    /// Returns true for a value that was or will be believed, or is.
    const fn is_settled(self) -> bool {
        matches!(
            self,
            Self::Believed | Self::Scheduled | Self::Ended | Self::Superseded
        )
    }
}

/// Belief that was verified and folded again.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldedBelief {
    /// The checkpoint under which all its units are proven.
    pub checkpoint: Checkpoint,
    /// The map of the log shows that the line has no other unit at this checkpoint.
    pub is_whole: bool,
    /// State of each claim of the line at the submission. Units that claim no value are not among them.
    pub claims: BTreeMap<WorldId, ClaimStanding>,
    /// Code and message of the first rule of the policy's table `belief` that the belief breaks.
    pub broken: Option<(&'static str, String)>,
}

/// Folds beliefs. A port, as the fold is the engine's of claims, which an authority does not reach.
pub trait BeliefFold: Send + Sync {
    /// Verifies a proof of belief (docs/format/belief.md) under `anchors`, and folds its units as of `submitted_at`. The belief
    /// that it states is not believed.
    ///
    /// # Errors
    /// The proof does not hold.
    fn fold(
        &self,
        proof: &Value,
        anchors: Anchors,
        policy: &Policy,
        submitted_at: UnixMillis,
    ) -> Result<FoldedBelief, BoxError>;
}

/// Beliefs of one proposal, each folded once.
pub(crate) struct Beliefs<'a> {
    fold: Option<&'a dyn BeliefFold>,
    policy: &'a Policy,
    submitted_at: UnixMillis,
    /// By their positions in the attestations.
    folded: BTreeMap<usize, Arc<Result<FoldedBelief, String>>>,
}

impl<'a> Beliefs<'a> {
    pub(crate) const fn new(fold: Option<&'a dyn BeliefFold>, received: &'a Received<'_>) -> Self {
        Self {
            fold,
            policy: &received.policy,
            submitted_at: received.proposal.submitted_at(),
            folded: BTreeMap::new(),
        }
    }

    /// State of a memory, if it is a claim whose belief is shown, and the outcome that follows from the belief. An author of
    /// whom the anchors know no key shows none.
    pub(crate) fn judge(
        &mut self,
        proven: &Proven,
        author: &Author,
        attestations: &Attestations,
        anchors: Option<&Anchors>,
    ) -> (Option<ClaimStanding>, Option<MemoryOutcome>) {
        if author.kind.as_deref() != Some(CLAIM) {
            return (None, None);
        }
        let asked = self.policy.refuse_contested || self.policy.require_current;
        let open = |cause| asked.then_some(MemoryOutcome::Unproven(cause));
        let Some(folded) = self.folded(proven, author, attestations, anchors) else {
            return (None, open(MemoryCause::BeliefMissing));
        };
        let belief = match &*folded {
            Ok(belief) => belief,
            Err(reason) => {
                let cause = MemoryCause::BeliefRefused(reason.clone());
                return (None, Some(MemoryOutcome::Refused(cause)));
            }
        };
        let world = proven.world().and_then(|world| belief.claims.get(world));
        let (Some(standing), true) = (world.copied(), belief.is_whole) else {
            return (None, open(MemoryCause::BeliefMissing));
        };
        let refused = match standing {
            ClaimStanding::Believed => false,
            _ if standing.is_settled() => self.policy.require_current,
            _ => asked,
        };
        let broken = belief.broken.as_ref().filter(|_| asked);
        let against = match broken {
            _ if refused => Some(MemoryCause::Disbelieved { standing }),
            Some((code, message)) => Some(MemoryCause::BeliefRule {
                code,
                message: message.clone(),
            }),
            None => None,
        };
        (Some(standing), against.map(MemoryOutcome::Refused))
    }

    /// The belief that is attested of the memory, under the checkpoint of its proof.
    fn folded(
        &mut self,
        proven: &Proven,
        author: &Author,
        attestations: &Attestations,
        anchors: Option<&Anchors>,
    ) -> Option<Arc<Result<FoldedBelief, String>>> {
        let (place, proof) = attestations.belief(proven.world()?)?;
        let (fold, anchors) = (self.fold?, anchors?);
        let keys = attestations.keys_of(&author.agent);
        anchors.agents().find(|agent| keys.contains(agent))?;
        let (policy, at) = (self.policy, self.submitted_at);
        let fold = || {
            // The author's keys count as its history shows them.
            let anchors = anchors.clone().with_agents(keys);
            let anchors = anchors.map_err(|error| error.to_string())?;
            let folded = fold.fold(proof, anchors, policy, at);
            folded.map_err(|error| error.to_string())
        };
        let folded = self.folded.entry(place).or_insert_with(|| Arc::new(fold()));
        match &**folded {
            Ok(belief) if proven.checkpoint() != Some(&belief.checkpoint) => None,
            _ => Some(Arc::clone(folded)),
        }
    }
}
