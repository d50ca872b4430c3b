//! Stating facts: each request is judged by the gate, and answered with what became of it.

use counterfoil_claims::{Assertion, Submission};
use counterfoil_store::ClaimRequest;
use counterfoil_types::WorldId;

use super::access::{ClaimReader, ClaimWriter};
use super::answer::answer;
use crate::error::Error;
use crate::memory::Memory;
use crate::report::{Report, object};

impl Memory {
    /// Submits a claim to the gate and reports its disposition. A claim that was not accepted is no error, but a second value of
    /// one source for one time is: it may be a change, a mistake, or one of many ([`Submission::asking`]).
    ///
    /// `superseding` repeats the claims that the submission supersedes.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for a request that the gate refuses to judge.
    pub async fn claim(
        &self,
        submission: Submission,
        superseding: &[WorldId],
    ) -> Result<Report, Error> {
        self.answered(ClaimRequest::Submit(submission.asking()), superseding)
            .await
    }

    /// Submits an assertion about a claim: its end, reopening, release, supersession, or a verdict.
    ///
    /// # Errors
    /// As [`claim`](Self::claim).
    pub async fn assert(&self, assertion: Assertion) -> Result<Report, Error> {
        self.answered(ClaimRequest::Assert(assertion), &[]).await
    }

    /// Reports whether a request was committed under an idempotency key, with its answer.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn committed(&self, key: &str) -> Result<Report, Error> {
        let reader = ClaimReader::open(self, None).await?;
        let given = match reader.store.committed(reader.agent, key).await? {
            Some(outcome) => Some(answer(reader.store.as_ref(), &outcome, &[]).await?),
            None => None,
        };
        let committed = object()
            .with("key", key)
            .with("committed", given.is_some())
            .with_some("answer", given);
        Report::new(&committed)
    }

    async fn answered(
        &self,
        request: ClaimRequest,
        superseding: &[WorldId],
    ) -> Result<Report, Error> {
        let writer = ClaimWriter::open(self).await?;
        let outcome = writer.submit(request).await?;
        Report::new(&answer(writer.store.as_ref(), &outcome, superseding).await?)
    }
}
