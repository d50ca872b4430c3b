//! Stating facts: each request is judged by the gate, and answered with what became of it.

use std::sync::Arc;

use counterfoil_claims::belief::{BeliefSide, BeliefStatus};
use counterfoil_claims::{Assertion, ClaimOutcome, Submission};
use counterfoil_store::{AsOf, ClaimRequest};
use counterfoil_types::WorldId;

use super::access::{ClaimReader, ClaimWriter};
use super::answer::{Requested, answer};
use crate::error::Error;
use crate::memory::Memory;
use crate::report::{Report, object};
use crate::text;

/// Most claims under other names that an answer lists.
const LISTED: usize = 4;

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
            Some(outcome) => {
                Some(answer(reader.store.as_ref(), &outcome, Requested::default()).await?)
            }
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
        let subject = match &request {
            ClaimRequest::Submit(submission) => Some(submission.subject().clone()),
            _ => None,
        };
        let outcome = writer.submit(request).await?;
        let requested = Requested {
            superseding,
            subject: subject.as_ref(),
            next: contested_elsewhere(&writer, &outcome).await?,
        };
        Report::new(&answer(writer.store.as_ref(), &outcome, requested).await?)
    }
}

/// Commands that end what other names of the subject say otherwise than a claim that was written: a claim takes the place of those
/// of its own name alone.
async fn contested_elsewhere(
    writer: &ClaimWriter,
    outcome: &ClaimOutcome,
) -> Result<Vec<String>, Error> {
    let (store, settings) = (writer.store.as_ref(), &writer.settings);
    let claim = match &outcome.written {
        Some((written, ..)) if *written == outcome.reference => store.unit_of(written).await?,
        _ => None,
    };
    let Some(claim) = claim else {
        return Ok(Vec::new());
    };
    let (line, aliases) = (claim.line().clone(), &settings.aliases);
    let own = line.subject.clone();
    if aliases.names(&own, u64::MAX).len() == 1 {
        return Ok(Vec::new());
    }
    let belief = store.believe(line, AsOf::default(), Arc::clone(settings));
    let belief = belief.await?;
    if belief.status != BeliefStatus::Contested {
        return Ok(Vec::new());
    }
    let mut sides = belief.sides;
    let holds = |side: &BeliefSide| {
        let mut claims = side.claims.iter();
        claims.any(|claim| claim.reference == outcome.reference)
    };
    if !sides.iter().any(holds) {
        return Ok(Vec::new());
    }
    sides.retain(|side| !holds(side));
    let claims = sides.iter().flat_map(|side| &side.claims);
    let elsewhere = claims.filter_map(|claim| {
        let name = claim.said_of.as_ref().filter(|name| **name != own)?;
        let (name, reference) = (text::name(name), text::name(&claim.reference));
        Some(format!(
            "end what is said otherwise of {name}: counterfoil claim end {reference}"
        ))
    });
    Ok(elsewhere.take(LISTED).collect())
}
