//! Settings of the host: vocabulary, names, limits of currency, presence of an oracle, trust in other agents.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;

use crate::{Aliases, ClaimRef, Identifier, PeerTrust, Vocabulary};

/// Greatest ages of a confirmation, in days (I11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurrencyLimits {
    /// Below this it is fresh.
    pub fresh_days: u32,
    /// Below this it is aging; from it on, decayed.
    pub aging_days: u32,
}

impl Default for CurrencyLimits {
    fn default() -> Self {
        Self {
            fresh_days: 30,
            aging_days: 90,
        }
    }
}

/// Settings of a host. They are part of the question: the same ones give the same answer.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Cardinalities of predicates.
    pub vocabulary: Arc<Vocabulary>,
    /// Other names of subjects.
    pub aliases: Arc<Aliases>,
    /// Limits of currency where a predicate has no other.
    pub currency: CurrencyLimits,
    /// Limits of currency by predicate.
    pub currency_of: BTreeMap<Identifier, CurrencyLimits>,
    /// Days that a conflict waits for the verdict of an oracle before it is contested; `None`, the default: there is no
    /// oracle, and conflicting claims are contested at once.
    pub oracle_days: Option<u32>,
    /// Trust in other agents at the time of a question; `None`, the default: their level at receipt counts.
    pub trust: Option<Arc<dyn PeerTrust>>,
    /// Memories that are forgotten, each since a time in microseconds since 1970. A forgotten claim decides nothing, nor
    /// does one of a model that cites forgotten memories alone.
    pub forgotten: Arc<BTreeMap<ClaimRef, u64>>,
}

impl Settings {
    /// The limits of a predicate.
    pub fn limits_of(&self, predicate: &Identifier) -> CurrencyLimits {
        self.currency_of
            .get(predicate)
            .copied()
            .unwrap_or(self.currency)
    }
}
