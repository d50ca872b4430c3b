//! Assertions about claims: that one ended, holds again, was replaced, or was judged (I1, I7).

use counterfoil_claims::ports::OracleVerdict;
use counterfoil_claims::time::Boundary;
use counterfoil_claims::{
    Assertion, ClaimError, ClaimOutcome, ClaimRef, FactValue, Submission, Target, Unit,
};
use counterfoil_store::ClaimRequest;
use counterfoil_types::WorldId;
use counterfoil_types::json::Value;

use crate::claim_memory::Answer;
use crate::{ClaimMemory, ClaimMemoryError};

/// Nothing is written before an assertion is awaited.
impl ClaimMemory {
    /// Ends a claim at the beginning of a date (`2020`, `2020-03`, `2020-03-15` or RFC 3339), or else when this is
    /// recorded.
    pub fn end(&self, claim: ClaimRef, at: Option<&str>) -> Answer<'_, ClaimOutcome> {
        self.ended(Ok(Target::Claim(claim)), at)
    }

    /// Ends the one live claim of a line, as [`end`](Self::end).
    pub fn end_line(
        &self,
        subject: &str,
        predicate: &str,
        at: Option<&str>,
    ) -> Answer<'_, ClaimOutcome> {
        let target = self.line(subject, predicate).map(|line| Target::Line {
            subject: line.subject,
            predicate: line.predicate,
        });
        self.ended(target, at)
    }

    fn ended(
        &self,
        target: Result<Target, ClaimMemoryError>,
        at: Option<&str>,
    ) -> Answer<'_, ClaimOutcome> {
        let at = at.map(Boundary::parse).transpose();
        let assertion = target.and_then(|target| Ok(Assertion::end(&self.channel, target, at?)));
        self.assertion(assertion)
    }

    /// Lets a claim hold again, as if nothing had ended or denied it.
    pub fn reopen(&self, claim: ClaimRef) -> Answer<'_, ClaimOutcome> {
        self.assertion(Ok(Assertion::reopen(&self.channel, claim)))
    }

    /// Puts another claim of the line in the place of a claim.
    pub fn supersede(&self, claim: ClaimRef, by: ClaimRef) -> Answer<'_, ClaimOutcome> {
        self.assertion(Ok(Assertion::supersede(&self.channel, claim, by)))
    }

    /// Releases a claim from quarantine.
    pub fn release(&self, claim: ClaimRef) -> Answer<'_, ClaimOutcome> {
        self.assertion(Ok(Assertion::release(&self.channel, claim)))
    }

    /// Takes a claim back: it was said wrongly, and never held.
    pub fn retract(&self, claim: ClaimRef, reason: Option<&str>) -> Answer<'_, ClaimOutcome> {
        let assertion = Assertion::retract(&self.channel, claim, reason.map(str::to_owned));
        self.assertion(assertion.map_err(ClaimMemoryError::from))
    }

    /// Says a claim again: its source confirms it, once a day, and another source corroborates it.
    pub fn confirm(&self, claim: ClaimRef) -> Answer<'_, ClaimOutcome> {
        Box::pin(async move {
            let claim = self.claim(claim).await?;
            let again = Submission::again(&self.channel, &claim)?;
            self.written(Ok(ClaimRequest::Submit(again))).await
        })
    }

    /// Puts another value in the place of a claim's, for its whole time: what the claim says never held.
    pub fn correct(&self, claim: ClaimRef, value: impl Into<Value>) -> Answer<'_, ClaimOutcome> {
        let value = FactValue::new(&value.into());
        Box::pin(async move {
            let claim = self.claim(claim).await?;
            let correct = Submission::correcting(&self.channel, &claim, value?)?;
            self.written(Ok(ClaimRequest::Submit(correct))).await
        })
    }

    /// A claim of this agent.
    async fn claim(&self, reference: ClaimRef) -> Result<Unit, ClaimMemoryError> {
        let unit = self.store.unit_of(&reference).await?;
        let own = unit.filter(|unit| unit.line().agent == self.agent());
        Ok(own.ok_or(ClaimError::ClaimNotFound(reference))?)
    }

    /// Judges a claim that waits or is contested, with the memories that are the evidence.
    pub fn adjudicate(
        &self,
        claim: ClaimRef,
        verdict: OracleVerdict,
        evidence: impl IntoIterator<Item = WorldId>,
    ) -> Answer<'_, ClaimOutcome> {
        let evidence = evidence.into_iter().collect();
        let assertion = Assertion::verdict(&self.channel, claim, verdict, evidence);
        self.assertion(assertion.map_err(ClaimMemoryError::from))
    }

    fn assertion(
        &self,
        assertion: Result<Assertion, ClaimMemoryError>,
    ) -> Answer<'_, ClaimOutcome> {
        self.written(assertion.map(ClaimRequest::Assert))
    }
}
