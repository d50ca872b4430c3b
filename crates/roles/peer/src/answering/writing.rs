//! Answer document: results in the form that the rule allows, within the size limit of documents (R14, R15, R22).

use counterfoil_capsule::Timestamp;
use counterfoil_exchange::answering::{CursorKey, Page, Refusal};
use counterfoil_exchange::documents::{
    AssembledResult, Audience, Format, Meta, Party, Preferences, Request, ResponseHeader,
    ResponseParts, Status, StatusCode, Text, assemble,
};
use counterfoil_exchange::trust::Level;
use counterfoil_types::DidKey;

use super::internal;
use super::recall::{Recalled, RecalledMemory};
use crate::Host;

/// Most bytes of the results; the rest of the document is for its other members.
const MOST_BYTES: usize = 900_000;
/// Approximate size of a result's other members, in bytes, its context included.
const AROUND_BYTES: usize = 2048;
/// Lifetime of a cursor, in microseconds.
const CURSOR_US: u64 = 600_000_000;

/// Terms of an answer.
pub(super) struct AnswerTerms<'a> {
    pub(super) asker: Option<DidKey>,
    pub(super) level: Level,
    pub(super) format: Format,
    pub(super) page: Page,
    /// Vouches for this agent, as a canonical JSON array.
    pub(super) vouches: Option<&'a str>,
    pub(super) cursors: &'a CursorKey,
}

/// Memories, status and counts of an answer.
type Content<'a> = (Vec<AssembledResult<'a>>, Status, Meta);

/// Writes and signs the answer to `request`; returns true with it if it has results.
pub(super) fn write(
    host: &Host,
    request: &Request,
    found: Option<(&Recalled, &AnswerTerms<'_>)>,
) -> Result<(String, bool), Refusal> {
    let now = host.timer.now().wall_us;
    let (results, status, meta) = match found {
        Some((found, terms)) => content(host, request, found, terms, now)?,
        None => no_match(),
    };
    let has_results = !results.is_empty();
    let parts = ResponseParts {
        header: ResponseHeader {
            request_id: request.parts().header.request_id.clone(),
            response_id: Some(host.draw_id().map_err(internal)?),
            timestamp: Timestamp::from_micros(now).map_err(internal)?,
        },
        in_response_to: Some(request.hash()),
        audience: Audience::Everyone,
        responder: responder(host),
        status,
        results,
        meta,
    };
    let bytes = assemble(parts, request, host.signer.as_ref()).map_err(internal)?;
    Ok((bytes, has_results))
}

fn no_match() -> Content<'static> {
    (Vec::new(), status(StatusCode::NoMatch), Meta::default())
}

/// Returns this agent as the party that answers.
pub(super) fn responder(host: &Host) -> Party {
    Party {
        agent_id: host.name.clone(),
        public_key: Some(host.signer.key()),
    }
}

const fn status(code: StatusCode) -> Status {
    Status {
        code,
        message: None,
        problem: None,
    }
}

fn content<'a>(
    host: &Host,
    request: &Request,
    found: &'a Recalled,
    terms: &AnswerTerms<'a>,
    now_us: u64,
) -> Result<Content<'a>, Refusal> {
    let asked = &request.parts().preferences;
    let (mut results, mut left) = (Vec::new(), MOST_BYTES);
    let mut next = None;
    for memory in &found.memories {
        let Some((result, bytes)) = result(host, memory, terms, asked) else {
            continue;
        };
        if bytes > left && !results.is_empty() {
            break;
        }
        left = left.saturating_sub(bytes);
        next = Some(memory.next);
        results.push(result);
    }
    let Some(next) = next else {
        return Ok(no_match());
    };
    let last = found.memories.iter().map(|memory| memory.next).max();
    let more = found.more || last.is_some_and(|last| next < last);
    let cursor = match (more, terms.asker, u32::try_from(next)) {
        (true, Some(_), Ok(offset)) => {
            let page = Page {
                offset,
                log_size: terms.page.log_size,
            };
            let expires_us = now_us.saturating_add(CURSOR_US);
            terms
                .cursors
                .write(page, terms.asker, &request.parts().query, expires_us)
        }
        _ => None,
    };
    let status = match &cursor {
        Some(_) => {
            let message = Text::new("more memories match; ask again with the cursor");
            Status {
                message: Some(message.map_err(internal)?),
                ..status(StatusCode::Partial)
            }
        }
        None => status(StatusCode::Success),
    };
    let count = u64::try_from(results.len()).unwrap_or(u64::MAX);
    let total = found.total.filter(|_| terms.level >= Level::Vouched);
    let meta = Meta {
        returned: count,
        total_matches: total.map(|total| total.max(count)),
        processing_time_ms: None,
        cursor,
    };
    Ok((results, status, meta))
}

/// Returns a result and its approximate size in bytes.
fn result<'a>(
    host: &Host,
    found: &'a RecalledMemory,
    terms: &AnswerTerms<'a>,
    asked: &Preferences,
) -> Option<(AssembledResult<'a>, usize)> {
    let attested = found.memory.attested(host)?;
    let full = terms.format == Format::Attestation;
    let attestation: &str = match (terms.format, &attested.without_evidence) {
        (Format::Attestation, Some(without)) if !asked.include_evidence => without,
        (Format::Attestation, _) => &attested.full,
        (Format::Raw, _) => &attested.raw,
        (Format::Summary, _) => &attested.summary,
    };
    let vouches = terms.vouches.filter(|_| full && asked.include_vouches);
    let without = attestation.len() + vouches.map_or(0, str::len) + AROUND_BYTES;
    let with = without.saturating_add(attested.receipt.len());
    // A receipt that would fill the answer by itself is left out, without leaving out the memory.
    let receipt = full && asked.include_evidence && with <= MOST_BYTES;
    let result = AssembledResult {
        memory_id: &attested.name,
        attestation,
        relevance: Some(found.relevance),
        context: found.context.as_ref(),
        receipt: receipt.then_some(attested.receipt.as_str()),
        vouches,
    };
    Some((result, if receipt { with } else { without }))
}
