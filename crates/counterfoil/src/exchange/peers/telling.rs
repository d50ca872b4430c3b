//! Levels and what caps them, for people and for programs.

use counterfoil_exchange::documents::Domain;
use counterfoil_exchange::trust::{Cap, Level, Records, TrustReport};
use counterfoil_types::DidKey;
use serde::Serialize;

use crate::claims::telling;

/// A level and what caps it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    pub level: u8,
    pub level_name: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caps: Vec<Capped>,
}

/// Limit on a trust level.
#[derive(Debug, Clone, Serialize)]
pub struct Capped {
    cap: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

impl Standing {
    pub fn of(found: &TrustReport) -> Self {
        let caps = found.caps.iter().map(|cap| match cap {
            Cap::Distrusted => Capped {
                cap: "distrusted",
                by: None,
            },
            Cap::Marked(mark) => Capped {
                cap: mark.name(),
                by: None,
            },
            Cap::Disputed { by } => Capped {
                cap: "disputed",
                by: Some(by.to_string()),
            },
            _ => Capped {
                cap: "capped",
                by: None,
            },
        });
        Self {
            level: found.level.number(),
            level_name: found.level.name(),
            caps: caps.collect(),
        }
    }

    /// `3 direct`.
    pub fn in_words(&self) -> String {
        format!("{} {}", self.level, self.level_name)
    }
}

/// Local name of an agent, or else its shortened key.
pub fn called(records: &Records, key: &DidKey) -> String {
    let name = records.of_key(key).and_then(|known| known.name);
    name.map_or_else(|| telling::brief(key), telling::name)
}

/// `at most 1: disputed by B`.
pub fn capped(records: &Records, cap: &Cap) -> String {
    let most = match cap.ceiling() {
        Level::Anonymous => "0",
        _ => "at most 1",
    };
    match cap {
        Cap::Distrusted => format!("{most}: distrusted here"),
        Cap::Marked(mark) => format!("{most}: marked for {}", mark.name()),
        Cap::Disputed { by } => format!("{most}: disputed by {}", called(records, by)),
        _ => most.to_owned(),
    }
}

/// `in cooking`, or in all.
pub fn in_domain(domain: Option<&Domain>) -> String {
    domain.map_or_else(
        || "in all domains".to_owned(),
        |domain| format!("in {domain}"),
    )
}
