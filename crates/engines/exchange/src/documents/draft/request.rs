//! Requests and verifications of drafts.

use counterfoil_capsule::Timestamp;
use counterfoil_types::json::Value;

use super::super::member::check_order;
use super::super::{
    Audience, DocumentError, Filters, MAX_LIFE_US, MemoryQuery, Party, Preferences, RequestHeader,
    RequestParts, VerifyParts,
};
use super::look::Look;

const MICROS: u64 = 1_000_000;

pub(in super::super) fn request(draft: &Value) -> Result<RequestParts, DocumentError> {
    let draft = &Look::at(draft);
    let query = draft.required("query")?;
    let time_range = query.member("time_range").map(|range| {
        let window = (range.time_of("from")?, range.time_of("until")?);
        check_order(window).map(|()| window)
    });
    let filters = query.member("filters").map(|wanted| {
        let level = wanted.count_of("min_trust_level")?;
        let wrong = || wanted.wrong("a min_trust_level of 0 to 3");
        let level = level.map(|level| u8::try_from(level).ok().filter(|level| *level <= 3));
        Ok::<_, DocumentError>(Filters {
            min_trust_level: level.map(|level| level.ok_or_else(wrong)).transpose()?,
            require_evidence: wanted.flag_of("require_evidence")?.unwrap_or_default(),
            require_vouches: wanted.flag_of("require_vouches")?.unwrap_or_default(),
        })
    });
    let preferences = draft
        .member("preferences")
        .map(|wanted| preferences(&wanted));
    Ok(RequestParts {
        header: header(draft)?,
        requester: party(&draft.required("requester")?)?,
        audience: Audience::Everyone,
        query: MemoryQuery {
            natural: query.required("natural")?.read()?,
            domain: query.read_of("domain")?,
            keywords: query.each_of("keywords", 16, Look::read)?,
            time_range: time_range.transpose()?,
            filters: filters.transpose()?.unwrap_or_default(),
        },
        preferences: preferences.transpose()?.unwrap_or_default(),
    })
}

pub(in super::super) fn verify(draft: &Value) -> Result<VerifyParts, DocumentError> {
    let draft = &Look::at(draft);
    let checks = draft.required("checks_requested")?.each(3)?;
    let parts = VerifyParts {
        header: header(draft)?,
        requester: party(&draft.required("requester")?)?,
        audience: Audience::Everyone,
        attestation_id: draft.required("attestation_id")?.read()?,
        checks_requested: checks.iter().map(Look::read).collect::<Result<_, _>>()?,
    };
    parts.each_once()?;
    Ok(parts)
}

/// A draft lives as long as it states, 300 s at most, and 300 s if it does not.
fn header(draft: &Look<'_>) -> Result<RequestHeader, DocumentError> {
    let request_id = draft.required_header("request_id")?;
    let timestamp = draft.required_header("timestamp")?.time()?;
    let life = match draft.header("ttl_seconds") {
        Some(stated) => stated
            .value
            .as_u64()
            .ok_or_else(|| stated.wrong("a whole number of seconds"))?
            .saturating_mul(MICROS)
            .min(MAX_LIFE_US),
        None => MAX_LIFE_US,
    };
    let expires = timestamp.micros().saturating_add(life);
    Ok(RequestHeader {
        request_id: request_id.read()?,
        nonce: None,
        timestamp,
        expires: Timestamp::from_micros(expires).unwrap_or(timestamp),
    })
}

/// An agent. A key of another form is left out, since no check uses it.
pub(super) fn party(party: &Look<'_>) -> Result<Party, DocumentError> {
    Ok(Party {
        agent_id: party.required("agent_id")?.read()?,
        public_key: party.usable("public_key"),
    })
}

fn preferences(wanted: &Look<'_>) -> Result<Preferences, DocumentError> {
    let usual = Preferences::default();
    let most = wanted.count_of("max_results")?;
    let most = most.and_then(|most| u8::try_from(most.clamp(1, 100)).ok());
    Ok(Preferences {
        format: wanted.read_of("format")?.unwrap_or(usual.format),
        include_evidence: wanted
            .flag_of("include_evidence")?
            .unwrap_or(usual.include_evidence),
        include_vouches: wanted
            .flag_of("include_vouches")?
            .unwrap_or(usual.include_vouches),
        include_referrals: usual.include_referrals,
        max_results: most.unwrap_or(usual.max_results),
        cursor: None,
        ..usual
    })
}
