//! From arguments to an exit code, for a proof of belief.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use counterfoil_authority::types::UnixMillis;

use super::check::examine;
use super::document::{BeliefDocument, MAX_BELIEF_BYTES};
use super::judge::{BeliefReason, judge};
use super::report::BeliefReport;
use crate::input::load;
use crate::run::{finish, print_text, system_time};
use crate::{Form, InputError, load_anchors, load_policy, time};

/// Proof of belief, anchors and policy of a review.
#[derive(Debug, Clone, Args)]
pub struct BeliefArgs {
    /// The proof of belief (`counterfoil/belief/v1`); `-` reads standard input
    pub belief: PathBuf,
    /// What is trusted: the file that `counterfoil anchors -o` writes
    #[arg(long, value_name = "FILE")]
    pub anchors: PathBuf,
    /// The rules, as TOML, in the table `belief` [default: the preset "standard"]
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// The time of the review: a date, an RFC 3339 time, or milliseconds since 1970 [default: now]
    #[arg(long, value_name = "T", value_parser = time::parse)]
    pub now: Option<UnixMillis>,
}

/// Reviews, prints the report to standard output, and returns the exit code: 0 approved,
/// 1 rejected, 2 indeterminate, 3 unusable input (with one line on standard error).
#[must_use]
pub fn run_belief(args: &BeliefArgs, form: Form) -> ExitCode {
    finish(review_belief(args).and_then(|report| {
        print_text(&match form {
            Form::Human => report.render(),
            Form::Json => report.to_json()?,
        })?;
        Ok(report.verdict())
    }))
}

/// Reads what the arguments name, and reviews the proof.
///
/// # Errors
/// [`InputError`] if a file or the clock can't be used.
pub fn review_belief(args: &BeliefArgs) -> Result<BeliefReport, InputError> {
    let anchors = load_anchors(&args.anchors)?;
    let policy = load_policy(args.policy.as_deref())?;
    let reviewed_at = args.now.map_or_else(system_time, Ok)?;
    let bytes = load("proof of belief", &args.belief, MAX_BELIEF_BYTES)?;
    let document = BeliefDocument::from_json(&bytes).map_err(|cause| InputError::Belief {
        path: args.belief.clone(),
        cause,
    })?;
    let (shown, grounds) = match examine(&document, anchors) {
        Ok(shown) => {
            let grounds = judge(&shown, &policy, reviewed_at);
            (Some(shown), grounds)
        }
        Err(refusal) => (None, vec![BeliefReason::Refused(refusal)]),
    };
    Ok(BeliefReport {
        line: document.line,
        question: document.question,
        limits: document.limits,
        reviewed_at,
        shown,
        grounds,
    })
}
