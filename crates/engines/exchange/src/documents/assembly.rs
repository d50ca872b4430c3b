//! Responses put together from texts in canonical form, so that a responder can hand out the same memories many times
//! (docs/format/exchange.md §3).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_capsule::Signer;
use counterfoil_capsule::integrity::{Purpose, sign_digest};
use counterfoil_types::json::canonical;
use counterfoil_verifier::opened::OpenedCapsule;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::document::written;
use super::proof::bound;
use super::response::{count_of, fits};
use super::{
    DocumentError, DocumentKind, MAX_DOCUMENT_BYTES, Request, Response, ResponseParts, ResultParts,
    VERSION, Vouch,
};

/// One memory of an assembled response. Attestation, opened capsule and array of vouches are texts in canonical form, of
/// documents that were read.
pub type AssembledResult<'a> = ResultParts<&'a str, &'a str, Option<&'a str>>;

/// Writes and signs the answer to `request`; gives its bytes. Ids, hash, count, audience, domain and challenge follow from the
/// request.
///
/// # Errors
/// [`DocumentError::Incoherent`] for more results than the request asks for, more bytes than a document may have, or a
/// relevance outside of 0 to 1.
pub fn assemble(
    mut parts: ResponseParts<AssembledResult<'_>>,
    request: &Request,
    signer: &dyn Signer,
) -> Result<String, DocumentError> {
    fits(&parts.results, request)?;
    let asked = &request.parts().header;
    let audience = request.asker();
    parts.header.request_id = asked.request_id.clone();
    parts.responder.public_key = Some(signer.key());
    parts.meta.returned = count_of(&parts.results);
    let texts = parts.results.iter().map(|result| {
        let others = [result.receipt, result.vouches];
        let others = others.into_iter().flatten().map(str::len).sum::<usize>();
        result.attestation.len() + others + 2048
    });
    let mut text = String::with_capacity(texts.sum::<usize>() + 4096);
    text.push('{');
    member(&mut text, "audience", &audience)?;
    member(&mut text, "header", &parts.header)?;
    member(&mut text, "in_response_to", &request.hash())?;
    member(&mut text, "meta", &parts.meta)?;
    let place = text.len();
    if !parts.referrals.is_empty() {
        member(&mut text, "referrals", &parts.referrals)?;
    }
    member(&mut text, "responder", &parts.responder)?;
    text.push_str("\"results\":[");
    for result in &parts.results {
        write_result(&mut text, result)?;
        text.push(',');
    }
    text.truncate(text.trim_end_matches(',').len());
    text.push_str("],");
    member(&mut text, "status", &parts.status)?;
    member(&mut text, "type", &DocumentKind::Response)?;
    member(&mut text, "version", VERSION)?;
    close(&mut text);
    let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let binding = bound(Purpose::Assertion, &audience, asked.nonce.as_ref());
    let created = parts.header.timestamp;
    let proof = canonical(&sign_digest(&digest, signer, created, &binding)?)?;
    text.insert_str(place, &["\"proof\":", &proof, ","].concat());
    if text.len() > MAX_DOCUMENT_BYTES {
        return Err(DocumentError::Incoherent("a response of more than 1 MiB"));
    }
    Ok(text)
}

/// Writes the answer to a request of version `"0.1"` in the shape of that version, without a proof: it has none that covers the
/// whole document (R2). Gives its bytes.
///
/// # Errors
/// As of [`assemble`].
pub fn assemble_draft(
    mut parts: ResponseParts<AssembledResult<'_>>,
    request: &Request,
) -> Result<String, DocumentError> {
    fits(&parts.results, request)?;
    parts.meta.returned = count_of(&parts.results);
    parts.meta.cursor = None;
    let mut text = String::from("{\"memories\":[");
    for result in &parts.results {
        write_result(&mut text, result)?;
        text.push(',');
    }
    text.truncate(text.trim_end_matches(',').len());
    text.push_str("],");
    member(&mut text, "meta", &parts.meta)?;
    member(&mut text, "request_id", &request.parts().header.request_id)?;
    member(&mut text, "responder", &parts.responder)?;
    member(&mut text, "status", &parts.status.code)?;
    member(&mut text, "timestamp", &parts.header.timestamp)?;
    member(&mut text, "type", &DocumentKind::Response)?;
    member(&mut text, "version", "0.1")?;
    close(&mut text);
    if text.len() > MAX_DOCUMENT_BYTES {
        return Err(DocumentError::Incoherent("a response of more than 1 MiB"));
    }
    Ok(text)
}

impl Response {
    /// Writes the signed answer to `request`; ids, hash, count, audience, domain and challenge follow from it.
    ///
    /// # Errors
    /// [`DocumentError`] for parts that contradict each other or the request, or a document of more than 1 MiB.
    pub fn sign(
        parts: ResponseParts,
        request: &Request,
        signer: &dyn Signer,
    ) -> Result<Self, DocumentError> {
        let texts = parts.results.iter().map(|result| {
            let receipt = result.receipt.as_ref().map(OpenedCapsule::to_value);
            let vouches: Vec<&str> = result.vouches.iter().map(Vouch::text).collect();
            let vouches = (!vouches.is_empty()).then(|| ["[", &vouches.join(","), "]"].concat());
            Ok((receipt.map(|value| canonical(&value)).transpose()?, vouches))
        });
        let texts = texts.collect::<Result<Vec<_>, DocumentError>>()?;
        let results = parts.results.iter().zip(&texts);
        let results = results.map(|(result, (receipt, vouches))| AssembledResult {
            memory_id: result.memory_id.clone(),
            attestation: result.attestation.text(),
            relevance: result.relevance,
            context: result.context.clone(),
            receipt: receipt.as_deref(),
            vouches: vouches.as_deref(),
        });
        let parts = ResponseParts {
            results: results.collect(),
            header: parts.header,
            in_response_to: None,
            audience: parts.audience,
            responder: parts.responder,
            status: parts.status,
            meta: parts.meta,
            referrals: parts.referrals,
        };
        Self::parse(assemble(parts, request, signer)?.as_bytes())
    }
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
    if let Some(context) = &result.context {
        member(out, "context", context)?;
    }
    member(out, "memory_id", &result.memory_id)?;
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
