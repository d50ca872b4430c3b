//! The schema, its version, and its migrations: each one transaction (F8), never backwards.

mod objects;

use std::borrow::Cow;
use std::path::Path;

use counterfoil_life::commit;
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::Connection;

use crate::error::from_sqlite;
use crate::statement::Statements;
use crate::{apart, counts, text, vectors};

pub(crate) use objects::differences;

const GROUND_SQL: &str = include_str!("ground.sql");
const DERIVED_SQL: &str = include_str!("derived.sql");
const CAPSULES_SQL: &str = include_str!("capsules.sql");
const RECORDS_SQL: &str = include_str!("records.sql");
const CLAIMS_SQL: &str = include_str!("claims.sql");
const SERVED_SQL: &str = include_str!("served.sql");
const EXCHANGE_SQL: &str = include_str!("exchange.sql");
const CLOCK_SQL: &str = include_str!("clock.sql");
const COMMITS_SQL: &str = include_str!("commits.sql");
const PLACES_SQL: &str = include_str!("places.sql");
const SEALED_SQL: &str = include_str!("sealed.sql");
/// Gives lines of claims a scope.
const LINES_SCOPED_SQL: &str = include_str!("lines_scoped.sql");
/// The tables of claims, in the place of those that were there.
pub(crate) const LINES_SQL: &str = include_str!("lines.sql");
const TRUST_SQL: &str = include_str!("trust.sql");
const JOURNAL_SQL: &str = include_str!("journal.sql");
/// Derived state of version 8: heads of the journal that entries name.
const JOURNAL_HEAD_SQL: &str = "CREATE TABLE journal_head (
    idx  INTEGER PRIMARY KEY,
    rows INTEGER NOT NULL,
    link BLOB    NOT NULL CHECK (length(link) = 32)
) STRICT;";
/// Derived state of version 8: capsules after the first of their chain, by their ids; that of a first one names its chain.
const VERSION_ID_SQL: &str = "CREATE TABLE version_id (
    id  BLOB    NOT NULL,
    idx INTEGER NOT NULL,
    PRIMARY KEY (id, idx)
) STRICT, WITHOUT ROWID;";
/// The ids of a store of an earlier version. Headers of claim units, which are packed, are those of first capsules.
const EARLIER_IDS_SQL: &str =
    "INSERT INTO version_id SELECT unhex(replace(json_extract(header, '$.id'), '-', '')), idx FROM capsule
     WHERE header <> '' AND json_extract(header, '$.seq') > 0;";
/// Version 8: secrets of feeds, set once for each agent (docs/format/feed.md).
const FEED_SQL: &str = "CREATE TABLE feed_secret (
    agent  TEXT PRIMARY KEY,
    secret BLOB NOT NULL CHECK (length(secret) = 32)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER feed_secret_is_not_updated BEFORE UPDATE ON feed_secret
BEGIN SELECT RAISE(ABORT, 'the secret is set once'); END;
CREATE TRIGGER feed_secret_is_not_deleted BEFORE DELETE ON feed_secret
BEGIN SELECT RAISE(ABORT, 'the secret is set once'); END;";
/// Derived state of version 8: number and last of the capsules of an agent that were sealed here, and number of its memories.
const SEALED_HERE_SQL: &str = "ALTER TABLE agent ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE agent ADD COLUMN last BLOB; ALTER TABLE agent ADD COLUMN worlds INTEGER NOT NULL DEFAULT 0;";
/// Adds the rows of the journal inside of the migration.
type BeginJournal = fn(&Connection) -> Result<(), StoreError>;
/// The version that begins the journal.
const JOURNAL_VERSION: i64 = 8;
const APART_SQL: &str = include_str!("apart.sql");

/// The mark of the last transaction of a sealed store, here and in the file of its index.
const MARK_SQL: &str = "CREATE TABLE apart (
    id   INTEGER PRIMARY KEY CHECK (id = 0),
    mark BLOB NOT NULL CHECK (length(mark) = 16)
) STRICT;";

