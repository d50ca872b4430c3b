//! What an agent knows when an answer comes, and what it makes of that answer.

use std::sync::Arc;

use counterfoil_exchange::checks::{
    AnswerReport, CheckResult, Disposition, Examining, Flag, FreshnessLimits, JudgedMemory,
    SkipReason, conclude, examine, examine_whole,
};
use counterfoil_exchange::documents::{
    Attestation, ClaimHash, Filters, Request, Response, ResultParts,
};
use counterfoil_exchange::trust::{Level, LocalRecord, Record, Records, TrustSettings};
use counterfoil_types::DidKey;
use counterfoil_verifier::Anchors;
use serde_json::{Value, json};

use super::log::agent;
use super::words::{NOW, SECOND, key, request, response_parts, result, time};

/// The number of the agent that asks, and of the one that is asked.
pub(crate) const ME: u8 = 1;
pub(crate) const PEER: u8 = 2;

/// What an agent knows.
pub(crate) struct Scene {
    pub(crate) request: Request,
    pub(crate) pinned: Option<DidKey>,
    pub(crate) records: Records,
    pub(crate) anchors: Option<Arc<Anchors>>,
    pub(crate) came_back: bool,
    pub(crate) demands: Filters,
    /// What was found at the URLs of each memory.
    pub(crate) found: CheckResult,
    /// Claims that were heard before.
    pub(crate) known: Vec<ClaimHash>,
    pub(crate) received_us: u64,
    pub(crate) now_us: u64,
}

impl Scene {
    /// I ask the peer, whose key I know.
    pub(crate) fn new() -> Self {
        Self {
            request: request(7, ME, PEER),
            pinned: Some(key(PEER)),
            records: Records::default(),
            anchors: None,
            came_back: true,
            demands: Filters::default(),
            found: CheckResult::NOT_FETCHED,
            known: Vec::new(),
            received_us: NOW + SECOND,
            now_us: NOW + SECOND,
        }
    }

    /// Where I trust these agents myself.
    pub(crate) fn trusting(numbers: &[u8]) -> Self {
        Self {
            records: recorded(numbers.iter().map(|number| trust(*number))),
            ..Self::new()
        }
    }

    /// Examines an answer, in which nothing of its memories changes what it is as a whole.
    fn examine(&self, response: &Response) -> (AnswerReport, Vec<(JudgedMemory, Level)>) {
        let with = Examining {
            request: &self.request,
            pinned: self.pinned,
            records: &self.records,
            trust: &TrustSettings::default(),
            anchors: self.anchors.as_ref(),
            freshness: &FreshnessLimits::default(),
            own: &[key(ME)],
            came_back: self.came_back,
            received_us: self.received_us,
            now_us: self.now_us,
        };
        let (whole, memories) = examine(response, &with);
        assert_eq!(whole, examine_whole(response, &with));
        (whole, memories)
    }

    /// The answer as a whole.
    pub(crate) fn whole(&self, response: &Response) -> AnswerReport {
        self.examine(response).0
    }

    pub(crate) fn judge(&self, response: &Response) -> Vec<JudgedMemory> {
        let consistency = CheckResult::Skip(SkipReason::NotComparable);
        let results = &response.parts().results;
        let memories = self.examine(response).1.into_iter().zip(results);
        let judged = memories.map(|((mut memory, level), result)| {
            if self.known.contains(&result.attestation.claim_hash()) {
                memory.flags.push(Flag::Known);
            }
            conclude((memory, level), consistency, self.found, self.demands)
        });
        judged.collect()
    }

    /// The dispositions of the memories.
    pub(crate) fn dispositions(&self, response: &Response) -> Vec<Disposition> {
        let judged = self.judge(response).into_iter();
        judged.map(|memory| memory.disposition).collect()
    }

    /// The peer's answer, signed.
    pub(crate) fn answer(&self, results: Vec<ResultParts>) -> Response {
        self.answer_by(PEER, results)
    }

    pub(crate) fn answer_by(&self, number: u8, results: Vec<ResultParts>) -> Response {
        let parts = response_parts(&self.request, number, results);
        Response::sign(parts, &self.request, &agent(number)).unwrap()
    }

    /// What becomes of one memory in the peer's answer.
    pub(crate) fn judged(&self, attestation: Attestation) -> JudgedMemory {
        self.judged_result(result(attestation))
    }

    pub(crate) fn judged_result(&self, result: ResultParts) -> JudgedMemory {
        self.judge(&self.answer(vec![result])).remove(0)
    }
}

pub(crate) fn trust(number: u8) -> LocalRecord {
    local(json!({ "direct_trust": { "key": key(number) } }))
}

/// A decision or an observation, as its signed document states it.
pub(crate) fn local(record: Value) -> LocalRecord {
    serde_json::from_value(record).unwrap()
}

/// My own records, dated a minute ago.
pub(crate) fn recorded(records: impl IntoIterator<Item = LocalRecord>) -> Records {
    let at = time(NOW - 60 * SECOND);
    let records = records.into_iter();
    Records::gather(records.map(|record| Record::local(record, at, &agent(ME)).unwrap()))
}
