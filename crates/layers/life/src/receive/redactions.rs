//! Capsules that were erased by a redaction in the log: only those may come without a body.

use std::collections::{HashMap, HashSet};

use counterfoil_capsule::documents::Redaction;
use counterfoil_capsule::{Document, Header, RecordKind, SaltedBody};
use counterfoil_store::StoreError;
use counterfoil_types::{Blake3Hash, DidKey};

use crate::entries::capsule_here;
use crate::port::Txn;
use crate::records::{content_of, is_received};

/// The capsules that redactions name, with the redacting agents. An agent that cuts the body out of another's
/// capsule on its way would otherwise keep it out for good, with a redaction of its own if need be.
#[derive(Debug, Default)]
pub(crate) struct Redactions {
    erased: HashMap<Blake3Hash, HashSet<DidKey>>,
    /// Those that this store itself decided.
    here: HashSet<Blake3Hash>,
}

impl Redactions {
    /// Those of the redactions in the log.
    pub(crate) fn load(txn: &dyn Txn) -> Result<Self, StoreError> {
        let kind = format!(r#""kind":"{}""#, RecordKind::Redaction);
        let mut found = Vec::new();
        txn.each_header(&mut |index, header| {
            if std::str::from_utf8(header).is_ok_and(|header| header.contains(&kind)) {
                found.push(index);
            }
            Ok(true)
        })?;
        let mut redactions = Self::default();
        for index in found {
            let Some(stored) = capsule_here(txn, index)? else {
                continue;
            };
            let Some(erased) = named(&stored.header, stored.payload.as_ref()) else {
                continue;
            };
            if !is_received(txn, index)? {
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
