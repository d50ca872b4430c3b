//! Archive: capsules move into segment files, stubs keep their chains checkable (capsules 4.6, C9).
//!
//! ```text
//! 1 write the segment and its manifest under other names     5 open them again and check every hash
//! 2 fsync                                                     6 append the archive_receipt
//! 3 rename                                                    7 put stubs in the place of the rows
//! 4 fsync the folder                                            (6 and 7 are one transaction)
//! ```
//! An end at any of these leaves the rows, or the rows and the segment; never neither.

mod files;
mod moving;
mod plan;
mod restore;
mod segment;

pub(crate) use files::write_all;
pub(crate) use moving::move_all;
pub use plan::SegmentReport;
pub(crate) use plan::{plan, reports, segments};
pub(crate) use restore::{discard, restore_all, trusted_manifest};
pub use segment::{read_manifest, read_segment};
