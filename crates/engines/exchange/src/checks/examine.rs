//! Examination of an answer: identity, signatures, receipts, freshness, vouches (docs/format/exchange.md §8).

use alloc::sync::Arc;
use alloc::vec::Vec;

use counterfoil_types::DidKey;
use counterfoil_verifier::Anchors;

use super::agent::AgentReports;
use super::receipt::ReceiptCheck;
use super::{AnswerReport, Checks, Flag, FreshnessLimits, identity, memory};
use crate::documents::{Chain, ClaimHash, Request, Response};
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
    /// The way by which the answer came.
    pub transport_bound: Bound,
    /// Time of receipt, in microseconds since 1970.
    pub received_us: u64,
    /// The present, in microseconds since 1970.
    pub now_us: u64,
}

/// The way by which an answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The way of the request: the same HTTP exchange, file name or reply.
    SameWay,
    /// Unknown.
    Unknown,
}

/// Findings about one memory, before it is compared with beliefs.
#[derive(Debug, Clone, PartialEq)]
pub struct ExaminedMemory {
    /// Results of the checks; consistency is Skip.
    pub checks: Checks,
    /// Level of the source, never above that of the responder.
    pub level: Level,
    /// Key of the source: the attesting agent if its signature holds, else the responder.
    pub source: Option<DidKey>,
    /// Hash of its claim.
    pub claim: ClaimHash,
    /// Notes.
    pub flags: Vec<Flag>,
    /// The hops that hold.
    pub chain: Option<Chain>,
}

/// Examines an answer as a whole, and none of its memories. Costs one signature.
#[must_use]
pub fn examine_whole(response: &Response, with: &Examining<'_>) -> AnswerReport {
    identity::whole(response, with, &mut AgentReports::new(with))
}

/// Examines an answer as a whole, and each of its memories. Costs the signatures in it and those of its receipts; one signature if the answer as a whole does not
/// hold.
#[must_use]
pub fn examine(response: &Response, with: &Examining<'_>) -> (AnswerReport, Vec<ExaminedMemory>) {
    let mut agents = AgentReports::new(with);
    let whole = identity::whole(response, with, &mut agents);
    let mut receipts = ReceiptCheck::new(with.anchors);
    let mut memories: Vec<ExaminedMemory> = Vec::with_capacity(response.parts().results.len());
    for result in &response.parts().results {
        let mut memory = memory::examine(result, &whole, with, &mut agents, &mut receipts);
        if memories.iter().any(|before| before.claim == memory.claim) {
            memory.flags.push(Flag::Known);
        }
        memories.push(memory);
    }
    (whole, memories)
}
