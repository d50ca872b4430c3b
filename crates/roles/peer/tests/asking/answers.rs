//! What others answer.

use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
use counterfoil_claims::time::Boundary;
use counterfoil_claims::{FactValue, Identifier};
use counterfoil_exchange::documents::{
    Attestation, AttestationParts, Audience, Claim, ClaimKind, Decay, Meta, Party, Request,
    Response, ResponseHeader, ResponseParts, ResultParts, Salience, Status, StatusCode,
    StructuredClaim, Text,
};
use counterfoil_types::DidKey;
use counterfoil_types::json::{Value, canonical};
use serde_json::json;

use crate::rig::{NOW_US, SECOND_US};

/// The signer of a number.
pub(crate) fn agent(number: u8) -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([number; 32]))
}

pub(crate) fn key(number: u8) -> DidKey {
    agent(number).key()
}

pub(crate) fn stamp(at_us: u64) -> Timestamp {
    Timestamp::from_micros(at_us).unwrap()
}

/// A memory in words.
pub(crate) fn text(content: &str) -> Claim {
    Claim::of_text(Text::new(content).unwrap())
}

/// A memory that can be compared.
pub(crate) fn fact(subject: &str, predicate: &str, value: &str) -> Claim {
    Claim {
        kind: ClaimKind::Fact,
        structured: Some(StructuredClaim {
            subject: Identifier::new("subject", subject).unwrap(),
            predicate: Identifier::new("predicate", predicate).unwrap(),
            value: FactValue::new(&Value::from(value)).unwrap(),
            valid_from: None,
            valid_until: None,
        }),
        ..text(&format!("{subject} {predicate} {value}"))
    }
}

/// The same, of a time.
pub(crate) fn during(mut claim: Claim, from: &str, until: &str) -> Claim {
    let structured = claim.structured.as_mut().unwrap();
    let boundary = |text: &str| (!text.is_empty()).then(|| Boundary::parse(text).unwrap());
    structured.valid_from = boundary(from);
    structured.valid_until = boundary(until);
    claim
}

/// An attestation of an hour ago.
pub(crate) fn parts(id: &str, claim: Claim) -> AttestationParts {
    AttestationParts {
        agent: Some(Party::named(Text::new("somebody").unwrap())),
        created_at: Some(stamp(NOW_US - 3600 * SECOND_US)),
        ..AttestationParts::of_claim(Text::new(id).unwrap(), claim)
    }
}

/// A salience that says no more than this.
pub(crate) fn salience(expected_decay: Option<Decay>, supersedes: &[&str]) -> Option<Salience> {
    Some(Salience {
        why_kept: None,
        category: None,
        confidence: None,
        expected_decay,
        supersedes: supersedes
            .iter()
            .map(|id| Text::new(*id).unwrap())
            .collect(),
    })
}

/// A memory that `agent` stands up for.
pub(crate) fn attested(agent: &AgentSigner, parts: AttestationParts) -> ResultParts {
    result(Attestation::sign(parts, agent).unwrap())
}

pub(crate) fn result(attestation: Attestation) -> ResultParts {
    ResultParts {
        memory_id: attestation.parts().id.clone(),
        attestation,
        relevance: Some(0.5),
        context: None,
        receipt: None,
        vouches: Vec::new(),
    }
}

/// A memory of agent 9 in a signed answer of its.
pub(crate) fn memory(id: &str, claim: Claim) -> ResultParts {
    attested(&agent(9), parts(id, claim))
}

/// A signed answer of agent 9.
pub(crate) fn answer(request: &Request, results: Vec<ResultParts>) -> Vec<u8> {
    answer_of(&agent(9), request, results)
}

/// Two different answers of agent 9.
pub(crate) fn two(request: &Request) -> Vec<Vec<u8>> {
    let words = ["one", "two"].into_iter();
    words
        .map(|words| answer(request, vec![memory("m1", text(words))]))
        .collect()
}

pub(crate) fn answer_of(
    agent: &AgentSigner,
    request: &Request,
    results: Vec<ResultParts>,
) -> Vec<u8> {
    let code = match results.is_empty() {
        true => StatusCode::NoMatch,
        false => StatusCode::Success,
    };
    said(agent, request, code, results, "one")
}

/// A signed answer with a code; `other` makes it another one.
pub(crate) fn said(
    agent: &AgentSigner,
    request: &Request,
    code: StatusCode,
    results: Vec<ResultParts>,
    other: &str,
) -> Vec<u8> {
    let header = &request.parts().header;
    let parts = ResponseParts {
        header: ResponseHeader {
            request_id: header.request_id.clone(),
            response_id: Some(header.request_id.clone()),
            timestamp: header.timestamp,
        },
        in_response_to: Some(request.hash()),
        audience: Audience::Everyone,
        responder: Party::named(Text::new("somebody").unwrap()),
        status: Status {
            message: Some(Text::new(other).unwrap()),
            ..Status::of(code)
        },
        results,
        meta: Meta::default(),
        referrals: Vec::new(),
    };
    Response::sign(parts, request, agent)
        .unwrap()
        .bytes()
        .to_vec()
}

/// An answer without any proof.
pub(crate) fn unsigned(request: &Request, code: &str, texts: &[&str]) -> Vec<u8> {
    let parts = request.parts();
    let asker = parts
        .requester
        .public_key
        .map_or("*".to_owned(), |key| key.to_string());
    let memories = texts.iter().enumerate();
    let results = memories.map(|(at, text)| {
        let id = format!("m{at}");
        json!({
            "memory_id": id,
            "attestation": {
                "type": "attestation", "version": "1", "id": id,
                "claim": { "type": "observation", "content": text },
            },
        })
    });
    let document = json!({
        "type": "memory_response", "version": "1",
        "header": {
            "request_id": parts.header.request_id.as_str(),
            "response_id": "0198c0de-0000-4000-8000-000000000000",
            "timestamp": parts.header.timestamp.to_string(),
        },
        "in_response_to": request.hash().to_string(),
        "audience": asker,
        "responder": { "agent_id": "somebody" },
        "status": { "code": code },
        "results": results.collect::<Vec<_>>(),
        "meta": { "returned": texts.len() },
    });
    canonical(&document).unwrap().into_bytes()
}
