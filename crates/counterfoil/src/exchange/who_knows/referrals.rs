//! Agents to whom others refer: who of them is asked, and where (docs/format/exchange.md §9.2).

use std::collections::BTreeSet;

use counterfoil_exchange::documents::{Domain, Referral};
use counterfoil_exchange::trust::{Level, Records, TrustSettings};
use counterfoil_types::DidKey;

use super::{AskedAgent, Candidate};
use crate::exchange::asking::AskOptions;
use crate::exchange::way::is_url;

/// Agents that have been named or asked, so that a circle of referrals ends.
pub(super) struct Referrals<'a> {
    records: &'a Records,
    trust: &'a TrustSettings,
    domain: Option<&'a Domain>,
    now_us: u64,
    /// Keys of this agent, of all that are asked, and of all that have been named.
    seen: BTreeSet<DidKey>,
    addresses: BTreeSet<String>,
    follows: bool,
    left: u8,
    not_asked: usize,
}

impl<'a> Referrals<'a> {
    /// Begins with the own keys and the agents that are asked without a referral.
    pub(super) fn new(
        (records, now_us): (&'a Records, u64),
        trust: &'a TrustSettings,
        own: &[DidKey],
        options: &'a AskOptions,
        first: &[Candidate],
    ) -> Self {
        let mut referrals = Self {
            records,
            trust,
            domain: options.domain.as_ref(),
            now_us,
            seen: own.iter().copied().collect(),
            addresses: BTreeSet::new(),
            follows: options.follow_referrals,
            left: options.max_agents,
            not_asked: 0,
        };
        for agent in first {
            referrals.see(agent.key);
            referrals.addresses.insert(agent.address.clone());
        }
        referrals
    }

    /// Number of named agents beyond the limit.
    pub(super) const fn not_asked(&self) -> usize {
        self.not_asked
    }

    /// The agents that these answers name and that are to be asked next, those of the most trusted referrer first.
    pub(super) fn candidates(&mut self, asked: &[AskedAgent]) -> Vec<Candidate> {
        let mut next: Vec<Candidate> = Vec::new();
        if !self.follows {
            return next;
        }
        for AskedAgent { agent, result } in asked {
            // An answer that was accepted from this key is signed by it.
            let report = result.as_ref().ok();
            let report = report.filter(|report| report.responder == Some(agent.key));
            let response = report.and_then(|report| report.response.as_ref());
            let named = response.map(|response| response.parts().referrals.as_slice());
            for referral in named.unwrap_or_default() {
                let by = (agent.key, referral.domain.clone());
                let before = next.iter_mut().find(|next| next.key == referral.public_key);
                match before {
                    Some(before) => before.referred_by.push(by),
                    None => next.extend(self.candidate(referral, by)),
                }
            }
        }
        next
    }

    /// A known agent is asked where this agent knows it to be, whatever others say.
    fn candidate(&mut self, referral: &Referral, by: (DidKey, Domain)) -> Option<Candidate> {
        let key = referral.public_key;
        let level = self
            .records
            .level(&key, self.domain, self.now_us, self.trust)
            .level;
        if self.seen.contains(&key) || level == Level::Anonymous {
            return None;
        }
        self.see(key);
        let known = self
            .records
            .of_key(&key)
            .and_then(|known| known.addresses.into_iter().next());
        let is_foreign = known.is_none();
        // A path would be a folder of this machine.
        let named = referral
            .addresses
            .iter()
            .find(|address| is_url(address.as_str()));
        let address = known.as_ref().or(named)?.to_string();
        if !self.addresses.insert(address.clone()) {
            return None;
        }
        let Some(left) = self.left.checked_sub(1) else {
            self.not_asked += 1;
            return None;
        };
        self.left = left;
        Some(Candidate {
            key,
            address,
            level,
            is_foreign,
            referred_by: vec![by],
        })
    }

    /// Remembers all keys of an agent.
    fn see(&mut self, key: DidKey) {
        let others = self.records.of_key(&key).map(|known| known.same_agent);
        self.seen.extend(others.into_iter().flatten().chain([key]));
    }
}