/// Removes the tables with words from a sealed store: they are in the file of its index.
const UNWORDED_SQL: &str = "DROP TABLE text_terms; DROP TABLE text_index; DROP TABLE text_turns;
    DROP TABLE text_dialogues; DROP TABLE claim_agent; DROP TABLE claim_line; DROP TABLE claim_unit;
    DROP TABLE claim_entry; INSERT INTO apart (id, mark) VALUES (0, randomblob(16));";

/// Derived state of version 9: the map of the log (docs/format/standing.md), its nodes and what else it rests on.
const MAP_SQL: &str = "CREATE TABLE map_node (
    place INTEGER PRIMARY KEY,
    node  BLOB NOT NULL
) STRICT;
CREATE TABLE map_row (
    key   BLOB PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;";

/// The version in which `counterfoil-words` makes the terms of the index.
const TERMS_VERSION: i64 = 10;

/// The version that knows scopes.
const SCOPES_VERSION: i64 = 12;

/// That version of a sealed store: the index, which is in a file of its own, belongs to the ground no more and is derived again.
const UNFIT_SQL: &str = "UPDATE apart SET mark = randomblob(16);";

/// Trigger of version 8, in which records of the log hold documents about others: an earlier row goes once a record holds its
/// document.
const RECORDED_SQL: &str = "DROP TRIGGER trust_record_is_not_deleted;
CREATE TRIGGER trust_record_goes_once_recorded BEFORE DELETE ON trust_record
WHEN NOT EXISTS (SELECT 1 FROM trust_document WHERE hash = OLD.hash)
BEGIN SELECT RAISE(ABORT, 'trust_record is append-only'); END;";

/// Until version 5 reads recorded here which claims they had returned (decision 0020).
const UNSERVED_SQL: &str = "DROP TABLE IF EXISTS claim_served; DROP TABLE IF EXISTS claim_re_entry";

/// The types that a body may have, without a list of three: SQLite would fill a table with it at each row that is written.
const BODY_SQL: &str = "PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, ' IN (''text'', ''blob'', ''null'')', ' NOT IN (''integer'', ''real'')')
    WHERE type = 'table' AND name = 'body';
    PRAGMA writable_schema = RESET;";

/// Version 8 makes the index of claims anew: the log indices of the units are kept, and the rest is derived from them when the
/// store is opened for writing.
const BEFORE_LINES_SQL: &str = "ALTER TABLE claim_unit RENAME TO claim_unit_before;";
const AFTER_LINES_SQL: &str =
    "INSERT INTO claim_entry SELECT 4, idx, 0, 0, 0, 0 FROM claim_unit_before;
    DROP TABLE claim_unit_before;
    DELETE FROM claim_entry WHERE list = 0 AND EXISTS (SELECT 1 FROM claim_entry WHERE list = 4);";

/// `Cfoi`: what marks a SQLite file as a Counterfoil store.
pub(crate) const APPLICATION_ID: i64 = 0x4366_6f69;

/// `Cfos`: the same of a sealed store.
pub(crate) const SEALED_ID: i64 = 0x4366_6f73;

/// The tables of the ground: all other tables are derived, those of vectors with a model.
pub(crate) const GROUND_TABLES: [&str; 30] = [
    "capsule",
    "body",
    "log",
    "origin",
    "head",
    "stub",
    "received",
    "held",
    "collected",
    "fork",
    "event",
    "event_count",
    "claim_erased",
    "trust_record",
    "exchange",
    "exchange_transition",
    "exchange_answer",
    "exchange_item",
    "claim_heard",
    "request_seen",
    "request_seen_count",
    "exchange_secret",
    "journal",
    "feed_secret",
    "ship",
    "outbox",
    "followed",
    "unopened",
    "apart",
    "to_destroy",
];

/// The newest schema version.
const NEWEST: usize = 12;

/// The migrations of a store with the mark `id`, from an empty file to the newest version; migration `n` makes version `n + 1`.
fn migrations(id: i64) -> [String; NEWEST] {
    let first = format!("{GROUND_SQL}\n{DERIVED_SQL}\n{}", text::MIGRATION_SQL);
    [
        first,
        format!("{CAPSULES_SQL}\n{RECORDS_SQL}\n{}", text::UPGRADE_SQL),
        format!("{CLAIMS_SQL}\n{SERVED_SQL}"),
        EXCHANGE_SQL.to_owned(),
        UNSERVED_SQL.to_owned(),
        format!("{CLOCK_SQL}\nALTER TABLE stub ADD COLUMN observed INTEGER;"),
        format!("{COMMITS_SQL}\n{}", outbox_sql()),
        [
            BODY_SQL,
            PLACES_SQL,
            SEALED_SQL,
            BEFORE_LINES_SQL,
            LINES_SQL,
            AFTER_LINES_SQL,
            TRUST_SQL,
            RECORDED_SQL,
            &goes_out("trust_record", "DELETE", "trust_record", "OLD.number, 0, 0"),
            JOURNAL_SQL,
            JOURNAL_HEAD_SQL,
            VERSION_ID_SQL,
            EARLIER_IDS_SQL,
            FEED_SQL,
            SEALED_HERE_SQL,
            counts::SQL,
            &counts::begin_sql(),
            &goes_out("feed_secret", "INSERT", "feed_secret", "NEW.agent, 0, 0"),
            &goes_out("journal", "INSERT", "journal", "NEW.number, 0, 0"),
            &match id {
                SEALED_ID => format!("{MARK_SQL}\n{APART_SQL}\n{UNWORDED_SQL}"),
                _ => String::new(),
            },
        ]
        .join("\n"),
        MAP_SQL.to_owned(),
        match id {
            SEALED_ID => UNFIT_SQL.to_owned(),
            _ => text::terms_sql(),
        },
        // Those of a sealed store are in the file of its index.
        match id {
            SEALED_ID => String::new(),
            _ => vectors::MIGRATION_SQL.to_owned(),
        },
        match id {
            SEALED_ID => UNFIT_SQL.to_owned(),
            _ => scopes_sql(),
        },
    ]
}

/// Adds scopes to the index: of texts, and of the lines of claims, which had none.
fn scopes_sql() -> String {
    format!("{}{LINES_SCOPED_SQL}", text::scopes_sql())
}

/// Triggers that put the key of each ground row that changes into the outbox, complete for every program that writes. An
/// entry is new by its index: only its changes are taken in. The outer statement's conflict clause would hold in here.
fn outbox_sql() -> String {
    // What a trigger refuses needs no other one.
    let refusing = [CAPSULES_SQL, SERVED_SQL, EXCHANGE_SQL];
    let mut sql = String::new();
    for table in ["capsule", "body"] {
        sql += &goes_out(table, "UPDATE", commit::ENTRY, "NEW.idx, 0, 0");
    }
    // Journal and feeds came later.
    for table in commit::BESIDE
        .iter()
        .filter(|table| !["journal", "feed_secret"].contains(&table.name))
    {
        for (when, row, done) in [
            ("INSERT", "NEW", "inserted"),
            ("UPDATE", "NEW", "updated"),
            ("DELETE", "OLD", "deleted"),
        ] {
            let refusal = format!("CREATE TRIGGER {}_is_not_{done} ", table.name);
            if refusing.iter().any(|sql| sql.contains(&refusal)) {
                continue;
            }
            let key = table.columns.iter().take(table.key);
            let key = key.map(|column| format!("{row}.{column}"));
            let unused = std::iter::repeat_n("0".to_owned(), 3_usize.saturating_sub(table.key));
            let key: Vec<String> = key.chain(unused).collect();
            sql += &goes_out(table.name, when, table.name, &key.join(", "));
        }
    }
    sql
}

/// One trigger of [`outbox_sql`].
fn goes_out(table: &str, when: &str, part: &str, key: &str) -> String {
    format!(
        "CREATE TRIGGER {table}_{when}_goes_out AFTER {when} ON {table} WHEN EXISTS (SELECT 1 FROM ship)
             BEGIN
                 DELETE FROM outbox WHERE part = '{part}' AND (first, second, third) = ({key});
                 INSERT INTO outbox (part, first, second, third) VALUES ('{part}', {key});
             END;\n"
    )
}

/// The SQL of all derived tables, for a rebuild. Those with words are made where `connection` has them.
pub(crate) fn derived_sql(connection: &Connection) -> String {
    let text = text::tables_sql();
    let text = in_words(connection, &text);
    let lines = in_words(connection, LINES_SQL);
    let mark = match apart::is_attached(connection) {
        true => format!(
            "DROP TABLE IF EXISTS words.apart; {}",
            in_words(connection, MARK_SQL)
        ),
        false => String::new(),
    };
    format!(
        "{DERIVED_SQL}\n{text}\n{RECORDS_SQL}\n{lines}\n{CLOCK_SQL}\n{PLACES_SQL}\n{TRUST_SQL}\n{JOURNAL_HEAD_SQL}\n{VERSION_ID_SQL}\n{SEALED_HERE_SQL}\n{MAP_SQL}\n{}\n{mark}",
        counts::SQL
    )
}

/// Makes the tables of vectors where they are missing, which they are in a new file of the index.
pub(crate) fn make_vectors(connection: &Connection) -> Result<(), StoreError> {
    let sql = "SELECT 1 FROM pragma_table_list WHERE name = 'vector_model'";
    match connection.has(sql, [])? {
        true => Ok(()),
        false => connection
            .execute_batch(&in_words(connection, vectors::MIGRATION_SQL))
            .map_err(from_sqlite),
    }
}

/// Makes the objects of `sql` in the file of the index, where it is another one.
pub(crate) fn in_words<'s>(connection: &Connection, sql: &'s str) -> Cow<'s, str> {
    if !apart::is_attached(connection) {
        return Cow::Borrowed(sql);
    }
    let kinds = ["TABLE ", "VIRTUAL TABLE ", "INDEX ", "UNIQUE INDEX "];
    let qualified = |sql: String, kind| {
        let made = format!("CREATE {kind}");
        sql.replace(&made, &format!("{made}words."))
    };
    Cow::Owned(kinds.into_iter().fold(sql.to_owned(), qualified))
}

