//! Settings of claims that are no file's: the trust in other agents, the vocabulary, the names of subjects, and the memories that are forgotten.

use std::collections::BTreeMap;
use std::sync::Arc;

use counterfoil_claims::{Aliases, Vocabulary};
use counterfoil_exchange::trust::Records;
use counterfoil_types::{DidKey, WorldId};

/// Part of the settings of claims that the log decides, read for a size of the log.
#[derive(Clone)]
pub(crate) struct LoggedSettings {
    /// Size of the log.
    pub(crate) size: u64,
    /// This agent, and its keys that are not said to have been in other hands.
    pub(crate) agent: DidKey,
    pub(crate) keys: Arc<[DidKey]>,
    /// Records about other agents.
    pub(crate) records: Arc<Records>,
    /// Names of predicates.
    pub(crate) vocabulary: Arc<Vocabulary>,
    /// Other names of subjects.
    pub(crate) aliases: Arc<Aliases>,
    /// Forgotten memories, each since a time in microseconds since 1970.
    pub(crate) forgotten: Arc<BTreeMap<WorldId, u64>>,
}
