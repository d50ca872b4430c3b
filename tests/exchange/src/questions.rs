//! Requests and their answers, verifications and their results.

use std::collections::BTreeMap;

use counterfoil_capsule::Signer as _;
use counterfoil_exchange::documents::{
    Attestation, Audience, DocumentKind, Filters, Format, MemoryQuery, Meta, Nonce, Preferences,
    Request, RequestHeader, RequestParts, RequestedCheck, Response, ResponseHeader, ResponseParts,
    ResultParts, Status, StatusCode, Testimony, VerifyParts, VerifyRequest, VerifyResult,
    VerifyResultParts, Vouch,
};
use serde_json::json;

use crate::attestations::{attested, raw};
use crate::golden::Golden;
use crate::parts::{BABEL, DJCLAWD, agent, id, party, second, seed, text, written};
use crate::standing::{domain, vouch};

pub(crate) fn golden() -> Vec<Golden> {
    [requests(), responses(), verifications()].concat()
}

fn requests() -> Vec<Golden> {
    let (signed, anonymous) = (request(), anonymous());
    vec![
        Golden {
            name: "memory_request",
            kind: DocumentKind::Request,
            vector: json!({
                "about": "A signed request with all its members. Inputs: seed, of the requester. Its hash is over all but the proof.",
                "seed": seed(BABEL),
                "document": written(signed.bytes()),
                "requestHash": signed.hash().to_string(),
            }),
        },
        Golden {
            name: "memory_request-anonymous",
            kind: DocumentKind::Request,
            vector: json!({
                "about": "The least that can be asked: a question of nobody, to everyone.",
                "document": written(anonymous.bytes()),
                "requestHash": anonymous.hash().to_string(),
            }),
        },
    ]
}

fn responses() -> Vec<Golden> {
    let answer = |name, about: &str, request: &Request, response: &Response| Golden {
        name,
        kind: DocumentKind::Response,
        vector: json!({
            "about": about,
            "seed": seed(DJCLAWD),
            "request": written(request.bytes()),
            "document": written(response.bytes()),
            "requestHash": request.hash().to_string(),
            "documentHash": response.hash().to_string(),
        }),
    };
    let (signed, anonymous) = (request(), anonymous());
    let memory = result(attested(), Some(0.85), vec![vouch()]);
    let partial = respond(
        &signed,
        StatusCode::Partial,
        vec![memory, result(raw(), None, Vec::new())],
    );
    let success = respond(
        &anonymous,
        StatusCode::Success,
        vec![result(raw(), Some(1.0), Vec::new())],
    );
    let nothing = respond(&signed, StatusCode::NoMatch, Vec::new());
    vec![
        answer(
            "memory_response",
            "A partial answer with a signed memory, which somebody vouches for, and a raw one. Inputs: seed, of the responder.",
            &signed,
            &partial,
        ),
        answer(
            "memory_response-anonymous",
            "An answer to nobody: its audience and domain are \"*\".",
            &anonymous,
            &success,
        ),
        answer(
            "memory_response-no_match",
            "Nothing that the requester may have.",
            &signed,
            &nothing,
        ),
    ]
}

fn verifications() -> Vec<Golden> {
    let parts = VerifyParts {
        header: header(0x66),
        requester: party("Babel"),
        audience: Audience::One(agent(DJCLAWD).key()),
        attestation_id: text("memory-7"),
        checks_requested: vec![
            RequestedCheck::SignatureValid,
            RequestedCheck::VouchesPresent,
        ],
    };
    let asked = VerifyRequest::sign(parts, &agent(BABEL)).expect("the parts are whole");
    let parts = VerifyResultParts {
        header: response_header(),
        in_response_to: None,
        audience: Audience::Everyone,
        responder: party("djclawd"),
        attestation_id: text("memory-7"),
        checks: BTreeMap::from([
            (RequestedCheck::SignatureValid, Testimony::Pass),
            (RequestedCheck::VouchesPresent, Testimony::Skip),
        ]),
    };
    let said = VerifyResult::sign(parts, &asked, &agent(DJCLAWD)).expect("the parts are whole");
    vec![
        Golden {
            name: "memory_verify",
            kind: DocumentKind::Verify,
            vector: json!({
                "about": "Asks a responder what it says of a memory. Inputs: seed, of the requester.",
                "seed": seed(BABEL),
                "document": written(asked.bytes()),
                "requestHash": asked.hash().to_string(),
            }),
        },
        Golden {
            name: "verify_result",
            kind: DocumentKind::VerifyResult,
            vector: json!({
                "about": "What it says. Inputs: seed, of the responder.",
                "seed": seed(DJCLAWD),
                "request": written(asked.bytes()),
                "document": written(said.bytes()),
                "requestHash": asked.hash().to_string(),
            }),
        },
    ]
}

fn header(number: u8) -> RequestHeader {
    RequestHeader {
        request_id: id(number),
        nonce: Some(Nonce::from_bytes([number; 16])),
        timestamp: second(0),
        expires: second(30),
    }
}

fn request() -> Request {
    let parts = RequestParts {
        header: header(0x11),
        requester: party("Babel"),
        audience: Audience::One(agent(DJCLAWD).key()),
        query: MemoryQuery {
            natural: text("what do you know about pruning strategies for agent memory?"),
            domain: Some(domain("memory-systems")),
            keywords: vec![text("pruning"), text("strategies")],
            time_range: Some((Some(second(0)), None)),
            filters: Filters {
                min_trust_level: Some(1),
                require_evidence: true,
                require_vouches: false,
            },
        },
        preferences: Preferences {
            format: Format::Attestation,
            include_evidence: true,
            include_vouches: true,
            include_referrals: false,
            max_results: 2,
            cursor: Some(text("where-I-was")),
            held: Vec::new(),
        },
    };
    Request::sign(parts, &agent(BABEL)).expect("the parts are whole")
}

fn anonymous() -> Request {
    let parts = RequestParts {
        header: header(0x22),
        requester: party("somebody"),
        audience: Audience::Everyone,
        query: MemoryQuery::new(text("what do you know about herons?")),
        preferences: Preferences::default(),
    };
    Request::anonymous(parts).expect("the parts are whole")
}

fn response_header() -> ResponseHeader {
    ResponseHeader {
        request_id: id(0),
        response_id: Some(id(0x77)),
        timestamp: second(1),
    }
}

fn result(attestation: Attestation, relevance: Option<f64>, vouches: Vec<Vouch>) -> ResultParts {
    ResultParts {
        memory_id: attestation.parts().id.clone(),
        attestation,
        relevance,
        context: relevance.map(|_| text("it is what you asked for")),
        receipt: None,
        vouches,
    }
}

fn respond(to: &Request, code: StatusCode, results: Vec<ResultParts>) -> Response {
    let partial = code == StatusCode::Partial;
    let parts = ResponseParts {
        header: response_header(),
        in_response_to: None,
        audience: Audience::Everyone,
        responder: party("djclawd"),
        status: Status {
            message: partial.then(|| text("there is more")),
            ..Status::of(code)
        },
        results,
        meta: Meta {
            returned: 0,
            total_matches: partial.then_some(12),
            processing_time_ms: partial.then_some(150),
            cursor: partial.then(|| text("where-you-are")),
            retractions: Vec::new(),
        },
        referrals: Vec::new(),
    };
    Response::sign(parts, to, &agent(DJCLAWD)).expect("the parts are whole")
}
