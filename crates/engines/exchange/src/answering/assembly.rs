//! A response put together from texts that are canonical already: the same bytes as `Response::sign` writes, for whoever
//! hands out the same memories again and again (docs/format/exchange.md §3).

use alloc::string::{String, ToString};

use counterfoil_capsule::integrity::{ProofOptions, Purpose, sign_digest};
use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::json::{Value, canonical};
use sha2::{Digest, Sha256};

use crate::documents::{
    DocumentError, Form, MAX_DOCUMENT_BYTES, Meta, Request, RequestId, Status, StatusCode, Text,
    VERSION, object,
};

/// What a response is put together from. Whoever makes one answers for the texts of its results: they are canonical, and
/// those of documents that were read.
#[derive(Debug, Clone, Copy)]
pub struct Assembly<'a> {
    /// Drawn by the responder.
    pub response_id: &'a RequestId,
    /// When it is written, by the responder's clock.
    pub timestamp: Timestamp,
    /// What the responder calls itself.
    pub name: &'a Text<128>,
    /// How the request went.
    pub status: &'a Status,
    /// The memories; none unless the status is `success` or `partial`.
    pub results: &'a [AssembledResult<'a>],
    /// How many there are.
    pub meta: &'a Meta,
}

/// One memory.
#[derive(Debug, Clone, Copy)]
pub struct AssembledResult<'a> {
    /// The responder's name for it.
    pub memory_id: &'a Text<1024>,
    /// Its attestation, in canonical form.
    pub attestation: &'a str,
    /// How relevant it is, 0 to 1.
    pub relevance: Option<f64>,
    /// Why it is.
    pub context: Option<&'a Text<1024>>,
    /// Its opened capsule, in canonical form.
    pub receipt: Option<&'a str>,
    /// Vouches for who attests, at most 8, as an array in canonical form.
    pub vouches: Option<&'a str>,
}

/// Writes and signs the answer to `request`: its bytes.
///
/// # Errors
/// [`DocumentError::Incoherent`] for more results than were asked for, or more bytes than a document has; a number that is
/// none.
pub fn assemble(
    assembly: &Assembly<'_>,
    request: &Request,
    signer: &dyn Signer,
) -> Result<String, DocumentError> {
    if assembly.results.len() > usize::from(request.parts().preferences.max_results) {
        return Err(DocumentError::Incoherent(
            "there are more results than were asked for",
        ));
    }
    let asker = asker(request);
    let mut text = String::with_capacity(size(assembly));
    before_proof(&mut text, assembly, request, &asker)?;
    let place = text.len();
    after_proof(&mut text, assembly, signer)?;
    let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let options = ProofOptions {
        purpose: Purpose::Assertion,
        created: assembly.timestamp.into(),
        domain: Some(asker),
        challenge: request.parts().header.nonce.map(|nonce| nonce.to_string()),
    };
    let proof = canonical(&sign_digest(&digest, signer, &options)?)?;
    text.insert_str(place, &["\"proof\":", &proof, ","].concat());
    if text.len() > MAX_DOCUMENT_BYTES {
        return Err(DocumentError::Incoherent("a response of more than 1 MiB"));
    }
    Ok(text)
}

/// Whom the answer is for: the key that asked, or nobody.
fn asker(request: &Request) -> String {
    match (request.form(), request.parts().requester.public_key) {
        (Form::One, Some(key)) => key.to_string(),
        _ => "*".into(),
    }
}

/// `audience`, `header`, `in_response_to`, `meta`, each with a comma behind it.
fn before_proof(
    out: &mut String,
    assembly: &Assembly<'_>,
    request: &Request,
    asker: &str,
) -> Result<(), DocumentError> {
    let header = object([
        (
            "request_id",
            Some(request.parts().header.request_id.as_str().into()),
        ),
        ("response_id", Some(assembly.response_id.as_str().into())),
        ("timestamp", Some(assembly.timestamp.to_string().into())),
    ]);
    let meta = object([
        ("returned", Some(assembly.results.len().into())),
        (
            "total_matches",
            assembly.meta.total_matches.map(Value::from),
        ),
        (
            "processing_time_ms",
            assembly.meta.processing_time_ms.map(Value::from),
        ),
        (
            "cursor",
            assembly
                .meta
                .cursor
                .as_ref()
                .map(|cursor| cursor.as_str().into()),
        ),
    ]);
    out.push('{');
    member(out, "audience", &asker.into())?;
    member(out, "header", &header)?;
    member(out, "in_response_to", &request.hash().to_string().into())?;
    member(out, "meta", &meta)
}

