//! Capsules that were erased by a redaction in the log: only those may come without a body.

use std::collections::{HashMap, HashSet};

use counterfoil_capsule::documents::Redaction;
use counterfoil_capsule::{Document, Header, RecordKind, SaltedBody};
use counterfoil_store::StoreError;
use counterfoil_types::{Blake3Hash, DidKey};
use rusqlite::Connection;

use super::capsule_here;
use crate::records::content_of;
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
            let Some(stored) = capsule_here(connection, index)? else {
                continue;
            };
            let Some(erased) = named(&stored.header, stored.payload.as_ref()) else {
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
        let mut capsules = [Some(header.hash()), header.previous()]
            .into_iter()
            .flatten();
        capsules.any(|capsule| {
            let agents = self.erased.get(&capsule);
            self.here.contains(&capsule)
                || agents.is_some_and(|agents| agents.contains(&header.agent()))
        })
    }
}

/// The capsule that a redaction names; `None` when it is none.
pub(crate) fn named(header: &Header, payload: Option<&SaltedBody>) -> Option<Blake3Hash> {
    let redaction = content_of(header, payload, RecordKind::Redaction)?;
    Some(Redaction::parse(&redaction).ok()?.capsule)
}
