//! Consulting an oracle about pending claims: it proposes a verdict, the gate decides (I5, I7).

use std::collections::BTreeSet;

use counterfoil_claims::ports::Oracle;
use counterfoil_claims::{ClaimError, ClaimOutcome, ClaimRef};

use crate::{ClaimMemory, ClaimMemoryError};

/// The most cases of one consultation.
const MAX_CASES: usize = 1000;

/// A claim that an oracle was asked about, with its answer: the decision of the gate about its verdict, or the oracle's own
/// failure. The claim is still pending unless the gate accepted a verdict.
pub type Consultation<E> = (ClaimRef, Result<Result<ClaimOutcome, ClaimError>, E>);

impl ClaimMemory {
    /// Asks `oracle` about each pending claim, the oldest first, at most 1,000, and submits its verdicts through this
    /// memory's channel. A claim that an earlier verdict has settled is left out.
    ///
    /// A failure of the oracle is an answer and no error: the claim is pending as before.
    ///
    /// ```
    /// use counterfoil_claim_memory::{ClaimMemoryError, ClaimMemory, Oracle};
    ///
    /// /// Number of claims that are pending after the consultation.
    /// async fn settle<O: Oracle>(memory: &ClaimMemory, oracle: &O) -> Result<usize, ClaimMemoryError> {
    ///     let consulted = memory.consult(oracle).await?;
    ///     Ok(consulted.iter().filter(|(_, answer)| !matches!(answer, Ok(Ok(_)))).count())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`ClaimMemoryError::Store`]; verdicts that were written before it are kept.
    pub async fn consult<O: Oracle>(
        &self,
        oracle: &O,
    ) -> Result<Vec<Consultation<O::Error>>, ClaimMemoryError> {
        let mut consulted: Vec<Consultation<O::Error>> = Vec::new();
        while consulted.len() < MAX_CASES {
            let known: BTreeSet<&ClaimRef> = consulted.iter().map(|(claim, _)| claim).collect();
            let mut waiting = self.pending().await?.into_iter();
            let next = waiting.find(|(claim, ..)| !known.contains(claim.reference()));
            let Some((unit, rivals, _)) = next else { break };
            let claim = unit.reference().clone();
            let answer = match oracle.judge(&unit, &rivals) {
                Err(error) => Err(error),
                Ok((verdict, evidence)) => {
                    match self.adjudicate(claim.clone(), verdict, evidence).await {
                        Ok(outcome) => Ok(Ok(outcome)),
                        Err(ClaimMemoryError::Refused(refusal)) => Ok(Err(refusal)),
                        Err(error) => return Err(error),
                    }
                }
            };
            consulted.push((claim, answer));
        }
        Ok(consulted)
    }
}
