//! Columns of rows.

use counterfoil_store::StoreError;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use crate::error::{failed, unavailable};

pub(crate) const READING: &str = "reading the shared ground";
pub(crate) const WRITING: &str = "writing to the shared ground";

pub(crate) fn column(number: u64) -> Result<i64, StoreError> {
    i64::try_from(number).map_err(|_| StoreError::Bug("a number that no column holds"))
}

pub(crate) fn get<'r, T: FromSql<'r>>(row: &'r Row, at: usize) -> Result<T, StoreError> {
    row.try_get(at).map_err(|error| failed(READING, &error))
}

pub(crate) fn number(row: &Row, at: usize) -> Result<u64, StoreError> {
    let found: i64 = get(row, at)?;
    u64::try_from(found).map_err(|_| unavailable(READING, "a number is negative"))
}
