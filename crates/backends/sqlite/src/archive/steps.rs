//! The steps of an archival, so that a test can end it before any of them (D54).

use counterfoil_store::StoreError;

/// Next step of an archival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// Write a segment and its manifest under other names.
    Write,
    /// Let the disk have them.
    Sync,
    /// Give them their names.
    Rename,
    /// Let the disk have the names.
    SyncFolder,
    /// Open them again, and check every hash.
    Verify,
    /// Append the receipt.
    Receipt,
    /// Put stubs in the place of rows, and commit.
    Replace,
}

impl Step {
    /// All of them, in order.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 7] = [
        Self::Write,
        Self::Sync,
        Self::Rename,
        Self::SyncFolder,
        Self::Verify,
        Self::Receipt,
        Self::Replace,
    ];
}

/// Fault injection for archivals.
pub(crate) trait Faults: Send + Sync {
    /// Called before each step.
    fn before(&self, step: Step) -> Result<(), StoreError>;
}

/// Nothing does.
pub(crate) struct NoFaults;

impl Faults for NoFaults {
    fn before(&self, _: Step) -> Result<(), StoreError> {
        Ok(())
    }
}
