//! Attestations of drafts: a text, a claim with a link, or most of an attestation of version `"1"`.

use counterfoil_types::document::Text;
use counterfoil_types::json::Value;

use super::super::{
    Attestation, AttestationParts, Claim, ClaimKind, Decay, DocumentError, EvidenceLink,
    MemoryProvenance, Salience, VERSION,
};
use super::look::Look;
use super::request::party;

pub(in super::super) fn attestation(draft: &Value) -> Result<AttestationParts, DocumentError> {
    let draft = &Look::at(draft);
    let claim = claim(draft)?;
    let id = match draft.read_of("id")? {
        Some(id) => id,
        None => Text::new(claim.hash().digest().to_hex()).map_err(|_| draft.wrong("a claim"))?,
    };
    let provenance = draft.member("provenance");
    let source = provenance.map_or(Ok(None), |from| from.read_of("source"))?;
    let salience = draft.member("salience").map(|salience| {
        let decay = salience.member("expected_decay");
        Ok::<_, DocumentError>(Salience {
            why_kept: salience.read_of("why_kept")?,
            category: salience.read_of("category")?,
            confidence: salience.share_of("confidence")?,
            expected_decay: decay.map(|decay| expected(&decay)).transpose()?,
            supersedes: salience.each_of("supersedes", 16, Look::read)?,
        })
    });
    let agent = draft.member("agent").map(|agent| party(&agent));
    Ok(AttestationParts {
        id,
        agent: agent.transpose()?,
        created_at: draft.time_of("created_at")?,
        claim,
        salience: salience.transpose()?,
        provenance: source.map(MemoryProvenance::of_source),
        evidence: draft.each_of("evidence", 16, link)?,
        pass_on: false,
    })
}

/// An attestation in a draft: one of version `"1"`, or any that a draft can have.
pub(super) fn nested(draft: &Value) -> Result<Attestation, DocumentError> {
    if draft.get("version").and_then(Value::as_str) == Some(VERSION) {
        return Attestation::from_value(draft);
    }
    Attestation::of_draft(attestation(draft)?, draft)
}

/// A text, `claim` as a text, or `claim` with its content.
fn claim(draft: &Look<'_>) -> Result<Claim, DocumentError> {
    if draft.value.is_string() {
        return Ok(Claim::of_text(draft.read()?));
    }
    let claim = draft.required("claim")?;
    if claim.value.is_string() {
        return Ok(Claim::of_text(claim.read()?));
    }
    Ok(Claim {
        kind: claim.read_of("type")?.unwrap_or(ClaimKind::Observation),
        content: claim.required("content")?.read()?,
        context: claim.read_of("context")?,
        references: claim.each_of("references", 16, Look::read)?,
        structured: None,
    })
}

fn expected(decay: &Look<'_>) -> Result<Decay, DocumentError> {
    let kind = decay.required("type")?;
    match kind.value.as_str() {
        Some("permanent") => Ok(Decay::Permanent),
        Some("time-bound") => decay.required("until")?.time().map(Decay::TimeBound),
        Some("conditional") => decay.read_of("condition").map(Decay::Conditional),
        _ => Err(kind.wrong("one of permanent, time-bound, conditional")),
    }
}

/// A URL, or an object with one. A hash in another spelling can't be compared, and is left out.
fn link(link: &Look<'_>) -> Result<EvidenceLink, DocumentError> {
    if link.value.is_string() {
        return Ok(EvidenceLink {
            url: link.read()?,
            media_type: None,
            hash: None,
        });
    }
    Ok(EvidenceLink {
        url: link.required("url")?.read()?,
        media_type: link.read_of("media_type")?,
        hash: link.usable("hash"),
    })
}
