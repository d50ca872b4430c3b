//! From recall to proposal; the states are named for what is still missing (M-2, M-3, CR-01, CR-10, FP-02).

use std::sync::{Mutex, PoisonError};

use counterfoil_capsule::World;
use counterfoil_trace::MemoryTrace;
use counterfoil_trace_writer as trace;
use counterfoil_types::{
    IntentInstance, MAX_SELECTED, Proposal, ProposalTrace, Query, SelectedMemory,
    SelectionConstraints, SelectionRequest, SelectionResult, UnixMillis, WorldId,
};

use crate::{ActError, Actor, Recalled, RecalledMemory, proven};

/// Thinking about one proposal.
///
/// In the state [`NeedsIntent`] it can recall; [`decide`](Deliberation::decide) closes it for
/// recalls, and [`submit`](Deliberation::submit) makes the proposal.
pub struct Deliberation<'a, State = NeedsIntent> {
    actor: &'a Actor,
    base_world: WorldId,
    state: State,
}

/// The intent is open; memories may be recalled.
pub struct NeedsIntent {
    /// Behind a lock so that several recalls can be held at once.
    recalls: Mutex<Vec<MemoryTrace>>,
}

/// The intent is settled and the trace attached; an id and a time of submission are missing.
pub struct NeedsSubmission {
    intent: IntentInstance,
    account: ProposalTrace,
    last_selection: Option<UnixMillis>,
}

impl<'a> Deliberation<'a, NeedsIntent> {
    pub(crate) const fn new(actor: &'a Actor, base_world: WorldId) -> Self {
        let state = NeedsIntent {
            recalls: Mutex::new(Vec::new()),
        };
        Self {
            actor,
            base_world,
            state,
        }
    }

    /// The World that the proposal will build on, and at which memories are selected.
    pub const fn base_world(&self) -> &WorldId {
        &self.base_world
    }

