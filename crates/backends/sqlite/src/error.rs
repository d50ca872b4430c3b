//! From SQLite's errors to the store's: a failure keeps its kind, and never becomes "no rows".

use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::ErrorCode;

/// Translates `error` to the [`StoreError`] that fits its kind.
pub(crate) fn from_sqlite(error: rusqlite::Error) -> StoreError {
    let Some(code) = error.sqlite_error_code() else {
        return from_value(&error);
    };
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Locked { path: None },
        ErrorCode::DiskFull => StoreError::DiskFull,
        ErrorCode::ReadOnly => StoreError::ReadOnly {
            reason: "the file or its folder does not allow it: check their permissions".to_owned(),
        },
        // `Unknown` is SQLITE_ERROR: our statements are right, so a table is not what it was.
        ErrorCode::DatabaseCorrupt
        | ErrorCode::ConstraintViolation
        | ErrorCode::NotADatabase
        | ErrorCode::Unknown => StoreError::corrupt(StoreLocation::table("database"), error),
        _ => StoreError::Unavailable {
            doing: "using the database",
            detail: error.to_string(),
        },
    }
}

/// Errors that rusqlite itself makes: a value of another type, or a row that is not there.
fn from_value(error: &rusqlite::Error) -> StoreError {
    match error {
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::Utf8Error(..)
        | rusqlite::Error::QueryReturnedNoRows => {
            StoreError::corrupt(StoreLocation::table("database"), error)
        }
        _ => StoreError::Unavailable {
            doing: "using the database",
            detail: error.to_string(),
        },
    }
}

/// An error of SQLite, as it comes or translated.
pub(crate) trait DatabaseError {
    /// The error as the store reports it.
    fn reported(self) -> StoreError;
}

impl DatabaseError for rusqlite::Error {
    fn reported(self) -> StoreError {
        from_sqlite(self)
    }
}

impl DatabaseError for StoreError {
    fn reported(self) -> StoreError {
        self
    }
}

/// As [`from_sqlite`], for a read at a known place: damage is reported there.
pub(crate) fn at<E: DatabaseError>(place: StoreLocation) -> impl FnOnce(E) -> StoreError {
    move |error| match error.reported() {
        StoreError::Corrupt { detail, .. } => StoreError::Corrupt { place, detail },
        other => other,
    }
}
