//! Asking an oracle about what waits: it proposes a verdict, the gate decides (I5, I7).

use std::collections::BTreeSet;

use counterfoil_claims::ports::{Case, Oracle};
use counterfoil_claims::{ClaimError, ClaimOutcome, ClaimRef};
use counterfoil_store::PendingClaim;

use super::ClaimMemory;
use crate::ActError;

/// The most cases of one consultation.
const MAX_CASES: usize = 1000;

/// What came of asking about one claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Consulted<E> {
    /// The claim.
    pub claim: ClaimRef,
    /// What came of it.
    pub heard: Heard<E>,
}

/// What came of a question to an oracle.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Heard<E> {
    /// The verdict stands.
    Settled(ClaimOutcome),
    /// The gate refused the verdict, for want of evidence; the claim goes on waiting.
    Refused(ClaimError),
    /// The oracle could not be asked; the claim goes on waiting, and nothing of it was changed.
    Failed(E),
}

impl<E> Consulted<E> {
    /// Whether the claim still waits.
    #[must_use]
    pub const fn is_pending(&self) -> bool {
        !matches!(self.heard, Heard::Settled(_))
    }
}

impl ClaimMemory {
    /// Asks `oracle` about each claim that waits, the oldest first, at most 1,000, and submits its verdicts through this
    /// memory's channel. A claim that an earlier verdict has settled is not asked about.
    ///
    /// A failure of the oracle is an answer and no error: the claim is pending as before.
    ///
    /// ```
    /// use counterfoil_actor::{ActError, claims::{ClaimMemory, Oracle}};
    ///
    /// /// How many claims still wait once the oracle was asked about all of them.
    /// async fn settle<O: Oracle>(memory: &ClaimMemory, oracle: &O) -> Result<usize, ActError> {
    ///     let consulted = memory.consult(oracle).await?;
    ///     Ok(consulted.iter().filter(|one| one.is_pending()).count())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`ActError::Store`]; verdicts that were written before it stand.
    pub async fn consult<O: Oracle>(
        &self,
        oracle: &O,
    ) -> Result<Vec<Consulted<O::Error>>, ActError> {
        let mut consulted: Vec<Consulted<O::Error>> = Vec::new();
        while consulted.len() < MAX_CASES {
            let known: BTreeSet<&ClaimRef> = consulted.iter().map(|one| &one.claim).collect();
            let waiting = self.pending().await?;
            let next = waiting
                .into_iter()
                .find(|pending| !known.contains(pending.claim.reference()));
            let Some(next) = next else { break };
            consulted.push(self.consult_about(oracle, next).await?);
        }
        Ok(consulted)
    }

    async fn consult_about<O: Oracle>(
        &self,
        oracle: &O,
        waiting: PendingClaim,
    ) -> Result<Consulted<O::Error>, ActError> {
        let claim = waiting.claim.reference().clone();
        let case = Case {
            claim: waiting.claim,
            rivals: waiting.rivals,
        };
        let heard = match oracle.judge(&case) {
            Err(error) => Heard::Failed(error),
            Ok((verdict, evidence)) => {
                match self.adjudicate(claim.clone(), verdict, evidence).await {
                    Ok(outcome) => Heard::Settled(outcome),
                    Err(ActError::Refused(refusal)) => Heard::Refused(refusal),
                    Err(error) => return Err(error),
                }
            }
        };
        Ok(Consulted { claim, heard })
    }
}
