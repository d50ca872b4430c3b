//! This workspace's own fence: exact dependencies, closures, the allow-list of the pure crates.

mod check;
mod external;
mod table;

pub use check::check;
pub(crate) use external::ALLOWED;
pub(crate) use table::Kind;
pub use table::{ROWS, Row};
