//! Documents with as little in them as they may have.

use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_exchange::documents::{
    Attestation, AttestationParts, Audience, Claim, MemoryProvenance, MemoryQuery, Meta, Nonce,
    Party, Preferences, ProvenanceSource, Request, RequestHeader, RequestId, RequestParts,
    ResponseHeader, ResponseParts, ResultParts, Status, StatusCode, Text,
};
use counterfoil_types::DidKey;

use super::log::agent;

/// When everything here happens, microseconds since 1970.
pub(crate) const NOW: u64 = 1_790_000_000_000_000;
pub(crate) const SECOND: u64 = 1_000_000;
pub(crate) const DAY: u64 = 86_400 * SECOND;

pub(crate) fn time(micros: u64) -> Timestamp {
    Timestamp::from_micros(micros).unwrap()
}

pub(crate) fn text<const MAX: usize>(text: &str) -> Text<MAX> {
    Text::new(text).unwrap()
}

pub(crate) fn key(number: u8) -> DidKey {
    agent(number).key()
}

pub(crate) fn party(number: u8) -> Party {
    Party {
        agent_id: text(&format!("agent {number}")),
        public_key: Some(key(number)),
    }
}

pub(crate) fn request_parts(number: u8, audience: Audience) -> RequestParts {
    RequestParts {
        header: RequestHeader {
            request_id: RequestId::from_bytes([number; 16]),
            nonce: Some(Nonce::from_bytes([number; 16])),
            timestamp: time(NOW),
            expires: time(NOW + 30 * SECOND),
        },
        requester: Party::named(text("me")),
        audience,
        query: MemoryQuery::new(text("What do you know about pruning?")),
        preferences: Preferences::default(),
    }
}

/// A question of `asker`, under the name of a number, to one agent.
pub(crate) fn request(number: u8, asker: u8, asked: u8) -> Request {
    let parts = request_parts(number, Audience::One(key(asked)));
    Request::sign(parts, &agent(asker)).unwrap()
}

pub(crate) fn attestation_parts(id: &str, claim: Claim, by: u8) -> AttestationParts {
    AttestationParts {
        agent: Some(party(by)),
        created_at: Some(time(NOW - DAY)),
        provenance: Some(MemoryProvenance::of_source(ProvenanceSource::Received)),
        ..AttestationParts::of_claim(text(id), claim)
    }
}

pub(crate) fn attested(parts: AttestationParts, by: u8) -> Attestation {
    Attestation::sign(parts, &agent(by)).unwrap()
}

/// What `by` says of itself, in words.
pub(crate) fn said(words: &str, by: u8) -> Attestation {
    let claim = Claim::of_text(text(words));
    attested(attestation_parts(words, claim, by), by)
}

pub(crate) fn result(attestation: Attestation) -> ResultParts {
    ResultParts {
        memory_id: attestation.parts().id.clone(),
        attestation,
        relevance: Some(0.5),
        context: None,
        receipt: None,
        vouches: vec![],
    }
}

pub(crate) fn response_parts(
    request: &Request,
    by: u8,
    results: Vec<ResultParts>,
) -> ResponseParts {
    ResponseParts {
        header: ResponseHeader {
            request_id: request.parts().header.request_id.clone(),
            response_id: Some(RequestId::from_bytes([0xaa; 16])),
            timestamp: time(NOW + SECOND),
        },
        in_response_to: Some(request.hash()),
        audience: Audience::Everyone,
        responder: party(by),
        status: Status::of(StatusCode::Success),
        results,
        meta: Meta::default(),
        referrals: Vec::new(),
    }
}
