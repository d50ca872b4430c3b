//! Requests and verifications of drafts.

use counterfoil_capsule::Timestamp;
use counterfoil_types::DidKey;

use super::super::wire::Spelled as _;
use super::super::{
    Audience, DocumentError, DocumentKind, Filters, Party, Preferences, Query, RequestHeader,
    RequestParts, RequestedCheck, TimeWindow, VerifyParts,
};
use super::Look;

/// As long as ours at most, and as long where it is not said.
const MAX_TTL_S: u64 = 300;
const MICROS: u64 = 1_000_000;

pub(super) fn request(draft: &Look<'_>) -> Result<RequestParts, DocumentError> {
    let query = draft.required("query")?;
    Ok(RequestParts {
        header: header(draft)?,
        requester: party(&draft.required("requester")?)?,
        audience: Audience::Everyone,
        query: Query {
            natural: query.required("natural")?.text()?,
            domain: query.text_of("domain")?,
            keywords: query.texts_of("keywords", 16)?,
            time_range: query
                .member("time_range")
                .map(|range| window(&range))
                .transpose()?,
            filters: query
                .member("filters")
                .map_or(Ok(Filters::default()), |wanted| filters(&wanted))?,
        },
        preferences: draft
            .member("preferences")
            .map_or(Ok(Preferences::default()), |wanted| preferences(&wanted))?,
    })
}

pub(super) fn verify(draft: &Look<'_>) -> Result<VerifyParts, DocumentError> {
    let checks = draft.required("checks_requested")?.each(3)?;
    let checks = checks
        .iter()
        .map(|check| check.as_ours::<RequestedCheck>(DocumentKind::Verify));
    let parts = VerifyParts {
        header: header(draft)?,
        requester: party(&draft.required("requester")?)?,
        audience: Audience::Everyone,
        attestation_id: draft.required("attestation_id")?.text()?,
        checks_requested: checks.collect::<Result<_, _>>()?,
    };
    parts.coherent()?;
    Ok(parts)
}

fn header(draft: &Look<'_>) -> Result<RequestHeader, DocumentError> {
    let request_id = draft
        .header("request_id")
        .map_or_else(|| draft.required("request_id"), Ok)?;
    let timestamp = draft
        .header("timestamp")
        .map_or_else(|| draft.required("timestamp"), Ok)?
        .time()?;
    let ttl_s = match draft.header("ttl_seconds") {
        Some(said) => said
            .value()
            .as_u64()
            .ok_or_else(|| said.wrong("a whole number of seconds"))?,
        None => MAX_TTL_S,
    };
    let expires = timestamp
        .micros()
        .saturating_add(ttl_s.min(MAX_TTL_S) * MICROS);
    Ok(RequestHeader {
        request_id: request_id.text()?,
        nonce: None,
        timestamp,
        expires: Timestamp::from_micros(expires).unwrap_or(timestamp),
    })
}

/// A name; a key that is none of ours is not kept, since nothing is checked with it.
pub(super) fn party(party: &Look<'_>) -> Result<Party, DocumentError> {
    let key = party.member("public_key");
    Ok(Party {
        agent_id: party.required("agent_id")?.text()?,
        public_key: key.and_then(|key| key.value().as_str().and_then(DidKey::read)),
    })
}

fn window(range: &Look<'_>) -> Result<TimeWindow, DocumentError> {
    let window = TimeWindow {
        from: range.time_of("from")?,
        until: range.time_of("until")?,
    };
    window.coherent()?;
    Ok(window)
}

fn filters(wanted: &Look<'_>) -> Result<Filters, DocumentError> {
    let level = wanted
        .count_of("min_trust_level")?
        .map(u8::try_from)
        .transpose();
    let level = level
        .ok()
        .filter(|level| level.is_none_or(|level| level <= 3));
    Ok(Filters {
        min_trust_level: level.ok_or_else(|| wanted.wrong("a min_trust_level of 0 to 3"))?,
        require_evidence: wanted.flag_of("require_evidence")?.unwrap_or_default(),
        require_vouches: wanted.flag_of("require_vouches")?.unwrap_or_default(),
    })
}

fn preferences(wanted: &Look<'_>) -> Result<Preferences, DocumentError> {
    let usual = Preferences::default();
    let format = wanted
        .member("format")
        .map(|format| format.as_ours(DocumentKind::Request));
    let most = wanted
        .count_of("max_results")?
        .map(|most| u8::try_from(most.clamp(1, 100)));
    Ok(Preferences {
        format: format.transpose()?.unwrap_or(usual.format),
        include_evidence: wanted
            .flag_of("include_evidence")?
            .unwrap_or(usual.include_evidence),
        include_vouches: wanted
            .flag_of("include_vouches")?
            .unwrap_or(usual.include_vouches),
        max_results: most.and_then(Result::ok).unwrap_or(usual.max_results),
        cursor: None,
    })
}