/// The newest schema version that this program knows.
pub(crate) fn newest_version() -> u64 {
    u64::try_from(NEWEST).unwrap_or(u64::MAX)
}

/// Makes the tables in an empty database, which gets the mark `id`.
pub(crate) fn create(connection: &mut Connection, id: i64) -> Result<(), StoreError> {
    migrate(connection, (id, 0), &migrations(id), |_| Ok(()))
}

/// A new store in a temporary file, which SQLite removes: it may grow as large as the derived tables. It has the objects of a
/// store like that of `live`, in one file.
pub(crate) fn scratch(live: &Connection) -> Result<Connection, StoreError> {
    let mut connection = Connection::open("").map_err(from_sqlite)?;
    for setting in ["synchronous", "journal_mode"] {
        let set = connection.pragma_update(None, setting, "OFF");
        set.map_err(from_sqlite)?;
    }
    create(&mut connection, APPLICATION_ID)?;
    seal(&connection, live)?;
    Ok(connection)
}

/// Adds what a sealed store has, if `live` is one.
fn seal(connection: &Connection, live: &Connection) -> Result<(), StoreError> {
    match apart::is_attached(live) {
        true => connection.execute_batch(&format!("{MARK_SQL}\n{APART_SQL}")),
        false => Ok(()),
    }
    .map_err(from_sqlite)
}

