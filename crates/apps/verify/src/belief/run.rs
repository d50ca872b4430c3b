//! From arguments to a verdict on a proof of belief.

use counterfoil_authority::types::UnixMillis;
use counterfoil_authority::verifier::Anchors;
use counterfoil_authority::{Policy, Verdict};

use super::check::examine;
use super::document::{BeliefDocument, MAX_BELIEF_BYTES};
use super::judge::{BeliefReason, judge};
use super::report::BeliefReport;
use super::trust::ReadTrust;
use crate::input::load;
use crate::{Form, InputError, VerifyArgs, load_anchors, load_policy};

/// Reviews a proof of belief, and gives the report as text with its verdict. Without `trust` the records of trust in the proof are
/// verified and decide nothing.
///
/// # Errors
/// As [`review_belief`].
pub fn verify_belief(
    args: &VerifyArgs,
    form: Form,
    trust: Option<ReadTrust>,
) -> Result<(String, Verdict), InputError> {
    let report = review_belief(args, trust)?;
    let text = match form {
        Form::Human => report.render(),
        Form::Json => report.to_json()?,
    };
    Ok((text, report.verdict()))
}

/// Reads what the arguments name, and reviews the proof.
///
/// # Errors
/// [`InputError`] if a file or the clock can't be used.
pub fn review_belief(
    args: &VerifyArgs,
    trust: Option<ReadTrust>,
) -> Result<BeliefReport, InputError> {
    let anchors = load_anchors(&args.anchors)?;
    let policy = load_policy(args.policy.as_deref())?;
    let reviewed_at = args.time()?;
    let bytes = load("proof of belief", &args.document, MAX_BELIEF_BYTES)?;
    let document = BeliefDocument::from_json(&bytes)
        .map_err(InputError::content("proof of belief", &args.document))?;
    let when = (&policy, reviewed_at);
    Ok(review_trusting(document, anchors, when, trust))
}

/// Checks a proof of belief, and judges it by a policy. Pure: the time is a parameter.
pub fn review(
    document: BeliefDocument,
    anchors: Anchors,
    policy: &Policy,
    reviewed_at: UnixMillis,
) -> BeliefReport {
    review_trusting(document, anchors, (policy, reviewed_at), None)
}

/// As [`review`]: with `trust`, by the belief that follows from the records of trust in the proof.
pub fn review_trusting(
    document: BeliefDocument,
    anchors: Anchors,
    (policy, reviewed_at): (&Policy, UnixMillis),
    trust: Option<ReadTrust>,
) -> BeliefReport {
    let (shown, grounds) = match examine(&document, anchors, trust) {
        Ok(shown) => {
            let grounds = judge(&shown, policy, reviewed_at);
            (Some(shown), grounds)
        }
        Err(refusal) => (None, vec![BeliefReason::Refused(refusal)]),
    };
    BeliefReport {
        line: document.line,
        question: document.question,
        limits: document.limits,
        reviewed_at,
        shown,
        grounds,
    }
}
