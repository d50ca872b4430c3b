//! From arguments to an exit code.

use std::io::{self, Write};
use std::process::ExitCode;

use counterfoil_authority::types::json::Value;
use counterfoil_authority::types::{DidKey, Proposal, UnixMillis};
use counterfoil_authority::verifier::VerifierSet;
use counterfoil_authority::{Authority, ReviewReport, Verdict};

use crate::belief::EngineFold;
use crate::nonces::NonceFile;
use crate::{Form, InputError, VerifyArgs, load_anchors, load_policy, load_proposal};
use crate::{render, terminal, to_json};

/// Exit code of unusable input.
const INPUT_ERROR: u8 = 3;
/// Characters of an error line.
const ERROR_LIMIT: usize = 2000;

/// Prints the text of a review to standard output, and returns the exit code: 0 approved, 1 rejected, 2 indeterminate,
/// 3 unusable input (with one line on standard error).
pub fn finish(reviewed: Result<(String, Verdict), InputError>) -> ExitCode {
    let printed = reviewed.and_then(|(text, verdict)| {
        io::stdout().write_all(text.as_bytes())?;
        Ok(verdict)
    });
    match printed {
        Ok(verdict) => ExitCode::from(exit_code(verdict)),
        Err(error) => {
            // The exit code says it too if standard error is gone.
            let _ = writeln!(
                io::stderr(),
                "error: {}",
                terminal::plain(&error.to_string(), ERROR_LIMIT)
            );
            ExitCode::from(INPUT_ERROR)
        }
    }
}

/// Reviews a proposal, and gives the report as text with its verdict.
///
/// # Errors
/// As [`review`].
pub fn verify(args: &VerifyArgs, form: Form) -> Result<(String, Verdict), InputError> {
    let report = review(args)?;
    let text = match form {
        Form::Human => render(&report),
        Form::Json => to_json(&report)?,
    };
    Ok((text, report.decision().verdict()))
}

/// Reads what the arguments name, and reviews the proposal.
///
/// # Errors
/// [`InputError`] if a file or the clock can't be used.
pub fn review(args: &VerifyArgs) -> Result<ReviewReport, InputError> {
    let (authority, proposal, now) = input(args)?;
    Ok(authority.review(&proposal, now))
}

/// Reads what the arguments name, reviews the proposal, and signs the decision with `key` (docs/format/decision.md).
///
/// # Errors
/// As [`review`], and [`InputError::Content`] for a proposal that has no digest.
pub fn decide(
    args: &VerifyArgs,
    key: DidKey,
    signature: impl FnOnce(&[u8]) -> [u8; 64],
) -> Result<(ReviewReport, Value), InputError> {
    let (authority, proposal, now) = input(args)?;
    let decided = authority.decide(&proposal, now, key, signature);
    decided.map_err(InputError::content("proposal", &args.document))
}

fn input(args: &VerifyArgs) -> Result<(Authority, Proposal, UnixMillis), InputError> {
    let anchors = load_anchors(&args.anchors)?;
    let policy = load_policy(args.policy.as_deref())?;
    let now = args.time()?;
    let proposal = load_proposal(&args.document)?;
    let authority = Authority::new(VerifierSet::new(anchors), policy).with_beliefs(EngineFold);
    let authority = match &args.nonces {
        Some(path) => authority.with_nonces(NonceFile::open(path)?),
        None => authority,
    };
    Ok((authority, proposal, now))
}

/// The exit code of a verdict: 0 approved, 1 rejected, 2 indeterminate.
pub const fn exit_code(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Approved => 0,
        Verdict::Rejected => 1,
        Verdict::Indeterminate => 2,
    }
}