/// Brings a store to the newest version. `begin_journal` links the rows of one without a journal.
pub(crate) fn upgrade(
    connection: &mut Connection,
    path: &Path,
    begin_journal: BeginJournal,
) -> Result<(), StoreError> {
    match opened(connection, path)? {
        version if version == newest_version() => Ok(()),
        version => {
            let id = pragma(connection, "application_id")?;
            migrate(connection, (id, version), &migrations(id), begin_journal)
        }
    }
}

/// Refuses a store that has not the newest version, for those who may not change it.
pub(crate) fn require_newest(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    if opened(connection, path)? < newest_version() {
        return Err(StoreError::ReadOnly {
            reason: "its schema is older than this program and has to be upgraded first: \
                     open it once for writing"
                .to_owned(),
        });
    }
    Ok(())
}

/// The schema version of a store whose tables, indexes, views and triggers are all of this program.
///
/// A foreign object in a database could run at each statement: a trigger would write, and a view in place of a table has as
/// many rows as it likes. A missing one can do nothing, and is for the audit.
fn opened(connection: &Connection, path: &Path) -> Result<u64, StoreError> {
    // Another process may be upgrading: version and objects are those of one moment.
    let snapshot = connection.unchecked_transaction().map_err(from_sqlite)?;
    let version = version_of_ours(&snapshot, path)?;
    if version == newest_version() && objects::are_newest(&snapshot)? {
        return Ok(version);
    }
    let mut made = Connection::open_in_memory().map_err(from_sqlite)?;
    let migrations = migrations(APPLICATION_ID);
    let known = usize::try_from(version).unwrap_or(usize::MAX);
    migrate(
        &mut made,
        (APPLICATION_ID, 0),
        migrations.get(..known).unwrap_or(&migrations),
        |_| Ok(()),
    )?;
    // There are no sealed stores of earlier versions.
    if i64::try_from(version).is_ok_and(|it| it >= JOURNAL_VERSION) {
        seal(&made, &snapshot)?;
    }
    match objects::foreign(&snapshot, &made)? {
        None => Ok(version),
        Some(foreign) => {
            let place = StoreLocation::table("sqlite_schema");
            Err(StoreError::corrupt(place, foreign))
        }
    }
}

