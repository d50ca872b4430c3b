//! Asserting something of a claim: that it ended, holds again, was replaced, or how it was judged (I1, I7).

use core::future::IntoFuture;

use counterfoil_claims::ports::OracleVerdict;
use counterfoil_claims::time::Boundary;
use counterfoil_claims::{Assertion, ClaimOutcome, ClaimRef, Target};
use counterfoil_store::ClaimRequest;
use counterfoil_types::WorldId;

use super::{Answer, ClaimMemory};
use crate::ActError;

/// An assertion. Nothing is written before it is awaited.
#[must_use = "nothing is written until it is awaited"]
pub struct Assert<'a> {
    memory: &'a ClaimMemory,
    assertion: Result<Assertion, ActError>,
}

/// That a claim no longer holds. Nothing is written before it is awaited.
#[must_use = "nothing is written until it is awaited"]
pub struct End<'a> {
    memory: &'a ClaimMemory,
    target: Result<Target, ActError>,
    at: Option<Result<Boundary, ActError>>,
    key: Option<String>,
}

impl ClaimMemory {
    /// A claim no longer holds, from when this is recorded or from [`End::at`] on.
    pub const fn end(&self, claim: ClaimRef) -> End<'_> {
        End::new(self, Ok(Target::Claim(claim)))
    }

    /// The same of the one claim of a line that is live.
    pub fn end_line(&self, subject: &str, predicate: &str) -> End<'_> {
        let target = self.line(subject, predicate).map(|line| Target::Line {
            subject: line.subject,
            predicate: line.predicate,
        });
        End::new(self, target)
    }

    /// A claim holds again, as if nothing had cut or denied it.
    pub const fn reopen(&self, claim: ClaimRef) -> Assert<'_> {
        Assert::new(self, Ok(Assertion::reopen(&self.channel, claim)))
    }

    /// Another claim of the line has taken its place.
    pub const fn supersede(&self, claim: ClaimRef, by: ClaimRef) -> Assert<'_> {
        Assert::new(self, Ok(Assertion::supersede(&self.channel, claim, by)))
    }

    /// A claim leaves quarantine.
    pub const fn release(&self, claim: ClaimRef) -> Assert<'_> {
        Assert::new(self, Ok(Assertion::release(&self.channel, claim)))
    }

    /// A verdict on a claim that waits or is contested, with the memories that it rests on.
    pub fn adjudicate(
        &self,
        claim: ClaimRef,
        verdict: OracleVerdict,
        evidence: impl IntoIterator<Item = WorldId>,
    ) -> Assert<'_> {
        let evidence = evidence.into_iter().collect();
        let assertion = Assertion::verdict(&self.channel, claim, verdict, evidence);
        Assert::new(self, assertion.map_err(ActError::from))
    }
}

impl<'a> Assert<'a> {
    const fn new(memory: &'a ClaimMemory, assertion: Result<Assertion, ActError>) -> Self {
        Self { memory, assertion }
    }

    /// Under an idempotency key: repeated, it is written once and answered alike.
    pub fn keyed(mut self, key: &str) -> Self {
        self.assertion = self
            .assertion
            .and_then(|assertion| Ok(assertion.keyed(key)?));
        self
    }

    /// The request, to be written with others by [`ClaimMemory::submit`].
    ///
    /// # Errors
    /// [`ActError::Refused`] for the first thing that is wrong with it.
    pub fn into_request(self) -> Result<ClaimRequest, ActError> {
        Ok(ClaimRequest::Assert(self.assertion?))
    }
}

impl<'a> End<'a> {
    const fn new(memory: &'a ClaimMemory, target: Result<Target, ActError>) -> Self {
        Self {
            memory,
            target,
            at: None,
            key: None,
        }
    }

    /// From the begin of this date on: `2020`, `2020-03`, `2020-03-15` or RFC 3339.
    pub fn at(mut self, date: &str) -> Self {
        self.at = Some(Boundary::parse(date).map_err(ActError::from));
        self
    }

    /// Under an idempotency key.
    pub fn keyed(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    /// The request, to be written with others by [`ClaimMemory::submit`].
    ///
    /// # Errors
    /// As [`Assert::into_request`], and [`ActError::Date`].
    pub fn into_request(self) -> Result<ClaimRequest, ActError> {
        let assertion = Assertion::end(&self.memory.channel, self.target?, self.at.transpose()?);
        let assertion = match self.key {
            Some(key) => assertion.keyed(&key)?,
            None => assertion,
        };
        Ok(ClaimRequest::Assert(assertion))
    }
}

impl<'a> IntoFuture for Assert<'a> {
    type Output = Result<ClaimOutcome, ActError>;
    type IntoFuture = Answer<'a, ClaimOutcome>;

    fn into_future(self) -> Self::IntoFuture {
        self.memory.written(self.into_request())
    }
}

impl<'a> IntoFuture for End<'a> {
    type Output = Result<ClaimOutcome, ActError>;
    type IntoFuture = Answer<'a, ClaimOutcome>;

    fn into_future(self) -> Self::IntoFuture {
        self.memory.written(self.into_request())
    }
}
