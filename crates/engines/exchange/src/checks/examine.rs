//! Examination of an answer: identity, signatures, receipts, freshness, vouches (docs/format/exchange.md §8).

use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;

use counterfoil_types::DidKey;
use counterfoil_verifier::Anchors;

use super::agent::AgentReports;
use super::receipt::ReceiptCheck;
use super::{AnswerReport, Flag, FreshnessLimits, JudgedMemory, identity, memory};
use crate::documents::{Request, Response};
use crate::trust::{Level, Records, TrustSettings};

/// Inputs of examining an answer.
#[derive(Debug)]
pub struct Examining<'a> {
    /// The request.
    pub request: &'a Request,
    /// Key of the asked agent; an answer of another key fails.
    pub pinned: Option<DidKey>,
    /// Records about other agents.
    pub records: &'a Records,
    /// Settings of trust.
    pub trust: &'a TrustSettings,
    /// Anchors of receipts: the responder's log key, and the keys of its agent. Without anchors the log is unknown, and
    /// receipts are skipped.
    pub anchors: Option<&'a Arc<Anchors>>,
    /// Limits of the age of memories.
    pub freshness: &'a FreshnessLimits,
    /// Keys of this agent: a memory from one of them is its own, come back (R16).
    pub own: &'a [DidKey],
    /// Did the answer come by the way of the request: the same HTTP exchange, file name or reply?
    pub came_back: bool,
    /// Time of receipt, in microseconds since 1970.
    pub received_us: u64,
    /// The present, in microseconds since 1970.
    pub now_us: u64,
}

/// Examines an answer as a whole, and none of its memories. Costs one signature.
pub fn examine_whole(response: &Response, with: &Examining<'_>) -> AnswerReport {
    identity::whole(response, with, &mut AgentReports::new(with))
}

/// Examines an answer as a whole, and each of its memories: judged without comparisons, with the level of its source, which is
/// never above that of the responder. Costs the signatures in it and those of its receipts; one signature if the answer as a
/// whole does not hold.
pub fn examine(
    response: &Response,
    with: &Examining<'_>,
) -> (AnswerReport, Vec<(JudgedMemory, Level)>) {
    let mut agents = AgentReports::new(with);
    let whole = identity::whole(response, with, &mut agents);
    let mut receipts = ReceiptCheck::new(with.anchors);
    let mut claims = BTreeSet::new();
    let memories = response.parts().results.iter().map(|result| {
        let mut memory = memory::examine(result, &whole, with, &mut agents, &mut receipts);
        if !claims.insert(result.attestation.claim_hash()) {
            memory.0.flags.push(Flag::Known);
        }
        memory
    });
    let memories = memories.collect();
    (whole, memories)
}