/// `responder`, `results`, `status`, `type`, `version`, and the end.
fn after_proof(
    out: &mut String,
    assembly: &Assembly<'_>,
    signer: &dyn Signer,
) -> Result<(), DocumentError> {
    let responder = object([
        ("agent_id", Some(assembly.name.as_str().into())),
        ("public_key", Some(signer.key().to_string().into())),
    ]);
    member(out, "responder", &responder)?;
    out.push_str("\"results\":[");
    for (at, one) in assembly.results.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        result(out, one)?;
    }
    out.push_str("],");
    let status = object([
        ("code", Some(code(assembly.status.code).into())),
        (
            "message",
            assembly
                .status
                .message
                .as_ref()
                .map(|text| text.as_str().into()),
        ),
        (
            "problem",
            assembly
                .status
                .problem
                .as_ref()
                .map(|text| text.as_str().into()),
        ),
    ]);
    member(out, "status", &status)?;
    out.push_str("\"type\":\"memory_response\",\"version\":\"");
    out.push_str(VERSION);
    out.push_str("\"}");
    Ok(())
}

fn result(out: &mut String, result: &AssembledResult<'_>) -> Result<(), DocumentError> {
    out.push_str("{\"attestation\":");
    out.push_str(result.attestation);
    out.push(',');
    if let Some(context) = result.context {
        member(out, "context", &context.as_str().into())?;
    }
    member(out, "memory_id", &result.memory_id.as_str().into())?;
    if let Some(receipt) = result.receipt {
        out.push_str("\"receipt\":");
        out.push_str(receipt);
        out.push(',');
    }
    if let Some(relevance) = result.relevance {
        if !(0.0..=1.0).contains(&relevance) {
            return Err(DocumentError::Incoherent("a relevance is from 0 to 1"));
        }
        member(out, "relevance", &relevance.into())?;
    }
    if let Some(vouches) = result.vouches {
        out.push_str("\"vouches\":");
        out.push_str(vouches);
        out.push(',');
    }
    // The comma behind the last member.
    out.pop();
    out.push('}');
    Ok(())
}

fn member(out: &mut String, name: &str, value: &Value) -> Result<(), DocumentError> {
    out.push('"');
    out.push_str(name);
    out.push_str("\":");
    out.push_str(&canonical(value)?);
    out.push(',');
    Ok(())
}

const fn code(code: StatusCode) -> &'static str {
    match code {
        StatusCode::Success => "success",
        StatusCode::Partial => "partial",
        StatusCode::NoMatch => "no_match",
        StatusCode::Declined => "declined",
        StatusCode::Error => "error",
    }
}

