//! A question, and an answer to it of five memories, each attested and with its receipt.

use anyhow::Result;
use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
use counterfoil_exchange::documents::{
    Attestation, AttestationParts, Audience, Claim, MemoryQuery, Meta, Nonce, Party, Preferences,
    Request, RequestHeader, RequestId, RequestParts, Response, ResponseHeader, ResponseParts,
    ResultParts, Status, StatusCode, Text,
};

use crate::log::Log;

/// When all of it happens, microseconds since 1970.
pub(crate) const NOW: u64 = 1_790_000_000_000_000;
pub(crate) const MEMORIES: usize = 5;

pub(crate) fn asker() -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([1; 32]))
}

pub(crate) fn answerer() -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([2; 32]))
}

/// Texts as long as a sentence or two.
pub(crate) fn texts() -> Vec<String> {
    let about = "what you choose to forget defines who you become, so pruning is part of identity and not of storage";
    (0..MEMORIES)
        .map(|number| format!("Note {number} on pruning strategies: {about}."))
        .collect()
}

pub(crate) fn request() -> Result<Request> {
    let parts = RequestParts {
        header: RequestHeader {
            request_id: RequestId::from_bytes([3; 16]),
            nonce: Some(Nonce::from_bytes([4; 16])),
            timestamp: at(NOW)?,
            expires: at(NOW + 30_000_000)?,
        },
        requester: Party::named(Text::new("asker")?),
        audience: Audience::One(answerer().key()),
        query: MemoryQuery {
            keywords: vec![Text::new("pruning")?],
            ..MemoryQuery::new(Text::new("What do you know about pruning strategies?")?)
        },
        preferences: Preferences::default(),
    };
    Ok(Request::sign(parts, &asker())?)
}

pub(crate) fn response(request: &Request, log: &Log) -> Result<Response> {
    let results = texts()
        .into_iter()
        .enumerate()
        .map(|(number, text)| memory(log, number, &text));
    let parts = ResponseParts {
        header: ResponseHeader {
            request_id: request.parts().header.request_id.clone(),
            response_id: Some(RequestId::from_bytes([5; 16])),
            timestamp: at(NOW)?,
        },
        in_response_to: Some(request.hash()),
        audience: Audience::One(asker().key()),
        responder: party()?,
        status: Status::of(StatusCode::Success),
        results: results.collect::<Result<_>>()?,
        meta: Meta::default(),
        referrals: Vec::new(),
    };
    Ok(Response::sign(parts, request, &answerer())?)
}

fn memory(log: &Log, number: usize, text: &str) -> Result<ResultParts> {
    let id = format!("world-{number:032x}");
    let parts = AttestationParts {
        agent: Some(party()?),
        created_at: Some(at(NOW - 1_000_000_000)?),
        ..AttestationParts::of_claim(Text::new(&*id)?, Claim::of_text(Text::new(text)?))
    };
    Ok(ResultParts {
        memory_id: Text::new(id)?,
        attestation: Attestation::sign(parts, &answerer())?,
        relevance: Some(0.5),
        context: Some(Text::new("says \"pruning\"")?),
        receipt: Some(log.open(number)?),
        vouches: Vec::new(),
    })
}

fn party() -> Result<Party> {
    Ok(Party {
        agent_id: Text::new("answerer")?,
        public_key: Some(answerer().key()),
    })
}

fn at(micros: u64) -> Result<Timestamp> {
    Ok(Timestamp::from_micros(micros)?)
}
