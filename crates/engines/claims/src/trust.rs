//! Port: trust in other agents, by which beliefs weigh their claims (I4, I6; docs/format/claims.md 7).

use alloc::collections::BTreeSet;
use core::fmt;

use counterfoil_types::DidKey;

use crate::Identifier;

/// Trust in other agents, as of any time: decided by the records of this agent until then.
pub trait PeerTrust: fmt::Debug + Send + Sync {
    /// Level of trust in an agent about a domain, 0 to 3, by the records until `as_of_us`.
    fn level(&self, agent: &DidKey, about: &Identifier, as_of_us: u64) -> u8;

    /// Lowest level at which an agent's claims about a domain decide, by the records until `as_of_us`.
    fn minimum(&self, about: &Identifier, as_of_us: u64) -> u8;

    /// Number of independent agents of level 2 or more among these: no two of them are one agent, or trusted by way of the same third one.
    fn independent(&self, agents: &BTreeSet<DidKey>, about: &Identifier, as_of_us: u64) -> usize;
}
