//! Remembering a fact: what is said of it beside line and value, then `.await` (I2, I4, I6).

use core::future::IntoFuture;

use counterfoil_claims::ports::ClaimProposal;
use counterfoil_claims::time::{Boundary, ValidTime};
use counterfoil_claims::{
    Cardinality, ClaimError, ClaimOutcome, ClaimRef, FactValue, Identifier, Submission,
};
use counterfoil_store::ClaimRequest;
use counterfoil_types::json::Value;
use counterfoil_types::{Confidence, WorldId};

use super::{Answer, ClaimMemory};
use crate::ActError;

/// A fact that is to be remembered. Nothing is written before it is awaited, and then once; the first thing that is
/// wrong with it is the answer.
#[must_use = "nothing is written until it is awaited"]
pub struct Remember<'a> {
    memory: &'a ClaimMemory,
    submission: Result<Submission, ActError>,
    valid: ValidTime,
}

impl ClaimMemory {
    /// States a fact: `value` of `predicate` of `subject`, by whoever speaks through this memory's channel.
    ///
    /// What the gate made of it is [`ClaimOutcome::disposition`], and has to be looked at. A value that was handed out before is an
    /// echo, whoever says it: it confirms nothing and ends no contest (I6). When somebody did say it anew, keep the words as a
    /// memory of their own and cite it with [`citing`](Remember::citing).
    pub fn remember(
        &self,
        subject: &str,
        predicate: &str,
        value: impl Into<Value>,
    ) -> Remember<'_> {
        let value = value.into();
        let submission = self.line(subject, predicate).and_then(|line| {
            let value = FactValue::new(&value)?;
            Ok(Submission::new(
                &self.channel,
                line.subject,
                line.predicate,
                value,
            ))
        });
        Remember::new(self, submission)
    }

    /// Hands what an extractor proposed to the gate, through the extractor's door: what is incoherent is quarantined
    /// instead of refused.
    pub fn consider(&self, proposal: ClaimProposal) -> Remember<'_> {
        let ClaimProposal {
            subject,
            predicate,
            value,
            valid,
            cardinality,
        } = proposal;
        let submission = Submission::new(&self.channel, subject, predicate, value)
            .extracted()
            .cardinality(cardinality);
        let mut remember = Remember::new(self, Ok(submission));
        if let Some(valid) = valid {
            remember.valid = valid;
        }
        remember
    }
}

impl<'a> Remember<'a> {
    const fn new(memory: &'a ClaimMemory, submission: Result<Submission, ActError>) -> Self {
        let valid = ValidTime {
            from: None,
            until: None,
            confidence: Confidence::ONE,
        };
        Self {
            memory,
            submission,
            valid,
        }
    }

    /// It holds from this date on: `2020`, `2020-03`, `2020-03-15` or RFC 3339.
    pub fn from(mut self, date: &str) -> Self {
        match Boundary::parse(date) {
            Ok(date) => self.valid.from = Some(date),
            Err(error) => self.fail(error.into()),
        }
        self
    }

    /// It holds until this date, the date included.
    pub fn until(mut self, date: &str) -> Self {
        match Boundary::parse(date) {
            Ok(date) => self.valid.until = Some(date),
            Err(error) => self.fail(error.into()),
        }
        self
    }

    /// How sure the source is of the dates, 0 to 1; at 0.7 and below they are kept and not relied on (I2).
    pub fn valid_confidence(mut self, confidence: f64) -> Self {
        match Confidence::new(confidence) {
            Ok(confidence) => self.valid.confidence = confidence,
            Err(error) => self.fail(ClaimError::Confidence(error).into()),
        }
        self
    }

    /// What is said of how many values the line may hold.
    pub fn cardinality(self, cardinality: Cardinality) -> Self {
        self.with(|submission| Ok(submission.cardinality(cardinality)))
    }

    /// Memories that it cites, at most 16.
    pub fn citing(self, anchors: impl IntoIterator<Item = WorldId>) -> Self {
        let anchors = anchors.into_iter().collect();
        self.with(|submission| submission.citing(anchors))
    }

    /// Claims whose place it takes from its start on, at most 16.
    pub fn superseding(self, claims: impl IntoIterator<Item = ClaimRef>) -> Self {
        let claims = claims.into_iter().collect();
        self.with(|submission| submission.superseding(claims))
    }

    /// Claims that it was derived from, at most 16.
    pub fn derived_from(self, claims: impl IntoIterator<Item = ClaimRef>) -> Self {
        let claims = claims.into_iter().collect();
        self.with(|submission| submission.derived_from(claims))
    }

    /// Under an idempotency key: repeated, it is written once and answered alike.
    pub fn keyed(self, key: &str) -> Self {
        self.with(|submission| submission.keyed(key))
    }

    /// The request, to be written with others by [`ClaimMemory::submit`].
    ///
    /// # Errors
    /// [`ActError::Refused`] for the first thing that is wrong with it, [`ActError::Date`] for a date.
    pub fn into_request(self) -> Result<ClaimRequest, ActError> {
        let mut submission = self.submission?;
        if self.valid.from.is_some() || self.valid.until.is_some() {
            submission = submission.valid(self.valid)?;
        }
        Ok(ClaimRequest::Submit(submission))
    }

    fn with(mut self, change: impl FnOnce(Submission) -> Result<Submission, ClaimError>) -> Self {
        self.submission = self
            .submission
            .and_then(|submission| Ok(change(submission)?));
        self
    }

    /// The first error stays.
    fn fail(&mut self, error: ActError) {
        if self.submission.is_ok() {
            self.submission = Err(error);
        }
    }
}

impl<'a> IntoFuture for Remember<'a> {
    type Output = Result<ClaimOutcome, ActError>;
    type IntoFuture = Answer<'a, ClaimOutcome>;

    fn into_future(self) -> Self::IntoFuture {
        self.memory.written(self.into_request())
    }
}

/// A name as the builders take it.
pub(super) fn identifier(what: &'static str, text: &str) -> Result<Identifier, ActError> {
    Ok(Identifier::new(what, text)?)
}
