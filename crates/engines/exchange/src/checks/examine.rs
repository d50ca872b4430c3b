//! An answer is examined: identity, signatures, receipts, freshness, vouches (docs/format/exchange.md §8).

use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::receipt::ReceiptCheck;
use super::standing::Standings;
use super::{CheckResult, Checks, Flag, FreshnessLimits, Receipts, Whole, identity, memory};
use crate::documents::{Chain, ClaimHash, Request, Response};
use crate::trust::{Level, Records, TrustSettings};

/// With what an answer is examined.
#[derive(Debug)]
pub struct Examining<'a> {
    /// What was asked.
    pub request: &'a Request,
    /// The key that is asked, when one is: any other is not the responder.
    pub pinned: Option<DidKey>,
    /// What this agent has recorded about others.
    pub records: &'a Records,
    /// How trust is counted.
    pub trust: &'a TrustSettings,
    /// Under what receipts are checked.
    pub receipts: &'a Receipts,
    /// For how long memories are current.
    pub freshness: &'a FreshnessLimits,
    /// Keys of this agent: what comes from them is its own, come back (R16).
    pub own: &'a [DidKey],
    /// The answer came by the same way as the request went: the same HTTP exchange, file name, reply.
    pub transport_bound: Bound,
    /// When it was received, microseconds since 1970.
    pub received_us: u64,
    /// Now.
    pub now_us: u64,
}

/// Whether an answer came by the way by which the request went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// It did.
    SameWay,
    /// Nobody knows.
    Unknown,
}

/// What was found of an answer as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Examination {
    /// Is the responder who they claim to be?
    pub identity: CheckResult,
    /// Does the signature of the whole hold?
    pub signature: CheckResult,
    /// Authentic and bound: it may change the state of the exchange (R6, R21).
    pub authentic: Authentic,
    /// Who answered, as far as that was shown.
    pub responder: Option<DidKey>,
    /// The level of whoever answered.
    pub level: Level,
    /// Each memory.
    pub memories: Vec<ExaminedMemory>,
}

/// Whether an answer may change the state of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authentic {
    /// It may.
    Yes,
    /// It may not: an attacker could have written it.
    No,
}

/// What was found of one memory, before it is compared with what is believed.
#[derive(Debug, Clone, PartialEq)]
pub struct ExaminedMemory {
    /// What the checks found so far; consistency is Skip.
    pub checks: Checks,
    /// The level of whoever stands behind it: the attester, and never above the responder.
    pub level: Level,
    /// Who stands behind it: the agent that attests if its signature holds, else the responder.
    pub source: Option<DidKey>,
    /// What its claim is known by.
    pub claim: ClaimHash,
    /// What is kept in mind so far.
    pub flags: Vec<Flag>,
    /// Through whose hands it came, as far as that holds.
    pub chain: Option<Chain>,
}

/// Examines an answer as a whole, and none of its memories: may it change the state of the exchange? Costs one signature.
#[must_use]
pub fn examine_whole(response: &Response, with: &Examining<'_>) -> Whole {
    identity::whole(response, with, &mut Standings::new(with))
}

/// Examines an answer. Costs the signatures in it, and a receipt's for each that comes with one; nothing beyond the first
/// where the answer as a whole does not hold.
#[must_use]
pub fn examine(response: &Response, with: &Examining<'_>) -> Examination {
    let mut standings = Standings::new(with);
    let whole = identity::whole(response, with, &mut standings);
    let mut receipts = ReceiptCheck::new(with.receipts);
    let mut memories: Vec<ExaminedMemory> = Vec::with_capacity(response.parts().results.len());
    for result in &response.parts().results {
        let mut memory = memory::examine(result, &whole, with, &mut standings, &mut receipts);
        if memories.iter().any(|before| before.claim == memory.claim) {
            memory.flags.push(Flag::Known);
        }
        memories.push(memory);
    }
    Examination {
        identity: whole.identity,
        signature: whole.signature,
        authentic: whole.authentic,
        responder: whole.responder,
        level: whole.level,
        memories,
    }
}
