//! Options of a check.

use std::path::PathBuf;

/// Depth of a [check](crate::Memory::check).
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// Also checks each signature and all that is wrong with an entry, looks into archives, and makes derived state again to
    /// compare it.
    pub deep: bool,
    /// Folder of the archive segments; `archive` in the memory's folder by default.
    pub archive: Option<PathBuf>,
}
