//! From SQLite's errors to the store's: a failure keeps its kind, and never becomes "no rows".

use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::ErrorCode;

/// Translates `error` to the [`StoreError`] that fits its kind.
pub(crate) fn from_sqlite(error: rusqlite::Error) -> StoreError {
    use rusqlite::Error;
    let is_damage = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            return StoreError::Locked { path: None };
        }
        Some(ErrorCode::DiskFull) => return StoreError::DiskFull,
        Some(ErrorCode::ReadOnly) => {
            return StoreError::ReadOnly {
                reason: "the file or its folder does not allow it: check their permissions"
                    .to_owned(),
            };
        }
        // `Unknown` is SQLITE_ERROR: our statements are right, so a table is not what it was.
        Some(code) => matches!(
            code,
            ErrorCode::DatabaseCorrupt
                | ErrorCode::ConstraintViolation
                | ErrorCode::NotADatabase
                | ErrorCode::Unknown
        ),
        // Errors that rusqlite itself makes: a value of another type, or a row that is not there.
        None => matches!(
            error,
            Error::FromSqlConversionFailure(..)
                | Error::IntegralValueOutOfRange(..)
                | Error::InvalidColumnType(..)
                | Error::Utf8Error(..)
                | Error::QueryReturnedNoRows
        ),
    };
    match is_damage {
        true => StoreError::corrupt(StoreLocation::table("database"), error),
        false => StoreError::Unavailable {
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
