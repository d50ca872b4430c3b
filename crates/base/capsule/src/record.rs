//! Records: capsules that are about keys, chains and memories and hold no World (capsules 4.5-4.8).

/// What a record is about. `ext.kind` and the entry of the capsule name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// An agent commits to its next key and to its recovery key (4.7).
    KeyInception,
    /// The next key takes over (4.7).
    KeyRotation,
    /// A key is in other hands since some entry (4.7).
    KeyCompromise,
    /// Which branch of a forked chain is kept (4.5).
    ForkResolution,
    /// Capsules were moved into a segment (4.6).
    ArchiveReceipt,
    /// The body of a capsule was erased (4.6).
    Redaction,
    /// A memory is forgotten: no selection gives it any more (MEM-MAINT).
    Tombstone,
    /// A contradiction that was seen (4.8).
    Contradiction,
}

impl RecordKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::KeyInception,
        Self::KeyRotation,
        Self::KeyCompromise,
        Self::ForkResolution,
        Self::ArchiveReceipt,
        Self::Redaction,
        Self::Tombstone,
        Self::Contradiction,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::KeyInception => "key_inception",
            Self::KeyRotation => "key_rotation",
            Self::KeyCompromise => "key_compromise",
            Self::ForkResolution => "fork_resolution",
            Self::ArchiveReceipt => "archive_receipt",
            Self::Redaction => "redaction",
            Self::Tombstone => "tombstone",
            Self::Contradiction => "contradiction",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl core::fmt::Display for RecordKind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_found_by_its_name() {
        for kind in RecordKind::ALL {
            assert_eq!(RecordKind::named(kind.name()), Some(kind));
        }
        assert_eq!(RecordKind::named("world"), None);
    }
}
