//! Audits tables, indexes and triggers: one that is missing or changed protects nothing.

use std::collections::BTreeMap;

use counterfoil_store::StoreError;
use rusqlite::{Connection, Result};

use crate::error::from_sqlite;

/// Kind and name of a schema object.
type Key = (String, String);
/// The table that it belongs to, and the SQL that made it.
type Object = (String, Option<String>);

/// Differences between the schema of `live` and the one that the program `made`: one
/// line for each object. Indexes and triggers of a missing table are not listed.
pub(crate) fn differences(live: &Connection, made: &Connection) -> Result<Vec<String>, StoreError> {
    let (live, made) = (objects(live), objects(made));
    Ok(compare(
        &live.map_err(from_sqlite)?,
        &made.map_err(from_sqlite)?,
    ))
}

fn objects(connection: &Connection) -> Result<BTreeMap<Key, Object>> {
    connection
        .prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema")?
        .query_map([], |row| {
            Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?)))
        })?
        .collect()
}

fn compare(live: &BTreeMap<Key, Object>, made: &BTreeMap<Key, Object>) -> Vec<String> {
    let missing: Vec<&str> = made
        .keys()
        .filter(|key| key.0 == "table" && !live.contains_key(*key))
        .map(|(_, name)| name.as_str())
        .collect();
    let goes_with_a_table = |(_, name): &Key, table: &str| {
        missing.iter().any(|gone| {
            (table == *gone && name != gone)
                || name
                    .strip_prefix(gone)
                    .is_some_and(|rest| rest.starts_with('_'))
        })
    };
    let mut differing = Vec::new();
    for (key @ (kind, name), object) in made {
        match live.get(key) {
            None if !goes_with_a_table(key, &object.0) => {
                differing.push(format!("the {kind} {name:?} is missing"));
            }
            Some(found) if found != object => {
                differing.push(format!("the {kind} {name:?} was changed"));
            }
            _ => {}
        }
    }
    for (kind, name) in live.keys().filter(|key| !made.contains_key(*key)) {
        differing.push(format!("the {kind} {name:?} is not one of this program"));
    }
    differing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(sql: &str) -> Vec<String> {
        let [live, made] = [(); 2].map(|()| crate::audit::scratch().unwrap());
        live.execute_batch(sql).unwrap();
        differences(&live, &made).unwrap()
    }

    #[test]
    fn each_object_that_differs_is_named_once() {
        assert!(after("").is_empty());
        for (sql, expected) in [
            (
                "DROP TRIGGER log_is_not_updated",
                "trigger \"log_is_not_updated\" is missing",
            ),
            (
                "DROP INDEX text_turns_place",
                "index \"text_turns_place\" is missing",
            ),
            ("DROP TABLE text_index", "table \"text_index\" is missing"),
            ("DROP TABLE body", "table \"body\" is missing"),
            (
                "CREATE TABLE more (x)",
                "table \"more\" is not one of this program",
            ),
            (
                "ALTER TABLE agent ADD COLUMN x INTEGER",
                "table \"agent\" was changed",
            ),
        ] {
            let found = after(sql);
            assert_eq!(found, [format!("the {expected}")], "{sql}");
        }
    }
}
