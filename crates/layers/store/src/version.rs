//! One capsule of a chain, as a history lists it (capsules 4.3).

use counterfoil_capsule::{Header, Timestamp};
use counterfoil_types::{Blake3Hash, WorldId, words};

/// One capsule of a chain, as a history lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VersionRow {
    /// Its number in the chain.
    pub seq: u64,
    /// Its index in the log.
    pub index: u64,
    /// The World; `None` for a record.
    pub world_id: Option<WorldId>,
    /// Transaction time, as its writer gave it.
    pub recorded_at: Timestamp,
    /// The hash of its capsule.
    pub capsule: Blake3Hash,
    /// The capsule of the version whose state it restores. `None` as well where it is archived.
    pub rollback_to: Option<Blake3Hash>,
    /// Availability of its content.
    pub content: ContentState,
}

words! {
    /// Availability of a capsule's content.
    pub enum ContentState {
        /// It is here.
        Present = "present",
        /// It was erased, which nothing undoes.
        Erased = "erased",
        /// It was moved into a segment and can be restored.
        Archived = "archived",
    }
}

impl VersionRow {
    /// The version of a capsule that is here, as a log stores it.
    pub fn of(index: u64, header: &Header, content: ContentState) -> Self {
        Self {
            seq: header.seq(),
            index,
            world_id: header.world().cloned(),
            recorded_at: header.recorded(),
            capsule: header.hash(),
            rollback_to: header.extensions().rollback_to,
            content,
        }
    }

    /// The version of a capsule of which only a stub is here.
    pub const fn archived(
        index: u64,
        seq: u64,
        world_id: Option<WorldId>,
        recorded_at: Timestamp,
        capsule: Blake3Hash,
    ) -> Self {
        Self {
            seq,
            index,
            world_id,
            recorded_at,
            capsule,
            rollback_to: None,
            content: ContentState::Archived,
        }
    }
}
