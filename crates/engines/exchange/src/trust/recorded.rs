//! Trust as a belief takes it into account: levels, minimum and independence by the records until a time
//! (docs/format/trust.md, "Belief").

use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;

use counterfoil_claims::{Aliases, Identifier, PeerTrust, Vocabulary};
use counterfoil_types::DidKey;

use super::view::View;
use super::{Level, LocalRecord, Records, TrustSettings};
use crate::documents::Domain;

/// Settings of paths. A belief depends on records alone, and not on a file.
const SETTINGS: &TrustSettings = &TrustSettings::DEFAULT;

/// Trust by the records of this agent. An identifier that is the name of a domain is looked up as that domain; for any
/// other only trust that is not limited to a domain counts.
#[derive(Debug, Clone)]
pub struct RecordedTrust {
    records: Arc<Records>,
}

impl RecordedTrust {
    /// Trust by these records.
    pub const fn new(records: Arc<Records>) -> Self {
        Self { records }
    }
}

impl PeerTrust for RecordedTrust {
    fn level(&self, agent: &DidKey, about: &Identifier, as_of_us: u64) -> u8 {
        let domain = domain_of(about);
        let report = self
            .records
            .level(agent, domain.as_ref(), as_of_us, SETTINGS);
        report.level.number()
    }

    fn minimum(&self, about: &Identifier, as_of_us: u64) -> u8 {
        let domain = domain_of(about);
        self.records.minimum(domain.as_ref(), as_of_us).number()
    }

    fn independent(&self, agents: &BTreeSet<DidKey>, about: &Identifier, as_of_us: u64) -> usize {
        let domain = domain_of(about);
        let view = View {
            records: &self.records,
            domain: domain.as_ref(),
            now_us: as_of_us,
            settings: SETTINGS,
        };
        let mut reports: Vec<_> = agents
            .iter()
            .map(|key| {
                let report = self.records.level(key, domain.as_ref(), as_of_us, SETTINGS);
                (key, report)
            })
            .filter(|(_, report)| report.level >= Level::Vouched)
            .collect();
        // Those that are trusted directly need no path, and the fewer paths an agent has, the fewer others take its place.
        reports.sort_by_key(|(_, report)| {
            let is_vouched = report.level < Level::Direct;
            (is_vouched, report.paths.len())
        });
        let mut used: BTreeSet<DidKey> = BTreeSet::new();
        let mut independent = 0;
        for (key, report) in reports {
            let own = view.agent(key);
            if !used.is_disjoint(&own) {
                continue;
            }
            let free = |keys: &[DidKey]| keys.iter().all(|key| !used.contains(key));
            let path = match report.level {
                Level::Direct => Some(Vec::new()),
                _ => report
                    .paths
                    .into_iter()
                    .map(|path| path.keys)
                    .find(|keys| free(keys)),
            };
            if let Some(path) = path {
                used.extend(own);
                used.extend(path);
                independent += 1;
            }
        }
        independent
    }
}

impl Records {
    /// Cardinalities of predicates by the records, each since its receipt.
    pub fn vocabulary(&self) -> Vocabulary {
        Vocabulary::new(
            self.iter()
                .filter_map(|record| match record.local_record()? {
                    LocalRecord::Predicate {
                        predicate,
                        cardinality,
                    } => Some((predicate.clone(), record.received_us(), *cardinality)),
                    _ => None,
                }),
        )
    }

    /// Names of subjects by the records, each since its receipt.
    pub fn aliases(&self) -> Aliases {
        Aliases::new(
            self.iter()
                .filter_map(|record| match record.local_record()? {
                    LocalRecord::Alias { name, of } => {
                        Some((name.clone(), record.received_us(), of.clone()))
                    }
                    _ => None,
                }),
        )
    }

    /// Lowest level at which claims about a domain decide, as of `now_us`: by the last record for the narrowest domain that
    /// covers it, or [`Level::Vouched`].
    pub fn minimum(&self, domain: Option<&Domain>, now_us: u64) -> Level {
        let known = self.iter().filter(|record| record.received_us() <= now_us);
        let rules = known.filter_map(|record| match record.local_record()? {
            LocalRecord::Minimum { domain: of, level } => {
                let width = match (of, domain) {
                    (None, _) => 0,
                    (Some(of), Some(domain)) if of.covers(domain) => of.as_str().len(),
                    _ => return None,
                };
                Some((width, *level))
            }
            _ => None,
        });
        // The last of equal width, as they are in the order of receipt.
        let rule = rules.max_by_key(|(width, _)| *width);
        let level = rule.map_or(Level::Vouched, |(_, level)| level);
        // An agent that is distrusted decides nothing.
        level.max(Level::Identified)
    }
}

/// The domain of that name; names of predicates have spaces or underscores where domains have hyphens.
fn domain_of(about: &Identifier) -> Option<Domain> {
    about.folded().parse().ok()
}
