//! Settings of answering.

use counterfoil_exchange::answering::{SeenQuotas, Share};
use counterfoil_exchange::documents::{Domain, Text};
use counterfoil_verifier::VerifierKey;

/// Settings of answering.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweringSettings {
    /// Rules for handing memories to other agents, in their order. The first that fits decides; without one nothing is shared.
    pub shares: Vec<Share>,
    /// Predicates whose claims are shared under any rule that fits, beside claims that cite a memory with the right label.
    pub shared_predicates: Vec<String>,
    /// Sizes of the table of answered requests.
    pub quotas: SeenQuotas,
    /// Requests of one [party](crate::party) that are recorded as seen within the time for which one can be, for keys below level 2
    /// (5,000): a caller that makes many keys takes no more of the table.
    pub seen_per_address: u32,
    /// Anonymous requests of one [party](crate::party) a minute (30).
    pub anonymous_per_minute: u32,
    /// Anonymous requests of all parties together a minute (1200).
    pub anonymous_in_all: u32,
    /// Requests of one key a minute, before any rule of the policy applies (600).
    pub per_minute: u32,
    /// Bytes of answers in memory for repeated requests (64 MiB).
    pub held_bytes: usize,
    /// Timing step of `no_match`, in microseconds: it is sent at the next multiple after the request came (R14; 50,000). 0
    /// sends it at once.
    pub no_match_step_us: u64,
    /// Domains that the agent knows, at most 64, for its capability document.
    pub domains: Vec<Domain>,
    /// Description of the agent for people, for its capability document.
    pub description: Option<Text<1024>>,
    /// Key of the agent's log, under which its receipts verify, for its capability document.
    pub log: Option<VerifierKey>,
}

impl Default for AnsweringSettings {
    fn default() -> Self {
        Self {
            shares: Vec::new(),
            shared_predicates: Vec::new(),
            quotas: SeenQuotas::default(),
            seen_per_address: 5_000,
            anonymous_per_minute: 30,
            anonymous_in_all: 1200,
            per_minute: 600,
            held_bytes: 64 << 20,
            no_match_step_us: 50_000,
            domains: Vec::new(),
            description: None,
            log: None,
        }
    }
}