/// The schema version of a file that is ours.
pub(crate) fn version_of_ours(connection: &Connection, path: &Path) -> Result<u64, StoreError> {
    let not_ours = || StoreError::NotOurs {
        path: path.to_owned(),
    };
    let application = pragma(connection, "application_id").map_err(|error| match error {
        StoreError::Corrupt { .. } => not_ours(),
        other => other,
    })?;
    if ![APPLICATION_ID, SEALED_ID].contains(&application) {
        return Err(not_ours());
    }
    let version = u64::try_from(pragma(connection, "user_version")?).map_err(|_| not_ours())?;
    match version {
        0 => Err(not_ours()),
        found if found > newest_version() => Err(StoreError::NewerSchema {
            found,
            known: newest_version(),
        }),
        known => Ok(known),
    }
}

/// Tests whether a file holds nothing yet: what an interrupted creation leaves behind.
pub(crate) fn is_blank(connection: &Connection) -> Result<bool, StoreError> {
    Ok(!connection.has("SELECT 1 FROM sqlite_schema", [])?
        && pragma(connection, "application_id")? == 0
        && pragma(connection, "user_version")? == 0)
}

pub(crate) fn pragma(connection: &Connection, name: &str) -> Result<i64, StoreError> {
    connection
        .pragma_query_value(None, name, |row| row.get(0))
        .map_err(from_sqlite)
}

