//! Judges requests one after the other, each against the line with what the earlier ones wrote (I5, I6, I9).

use counterfoil_capsule::{Stamp, Timestamp};
use counterfoil_claims::gate;
use counterfoil_claims::{Approved, ClaimError, ClaimOutcome, GateDecision, Settings, Unit};
use counterfoil_types::{DidKey, UnixMillis, WorldId};

use super::ClaimTxn;
use crate::StoreError;
use crate::capsule_log::{AppendReport, Draft};
use crate::claim_store::{ClaimRequest, MAX_REQUESTS};

/// State of log and clock at the begin of a write transaction.
#[derive(Debug, Clone, Copy)]
pub struct JudgeBase {
    /// Agent whose claims are judged.
    pub agent: DidKey,
    /// The index that the next entry of the log will have.
    pub first_index: u64,
    /// Last transaction time of the agent, over all its chains, microseconds since 1970.
    pub last_stamp_us: Option<u64>,
    /// The clock, read once for the transaction, microseconds since 1970.
    pub now_us: u64,
}

/// Answers to requests, with the drafts to be sealed by [`Appender::append_judged`](crate::append::Appender::append_judged).
#[derive(Debug)]
#[non_exhaustive]
pub struct JudgedDrafts {
    /// Drafts to be sealed.
    pub drafts: Vec<Draft>,
    /// The same as units, as they will be read from the log; the transaction has indexed them.
    pub units: Vec<Unit>,
    /// One for each request.
    pub answers: Vec<Result<ClaimOutcome, ClaimError>>,
}

impl JudgedDrafts {
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
}

/// Judges `requests` in their order. What the gate lets in is indexed by `txn` at once, so each request meets the
/// earlier ones. `mint` names the units.
///
/// # Errors
/// [`StoreError::TooManyRequests`], [`StoreError::ClockImplausible`], and those of `txn` and of `mint`. The backend
/// then undoes the whole transaction. What the gate refuses is no error of this function: it is in the answers.
pub fn judge_all(
    txn: &mut dyn ClaimTxn,
    base: JudgeBase,
    settings: &Settings,
    requests: &[ClaimRequest],
    mint: &mut dyn FnMut() -> Result<WorldId, StoreError>,
) -> Result<JudgedDrafts, StoreError> {
    if requests.len() > MAX_REQUESTS {
        return Err(StoreError::TooManyRequests {
            requests: requests.len(),
            limit: MAX_REQUESTS,
        });
    }
    let mut session = Session {
        base,
        settings,
        last: base.last_stamp_us.map(timestamp).transpose()?,
        judged: JudgedDrafts {
            drafts: Vec::new(),
            units: Vec::new(),
            answers: Vec::with_capacity(requests.len()),
        },
    };
    for request in requests {
        let answer = session.judge(txn, request, mint)?;
        session.judged.answers.push(answer);
    }
    Ok(session.judged)
}

struct Session<'s> {
    base: JudgeBase,
    settings: &'s Settings,
    last: Option<Timestamp>,
    judged: JudgedDrafts,
}

impl Session<'_> {
    fn judge(
        &mut self,
        txn: &mut dyn ClaimTxn,
        request: &ClaimRequest,
        mint: &mut dyn FnMut() -> Result<WorldId, StoreError>,
    ) -> Result<Result<ClaimOutcome, ClaimError>, StoreError> {
        let stamp = Stamp::next(self.base.now_us, self.last)
            .map_err(StoreError::ClockImplausible)?
            .timestamp();
        let (settings, stamp_us) = (self.settings, stamp.micros());
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
        if let ClaimRequest::Submit(submission) = request
            && is_re_entry(&decision)
        {
            let (subject, predicate) = (submission.subject(), submission.predicate());
            txn.re_entered(subject, predicate, submission.value())?;
        }
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
        stamp: Timestamp,
        reference: WorldId,
    ) -> Result<ClaimOutcome, StoreError> {
        let ahead = u64::try_from(self.judged.units.len()).unwrap_or(u64::MAX);
        let (name, index) = (
            reference.clone(),
            self.base.first_index.saturating_add(ahead),
        );
        let unit = Unit::parse(
            name,
            self.base.agent,
            index,
            stamp.micros(),
            approved.document(),
        )
        .map_err(|_| StoreError::Bug("a unit of the gate that cannot be read"))?;
        let created_at = UnixMillis::new(stamp.micros() / 1000)
            .map_err(|_| StoreError::Bug("a transaction time before 1970"))?;
        let draft = Draft::claim(approved, reference, created_at)?;
        txn.index_unit(&unit)?;
        self.judged.drafts.push(draft);
        let outcome = ClaimOutcome::of_unit(&unit);
        self.judged.units.push(unit);
        self.last = Some(stamp);
        Ok(outcome)
    }
}

/// Returns whether a submission had been handed out, and brought nothing new (docs/format/claims.md 4, step 3).
fn is_re_entry(decision: &GateDecision) -> bool {
    match decision {
        GateDecision::Write(approved) => approved.because().re_entry,
        GateDecision::Nothing(outcome) => outcome.because.re_entry,
        _ => false,
    }
}

fn timestamp(micros: u64) -> Result<Timestamp, StoreError> {
    Timestamp::from_micros(micros).map_err(StoreError::ClockImplausible)
}
