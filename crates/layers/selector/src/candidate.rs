//! From a hit to a selected memory: fetch, compare, prove, verify, wrap (§6.3, §7.1 steps 1 to 5).

use counterfoil_prover::ProveResult;
use counterfoil_store::StoreError;
use counterfoil_store::text_index::{TextHit, TextQuery};
use counterfoil_types::{
    MemoryRef, Scope, SelectedMemory, SelectionRequest, TimeRange, UnixMillis,
};

use crate::beliefs::HitStanding;
use crate::received::source_of;
use crate::text_selector::{Fetched, TextSelector};
use crate::{Annotation, SelectError, confidence, reason, share, wrap_proof};

impl TextSelector {
    /// The memory of `hit`, unless its World, as it was fetched, is not in the store, is withheld, or misses a constraint. What
    /// can be decided without a proof is decided before there is one. `lead` is the hit's, by which it is
    /// confident.
    pub(crate) fn examine(
        &self,
        (hit, fetched, lead): (&TextHit, Fetched, f64),
        standing: HitStanding,
        query: &TextQuery,
        request: &SelectionRequest,
    ) -> Result<Option<(SelectedMemory, Annotation)>, SelectError> {
        let asked = &hit.world_id;
        let world = match StoreError::skip_withheld(fetched.map_err(StoreError::from))? {
            Some(world) if world.world_id() != asked => {
                return Err(SelectError::OtherWorld {
                    asked: asked.clone(),
                    answered: world.world_id().clone(),
                });
            }
            // The index is not trusted for the scope, which is in the content.
            Some(world) if Scope::of(world.data()).contains(&self.scope) => world,
            _ => return Ok(None),
        };
        let constraints = request.constraints().cloned().unwrap_or_default();
        let confidence = confidence(share(&hit.places, hit.meaning), lead);
        let least = constraints.min_confidence();
        let in_range = |range: TimeRange| range.contains(world.created_at());
        // The constraints that need no proof: time range, then confidence.
        if !constraints.time_range().is_none_or(in_range) || least.is_some_and(|it| confidence < it)
        {
            return Ok(None);
        }
        let memory_ref = MemoryRef::new(hit.world_id.clone());
        let evidence = match self.prover.prove(&memory_ref, &world) {
            ProveResult::Invalid(_) => None,
            ProveResult::Valid(proof) => {
                let evidence = wrap_proof(&proof, self.now()?, request.selector())?;
                Some((evidence, self.prover.verify_proof(&proof)))
            }
        };
        let replaced = hit.replaced.as_ref();
        let replaced =
            replaced.map(|(by, at)| UnixMillis::new(at.millis()).map(|at| (by.clone(), at)));
        let annotation = Annotation {
            source: source_of(&world, self.clock.now_micros()),
            belief: standing.belief,
            drawn: standing.drawn,
            contest: hit.contest,
            left_out: None,
            world: Some(world),
            replaced: replaced.transpose()?,
        };
        let reason = reason::reason(&annotation, query, (&hit.places, hit.meaning))?;
        let mut memory = SelectedMemory::new(memory_ref, reason, confidence);
        // Verified means proven, and the proof verified: either alone is not enough.
        if let Some((evidence, holds)) = evidence {
            memory = memory.with_evidence(evidence);
            if holds {
                memory = memory.as_verified();
            }
        }
        // The constraints on the proof: verified, then evidence.
        let proven_enough = (memory.verified() || !constraints.require_verified())
            && (memory.has_required_evidence() || !constraints.require_evidence());
        Ok(proven_enough.then_some((memory, annotation)))
    }

    /// The clock's time in whole milliseconds.
    pub(crate) fn now(&self) -> Result<UnixMillis, SelectError> {
        let now_us = self.clock.now_micros();
        UnixMillis::new(now_us / 1_000).map_err(|_| SelectError::Clock { now_us })
    }
}