/// Makes the SQL of each migration and its version, together or not at all. A second process that waited for the first
/// finds the work done.
fn migrate(
    connection: &mut Connection,
    (id, from): (i64, u64),
    migrations: &[String],
    begin_journal: BeginJournal,
) -> Result<(), StoreError> {
    let skip = usize::try_from(from).unwrap_or(usize::MAX);
    for (version, sql) in (1_i64..).zip(migrations).skip(skip) {
        let transaction = connection.begin()?;
        if pragma(&transaction, "user_version")? >= version {
            continue;
        }
        let migrate = || {
            transaction.execute_batch(sql)?;
            if version == TERMS_VERSION && apart::is_attached(&transaction) {
                transaction.execute_batch(&in_words(&transaction, &text::terms_sql()))?;
            }
            if version == SCOPES_VERSION && apart::is_attached(&transaction) {
                transaction.execute_batch(&in_words(&transaction, &text::scopes_sql()))?;
            }
            transaction.pragma_update(None, "application_id", id)?;
            transaction.pragma_update(None, "user_version", version)
        };
        migrate().map_err(from_sqlite)?;
        if version == JOURNAL_VERSION {
            begin_journal(&transaction)?;
        }
        transaction.commit().map_err(from_sqlite)?;
    }
    Ok(())
}

/// The names of the tables that are derived from the log, virtual ones included and the tables inside of those left out.
pub(crate) fn derived_tables(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut tables: Vec<String> = connection.list(
        "SELECT name FROM pragma_table_list
         WHERE schema IN ('main', 'words') AND type IN ('table', 'virtual')
           AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
        [],
    )?;
    tables.retain(|name| {
        let name = name.as_str();
        !GROUND_TABLES.contains(&name) && !vectors::TABLES.contains(&name)
    });
    Ok(tables)
}

