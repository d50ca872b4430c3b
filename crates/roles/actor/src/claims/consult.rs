//! Consulting an oracle about pending claims: it proposes a verdict, the gate decides (I5, I7).

use std::collections::BTreeSet;

use counterfoil_claims::ports::Oracle;
use counterfoil_claims::{ClaimError, ClaimOutcome, ClaimRef};

use super::ClaimMemory;
use crate::ActError;

/// The most cases of one consultation.
const MAX_CASES: usize = 1000;

/// Result of consulting an oracle about one claim.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Consultation<E> {
    /// The gate accepted the verdict.
    Settled(ClaimRef, ClaimOutcome),
    /// The gate refused the verdict, for want of evidence; the claim is still pending.
    Refused(ClaimRef, ClaimError),
    /// The oracle failed; the claim is still pending, and nothing of it was changed.
    Failed(ClaimRef, E),
}

impl<E> Consultation<E> {
    /// The claim.
    #[must_use]
    pub const fn claim(&self) -> &ClaimRef {
        match self {
            Self::Settled(claim, _) | Self::Refused(claim, _) | Self::Failed(claim, _) => claim,
        }
    }

    /// Returns true if the claim is still pending.
    #[must_use]
    pub const fn is_pending(&self) -> bool {
        !matches!(self, Self::Settled(..))
    }
}

impl ClaimMemory {
    /// Asks `oracle` about each pending claim, the oldest first, at most 1,000, and submits its verdicts through this
    /// memory's channel. A claim that an earlier verdict has settled is left out.
    ///
    /// A failure of the oracle is an answer and no error: the claim is pending as before.
    ///
    /// ```
    /// use counterfoil_actor::{ActError, claims::{ClaimMemory, Oracle}};
    ///
    /// /// Number of claims that are pending after the consultation.
    /// async fn settle<O: Oracle>(memory: &ClaimMemory, oracle: &O) -> Result<usize, ActError> {
    ///     let consulted = memory.consult(oracle).await?;
    ///     Ok(consulted.iter().filter(|one| one.is_pending()).count())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`ActError::Store`]; verdicts that were written before it are kept.
    pub async fn consult<O: Oracle>(
        &self,
        oracle: &O,
    ) -> Result<Vec<Consultation<O::Error>>, ActError> {
        let mut consulted: Vec<Consultation<O::Error>> = Vec::new();
        while consulted.len() < MAX_CASES {
            let known: BTreeSet<&ClaimRef> = consulted.iter().map(Consultation::claim).collect();
            let mut waiting = self.pending().await?.into_iter();
            let next = waiting.find(|(case, _)| !known.contains(case.claim.reference()));
            let Some((case, _)) = next else { break };
            let claim = case.claim.reference().clone();
            let (verdict, evidence) = match oracle.judge(&case) {
                Ok(judged) => judged,
                Err(error) => {
                    consulted.push(Consultation::Failed(claim, error));
                    continue;
                }
            };
            consulted.push(
                match self.adjudicate(claim.clone(), verdict, evidence).await {
                    Ok(outcome) => Consultation::Settled(claim, outcome),
                    Err(ActError::Refused(refusal)) => Consultation::Refused(claim, refusal),
                    Err(error) => return Err(error),
                },
            );
        }
        Ok(consulted)
    }
}
