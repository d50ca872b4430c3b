//! Assertions about claims: that one ended, holds again, was replaced, or was judged (I1, I7).

use counterfoil_claims::ports::OracleVerdict;
use counterfoil_claims::time::Boundary;
use counterfoil_claims::{Assertion, ClaimOutcome, ClaimRef, Target};
use counterfoil_store::ClaimRequest;
use counterfoil_types::WorldId;

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