/// Refuses a SQLite with the fault that damages databases in WAL mode (F9).
pub(crate) fn require_safe_library() -> Result<(), StoreError> {
    const NEEDED: i32 = 3_051_003;
    if rusqlite::version_number() < NEEDED {
        return Err(StoreError::UnsafeLibrary {
            found: rusqlite::version().to_owned(),
            needed: "3.51.3".to_owned(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use counterfoil_life::journal;

    use super::*;
    use crate::port::Tables;

    fn blank() -> Connection {
        Connection::open_in_memory().unwrap()
    }

    /// F8: a migration that fails half way leaves nothing of itself.
    #[test]
    fn a_migration_is_whole_or_absent() {
        let mut connection = blank();
        let torn = ["CREATE TABLE a (x); CREATE TABLE a (x);".to_owned()];
        assert!(migrate(&mut connection, (APPLICATION_ID, 0), &torn, |_| Ok(())).is_err());
        assert!(is_blank(&connection).unwrap());
    }

    /// A store of each earlier version, empty, comes to the same tables as a new one.
    #[test]
    fn an_earlier_version_is_brought_to_what_a_new_store_has() {
        for version in 1..=migrations(APPLICATION_ID).len() {
            let mut old = blank();
            migrate(
                &mut old,
                (APPLICATION_ID, 0),
                &migrations(APPLICATION_ID)[..version],
                |_| Ok(()),
            )
            .unwrap();
            assert!(!is_blank(&old).unwrap());
            let known = opened(&old, Path::new("x")).unwrap();
            assert_eq!(usize::try_from(known).unwrap(), version);
            upgrade(&mut old, Path::new("x"), |_| Ok(())).unwrap();
            // Another process was faster.
            migrate(
                &mut old,
                (APPLICATION_ID, 0),
                &migrations(APPLICATION_ID),
                |_| Ok(()),
            )
            .unwrap();
            assert_eq!(
                version_of_ours(&old, Path::new("x")).unwrap(),
                newest_version()
            );
            let differences = differences(&old, &scratch(&old).unwrap()).unwrap();
            assert!(differences.is_empty(), "version {version}: {differences:?}");
            objects::assert_newest(&old);
            let rebuilt = old.begin().unwrap();
            counterfoil_life::index::derive_again(&Tables::new(&rebuilt), 0).unwrap();
            objects::assert_newest(&rebuilt);
        }
    }

    /// The two files of a sealed store have the objects of a store in one.
    #[test]
    fn a_sealed_store_has_its_objects_in_two_files() {
        let mut sealed = blank();
        sealed.execute_batch("ATTACH ':memory:' AS words").unwrap();
        create(&mut sealed, SEALED_ID).unwrap();
        // Its index is made when it is opened.
        opened(&sealed, Path::new("x")).unwrap();
        let transaction = sealed.begin().unwrap();
        counterfoil_life::index::derive_again(&Tables::new(&transaction), 0).unwrap();
        transaction.commit().unwrap();
        objects::assert_newest(&sealed);
        let differences = differences(&sealed, &scratch(&sealed).unwrap()).unwrap();
        assert!(differences.is_empty(), "{differences:?}");
        let word = "CREATE TRIGGER words.more AFTER INSERT ON text_turns BEGIN DELETE FROM text_turns; END";
        sealed.execute_batch(word).unwrap();
        assert!(opened(&sealed, Path::new("x")).is_err());
    }

    /// Rows of a store of version 7 are linked in the migration, but for one that follows another store.
    #[test]
    fn rows_of_an_earlier_version_are_linked() {
        for (followed, expected) in [
            ("", 2),
            ("INSERT INTO followed VALUES (0, hex(zeroblob(16)), 1);", 0),
        ] {
            let mut old = blank();
            migrate(
                &mut old,
                (APPLICATION_ID, 0),
                &migrations(APPLICATION_ID)[..7],
                |_| Ok(()),
            )
            .unwrap();
            let rows = "INSERT INTO event VALUES (1, zeroblob(32), 1, 'summary', 'x', '{}');
                INSERT INTO exchange VALUES (0, hex(zeroblob(18)), x'', NULL, '', '', 1);";
            old.execute_batch(&format!("{rows}{followed}")).unwrap();
            let begin: BeginJournal = |connection| journal::begin(&Tables::new(connection));
            upgrade(&mut old, Path::new("x"), begin).unwrap();
            let tables = Tables::new(&old);
            assert_eq!(journal::head(&tables).unwrap().0, expected);
            let checked = journal::check(&tables, "event", 1);
            assert_eq!(checked.is_ok(), expected > 0);
        }
    }

    /// A trigger of somebody else would run in the migration.
    #[test]
    fn an_earlier_version_with_something_foreign_is_left_as_it_is() {
        for version in 1..migrations(APPLICATION_ID).len() {
            let mut old = blank();
            migrate(
                &mut old,
                (APPLICATION_ID, 0),
                &migrations(APPLICATION_ID)[..version],
                |_| Ok(()),
            )
            .unwrap();
            let trigger = "CREATE TRIGGER more AFTER INSERT ON world BEGIN DELETE FROM world; END";
            old.execute_batch(trigger).unwrap();
            let refused = upgrade(&mut old, Path::new("x"), |_| Ok(()))
                .unwrap_err()
                .to_string();
            assert!(refused.contains("trigger \"more\" is not one"), "{refused}");
            let now = usize::try_from(pragma(&old, "user_version").unwrap()).unwrap();
            assert_eq!(now, version);
        }
    }

    #[test]
    fn the_ground_tables_are_told_from_the_derived_ones() {
        let mut connection = blank();
        create(&mut connection, APPLICATION_ID).unwrap();
        let derived = derived_tables(&connection).unwrap();
        for name in ["agent", "chain", "world"] {
            assert!(derived.iter().any(|table| table == name), "{derived:?}");
        }
        assert!(
            derived
                .iter()
                .all(|table| !GROUND_TABLES.contains(&table.as_str()))
        );
        assert!(
            !derived.iter().any(|table| table.ends_with("_docsize")),
            "{derived:?}"
        );
    }

    #[test]
    fn the_linked_library_is_safe() {
        require_safe_library().unwrap();
    }
}
