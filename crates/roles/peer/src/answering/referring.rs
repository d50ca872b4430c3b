//! Referrals: other agents that may know of the topic of a question, where the share policy lets them be named
//! (docs/format/exchange.md §9.2).

use std::cmp::Reverse;

use counterfoil_exchange::checks::knows_of;
use counterfoil_exchange::documents::{
    MAX_REFERRAL_ADDRESSES, MAX_REFERRALS, Referral, Request, Text,
};
use counterfoil_exchange::trust::Level;
use counterfoil_types::DidKey;

use super::{Access, Answering};

impl Answering {
    /// Returns the agents to name in an answer: those of level 2 or above about the domain of the question that have named a domain
    /// which it touches, the most trusted first. They depend on the question, the policy and the trust records alone, so that they tell
    /// nothing of the memories (R14).
    pub(super) fn referrals(&self, request: &Request, access: &Access<'_>) -> Vec<Referral> {
        let parts = request.parts();
        let may_refer = access.rules.iter().any(|rule| rule.refer);
        let Some(asker) = access
            .asker
            .filter(|_| may_refer && parts.preferences.include_referrals)
        else {
            return Vec::new();
        };
        let (host, records) = (&self.host, self.trust.records());
        let now_us = records.present(host.timer.now().wall_us);
        let asked = parts.query.domain.as_ref();
        let words = parts.query.natural.as_str();
        let mut found: Vec<(Reverse<Level>, Referral)> = Vec::new();
        for known in records.present_agents() {
            let is_party = |key: &DidKey| *key == asker || host.own_keys.contains(key);
            if is_party(&known.key) || known.same_agent.iter().any(is_party) {
                continue;
            }
            let touches = |domain: &_| knows_of(std::slice::from_ref(domain), asked, words);
            let domain = known.domains.iter().find(|domain| touches(domain));
            let is_url = |address: &&Text<2048>| {
                let address = address.as_str();
                address.starts_with("https://") || address.starts_with("http://")
            };
            let addresses = known
                .addresses
                .iter()
                .filter(is_url)
                .take(MAX_REFERRAL_ADDRESSES);
            let addresses: Vec<_> = addresses.cloned().collect();
            let Some(domain) = domain.filter(|_| !addresses.is_empty()) else {
                continue;
            };
            let level = records.level(&known.key, asked, now_us, &host.trust).level;
            if level >= Level::Vouched {
                let referral = Referral {
                    public_key: known.key,
                    addresses,
                    domain: domain.clone(),
                };
                found.push((Reverse(level), referral));
            }
        }
        found.sort_by_key(|(level, _)| *level);
        found.truncate(MAX_REFERRALS);
        found.into_iter().map(|(_, referral)| referral).collect()
    }
}
