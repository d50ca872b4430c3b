//! Statements that are prepared once for each connection, and rows that are read as values.

use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::types::FromSql;
use rusqlite::{
    CachedStatement, Connection, OptionalExtension, Params, Row, Transaction, TransactionBehavior,
};

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

    /// Uses the statement.
    fn with<T>(
        &self,
        sql: &str,
        used: impl FnOnce(&mut CachedStatement<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError>;

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
    ) -> Result<T, StoreError> {
        self.with(sql, |statement| statement.query_row(params, read))
    }

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
    ) -> Result<Option<T>, StoreError> {
        self.with(sql, |statement| {
            statement.query_row(params, read).optional()
        })
    }

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
    ) -> Result<C, StoreError> {
        self.with(sql, |statement| {
            statement.query_map(params, read)?.collect()
        })
    }

    /// Takes one row after the other, so that a table of any size is read in little memory.
    fn each(
        &self,
        sql: &str,
        params: impl Params,
        mut take: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        self.with(sql, |statement| {
            let mut rows = statement.query(params)?;
            while let Some(row) = rows.next()? {
                take(row)?;
            }
            Ok(())
        })
    }

    /// Gives each row, as `read` reads it, to `visit`, while that says to go on.
    fn visit<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
        mut visit: impl FnMut(T) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        self.with(sql, |statement| {
            for row in statement.query_map(params, read)? {
                match visit(row?) {
                    Ok(true) => {}
                    ended => return Ok(ended.map(drop)),
                }
            }
            Ok(Ok(()))
        })?
    }

    /// Executes a statement and returns the number of changed rows.
    fn change(&self, sql: &str, params: impl Params) -> Result<usize, StoreError> {
        self.with(sql, |statement| statement.execute(params))
    }

    /// Executes a statement, whatever number of rows it changes.
    fn run(&self, sql: &str, params: impl Params) -> Result<(), StoreError> {
        self.change(sql, params).map(drop)
    }

    /// Tests whether there is a row.
    fn has(&self, sql: &str, params: impl Params) -> Result<bool, StoreError> {
        self.with(sql, |statement| statement.exists(params))
    }
}

impl Statements for Connection {
    fn begin(&mut self) -> Result<Transaction<'_>, StoreError> {
        self.transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(from_sqlite)
    }

    fn with<T>(
        &self,
        sql: &str,
        used: impl FnOnce(&mut CachedStatement<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.prepare_cached(sql)
            .and_then(|mut statement| used(&mut statement))
            .map_err(in_table(sql))
    }
}

/// As [`from_sqlite`], for a statement: damage is reported in the first table that `sql` names.
pub(crate) fn in_table(sql: &str) -> impl FnOnce(rusqlite::Error) -> StoreError {
    move |error| at(StoreLocation::table(table_of(sql)))(error)
}

/// The first table that a statement names.
pub(crate) fn table_of(sql: &str) -> &str {
    let mut before = "";
    let words = sql.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let mut words = words.filter(|word| !word.is_empty() && *word != "main");
    let table = words.find(|word| {
        let follows = matches!(before, "FROM" | "INTO" | "UPDATE");
        before = word;
        follows && word.starts_with(|first: char| first.is_ascii_lowercase())
    });
    table.unwrap_or("database")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_names_its_first_table() {
        for (sql, expected) in [
            ("SELECT size FROM head WHERE id = 0", "head"),
            ("SELECT number FROM\n (SELECT 1 FROM\n  key)", "key"),
            (
                "INSERT OR IGNORE INTO claim_key (agent) VALUES (1)",
                "claim_key",
            ),
            ("UPDATE main.body SET payload = NULL", "body"),
            ("SELECT 1 FROM (SELECT idx FROM fork)", "fork"),
            ("PRAGMA integrity_check", "database"),
        ] {
            assert_eq!(table_of(sql), expected, "{sql}");
        }
    }
}
