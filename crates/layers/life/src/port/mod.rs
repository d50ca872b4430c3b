//! Port of a backend: one transaction, with the log tables as typed entries and all other tables as rows.
//!
//! The rules of this crate read and write through [`Txn`] alone. A backend keeps tables, statements, the thread that
//! writes, and the indexes of text and claims.
//!
//! *Ground* tables hold the log and the rows kept beside it; *index* tables hold rows that [`crate::index`] derives from
//! the ground. All calls on one transaction see one snapshot and its own earlier writes. A transaction that only reads
//! refuses the writing functions with [`StoreError::ReadOnly`](counterfoil_store::StoreError::ReadOnly) or an error of its engine.

pub(crate) mod rows;
mod txn;
mod value;

pub use txn::{BodyRow, EachText, EntryRow, IndexedWorld, Succession, Txn};
pub(crate) use value::{Field, Row};
pub use value::{Select, Table, Value};
