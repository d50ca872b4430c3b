//! Store of a unit test: the one of the suite of a memory's life, and its database by hand.
#![cfg(test)]

use std::ops::Deref;

use counterfoil_life::Life as _;
use counterfoil_life_tests::LifeRig as _;
pub(crate) use counterfoil_life_tests::assert_refused;
pub(crate) use counterfoil_life_tests::support::{DAY_US, agent, id, world};
use counterfoil_life_tests::support::{Rig as Suite, START};
use counterfoil_store::conformance::Setup;
pub(crate) use counterfoil_store::conformance::block_on;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::life_tests::{DATABASE, Sqlite};

/// Time of the first entry, in microseconds.
pub(crate) const START_US: u64 = START + 180 * DAY_US;

static STORES: Sqlite = Sqlite::new();

/// A store in a folder of its own.
pub(crate) struct Rig {
    suite: Suite<'static, Sqlite>,
    folder: TempDir,
}

impl Deref for Rig {
    type Target = Suite<'static, Sqlite>;

    fn deref(&self) -> &Self::Target {
        &self.suite
    }
}

impl Rig {
    pub(crate) fn new() -> Self {
        let suite = Suite::new(&STORES);
        let folder = STORES.take(&suite.folder);
        Self { suite, folder }
    }

    /// The store as the next process finds it.
    pub(crate) fn reopened(self) -> Self {
        let suite = self.suite.reopened();
        Self { suite, ..self }
    }

    /// A copy of the store, opened at the same time.
    pub(crate) fn copied(&self) -> Self {
        let mut setup = Setup::new();
        setup.entropy = self.setup.entropy.clone();
        setup.set_clock(self.now().micros());
        let folder = STORES.folder();
        for name in [DATABASE, "memory.db-wal", "guard"] {
            std::fs::copy(self.folder.path().join(name), folder.join(name)).unwrap();
        }
        let suite = Suite {
            factory: &STORES,
            store: STORES.open(&folder, &setup),
            setup,
            folder,
        };
        let folder = STORES.take(&suite.folder);
        Self { suite, folder }
    }

    /// A plain connection to the file.
    pub(crate) fn raw(&self) -> Connection {
        Connection::open(self.folder.path().join(DATABASE)).unwrap()
    }

    pub(crate) fn count(&self, sql: &str) -> u64 {
        self.raw().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// Changes the database past its triggers and constraints, and puts the triggers back.
    pub(crate) fn tamper(&self, sql: &str) {
        let raw = self.raw();
        let of_triggers = |column| -> String {
            let all = format!(
                "SELECT group_concat({column}, '; ') FROM sqlite_schema WHERE type = 'trigger'"
            );
            raw.query_row(&all, [], |row| row.get(0)).unwrap()
        };
        let made = of_triggers("sql");
        raw.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
            .unwrap();
        for sql in [&of_triggers("'DROP TRIGGER ' || name"), sql, &made] {
            raw.execute_batch(sql).unwrap();
        }
    }

    /// The differences that an audit finds, as lines.
    pub(crate) fn differences(&self) -> Vec<String> {
        let report = block_on(self.store.audit()).unwrap();
        let differences = report.differences.iter();
        differences
            .map(|(place, detail)| format!("{place}: {detail}"))
            .collect()
    }
}
