//! Judges requests one after the other, each against the line with what the earlier ones wrote (I5, I6, I9).

use counterfoil_capsule::{LastTimes, Stamp};
use counterfoil_claims::gate;
use counterfoil_claims::{Approved, ClaimError, ClaimOutcome, GateDecision, Settings, Unit};
use counterfoil_types::{DidKey, UnixMillis, WorldId};

use super::ClaimTxn;
use crate::capsule_log::{AppendReport, Draft};
use crate::claim_store::{ClaimRequest, MAX_REQUESTS};
use crate::clock::now_after;
use crate::{Clock, StoreError};

/// Answers to requests, with the drafts to be sealed by [`Frontier::append_judged`](crate::log::Frontier::append_judged).
#[derive(Debug)]
pub struct JudgedDrafts {
    pub(crate) agent: DidKey,
    pub(crate) now_us: u64,
    first_index: u64,
    last: Option<LastTimes>,
    /// Drafts to be sealed.
    pub drafts: Vec<Draft>,
    /// The same as units, as they will be read from the log; the transaction has indexed them.
    pub units: Vec<Unit>,
    /// One for each request.
    pub answers: Vec<Result<ClaimOutcome, ClaimError>>,
}

impl JudgedDrafts {
    /// Returns an empty list for claims of `agent` in one write transaction. `first_index` is that of the log's next entry,
    /// `last` the agent's last transaction time over all its chains; `clock` is read once for the transaction.
    ///
    /// # Errors
    /// [`StoreError::ClockLeap`].
    pub fn new(
        agent: DidKey,
        first_index: u64,
        last: Option<LastTimes>,
        clock: &dyn Clock,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            agent,
            now_us: now_after(clock, last.map(|last| last.recorded))?,
            first_index,
            last,
            drafts: Vec::new(),
            units: Vec::new(),
            answers: Vec::new(),
        })
    }

    /// That the drafts came to stand where and when the gate saw them.
    ///
    /// # Errors
    /// [`StoreError::Bug`] otherwise; the backend then undoes the whole transaction.
    pub(crate) fn stands_at(&self, appended: &[AppendReport]) -> Result<(), StoreError> {
        let stands = |(unit, place): (&Unit, &AppendReport)| {
            place.index == unit.index()
                && place.recorded_at.micros() == unit.stamp().micros()
                && place.is_new
        };
        let same = self.units.len() == appended.len();
        match same && self.units.iter().zip(appended).all(stands) {
            true => Ok(()),
            false => Err(StoreError::Bug(
                "a unit that stands elsewhere than foretold",
            )),
        }
    }

    /// Judges `requests` in their order. What the gate lets in is indexed by `txn` at once, so each request meets the
    /// earlier ones. `mint` names the units.
    ///
    /// # Errors
    /// [`StoreError::TooManyRequests`], [`StoreError::ClockImplausible`], and those of `txn` and of `mint`. The backend
    /// then undoes the whole transaction. What the gate refuses is no error of this function: it is in the answers.
    pub fn judge_all(
        &mut self,
        txn: &mut dyn ClaimTxn,
        settings: &Settings,
        requests: &[ClaimRequest],
        mint: &mut dyn FnMut() -> Result<WorldId, StoreError>,
    ) -> Result<(), StoreError> {
        if requests.len() > MAX_REQUESTS {
            return Err(StoreError::TooManyRequests {
                requests: requests.len(),
                limit: MAX_REQUESTS,
            });
        }
        for request in requests {
            let answer = self.judge(txn, settings, request, mint)?;
            self.answers.push(answer);
        }
        txn.finish()
    }

    fn judge(
        &mut self,
        txn: &mut dyn ClaimTxn,
        settings: &Settings,
        request: &ClaimRequest,
        mint: &mut dyn FnMut() -> Result<WorldId, StoreError>,
    ) -> Result<Result<ClaimOutcome, ClaimError>, StoreError> {
        let stamp = Stamp::following(self.now_us, self.last);
        let stamp = stamp.map_err(StoreError::ClockImplausible)?;
        let stamp_us = stamp.recorded().micros();
        let decision = match request {
            ClaimRequest::Submit(submission) => gate::judge(txn, submission, settings, stamp_us),
            ClaimRequest::Assert(assertion) => gate::assert(txn, assertion, settings, stamp_us),
        };
        let decision = match decision {
            Err(ClaimError::View(detail)) => {
                return Err(txn.take_fault().unwrap_or(StoreError::Unavailable {
                    doing: "judging claims",
                    detail,
                }));
            }
            Err(refusal) => return Ok(Err(refusal)),
            Ok(decision) => decision,
        };
        if let GateDecision::Write(approved) = &decision {
            return self.write(txn, approved, stamp, mint()?).map(Ok);
        }
        let outcome = ClaimOutcome::of_nothing(&decision);
        outcome
            .map(Ok)
            .ok_or(StoreError::Bug("a decision without an answer"))
    }

    fn write(
        &mut self,
        txn: &mut dyn ClaimTxn,
        approved: &Approved,
        stamp: Stamp,
        reference: WorldId,
    ) -> Result<ClaimOutcome, StoreError> {
        let ahead = u64::try_from(self.units.len()).unwrap_or(u64::MAX);
        let (name, index) = (reference.clone(), self.first_index.saturating_add(ahead));
        let recorded_us = stamp.recorded().micros();
        let unit = Unit::parse(name, self.agent, index, recorded_us, approved.document())
            .map_err(|_| StoreError::Bug("a unit of the gate that cannot be read"))?;
        let created_at = UnixMillis::new(recorded_us / 1000)
            .map_err(|_| StoreError::Bug("a transaction time before 1970"))?;
        let draft = Draft::claim(approved, reference, created_at)?;
        txn.index_unit(&unit)?;
        self.drafts.push(draft);
        let outcome = ClaimOutcome::of_unit(&unit);
        self.units.push(unit);
        self.last = Some(LastTimes {
            timestamp: stamp.timestamp(),
            recorded: stamp.recorded(),
        });
        Ok(outcome)
    }
}
