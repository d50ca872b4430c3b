//! Idempotency: a key belongs to one request, and its answer is repeated (docs/format/claims.md 4, step 1).

use alloc::boxed::Box;
use alloc::string::ToString;

use counterfoil_types::{Scope, WorldId};

use crate::assertion::AssertionKind;
use crate::identity::Framed;
use crate::ports::OracleVerdict;
use crate::time::Boundary;
use crate::unit::{Fingerprint, Keyed};
use crate::{
    Assertion, ClaimError, ClaimOutcome, GateDecision, LineView, Provenance, ProvenanceClass,
    Submission, Submitter, Target,
};

const REQUEST: &str = "counterfoil/claim/v1 fingerprint of a request";

/// The answer that a key has had already.
pub(super) fn answered(
    view: &dyn LineView,
    keyed: Option<&Keyed>,
    scope: &Scope,
) -> Result<Option<GateDecision>, ClaimError> {
    let Some(keyed) = keyed else { return Ok(None) };
    let Some(unit) = view.keyed(&keyed.key, scope)? else {
        return Ok(None);
    };
    if unit.key.as_ref() == Some(keyed) {
        return Ok(Some(GateDecision::Again(Box::new(unit))));
    }
    Err(ClaimError::KeyReused {
        key: keyed.key.clone(),
        reference: ClaimOutcome::of_unit(&unit).reference,
    })
}

pub(super) fn of_submission(submission: &Submission) -> Option<Keyed> {
    let key = submission.key.clone()?;
    let mut request = Framed::new(REQUEST);
    request.part(b"claim");
    provenance(&mut request, submission.provenance);
    request.part(match submission.door {
        Submitter::Caller => b"caller",
        Submitter::Extractor => b"extractor",
    });
    request.part(submission.subject.as_str().as_bytes());
    request.part(submission.predicate.as_str().as_bytes());
    request.part(submission.value.canonical().as_bytes());
    request.window(submission.valid.as_ref());
    let confidence = submission.valid.map(|valid| valid.confidence.value());
    request.part(&confidence.map_or([0; 8], f64::to_le_bytes));
    request.part(submission.cardinality.name().as_bytes());
    if let Some(domain) = &submission.domain {
        request.part(domain.as_str().as_bytes());
    }
    for list in [
        &submission.supersedes,
        &submission.anchors,
        &submission.derived_from,
    ] {
        references(&mut request, list);
    }
    if !submission.via.is_empty() {
        request.part(b"via");
        for relay in &submission.via {
            request.part(relay.public_key());
        }
    }
    if submission.replaces {
        request.part(b"replaces");
    }
    scope(&mut request, &submission.scope);
    let request = Fingerprint(request.finish());
    Some(Keyed { key, request })
}

pub(super) fn of_assertion(assertion: &Assertion) -> Option<Keyed> {
    let key = assertion.key.clone()?;
    let mut request = Framed::new(REQUEST);
    request.part(b"assertion");
    provenance(&mut request, assertion.provenance);
    match &assertion.target {
        Target::Claim(reference) => references(&mut request, core::slice::from_ref(reference)),
        Target::Line { subject, predicate } => {
            request.part(b"line");
            request.part(subject.as_str().as_bytes());
            request.part(predicate.as_str().as_bytes());
        }
    }
    match &assertion.asserted {
        AssertionKind::End { at } => {
            request.part(b"end");
            let at = at.as_ref().map(Boundary::to_string).unwrap_or_default();
            request.part(at.as_bytes());
        }
        AssertionKind::Supersede { by } => {
            request.part(b"supersede");
            request.part(by.opaque_bytes());
        }
        AssertionKind::Reopen => request.part(b"reopen"),
        AssertionKind::Release => request.part(b"release"),
        AssertionKind::Retract { reason } => {
            request.part(b"retract");
            request.part(reason.as_deref().unwrap_or_default().as_bytes());
        }
        AssertionKind::Verdict(verdict) => request.part(match verdict {
            OracleVerdict::Affirm => b"affirm",
            OracleVerdict::Deny => b"deny",
            OracleVerdict::Unknown => b"undecided",
        }),
    }
    references(&mut request, &assertion.anchors);
    scope(&mut request, &assertion.scope);
    let request = Fingerprint(request.finish());
    Some(Keyed { key, request })
}

fn provenance(request: &mut Framed, provenance: Provenance) {
    request.part(provenance.class().name().as_bytes());
    if let ProvenanceClass::Peer {
        agent,
        level,
        inferred,
    } = provenance.class()
    {
        request.part(agent.public_key());
        request.part(&[level]);
        if inferred {
            request.part(b"inferred");
        }
    }
}

fn scope(request: &mut Framed, scope: &Scope) {
    if !scope.is_empty() {
        request.part(b"scope");
        request.part(scope.to_string().as_bytes());
    }
}

fn references(request: &mut Framed, references: &[WorldId]) {
    request.part(b"references");
    for reference in references {
        request.part(reference.opaque_bytes());
    }
}
