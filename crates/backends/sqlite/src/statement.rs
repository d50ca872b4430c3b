//! Statements that are prepared once for each connection, and rows that are read as values.

use counterfoil_store::StoreError;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Params, Row};

use crate::error::from_sqlite;

/// A value that is read from the first columns of a row.
pub(crate) trait FromRow: Sized {
    /// Reads the value.
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self>;
}

macro_rules! one_column {
    ($($type:ty),*) => {
        $(impl FromRow for $type {
            fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
                row.get(0)
            }
        })*
    };
}

macro_rules! columns {
    ($($type:ident $index:literal),*) => {
        impl<$($type: FromSql),*> FromRow for ($($type,)*) {
            fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
                Ok(($(row.get($index)?,)*))
            }
        }
    };
}

one_column!(
    bool,
    i64,
    u8,
    u32,
    u64,
    usize,
    String,
    Vec<u8>,
    [u8; 16],
    [u8; 32]
);
columns!(A 0, B 1);
columns!(A 0, B 1, C 2);
columns!(A 0, B 1, C 2, D 3);
columns!(A 0, B 1, C 2, D 3, E 4);
columns!(A 0, B 1, C 2, D 3, E 4, F 5);

impl<T: FromSql> FromRow for Option<T> {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        row.get(0)
    }
}

/// Cached statements of a connection.
pub(crate) trait Statements {
    /// Returns the first row; an error if there is none.
    fn get<T: FromRow>(&self, sql: &str, params: impl Params) -> Result<T, StoreError> {
        self.get_with(sql, params, T::from_row)
    }

    /// Returns the first row, as `read` reads it; an error if there is none.
    fn get_with<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError>;

    /// Returns the first row, if there is one.
    fn find<T: FromRow>(&self, sql: &str, params: impl Params) -> Result<Option<T>, StoreError> {
        self.find_with(sql, params, T::from_row)
    }

    /// Returns the first row, as `read` reads it, if there is one.
    fn find_with<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError>;

    /// Returns all rows.
    fn list<T: FromRow, C: FromIterator<T>>(
        &self,
        sql: &str,
        params: impl Params,
    ) -> Result<C, StoreError> {
        self.list_with(sql, params, T::from_row)
    }

    /// Returns all rows, as `read` reads them.
    fn list_with<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<C, StoreError>;

    /// Executes a statement and returns the number of changed rows.
    fn change(&self, sql: &str, params: impl Params) -> Result<usize, StoreError>;

    /// Executes a statement, whatever number of rows it changes.
    fn run(&self, sql: &str, params: impl Params) -> Result<(), StoreError> {
        self.change(sql, params).map(drop)
    }

    /// Tests whether there is a row.
    fn has(&self, sql: &str, params: impl Params) -> Result<bool, StoreError>;
}

impl Statements for Connection {
    fn get_with<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.prepare_cached(sql)
            .and_then(|mut statement| statement.query_row(params, read))
            .map_err(from_sqlite)
    }

    fn find_with<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.prepare_cached(sql)
            .and_then(|mut statement| statement.query_row(params, read).optional())
            .map_err(from_sqlite)
    }

    fn list_with<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<C, StoreError> {
        self.prepare_cached(sql)
            .and_then(|mut statement| statement.query_map(params, read)?.collect())
            .map_err(from_sqlite)
    }

    fn change(&self, sql: &str, params: impl Params) -> Result<usize, StoreError> {
        self.prepare_cached(sql)
            .and_then(|mut statement| statement.execute(params))
            .map_err(from_sqlite)
    }

    fn has(&self, sql: &str, params: impl Params) -> Result<bool, StoreError> {
        self.prepare_cached(sql)
            .and_then(|mut statement| statement.exists(params))
            .map_err(from_sqlite)
    }
}
