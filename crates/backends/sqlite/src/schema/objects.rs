//! Tables, indexes, views and triggers: one that is missing or changed protects nothing, and a foreign one runs.

use std::collections::BTreeMap;

use counterfoil_store::StoreError;
use rusqlite::Connection;

use crate::apart;
use crate::statement::Statements;

/// Kind and name of a schema object.
type Key = (String, String);
/// The table that it belongs to, and the SQL that made it.
type Object = (String, Option<String>);

/// BLAKE3 digest of the objects that the newest version has, so that opening a store makes no second one to compare.
const NEWEST: &str = "3822d7bb10e5713ea6990c29ea6fe654c3fc6fb50cfbb6b91e516afa783b20b1";

/// The same of a sealed store.
const NEWEST_SEALED: &str = "d03f4e1b9ae2e7d42aa503b91ef759b00b518c1e6bd5d3de75dc56eccb149e0d";

/// The objects of a schema, of both files where the index has one of its own. Statistics, which `ANALYZE` adds, are left
/// out: a plan rests on them, and no answer.
fn all(connection: &Connection) -> String {
    let words = match apart::is_attached(connection) {
        true => "UNION SELECT type, name, tbl_name, sql FROM words.sqlite_schema",
        false => "",
    };
    format!(
        "SELECT type, name, tbl_name, sql
         FROM (SELECT type, name, tbl_name, sql FROM main.sqlite_schema {words})
         WHERE sql IS NULL OR sql NOT IN ('CREATE TABLE sqlite_stat1(tbl,idx,stat)',
                                          'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')
         ORDER BY type, name"
    )
}

/// Returns true if the objects are those of the newest version, all and no other.
pub(crate) fn are_newest(connection: &Connection) -> Result<bool, StoreError> {
    Ok(digest(connection)?.to_hex().as_str() == newest(connection))
}

fn newest(connection: &Connection) -> &'static str {
    match apart::is_attached(connection) {
        true => NEWEST_SEALED,
        false => NEWEST,
    }
}

fn digest(connection: &Connection) -> Result<blake3::Hash, StoreError> {
    let mut hasher = blake3::Hasher::new();
    connection.each(&all(connection), [], |row| {
        for column in 0..4 {
            let text = row.get_ref(column)?.as_bytes_or_null()?;
            let length = text.map_or(Ok(u64::MAX), |text| u64::try_from(text.len()));
            hasher.update(&length.unwrap_or_default().to_le_bytes());
            hasher.update(text.unwrap_or_default());
        }
        Ok(())
    })?;
    Ok(hasher.finalize())
}

/// Differences between the schema of `live` and the one that the program `made`: one
/// line for each object. Indexes and triggers of a missing table are not listed.
pub(crate) fn differences(live: &Connection, made: &Connection) -> Result<Vec<String>, StoreError> {
    let (live, made) = (objects(live)?, objects(made)?);
    let mut differing = missing(&live, &made);
    let others = live.iter().filter_map(|object| difference(object, &made));
    differing.extend(others);
    Ok(differing)
}

/// The first object of `live` that is not one of those that the program `made`, or was changed; `None` if there is none.
/// The tables that FTS5 makes inside of the index are known by their names: their text is that of the SQLite that made them.
pub(crate) fn foreign(live: &Connection, made: &Connection) -> Result<Option<String>, StoreError> {
    let (live, made) = (objects(live)?, objects(made)?);
    let of_full_text = |(key, object): &(&Key, &Object)| {
        let is_plain = |sql: &String| sql.starts_with("CREATE TABLE '");
        key.1.starts_with("text_index_")
            && object.1.as_ref().is_some_and(is_plain)
            && made.contains_key(*key)
    };
    let mut live = live.iter().filter(|object| !of_full_text(object));
    Ok(live.find_map(|object| difference(object, &made)))
}

fn objects(connection: &Connection) -> Result<BTreeMap<Key, Object>, StoreError> {
    connection.list_with(&all(connection), [], |row| {
        Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?)))
    })
}

fn difference((key, object): (&Key, &Object), made: &BTreeMap<Key, Object>) -> Option<String> {
    let (kind, name) = key;
    match made.get(key) {
        None => Some(format!("the {kind} {name:?} is not one of this program")),
        Some(expected) if expected != object => Some(format!("the {kind} {name:?} was changed")),
        Some(_) => None,
    }
}

fn missing(live: &BTreeMap<Key, Object>, made: &BTreeMap<Key, Object>) -> Vec<String> {
    let tables = made
        .keys()
        .filter(|key| key.0 == "table" && !live.contains_key(*key));
    let tables: Vec<&str> = tables.map(|(_, name)| name.as_str()).collect();
    let goes_with_a_table = |(_, name): &Key, table: &str| {
        tables.iter().any(|gone| {
            (table == *gone && name != gone)
                || name
                    .strip_prefix(gone)
                    .is_some_and(|rest| rest.starts_with('_'))
        })
    };
    let gone = made
        .iter()
        .filter(|(key, object)| !live.contains_key(*key) && !goes_with_a_table(key, &object.0));
    let line = |((kind, name), _): (&Key, _)| format!("the {kind} {name:?} is missing");
    gone.map(line).collect()
}

/// Fails when opening a store would make a second one to compare: [`NEWEST`] is then the digest of another schema.
#[cfg(test)]
#[track_caller]
pub(crate) fn assert_newest(connection: &Connection) {
    let found = digest(connection).unwrap();
    assert_eq!(found.to_hex().as_str(), newest(connection));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(sql: &str) -> Vec<String> {
        let [live, made] = [(); 2].map(|()| {
            let plain = Connection::open_in_memory().unwrap();
            crate::schema::scratch(&plain).unwrap()
        });
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
