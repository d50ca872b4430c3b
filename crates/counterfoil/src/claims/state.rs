//! Stating facts: each request is judged by the gate, and answered with what became of it.

use std::sync::Arc;

use counterfoil_claims::belief::{BeliefSide, BeliefStatus, SideClaim};
use counterfoil_claims::time::{Boundary, Micros};
use counterfoil_claims::{Act, Assertion, Channels, ProvenanceClass, Submission, Target, Unit};
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
        let given = match reader
            .store
            .committed(reader.agent, key, &reader.scope)
            .await?
        {
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
        let request = self.scoped_request(request).await?;
        let writer = ClaimWriter::open(self).await?;
        let (subject, replaces) = match &request {
            ClaimRequest::Submit(it) => (Some(it.subject().clone()), it.is_replacing()),
            _ => (None, false),
        };
        let outcome = writer.submit(request).await?;
        let claim = match &outcome.written {
            Some((written, ..)) if *written == outcome.reference => {
                writer.store.unit_of(written).await?
            }
            _ => None,
        };
        let (mut ended, mut next) = (Vec::new(), Vec::new());
        if let Some(claim) = claim {
            let rivals = rivals_elsewhere(&writer, &claim).await?;
            let is_own = |rival: &&SideClaim| {
                replaces && rival.provenance.class() == claim.provenance().class()
            };
            let own: Vec<&SideClaim> = rivals.iter().filter(is_own).collect();
            // The claim is written: what cannot be ended is left to the caller.
            ended = end_all(&writer, &claim, &own).await.unwrap_or_default();
            let left = rivals.iter().filter(|it| !ended.contains(&it.reference));
            next.extend(left.take(LISTED).map(|rival| {
                let reference = text::name(&rival.reference);
                let name = rival.said_of.as_ref().map(text::name).unwrap_or_default();
                format!("end what is said otherwise of {name}: counterfoil claim end {reference}")
            }));
        }
        let requested = Requested {
            superseding,
            subject: subject.as_ref(),
            ended,
            next,
        };
        Report::new(&answer(writer.store.as_ref(), &outcome, requested).await?)
    }
}

/// Claims under other names of the subject that contest a claim now, or where it begins later: it takes the place of those of its own name
/// alone.
async fn rivals_elsewhere(writer: &ClaimWriter, claim: &Unit) -> Result<Vec<SideClaim>, Error> {
    let own = &claim.line().subject;
    if writer.settings.aliases.names(own, u64::MAX).len() == 1 {
        return Ok(Vec::new());
    }
    let now = Micros::try_from(claim.stamp().micros()).unwrap_or(Micros::MAX);
    let asked = AsOf {
        valid_at: begin(claim)
            .map(|from| from.begin())
            .filter(|from| *from > now),
        as_of_us: None,
    };
    let settings = Arc::clone(&writer.settings);
    let belief = writer.store.believe(claim.line().clone(), asked, settings);
    let belief = belief.await?;
    let holds = |side: &BeliefSide| {
        let mut claims = side.claims.iter();
        claims.any(|it| it.reference == *claim.reference())
    };
    if belief.status != BeliefStatus::Contested || !belief.sides.iter().any(holds) {
        return Ok(Vec::new());
    }
    let others = belief.sides.into_iter().filter(|side| !holds(side));
    let claims = others.flat_map(|side| side.claims);
    Ok(claims.filter(|it| it.said_of.is_some()).collect())
}

/// Ends claims of the claim's own speaker where it begins; returns those that ended.
async fn end_all(
    writer: &ClaimWriter,
    claim: &Unit,
    rivals: &[&SideClaim],
) -> Result<Vec<WorldId>, Error> {
    let host = Channels::of_host();
    let channel = match claim.provenance().class() {
        ProvenanceClass::UserAsserted => host.user(),
        ProvenanceClass::FirstHand => host.first_hand(),
        _ => return Ok(Vec::new()),
    };
    let end = |rival: &&SideClaim| {
        let target = Target::Claim(rival.reference.clone());
        ClaimRequest::Assert(Assertion::end(&channel, target, begin(claim)))
    };
    let answers = writer.submit_all(rivals.iter().map(end).collect()).await?;
    let ended = rivals.iter().zip(answers);
    let ended = ended.filter(|(_, answer)| answer.as_ref().is_ok_and(|it| it.written.is_some()));
    Ok(ended.map(|(rival, _)| rival.reference.clone()).collect())
}

/// The begin of a claim, as it was stated.
fn begin(claim: &Unit) -> Option<Boundary> {
    match claim.act() {
        Act::Claim(body) => body.valid?.from,
        _ => None,
    }
}
