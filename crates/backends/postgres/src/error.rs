//! Errors of the engine as errors of a store.

use std::error::Error as _;
use std::fmt::Display;

use counterfoil_store::StoreError;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

pub(crate) fn unavailable(doing: &'static str, detail: impl Display) -> StoreError {
    StoreError::Unavailable {
        doing,
        detail: detail.to_string(),
    }
}

/// Returns the error of a statement, with the message of the engine.
pub(crate) fn failed(doing: &'static str, error: &Error) -> StoreError {
    let Some(database) = error.as_db_error() else {
        let source = error.source().map(|it| format!(": {it}"));
        return unavailable(doing, format_args!("{error}{}", source.unwrap_or_default()));
    };
    let next = match database.code() {
        &SqlState::LOCK_NOT_AVAILABLE => {
            ": another node writes to this log for too long; do it again"
        }
        &SqlState::UNDEFINED_TABLE | &SqlState::INVALID_SCHEMA_NAME => {
            ": the database was not made ready; run `counterfoil reach init`"
        }
        &SqlState::INSUFFICIENT_PRIVILEGE => ": the role may not; see docs/guide/reach.md",
        _ => "",
    };
    unavailable(doing, format_args!("{}{next}", database.message()))
}

/// Tests for an error that leaves open whether a transaction was committed: the connection was lost, or ended.
pub(crate) fn is_outcome_unknown(error: &Error) -> bool {
    match error.as_db_error() {
        None => true,
        Some(database) => {
            let class = database.code().code().get(..2);
            // Class 08: the connection; 40003: completion unknown; class 57: an operator ended it; class 58: the system.
            matches!(class, Some("08" | "57" | "58"))
                || *database.code() == SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN
        }
    }
}
