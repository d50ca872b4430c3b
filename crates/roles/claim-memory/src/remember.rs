//! Remembering a fact: details beside line and value, then `.await` (I2, I4, I6).

use core::future::IntoFuture;

use counterfoil_claims::ports::{Change, ClaimProposal};
use counterfoil_claims::time::{Boundary, ValidTime};
use counterfoil_claims::{Cardinality, ClaimError, ClaimOutcome, ClaimRef, FactValue, Submission};
use counterfoil_store::ClaimRequest;
use counterfoil_types::json::Value;
use counterfoil_types::{Confidence, WorldId};

use crate::claim_memory::Answer;
use crate::{ClaimMemory, ClaimMemoryError};

/// A fact to remember. Nothing is written before it is awaited, and then once; its first fault is the answer.
#[must_use = "nothing is written until it is awaited"]
pub struct RememberRequest<'a> {
    memory: &'a ClaimMemory,
    submission: Result<Submission, ClaimMemoryError>,
    valid: ValidTime,
}

impl ClaimMemory {
    /// States a fact, `value` of `predicate` of `subject`, with the provenance of this memory's channel.
    ///
    /// The decision of the gate is [`ClaimOutcome::disposition`]; check it. A model that says what the memory holds, has ended
    /// or has denied echoes it and writes nothing (I6), unless it cites new evidence with
    /// [`citing`](RememberRequest::citing).
    pub fn remember(
        &self,
        subject: &str,
        predicate: &str,
        value: impl Into<Value>,
    ) -> RememberRequest<'_> {
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
        RememberRequest::new(self, submission)
    }

    /// States a fact as [`remember`](Self::remember) does, in the place of what this channel has said of the line before: from its
    /// start on, or from now.
    pub fn set(
        &self,
        subject: &str,
        predicate: &str,
        value: impl Into<Value>,
    ) -> RememberRequest<'_> {
        self.remember(subject, predicate, value)
            .with(|submission| Ok(submission.replacing()))
    }

    /// Submits the proposal of an extractor: an incoherent one is quarantined instead of refused. An end of whatever the line
    /// holds has no value to submit, and is refused.
    pub fn consider(&self, proposal: ClaimProposal) -> RememberRequest<'_> {
        let ClaimProposal {
            subject,
            predicate,
            value,
            valid,
            cardinality,
            change,
            span: _,
        } = proposal;
        let ends_all = change == Change::Ends && value.to_json().is_null();
        let submission = match ends_all {
            true => Err(ClaimMemoryError::from(ClaimError::Value {
                must: "named: end what the line holds with an assertion",
            })),
            false => Ok(Submission::new(&self.channel, subject, predicate, value)
                .extracted()
                .cardinality(cardinality)),
        };
        let mut remember = RememberRequest::new(self, submission);
        if let Some(valid) = valid {
            remember.valid = valid;
        }
        remember
    }
}

impl<'a> RememberRequest<'a> {
    const fn new(
        memory: &'a ClaimMemory,
        submission: Result<Submission, ClaimMemoryError>,
    ) -> Self {
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

    /// Sets the date from which it holds: `2020`, `2020-03`, `2020-03-15` or RFC 3339.
    pub fn from(self, date: &str) -> Self {
        self.valid(|valid| {
            valid.from = Some(Boundary::parse(date)?);
            Ok(())
        })
    }

    /// Sets the last date at which it holds.
    pub fn until(self, date: &str) -> Self {
        self.valid(|valid| {
            valid.until = Some(Boundary::parse(date)?);
            Ok(())
        })
    }

    /// Sets the confidence of the source in the dates, 0 to 1; at 0.7 and below they are kept and not relied on (I2).
    pub fn valid_confidence(self, confidence: f64) -> Self {
        let confidence = Confidence::new(confidence).map_err(ClaimError::Confidence);
        self.valid(|valid| {
            valid.confidence = confidence?;
            Ok(())
        })
    }

    /// Sets the cardinality of the line, as the source states it.
    pub fn cardinality(self, cardinality: Cardinality) -> Self {
        self.with(|submission| Ok(submission.cardinality(cardinality)))
    }

    /// Sets the memories that it cites, at most 16.
    pub fn citing(self, anchors: impl IntoIterator<Item = WorldId>) -> Self {
        let anchors = anchors.into_iter().collect();
        self.with(|submission| submission.citing(anchors))
    }

    /// Sets the claims whose place it takes from its start on, at most 16.
    pub fn superseding(self, claims: impl IntoIterator<Item = ClaimRef>) -> Self {
        let claims = claims.into_iter().collect();
        self.with(|submission| submission.superseding(claims))
    }

    /// Sets the claims that it was derived from, at most 16.
    pub fn derived_from(self, claims: impl IntoIterator<Item = ClaimRef>) -> Self {
        let claims = claims.into_iter().collect();
        self.with(|submission| submission.derived_from(claims))
    }

    /// Sets an idempotency key: a repeated request is written once and has the same answer.
    pub fn keyed(self, key: &str) -> Self {
        self.with(|submission| submission.keyed(key))
    }

    /// The request, to be written with others by [`ClaimMemory::submit`].
    ///
    /// # Errors
    /// [`ClaimMemoryError::Refused`] for the first fault.
    pub fn into_request(self) -> Result<ClaimRequest, ClaimMemoryError> {
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
    fn valid(mut self, set: impl FnOnce(&mut ValidTime) -> Result<(), ClaimMemoryError>) -> Self {
        if let Err(error) = set(&mut self.valid)
            && self.submission.is_ok()
        {
            self.submission = Err(error);
        }
        self
    }
}

impl<'a> IntoFuture for RememberRequest<'a> {
    type Output = Result<ClaimOutcome, ClaimMemoryError>;
    type IntoFuture = Answer<'a, ClaimOutcome>;

    fn into_future(self) -> Self::IntoFuture {
        self.memory.written(self.into_request())
    }
}
