//! Records: capsules that are about keys, chains and memories and hold no World (capsules 4.5-4.8).

counterfoil_types::words! {
    /// Subject of a record. `ext.kind` and the entry of the capsule name it.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum RecordKind {
        /// An agent commits to its next key and to its recovery key (4.7).
        KeyInception = "key_inception",
        /// The next key takes over (4.7).
        KeyRotation = "key_rotation",
        /// A key is in other hands since some entry (4.7).
        KeyCompromise = "key_compromise",
        /// One branch of a forked chain is kept (4.5).
        ForkResolution = "fork_resolution",
        /// Capsules were moved into a segment (4.6).
        ArchiveReceipt = "archive_receipt",
        /// The body of a capsule was erased (4.6).
        Redaction = "redaction",
        /// A memory is forgotten: no selection gives it any more (MEM-MAINT).
        Tombstone = "tombstone",
        /// A contradiction was seen (4.8).
        Contradiction = "contradiction",
        /// The clock was ahead, and counts again from here on (4.4).
        ClockCorrection = "clock_correction",
        /// Decisions of the agent about other agents, and documents about them that it accepted.
        Trust = "trust",
    }
}
