//! What drafts call an attestation: a text, a claim with a link, or most of what ours is.

use alloc::vec::Vec;

use counterfoil_types::Sha256Hash;

use super::super::wire::Spelled as _;
use super::super::{
    Attestation, AttestationParts, Claim, ClaimKind, Decay, DocumentError, DocumentKind, Evidence,
    Form, Salience, Text, VERSION,
};
use super::Look;
use super::request::party;

const KIND: DocumentKind = DocumentKind::Attestation;

pub(super) fn nested(draft: &Look<'_>) -> Result<Attestation, DocumentError> {
    let version = draft
        .value()
        .get("version")
        .and_then(|version| version.as_str());
    if version == Some(VERSION) {
        return Attestation::from_value(draft.value());
    }
    Attestation::of(parts(draft)?, Form::Draft, draft.value().clone())
}

pub(super) fn parts(draft: &Look<'_>) -> Result<AttestationParts, DocumentError> {
    let claim = claim(draft)?;
    let id = match draft.text_of("id")? {
        Some(id) => id,
        None => Text::new(claim.hash().digest().to_hex()).map_err(|_| draft.wrong("a claim"))?,
    };
    let provenance = draft.member("provenance");
    let source = provenance.and_then(|from| from.member("source"));
    Ok(AttestationParts {
        id,
        agent: draft
            .member("agent")
            .map(|agent| party(&agent))
            .transpose()?,
        created_at: draft.time_of("created_at")?,
        claim,
        salience: draft
            .member("salience")
            .map(|salience| kept(&salience))
            .transpose()?,
        source: source.map(|source| source.as_ours(KIND)).transpose()?,
        witnesses: Vec::new(),
        chain: None,
        evidence: evidence(draft)?,
    })
}

/// A text, `claim` as a text, or `claim` with its content.
fn claim(draft: &Look<'_>) -> Result<Claim, DocumentError> {
    if draft.value().is_string() {
        return Ok(Claim::of_text(draft.text()?));
    }
    let claim = draft.required("claim")?;
    if claim.value().is_string() {
        return Ok(Claim::of_text(claim.text()?));
    }
    let kind = claim
        .member("type")
        .map(|kind| kind.as_ours(KIND))
        .transpose()?;
    Ok(Claim {
        kind: kind.unwrap_or(ClaimKind::Observation),
        content: claim.required("content")?.text()?,
        context: claim.text_of("context")?,
        references: claim.texts_of("references", 16)?,
        structured: None,
    })
}

fn kept(salience: &Look<'_>) -> Result<Salience, DocumentError> {
    let category = salience
        .member("category")
        .map(|category| category.as_ours(KIND));
    Ok(Salience {
        why_kept: salience.text_of("why_kept")?,
        category: category.transpose()?,
        confidence: salience.share_of("confidence")?,
        expected_decay: salience
            .member("expected_decay")
            .map(|decay| expected(&decay))
            .transpose()?,
        supersedes: salience.texts_of("supersedes", 16)?,
    })
}

fn expected(decay: &Look<'_>) -> Result<Decay, DocumentError> {
    let kind = decay.required("type")?;
    match kind.value().as_str() {
        Some("permanent") => Ok(Decay::Permanent),
        Some("time-bound") => decay.required("until")?.time().map(Decay::TimeBound),
        Some("conditional") => decay.text_of("condition").map(Decay::Conditional),
        _ => Err(kind.wrong("one of permanent, time-bound, conditional")),
    }
}

/// One or several; a text is a URL.
fn evidence(draft: &Look<'_>) -> Result<Vec<Evidence>, DocumentError> {
    let Some(evidence) = draft.member("evidence") else {
        return Ok(Vec::new());
    };
    evidence.each(16)?.iter().map(link).collect()
}

/// A hash in another spelling than ours can't be compared, and is not kept.
fn link(link: &Look<'_>) -> Result<Evidence, DocumentError> {
    if link.value().is_string() {
        return Ok(Evidence {
            url: link.text()?,
            media_type: None,
            hash: None,
        });
    }
    let hash = link.member("hash");
    Ok(Evidence {
        url: link.required("url")?.text()?,
        media_type: link.text_of("media_type")?,
        hash: hash.and_then(|hash| hash.value().as_str().and_then(Sha256Hash::read)),
    })
}
