//! Answer document: results in the form that the rule allows, within the size limit of documents (R14, R15, R22).

use counterfoil_capsule::Timestamp;
use counterfoil_exchange::answering::{Refusal, Share};
use counterfoil_exchange::documents::{
    AssembledResult, Audience, Format, Meta, Preferences, Referral, Request, ResponseHeader,
    ResponseParts, Status, StatusCode, Text, assemble, assemble_draft,
};
use counterfoil_exchange::trust::Level;

use super::recall::{Recalled, RecalledMemory};
use super::{Access, Answering, internal};
use crate::Host;

/// Most bytes of the results; the rest of the document is for its other members.
const MOST_BYTES: usize = 900_000;
/// Approximate size of a result's other members, in bytes, its context included.
const AROUND_BYTES: usize = 2048;
/// Lifetime of a cursor, in microseconds.
const CURSOR_US: u64 = 600_000_000;

/// Memories, status and counts of an answer.
type Content<'a> = (Vec<AssembledResult<'a>>, Status, Meta);

impl Answering {
    /// Writes and signs the answer to `request`; returns true with it if it has results. `vouches`: those for this agent, as a
    /// canonical JSON array.
    pub(super) fn write(
        &self,
        request: &Request,
        access: &Access<'_>,
        found: &Recalled,
        vouches: Option<&str>,
    ) -> Result<(String, bool), Refusal> {
        let now_us = self.host.timer.now().wall_us;
        let content = self.content(request, access, found, vouches, now_us)?;
        let has_results = !content.0.is_empty();
        let referrals = self.referrals(request, access);
        Ok((self.sign(request, content, referrals)?, has_results))
    }

    fn sign(
        &self,
        request: &Request,
        (results, status, meta): Content<'_>,
        referrals: Vec<Referral>,
    ) -> Result<String, Refusal> {
        let host = &self.host;
        let now_us = host.timer.now().wall_us;
        let parts = ResponseParts {
            header: ResponseHeader {
                request_id: request.parts().header.request_id.clone(),
                response_id: Some(host.draw_id().map_err(internal)?),
                timestamp: Timestamp::from_micros(now_us).map_err(internal)?,
            },
            in_response_to: Some(request.hash()),
            audience: Audience::Everyone,
            responder: host.party(),
            status,
            results,
            meta,
            referrals,
        };
        let bytes = match request.is_draft() {
            true => assemble_draft(parts, request),
            false => assemble(parts, request, host.signer.as_ref()),
        };
        bytes.map_err(internal)
    }

    /// Writes and signs an answer that says that this agent failed.
    pub(super) fn write_failure(&self, request: &Request) -> Result<String, Refusal> {
        let status = Status {
            problem: Text::new("internal").ok(),
            ..Status::of(StatusCode::Error)
        };
        self.sign(request, (Vec::new(), status, Meta::default()), Vec::new())
    }

    /// Time since the request came, in milliseconds; below level 2 the next multiple of the timing step, as the exact time tells of
    /// memories that were passed over (R14).
    fn processing_time_ms(&self, access: &Access<'_>) -> u64 {
        let now_us = self.host.timer.now().monotonic_us;
        let passed_us = now_us.saturating_sub(access.came_us);
        let step_us = self.settings.no_match_step_us;
        let steps = passed_us.checked_div(step_us);
        let steps = steps.filter(|_| access.level < Level::Vouched);
        let until_us = steps.map(|steps| steps.saturating_add(1).saturating_mul(step_us));
        until_us.unwrap_or(passed_us).div_ceil(1000)
    }

