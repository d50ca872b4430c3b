//! Claims in a store: submissions pass the gate inside the write transaction; beliefs are folded from the units that
//! were written (I1, I3, I5, I9; docs/format/claims.md).

use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_capsule::Signer;
use counterfoil_claims::belief::{Belief, HistoryEntry, Question};
use counterfoil_claims::time::Micros;
use counterfoil_claims::{
    Assertion, ClaimError, ClaimOutcome, ClaimRef, Identifier, Line, Settings, Submission, Unit,
};
use counterfoil_types::{DidKey, Scope, WorldId};

use crate::{CapsuleLog, StoreError};

/// The most requests of one [`ClaimStore::submit`].
pub const MAX_REQUESTS: usize = 1024;

/// Something that is to pass the gate.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ClaimRequest {
    /// A claim.
    Submit(Submission),
    /// An assertion of a claim.
    Assert(Assertion),
}

/// Valid time and state of knowledge of a query; each is the present of the store by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AsOf {
    /// The instant that is asked about; `None`: as `as_of`.
    pub valid_at: Option<Micros>,
    /// Units recorded later do not count, microseconds since 1970; `None`: the present.
    pub as_of_us: Option<u64>,
}

impl AsOf {
    /// The question at `present_us`: the later of the clock and what the agent has recorded last, so that a clock
    /// that went back hides nothing.
    pub fn at(self, present_us: u64) -> Question {
        let as_of_us = self.as_of_us.unwrap_or(present_us);
        let valid_at = self
            .valid_at
            .unwrap_or_else(|| Micros::try_from(as_of_us).unwrap_or(Micros::MAX));
        Question { valid_at, as_of_us }
    }
}

/// All pages of a list answer one question.
impl From<Question> for AsOf {
    fn from(question: Question) -> Self {
        Self {
            valid_at: Some(question.valid_at),
            as_of_us: Some(question.as_of_us),
        }
    }
}

/// Submits claims and derives beliefs. All that it answers is of the agent that is asked for, and of no other.
#[async_trait]
pub trait ClaimStore: CapsuleLog {
    /// Judges each request against the current line, the earlier requests included, and writes the units that the gate lets
    /// in: one transaction, one answer for each. A refused request does not touch the others.
    ///
    /// # Errors
    /// [`StoreError::TooManyRequests`], and those of [`append`](CapsuleLog::append). Nothing was written then, but after
    /// [`StoreError::NotAcknowledged`], and perhaps after [`StoreError::OutcomeUnknown`]: look a request up by its
    /// key ([`committed`](Self::committed)), and submit it again if nothing was committed.
    async fn submit(
        &self,
        signer: Arc<dyn Signer>,
        settings: Arc<Settings>,
        requests: Vec<ClaimRequest>,
    ) -> Result<Vec<Result<ClaimOutcome, ClaimError>>, StoreError>;

    /// Returns the answer of `agent`'s request that wrote a unit in a scope under an idempotency key, the same
    /// each time. `None` when no unit was written under it, as by a request that equals a claim.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn committed(
        &self,
        agent: DidKey,
        key: &str,
        scope: &Scope,
    ) -> Result<Option<ClaimOutcome>, StoreError>;

    /// The belief of a line.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn believe(
        &self,
        line: Line,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Belief, StoreError>;

    /// The beliefs of the lines with the names of `line` whose scope contains that of `line`, in the order of their scopes; at most
    /// 1,000. A line of which nothing was recorded until the question's `as_of` is none.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn believe_within(
        &self,
        line: Line,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Vec<Belief>, StoreError>;

    /// The beliefs of a subject in a scope, by predicate and scope; at most 1,000 lines after `after`. A line of which nothing was recorded
    /// until the question's `as_of` is none, whatever was recorded since.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn believe_subject(
        &self,
        agent: DidKey,
        subject: Identifier,
        scope: Scope,
        after: Option<Line>,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Vec<Belief>, StoreError>;

    /// Every claim of a line with its state.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn claim_history(
        &self,
        line: Line,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Vec<HistoryEntry>, StoreError>;

    /// The units of a line in the order of their numbers, recorded until `as_of_us` (`None`: all).
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn units(&self, line: Line, as_of_us: Option<u64>) -> Result<Vec<Unit>, StoreError>;

    /// Returns the unit of that name, of any agent; `None` when there is none or its content was erased.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn unit_of(&self, world: &WorldId) -> Result<Option<Unit>, StoreError> {
        let units = self.units_of(std::slice::from_ref(world)).await?;
        units.into_iter().next().transpose().map(Option::flatten)
    }

    /// The unit that each of `worlds` is, in their order, as [`unit_of`](Self::unit_of) gives it.
    ///
    /// # Errors
    /// When the store cannot tell; inside, [`StoreError::Withheld`] for one that is withheld.
    async fn units_of(
        &self,
        worlds: &[WorldId],
    ) -> Result<Vec<Result<Option<Unit>, StoreError>>, StoreError>;

    /// Beliefs in a scope that are contested, in the order of subject, predicate and scope, after the line `after`; at most `limit`.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn contested(
        &self,
        agent: DidKey,
        scope: Scope,
        asked: AsOf,
        after: Option<Line>,
        limit: usize,
        settings: Arc<Settings>,
    ) -> Result<Vec<Belief>, StoreError>;

    /// Claims that wait for a verdict at present ([`is_pending`](counterfoil_claims::gate::is_pending)), the oldest first, at
    /// most 1,000: each with the external claims in force that overlap it, and the time from which on it is only
    /// contested, microseconds since 1970.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn pending(
        &self,
        agent: DidKey,
        settings: Arc<Settings>,
    ) -> Result<Vec<(Unit, Vec<Unit>, u64)>, StoreError>;

    /// Returns a page of decisions in a scope: the newest `limit` units (1 to 1,000), in the order of the log.
    /// Only units about `claim`: itself, and those that name it as target, in `by`, `supersedes` or `rivals`; `None`: all.
    /// Only units whose log index is below `before`; `None`: the newest.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn ledger(
        &self,
        agent: DidKey,
        scope: Scope,
        claim: Option<ClaimRef>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Unit>, StoreError>;

    /// Predicates that the agent has used in a scope of a subject, or of any when `None`; at most 1,000, in their order.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn predicates(
        &self,
        agent: DidKey,
        subject: Option<Identifier>,
        scope: Scope,
    ) -> Result<Vec<Identifier>, StoreError>;

    /// Returns the agent's last transaction time, microseconds since 1970.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn last_recorded(&self, agent: DidKey) -> Result<Option<u64>, StoreError>;
}