    /// Recalls memories that are relevant to `query`, with their content.
    ///
    /// The constraints hold whatever the selector answers (§6.3): memories that miss one are left out, and so are those
    /// beyond the limit.
    ///
    /// The recall is recorded from here on: every proposal of this deliberation carries its trace,
    /// also if nothing was found.
    ///
    /// # Errors
    /// [`ActError::Select`] or [`ActError::Store`] if the layers below fail, [`ActError::Dangling`]
    /// if something was selected that is not there, [`ActError::OtherWorld`] if the store answers
    /// with another World, [`ActError::Unproven`] or [`ActError::OtherEntry`] if the content of a
    /// memory that was selected as verified is not the one that its evidence is about. Nothing is
    /// recorded then.
    pub async fn recall(
        &self,
        query: Query,
        constraints: Option<SelectionConstraints>,
    ) -> Result<Recalled<'_>, ActError> {
        let selector = self.actor.selected_by.clone();
        let mut request = SelectionRequest::new(query, self.base_world.clone(), selector);
        if let Some(constraints) = constraints {
            request = request.with_constraints(constraints);
        }
        let selected = self.actor.selector.select_annotated(&request).await;
        let (result, mut annotations) = selected.map_err(ActError::Select)?;
        let constraints = request.constraints().cloned().unwrap_or_default();
        let limit = constraints.max_results().unwrap_or(MAX_SELECTED);
        let mut memories = Vec::new();
        for memory in result.selected() {
            if memories.len() == limit {
                break;
            }
            let annotation = annotations.remove(memory.memory_ref().world_id());
            let mut annotation = annotation.unwrap_or_default();
            let world = self.content_of(memory, annotation.world.take()).await?;
            if constraints.admits(memory, world.created_at()) {
                memories.push(RecalledMemory::new(memory.clone(), annotation, world));
            }
        }
        let selected = memories.iter().map(|memory| memory.selected().clone());
        let result = SelectionResult::new(selected.collect(), result.selected_at())?;
        let trace = trace::create(&request, &result)?;
        let recalls = &self.state.recalls;
        let mut recalls = recalls.lock().unwrap_or_else(PoisonError::into_inner);
        recalls.push(trace.clone());
        let left_out = annotations.into_iter();
        let left_out = left_out.filter_map(|(id, annotation)| Some((id, annotation.left_out?)));
        let mut left_out: Vec<_> = left_out.collect();
        left_out.sort_by_key(|(_, left_out)| left_out.place);
        Ok(Recalled::new(trace, memories, left_out))
    }

    /// Settles the intent, which ends recalling. The trace of each recall goes into `account`.
    ///
    /// One recall is attached as `context.memory`; several are merged into it, and each is in
    /// `context.memoryTraces` too. Other members of the account's context stay.
    ///
    /// # Errors
    /// [`ActError::IntentOfAnother`] if the intent's origin is another actor, [`ActError::Trace`]
    /// if the account has a trace, or if the recalls are more than one proposal can carry.
    pub fn decide(
        self,
        intent: IntentInstance,
        account: ProposalTrace,
    ) -> Result<Deliberation<'a, NeedsSubmission>, ActError> {
        let expected = self.actor.actor_ref().actor_id();
        let origin = intent.origin_actor();
        if let Some(found) = origin.filter(|found| found.actor_id() != expected) {
            return Err(ActError::IntentOfAnother {
                expected: expected.to_string(),
                found: found.actor_id().to_string(),
            });
        }
        let recalls = self
            .state
            .recalls
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let state = NeedsSubmission {
            intent,
            account: trace::attached(&account, &recalls)?,
            last_selection: recalls.iter().map(MemoryTrace::selected_at).max(),
        };
        Ok(Deliberation {
            actor: self.actor,
            base_world: self.base_world,
            state,
        })
    }

    /// [`decide`](Self::decide) and [`submit`](Deliberation::submit) in one step, with a summary
    /// as the whole account.
    ///
    /// # Errors
    /// As for the two.
    pub fn propose(
        self,
        intent: IntentInstance,
        summary: impl Into<String>,
        proposal_id: impl Into<String>,
        submitted_at: UnixMillis,
    ) -> Result<Proposal, ActError> {
        self.decide(intent, ProposalTrace::new(summary))?
            .submit(proposal_id, submitted_at)
    }

    /// The content of a selected memory, which must be the proven one: the World that the selector has examined, or else
    /// the one that the store has now.
    async fn content_of(
        &self,
        memory: &SelectedMemory,
        examined: Option<World>,
    ) -> Result<World, ActError> {
        let asked = memory.memory_ref().world_id();
        let is_examined = examined.is_some();
        let world = match examined {
            Some(world) => Some(world),
            None => self.actor.store.get(asked).await.map_err(ActError::Store)?,
        };
        let world = world.ok_or_else(|| ActError::Dangling {
            world: asked.clone(),
        })?;
        if world.world_id() != asked {
            return Err(ActError::OtherWorld {
                asked: asked.clone(),
                answered: world.world_id().clone(),
            });
        }
        let compare = match is_examined {
            true => proven::same_entry,
            false => proven::same_content,
        };
        compare(memory, &world)?;
        Ok(world)
    }
}

impl Deliberation<'_, NeedsSubmission> {
    /// Makes the proposal, in status `submitted`. Ids (`prop-<uuid>`) and the time are the
    /// caller's: nothing here reads a clock.
    ///
    /// # Errors
    /// [`ActError::SubmittedBeforeSelection`] if the time lies before the last recall (M-3),
    /// [`ActError::Shape`] if the id is empty.
    pub fn submit(
        self,
        proposal_id: impl Into<String>,
        submitted_at: UnixMillis,
    ) -> Result<Proposal, ActError> {
        if let Some(selected_at) = self.state.last_selection.filter(|it| *it > submitted_at) {
            return Err(ActError::SubmittedBeforeSelection {
                submitted_at,
                selected_at,
            });
        }
        let proposal = Proposal::submit(
            proposal_id.into(),
            self.actor.actor_ref().clone(),
            self.state.intent,
            self.base_world,
            submitted_at,
        )?;
        Ok(proposal.with_trace(self.state.account))
    }
}
