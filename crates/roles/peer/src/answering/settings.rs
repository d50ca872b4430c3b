//! How an agent answers, and by which way it was asked.

use std::net::IpAddr;

use counterfoil_exchange::answering::{SeenQuotas, SharePolicy};
use counterfoil_exchange::documents::{Domain, Text};
use counterfoil_verifier::VerifierKey;

/// By which way a request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// From this address.
    Address(IpAddr),
    /// In a folder.
    Folder,
    /// In a conversation.
    Conversation,
}

/// How an agent answers.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweringSettings {
    /// Who is told what.
    pub shares: SharePolicy,
    /// How many sightings are held.
    pub quotas: SeenQuotas,
    /// Anonymous requests of one address or way a minute; of IPv6 the first 64 bits are the address.
    pub anonymous_per_minute: u32,
    /// Anonymous requests of all together a minute.
    pub anonymous_in_all: u32,
    /// Requests of one key a minute, before any rule of the policy is looked at.
    pub per_minute: u32,
    /// Bytes of answers that are held for repeated requests.
    pub held_bytes: usize,
    /// `no_match` goes out at the next multiple of this after the request came, in microseconds (R14); 0: at once.
    pub no_match_step_us: u64,
    /// What this agent says of itself.
    pub card: Card,
}

/// What an agent says of itself in its capability document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Card {
    /// What it knows of, at most 64.
    pub domains: Vec<Domain>,
    /// In words.
    pub description: Option<Text<1024>>,
    /// The key of its log, under which its receipts hold.
    pub log: Option<VerifierKey>,
}

impl Default for AnsweringSettings {
    fn default() -> Self {
        Self {
            shares: SharePolicy::default(),
            quotas: SeenQuotas::default(),
            anonymous_per_minute: 30,
            anonymous_in_all: 1200,
            per_minute: 600,
            held_bytes: 64 << 20,
            no_match_step_us: 50_000,
            card: Card::default(),
        }
    }
}
