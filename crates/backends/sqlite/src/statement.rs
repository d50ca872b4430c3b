//! Statements that are prepared once for each connection, and rows that are read as values.

use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Params, Row, Transaction, TransactionBehavior};

use crate::error::{at, from_sqlite};

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
columns!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);

impl<T: FromSql> FromRow for Option<T> {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        row.get(0)
    }
}

/// Cached statements of a connection. Damage is reported in the first table that the statement names.
pub(crate) trait Statements {
    /// Begins a transaction that writes.
    fn begin(&mut self) -> Result<Transaction<'_>, StoreError>;

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

    /// Gives each row, as `read` reads it, to `visit`, while that says to go on.
    fn each<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
        visit: impl FnMut(T) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError>;

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
    fn begin(&mut self) -> Result<Transaction<'_>, StoreError> {
        self.transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(from_sqlite)
    }

    fn get_with<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.prepare_cached(sql)
            .and_then(|mut statement| statement.query_row(params, read))
            .map_err(in_table(sql))
    }

    fn find_with<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.prepare_cached(sql)
            .and_then(|mut statement| statement.query_row(params, read).optional())
            .map_err(in_table(sql))
    }

    fn list_with<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<C, StoreError> {
        self.prepare_cached(sql)
            .and_then(|mut statement| statement.query_map(params, read)?.collect())
            .map_err(in_table(sql))
    }

    fn each<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
        mut visit: impl FnMut(T) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let mut statement = self.prepare_cached(sql).map_err(in_table(sql))?;
        for row in statement.query_map(params, read).map_err(in_table(sql))? {
            if !visit(row.map_err(in_table(sql))?)? {
                break;
            }
        }
        Ok(())
    }

    fn change(&self, sql: &str, params: impl Params) -> Result<usize, StoreError> {
        self.prepare_cached(sql)
            .and_then(|mut statement| statement.execute(params))
            .map_err(in_table(sql))
    }

    fn has(&self, sql: &str, params: impl Params) -> Result<bool, StoreError> {
        self.prepare_cached(sql)
            .and_then(|mut statement| statement.exists(params))
            .map_err(in_table(sql))
    }
}

/// As [`from_sqlite`], for a statement: damage is reported in the first table that `sql` names.
pub(crate) fn in_table(sql: &str) -> impl FnOnce(rusqlite::Error) -> StoreError {
    move |error| {
        let mut before = "";
        let mut words = sql.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let table = words.find(|word| {
            let follows = matches!(before, "FROM" | "INTO" | "UPDATE");
            before = word;
            follows && word.starts_with(|first: char| first.is_ascii_lowercase())
        });
        at(StoreLocation::table(table.unwrap_or("database")))(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_reported_in_the_first_table_of_a_statement() {
        let table = |sql| match in_table(sql)(rusqlite::Error::QueryReturnedNoRows) {
            StoreError::Corrupt { place, .. } => place.table_name().to_owned(),
            other => other.to_string(),
        };
        for (sql, expected) in [
            ("SELECT size FROM head WHERE id = 0", "head"),
            (
                "INSERT OR IGNORE INTO claim_key (agent) VALUES (1)",
                "claim_key",
            ),
            ("UPDATE body SET payload = NULL", "body"),
            ("SELECT 1 FROM (SELECT idx FROM fork)", "fork"),
            ("PRAGMA integrity_check", "database"),
        ] {
            assert_eq!(table(sql), expected, "{sql}");
        }
    }
}
