//! Which capsules were erased by a redaction that is in the log: only those may come without a body.

use std::collections::{HashMap, HashSet};

use counterfoil_capsule::documents::Redaction;
use counterfoil_capsule::{Document, Header, Kind, RecordKind};
use counterfoil_store::StoreError;
use counterfoil_types::json::{Limits, parse};
use counterfoil_types::{Blake3Hash, DidKey};
use rusqlite::Connection;

use crate::statement::Statements;

/// The capsules that redactions name, with the redacting agents. An agent that cuts the body out of another's
/// capsule on its way would otherwise keep it out for good, with a redaction of his own if need be.
#[derive(Debug, Default)]
pub(crate) struct Redactions {
    erased: HashMap<Blake3Hash, HashSet<DidKey>>,
    /// Those that this store itself decided.
    here: HashSet<Blake3Hash>,
}

impl Redactions {
    /// Those of the redactions in the log.
    pub(crate) fn load(connection: &Connection) -> Result<Self, StoreError> {
        let holds = format!(r#"%"kind":"{}"%"#, RecordKind::Redaction);
        let found: Vec<(u64, bool)> = connection.list(
            "SELECT idx, EXISTS (SELECT 1 FROM received WHERE received.idx = capsule.idx)
                 FROM capsule WHERE header LIKE ?1",
            [holds],
        )?;
        let mut redactions = Self::default();
        for (index, received) in found {
            let Some(stored) = super::here::capsule(connection, index)? else {
                continue;
            };
            let text = stored.payload.as_ref().map(|body| body.text.as_str());
            let Some(erased) = named(&stored.header, text) else {
                continue;
            };
            if !received {
                redactions.here.insert(erased);
            }
            redactions.add(stored.header.agent(), erased);
        }
        Ok(redactions)
    }

    /// Adds a capsule that a redaction of `agent` names.
    pub(crate) fn add(&mut self, agent: DidKey, capsule: Blake3Hash) {
        self.erased.entry(capsule).or_default().insert(agent);
    }

    /// Tests whether a body of this capsule may be absent: its own agent or this store erased it, or the
    /// one before it, whose content its delta holds.
    pub(crate) fn cover(&self, header: &Header) -> bool {
        let before = header.previous();
        let agent = header.agent();
        [Some(header.hash()), before]
            .into_iter()
            .flatten()
            .any(|capsule| self.says(&agent, &capsule))
    }

    fn says(&self, agent: &DidKey, capsule: &Blake3Hash) -> bool {
        let by_agent = self.erased.get(capsule);
        self.here.contains(capsule) || by_agent.is_some_and(|agents| agents.contains(agent))
    }
}

/// The capsule that a redaction names; `None` when it is none.
pub(crate) fn named(header: &Header, payload: Option<&str>) -> Option<Blake3Hash> {
    if header.kind() != Kind::Record(RecordKind::Redaction) {
        return None;
    }
    let value = parse(payload?.as_bytes(), Limits::CONTENT).ok()?;
    Some(Redaction::parse(&value).ok()?.capsule)
}