/// About how long it will be.
fn size(assembly: &Assembly<'_>) -> usize {
    let results = assembly.results.iter().map(|result| {
        let receipt = result.receipt.map_or(0, str::len);
        result.attestation.len() + receipt + result.vouches.map_or(0, str::len) + 2048
    });
    results.sum::<usize>() + 4096
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use counterfoil_capsule::{AgentSigner, SecretKey};
    use proptest::prelude::*;

    use super::*;
    use crate::documents::{
        Attestation, AttestationParts, Audience, Claim, Filters, Nonce, Party, Preferences, Query,
        RequestHeader, RequestParts, Response, ResponseHeader, ResponseParts, ResultParts,
    };

    fn signer(seed: u8) -> AgentSigner {
        AgentSigner::new(SecretKey::from_seed([seed; 32]))
    }

    fn at() -> Timestamp {
        Timestamp::from_micros(1_800_000_000_123_456).unwrap()
    }

    fn party(name: &str) -> Party {
        Party {
            agent_id: Text::new(name).unwrap(),
            public_key: None,
        }
    }

    fn request(anonymous: bool) -> Request {
        let parts = RequestParts {
            header: RequestHeader {
                request_id: RequestId::from_bytes([1; 16]),
                nonce: Some(Nonce::from_bytes([2; 16])),
                timestamp: at(),
                expires: at(),
            },
            requester: party("ann"),
            audience: Audience::One(signer(1).agent()),
            query: Query {
                natural: Text::new("tea").unwrap(),
                domain: None,
                keywords: Vec::new(),
                time_range: None,
                filters: Filters::default(),
            },
            preferences: Preferences::default(),
        };
        match anonymous {
            true => Request::anonymous(parts).unwrap(),
            false => Request::sign(parts, &signer(2)).unwrap(),
        }
    }

    fn attestation(text: &str) -> Attestation {
        let parts = AttestationParts {
            id: Text::new("w").unwrap(),
            agent: Some(party("babel")),
            created_at: Some(at()),
            claim: Claim::of_text(Text::new(text).unwrap()),
            salience: None,
            source: None,
            witnesses: Vec::new(),
            chain: None,
            evidence: Vec::new(),
        };
        Attestation::sign(parts, &signer(1)).unwrap()
    }

    proptest! {
        /// Two ways to write a response, and one spelling.
        #[test]
        fn what_is_put_together_is_what_is_signed_as_a_whole(
            texts in prop::collection::vec("[^\0]{1,60}", 0..4),
            relevance in prop::option::of(0.0..=1.0),
            context in prop::option::of("[^\0]{1,60}"),
            total in prop::option::of(4_u64..1_000_000),
            cursor in prop::option::of("[A-Za-z0-9_-]{1,60}"),
            (anonymous, name) in (any::<bool>(), "[^\0]{1,30}"),
        ) {
            let request = request(anonymous);
            let memories: Vec<Attestation> = texts.iter().map(|text| attestation(text)).collect();
            let context = context.map(|text| Text::<1024>::new(text).unwrap());
            let memory_id = Text::new("wörld \"1\"").unwrap();
            let code = match (memories.is_empty(), &cursor) {
                (true, _) => StatusCode::NoMatch,
                (false, None) => StatusCode::Success,
                (false, Some(_)) => StatusCode::Partial,
            };
            let partial = code == StatusCode::Partial;
            let status = Status {
                code,
                message: partial.then(|| Text::new("more").unwrap()),
                problem: None,
            };
            let cursor = cursor.filter(|_| partial).map(|cursor| Text::new(cursor).unwrap());
            let meta = Meta { total_matches: total, processing_time_ms: None, cursor };
            let response_id = RequestId::from_bytes([3; 16]);
            let name = Text::new(name).unwrap();
            let parts = ResponseParts {
                header: ResponseHeader {
                    request_id: request.parts().header.request_id.clone(),
                    response_id: Some(response_id.clone()),
                    timestamp: at(),
                },
                in_response_to: None,
                audience: Audience::Everyone,
                responder: Party { agent_id: name.clone(), public_key: None },
                status: status.clone(),
                results: memories.iter().map(|memory| ResultParts {
                    memory_id: memory_id.clone(),
                    attestation: memory.clone(),
                    relevance,
                    context: context.clone(),
                    receipt: None,
                    vouches: Vec::new(),
                }).collect(),
                meta: meta.clone(),
            };
            let whole = Response::sign(parts, &request, &signer(1)).unwrap();
            let texts: Vec<String> =
                memories.iter().map(|memory| canonical(memory.value()).unwrap()).collect();
            let results: Vec<AssembledResult<'_>> = texts.iter().map(|text| AssembledResult {
                memory_id: &memory_id,
                attestation: text,
                relevance,
                context: context.as_ref(),
                receipt: None,
                vouches: None,
            }).collect();
            let assembly = Assembly {
                response_id: &response_id,
                timestamp: at(),
                name: &name,
                status: &status,
                results: &results,
                meta: &meta,
            };
            let assembled = assemble(&assembly, &request, &signer(1)).unwrap();
            prop_assert_eq!(assembled.as_bytes(), whole.bytes());
        }
    }
}
