//! A proposal or a proof of belief, judged in memory: for a host that has the bytes and no files.

use std::path::Path;

use counterfoil_authority::types::json::{Limits, Value, parse};
use counterfoil_authority::types::{Proposal, UnixMillis};
use counterfoil_authority::verifier::{Anchors, VerifierSet};
use counterfoil_authority::{Authority, Policy, Preset, Verdict};

use crate::belief::{BeliefDocument, BeliefError, EngineFold, review};
use crate::{InputError, to_json};

/// Judges a proposal or a proof of belief by the anchors and the preset `standard`. Returns the report as a JSON document, and the
/// verdict. It uses no database: the anchors are all that it trusts.
///
/// # Errors
/// [`InputError::Content`] for a document or anchors that cannot be read.
pub fn check(
    document: &[u8],
    anchors: &[u8],
    now: UnixMillis,
) -> Result<(Value, Verdict), InputError> {
    let (proof, trusted) = (Path::new("the proof"), Path::new("the anchors"));
    let anchors = Anchors::from_json(anchors);
    let anchors = anchors.map_err(InputError::content("anchors", trusted))?;
    let policy = Policy::preset(Preset::Standard);
    let (report, verdict) = match BeliefDocument::from_json(document) {
        Ok(document) => {
            let report = review(document, anchors, &policy, now);
            (report.to_json(), report.verdict())
        }
        Err(BeliefError::Format) => {
            let proposal = Proposal::from_json(document);
            let proposal = proposal.map_err(InputError::content("proposal", proof))?;
            let verifiers = VerifierSet::new(anchors);
            let authority = Authority::new(verifiers, policy).with_beliefs(EngineFold);
            let report = authority.review(&proposal, now);
            (to_json(&report), report.decision().verdict())
        }
        Err(error) => return Err(InputError::content("proof of belief", proof)(error)),
    };
    let report = report.map_err(InputError::content("report", proof))?;
    let report = parse(report.as_bytes(), Limits::DOCUMENT);
    let report = report.map_err(InputError::content("report", proof))?;
    Ok((report, verdict))
}
