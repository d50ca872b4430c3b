//! Responses and results of drafts, in both shapes.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use counterfoil_types::json::Value;

use super::super::document::Parts as _;
use super::super::{
    Audience, DocumentError, Meta, RequestedCheck, ResponseHeader, ResponseParts, ResultParts,
    Status, StatusCode, Testimony, VerifyResultParts,
};
use super::attestation::nested;
use super::look::Look;
use super::request::party;

pub(in super::super) fn response(draft: &Value) -> Result<ResponseParts, DocumentError> {
    let draft = &Look::at(draft);
    let meta = draft.member("meta");
    let counted = |name| meta.as_ref().map_or(Ok(None), |meta| meta.count_of(name));
    let memories = ["results", "memories"]
        .into_iter()
        .find(|name| draft.member(name).is_some());
    let results = memories.map_or(Ok(Vec::new()), |name| draft.each_of(name, 100, result))?;
    let parts = ResponseParts {
        header: header(draft)?,
        in_response_to: None,
        audience: Audience::Everyone,
        responder: party(&draft.required("responder")?)?,
        status: status(&draft.required("status")?)?,
        meta: Meta {
            returned: counted("returned")?
                .unwrap_or(u64::try_from(results.len()).unwrap_or(u64::MAX)),
            total_matches: counted("total_matches")?,
            processing_time_ms: counted("processing_time_ms")?,
            cursor: None,
            retractions: Vec::new(),
        },
        results,
        referrals: Vec::new(),
    };
    parts.coherent()?;
    Ok(parts)
}

pub(in super::super) fn verify_result(draft: &Value) -> Result<VerifyResultParts, DocumentError> {
    let draft = &Look::at(draft);
    let stated = draft.required("checks")?;
    let mut checks = BTreeMap::new();
    for check in RequestedCheck::ALL {
        if let Some(testimony) = stated.member(check.name()) {
            let stated = match testimony.value.as_str() {
                Some("PASS" | "pass") => Testimony::Pass,
                Some("FAIL" | "fail") => Testimony::Fail,
                Some("SKIP" | "skip") => Testimony::Skip,
                _ => return Err(testimony.wrong("one of pass, fail, skip")),
            };
            checks.insert(check, stated);
        }
    }
    Ok(VerifyResultParts {
        header: header(draft)?,
        in_response_to: None,
        audience: Audience::Everyone,
        responder: party(&draft.required("responder")?)?,
        attestation_id: draft.required("attestation_id")?.read()?,
        checks,
    })
}

fn header(draft: &Look<'_>) -> Result<ResponseHeader, DocumentError> {
    let request_id = draft.required_header("request_id")?;
    let timestamp = draft.required_header("timestamp")?;
    // The id of a draft binds nothing: one that is no UUID is passed over.
    let response_id = draft.header("response_id");
    Ok(ResponseHeader {
        request_id: request_id.read()?,
        response_id: response_id.and_then(|id| id.read().ok()),
        timestamp: timestamp.time()?,
    })
}

/// A word, or an object with a code.
fn status(status: &Look<'_>) -> Result<Status, DocumentError> {
    if status.value.is_string() {
        return status.read().map(Status::of);
    }
    let code: StatusCode = status.required("code")?.read()?;
    Ok(Status {
        code,
        message: status.read_of("message")?,
        problem: match code {
            StatusCode::Error => status.read_of("problem")?,
            _ => None,
        },
    })
}

fn result(result: &Look<'_>) -> Result<ResultParts, DocumentError> {
    let memory = result.required("attestation")?;
    let attestation = nested(memory.value).map_err(|error| memory.nested(error))?;
    let relevance = match result.share_of("relevance")? {
        None => result.share_of("relevance_score")?,
        stated => stated,
    };
    let context = match result.read_of("context")? {
        None => result.read_of("match_context")?,
        stated => stated,
    };
    let named = result.read_of("memory_id")?;
    Ok(ResultParts {
        memory_id: named.unwrap_or_else(|| attestation.parts().id.clone()),
        attestation,
        relevance,
        context,
        receipt: None,
        vouches: Vec::new(),
    })
}
