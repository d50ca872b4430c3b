//! Responses and results of drafts, in both shapes.

use alloc::vec::Vec;

use super::super::wire::Spelled as _;
use super::super::{
    Audience, DocumentError, DocumentKind, Form, Meta, RequestId, RequestedCheck, ResponseHeader,
    ResponseParts, ResultParts, Status, StatusCode, Testimony, Text, VerifyResultParts,
};
use super::request::party;
use super::{Look, nested};

const KIND: DocumentKind = DocumentKind::Response;

pub(super) fn response(draft: &Look<'_>) -> Result<ResponseParts, DocumentError> {
    let meta = draft.member("meta");
    let counted = |name| meta.as_ref().map_or(Ok(None), |meta| meta.count_of(name));
    let parts = ResponseParts {
        header: header(draft)?,
        in_response_to: None,
        audience: Audience::Everyone,
        responder: party(&draft.required("responder")?)?,
        status: status(&draft.required("status")?)?,
        results: results(draft)?,
        meta: Meta {
            total_matches: counted("total_matches")?,
            processing_time_ms: counted("processing_time_ms")?,
            cursor: None,
        },
    };
    parts.coherent(Form::Draft, counted("returned")?)?;
    Ok(parts)
}

pub(super) fn verify_result(draft: &Look<'_>) -> Result<VerifyResultParts, DocumentError> {
    let checks = draft.required("checks")?;
    let mut said = Vec::new();
    for (check, name) in [
        (RequestedCheck::SignatureValid, "signature_valid"),
        (RequestedCheck::EvidenceAccessible, "evidence_accessible"),
        (RequestedCheck::VouchesPresent, "vouches_present"),
    ] {
        if let Some(testimony) = checks.member(name) {
            said.push((check, testimony_of(&testimony)?));
        }
    }
    Ok(VerifyResultParts {
        header: header(draft)?,
        in_response_to: None,
        audience: Audience::Everyone,
        responder: party(&draft.required("responder")?)?,
        attestation_id: draft.required("attestation_id")?.text()?,
        checks: said,
    })
}

/// The notes write PASS, FAIL and SKIP.
fn testimony_of(said: &Look<'_>) -> Result<Testimony, DocumentError> {
    match said.value().as_str() {
        Some("PASS" | "pass") => Ok(Testimony::Pass),
        Some("FAIL" | "fail") => Ok(Testimony::Fail),
        Some("SKIP" | "skip") => Ok(Testimony::Skip),
        _ => Err(said.wrong("one of pass, fail, skip")),
    }
}

fn header(draft: &Look<'_>) -> Result<ResponseHeader, DocumentError> {
    let request_id = draft
        .header("request_id")
        .map_or_else(|| draft.required("request_id"), Ok)?;
    let timestamp = draft
        .header("timestamp")
        .map_or_else(|| draft.required("timestamp"), Ok)?;
    // A name of its own is no member that binds anything: what is no UUID is passed over.
    let response_id = draft.header("response_id");
    Ok(ResponseHeader {
        request_id: request_id.text()?,
        response_id: response_id.and_then(|id| id.value().as_str().and_then(RequestId::read)),
        timestamp: timestamp.time()?,
    })
}

/// A word, or an object with a code.
fn status(status: &Look<'_>) -> Result<Status, DocumentError> {
    if status.value().is_string() {
        return Ok(Status {
            code: status.as_ours(KIND)?,
            message: None,
            problem: None,
        });
    }
    let code: StatusCode = status.required("code")?.as_ours(KIND)?;
    Ok(Status {
        code,
        message: status.text_of("message")?,
        problem: match code {
            StatusCode::Error => status.text_of("problem")?,
            _ => None,
        },
    })
}

fn results(draft: &Look<'_>) -> Result<Vec<ResultParts>, DocumentError> {
    let Some(results) = draft.member("results").or_else(|| draft.member("memories")) else {
        return Ok(Vec::new());
    };
    results.each(100)?.iter().map(result).collect()
}

fn result(result: &Look<'_>) -> Result<ResultParts, DocumentError> {
    let memory = result.required("attestation")?;
    let attestation = nested(memory.value()).map_err(|error| memory.nested(error))?;
    let relevance = match result.share_of("relevance")? {
        None => result.share_of("relevance_score")?,
        said => said,
    };
    let context = match result.text_of("context")? {
        None => result.text_of("match_context")?,
        said => said,
    };
    let named: Option<Text<1024>> = result.text_of("memory_id")?;
    Ok(ResultParts {
        memory_id: named.unwrap_or_else(|| attestation.parts().id.clone()),
        attestation,
        relevance,
        context,
        receipt: None,
        vouches: Vec::new(),
    })
}