    fn content<'a>(
        &self,
        request: &Request,
        access: &Access<'_>,
        found: &'a Recalled,
        vouches: Option<&'a str>,
        now_us: u64,
    ) -> Result<Content<'a>, Refusal> {
        let asked = &request.parts().preferences;
        let (mut results, mut left, mut next) = (Vec::new(), MOST_BYTES, None);
        for memory in &found.memories {
            let Some((result, bytes)) =
                result(&self.host, (memory, &found.words), access, vouches, asked)
            else {
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
            let meta = Meta {
                retractions: found.retractions.clone(),
                ..Meta::default()
            };
            return Ok((Vec::new(), nothing(access), meta));
        };
        let last = found.memories.iter().map(|memory| memory.next).max();
        let more = found.more || last.is_some_and(|last| next < last);
        let cursor = match (more, access.asker, u32::try_from(next)) {
            (true, Some(_), Ok(offset)) => {
                let log_size = access.page.map(|(_, log_size)| log_size);
                let page = (offset, log_size.unwrap_or_else(|| self.cache.log_size()));
                let expires_us = now_us.saturating_add(CURSOR_US);
                let query = &request.parts().query;
                self.cursors.write(page, access.asker, query, expires_us)
            }
            _ => None,
        };
        let mut status = Status::of(StatusCode::Success);
        if cursor.is_some() {
            let message = Text::new("more memories match; ask again with the cursor");
            status = Status {
                message: Some(message.map_err(internal)?),
                ..Status::of(StatusCode::Partial)
            };
        }
        let count = u64::try_from(results.len()).unwrap_or(u64::MAX);
        let total = found.total.filter(|_| access.level >= Level::Vouched);
        let meta = Meta {
            returned: count,
            total_matches: total.map(|total| total.max(count)),
            processing_time_ms: Some(self.processing_time_ms(access)),
            cursor,
            retractions: found.retractions.clone(),
        };
        Ok((results, status, meta))
    }
}

/// Status of an answer without memories. An agent of level 2 or above for whom there is no rule may know that it gets nothing;
/// to all others it is as if nothing matched (R14).
fn nothing(access: &Access<'_>) -> Status {
    let is_declined = access.rules.is_empty() && access.level >= Level::Vouched;
    Status::of(match is_declined {
        true => StatusCode::Declined,
        false => StatusCode::NoMatch,
    })
}

/// Returns the lowest of the requested format, that of the rule, and that of the kind of asker.
fn format(access: &Access<'_>, rule: Option<&Share>, asked: Format) -> Format {
    let of_rule = rule.map_or(Format::Attestation, |rule| rule.format);
    let all = [asked, of_rule];
    match access.asker {
        _ if all.contains(&Format::Summary) => Format::Summary,
        Some(_) if !all.contains(&Format::Raw) => Format::Attestation,
        _ => Format::Raw,
    }
}

/// Returns a result and its approximate size in bytes.
fn result<'a>(
    host: &Host,
    (found, words): (&'a RecalledMemory, &[String]),
    access: &Access<'_>,
    vouches: Option<&'a str>,
    asked: &Preferences,
) -> Option<(AssembledResult<'a>, usize)> {
    let rule = found.memory.lets_out(&access.rules);
    let rule = rule.or(access.rules.last().copied());
    let pass_on = rule.map(|rule| rule.pass_on).unwrap_or_default();
    let attested = found.memory.attested(host, pass_on)?;
    let format = format(access, rule, asked.format);
    let full = format == Format::Attestation;
    let attestation: &str = match (format, &attested.without_evidence) {
        (Format::Attestation, Some(without)) if !asked.include_evidence => without,
        (Format::Attestation, _) => &attested.full,
        (Format::Raw, _) => match &attested.raw_with_evidence {
            Some(with) if asked.include_evidence => with,
            _ => &attested.raw,
        },
        (Format::Summary, _) => {
            let summary = found.summary.get_or_init(|| attested.summary(words));
            summary.as_deref()?
        }
    };
    let vouches = vouches.filter(|_| full && asked.include_vouches);
    let without = attestation.len() + vouches.map_or(0, str::len) + AROUND_BYTES;
    let with = without.saturating_add(attested.receipt.len());
    // A receipt that would fill the answer by itself is left out, without leaving out the memory.
    let receipt = full && asked.include_evidence && with <= MOST_BYTES;
    let result = AssembledResult {
        memory_id: attested.name.clone(),
        attestation,
        relevance: Some(found.relevance),
        context: found.context.clone(),
        receipt: receipt.then_some(attested.receipt.as_str()),
        vouches,
    };
    Some((result, if receipt { with } else { without }))
}
