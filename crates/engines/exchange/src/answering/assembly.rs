//! A response put together from texts in canonical form: the same bytes as `Response::sign` writes, for responders that hand
//! out the same memories many times (docs/format/exchange.md §3).

use alloc::string::{String, ToString};

use counterfoil_capsule::integrity::{ProofOptions, Purpose, sign_digest};
use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::json::canonical;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::documents::{
    DocumentError, DocumentKind, MAX_DOCUMENT_BYTES, Meta, Party, Request, RequestId,
    ResponseHeader, Status, Text, VERSION, written,
};

/// The parts of a response. The texts of its results have to be canonical, of documents that were read.
#[derive(Debug, Clone, Copy)]
pub struct Assembly<'a> {
    /// Id drawn by the responder.
    pub response_id: &'a RequestId,
    /// Time of writing, by the responder's clock.
    pub timestamp: Timestamp,
    /// Display name of the responder.
    pub name: &'a Text<128>,
    /// Result of the request.
    pub status: &'a Status,
    /// The memories; none unless the status is `success` or `partial`.
    pub results: &'a [AssembledResult<'a>],
    /// Counts; `returned` is set.
    pub meta: &'a Meta,
}

/// One memory of an assembly.
#[derive(Debug, Clone, Copy)]
pub struct AssembledResult<'a> {
    /// Name that the responder gives the memory.
    pub memory_id: &'a Text<1024>,
    /// Its attestation, in canonical form.
    pub attestation: &'a str,
    /// Relevance, 0 to 1.
    pub relevance: Option<f64>,
    /// Reason for the relevance.
    pub context: Option<&'a Text<1024>>,
    /// Its opened capsule, in canonical form.
    pub receipt: Option<&'a str>,
    /// Vouches for the attesting agent, at most 8, as an array in canonical form.
    pub vouches: Option<&'a str>,
}

/// Writes and signs the answer to `request`; gives its bytes.
///
/// # Errors
/// [`DocumentError::Incoherent`] for more results than the request asks for, more bytes than a document may have, or a
/// relevance outside of 0 to 1.
pub fn assemble(
    assembly: &Assembly<'_>,
    request: &Request,
    signer: &dyn Signer,
) -> Result<String, DocumentError> {
    let asked = request.parts();
    if assembly.results.len() > usize::from(asked.preferences.max_results) {
        return Err(DocumentError::Incoherent(
            "there are more results than were asked for",
        ));
    }
    let audience = request.asker();
    let header = ResponseHeader {
        request_id: asked.header.request_id.clone(),
        response_id: Some(assembly.response_id.clone()),
        timestamp: assembly.timestamp,
    };
    let meta = Meta {
        returned: u64::try_from(assembly.results.len()).unwrap_or(u64::MAX),
        ..assembly.meta.clone()
    };
    let responder = Party {
        agent_id: assembly.name.clone(),
        public_key: Some(signer.key()),
    };
    let texts = assembly.results.iter().map(|result| {
        let others = [result.receipt, result.vouches];
        let others = others.into_iter().flatten().map(str::len).sum::<usize>();
        result.attestation.len() + others + 2048
    });
    let mut text = String::with_capacity(texts.sum::<usize>() + 4096);
    text.push('{');
    member(&mut text, "audience", &audience)?;
    member(&mut text, "header", &header)?;
    member(&mut text, "in_response_to", &request.hash())?;
    member(&mut text, "meta", &meta)?;
    let place = text.len();
    member(&mut text, "responder", &responder)?;
    text.push_str("\"results\":[");
    for result in assembly.results {
        write_result(&mut text, result)?;
        text.push(',');
    }
    text.truncate(text.trim_end_matches(',').len());
    text.push_str("],");
    member(&mut text, "status", assembly.status)?;
    member(&mut text, "type", &DocumentKind::Response)?;
    member(&mut text, "version", VERSION)?;
    close(&mut text);
    let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let options = ProofOptions {
        purpose: Purpose::Assertion,
        created: assembly.timestamp.into(),
        domain: Some(audience.to_string()),
        challenge: asked.header.nonce.map(|nonce| nonce.to_string()),
    };
    let proof = canonical(&sign_digest(&digest, signer, &options)?)?;
    text.insert_str(place, &["\"proof\":", &proof, ","].concat());
    if text.len() > MAX_DOCUMENT_BYTES {
        return Err(DocumentError::Incoherent("a response of more than 1 MiB"));
    }
    Ok(text)
}

fn write_result(out: &mut String, result: &AssembledResult<'_>) -> Result<(), DocumentError> {
    if result
        .relevance
        .is_some_and(|relevance| !(0.0..=1.0).contains(&relevance))
    {
        return Err(DocumentError::Incoherent("a relevance is from 0 to 1"));
    }
    out.push('{');
    canonical_member(out, "attestation", result.attestation);
    if let Some(context) = result.context {
        member(out, "context", context)?;
    }
    member(out, "memory_id", result.memory_id)?;
    if let Some(receipt) = result.receipt {
        canonical_member(out, "receipt", receipt);
    }
    if let Some(relevance) = result.relevance {
        member(out, "relevance", &relevance)?;
    }
    if let Some(vouches) = result.vouches {
        canonical_member(out, "vouches", vouches);
    }
    close(out);
    Ok(())
}

/// Writes a member and a comma.
fn member<T: Serialize + ?Sized>(
    out: &mut String,
    name: &str,
    value: &T,
) -> Result<(), DocumentError> {
    canonical_member(out, name, &canonical(&written(value)?)?);
    Ok(())
}

/// Writes a member whose value is canonical, and a comma.
fn canonical_member(out: &mut String, name: &str, value: &str) {
    for part in ["\"", name, "\":", value, ","] {
        out.push_str(part);
    }
}

/// Writes the end of an object in place of the comma behind its last member.
fn close(out: &mut String) {
    out.pop();
    out.push('}');
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use counterfoil_capsule::{AgentSigner, SecretKey};
    use proptest::prelude::*;

    use super::*;
    use crate::documents::{
        Attestation, AttestationParts, Audience, Claim, Filters, MemoryQuery, Nonce, Party,
        Preferences, RequestHeader, RequestParts, Response, ResponseParts, ResultParts, StatusCode,
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
            query: MemoryQuery {
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
            provenance: None,
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
            let meta = Meta { returned: 0, total_matches: total, processing_time_ms: None, cursor };
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
                memories.iter().map(|memory| String::from_utf8(memory.bytes().to_vec()).unwrap()).collect();
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
