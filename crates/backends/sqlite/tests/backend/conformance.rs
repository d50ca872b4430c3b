//! The suite of `counterfoil-store`, run by this backend.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::common::{Place, block_on};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::conformance::{Factory, Setup, run_all, run_claims, run_exchange};

/// Keeps the folders until the suite is done.
#[derive(Default)]
struct Sqlite(Mutex<Vec<Place>>);

impl Sqlite {
    fn create(&self, setup: &Setup) -> (SqliteStore, PathBuf) {
        let place = Place::new();
        let database = place.database();
        let options = options(setup, &database, place.guard());
        self.0.lock().unwrap().push(place);
        (SqliteStore::create(options).unwrap(), database)
    }
}

fn options(setup: &Setup, database: &Path, guard: PathBuf) -> Options {
    let options = Options::writable(database, setup.note_signer().unwrap(), guard)
        .with_clock(setup.clock.clone())
        .with_entropy(setup.entropy.clone());
    match setup.floor {
        Some(floor) => options.with_floor(floor),
        None => options,
    }
}

impl Factory for Sqlite {
    type Store = SqliteStore;

    fn open(&self, setup: &Setup) -> SqliteStore {
        self.create(setup).0
    }

    fn reopen(&self, setup: &Setup, store: SqliteStore) -> SqliteStore {
        let database = store.path().to_owned();
        drop(store);
        let guard = database.with_file_name("last-checkpoint");
        SqliteStore::open(options(setup, &database, guard)).unwrap()
    }

    /// A store whose tables are gone.
    fn broken(&self, setup: &Setup) -> SqliteStore {
        let (store, database) = self.create(setup);
        let connection = rusqlite::Connection::open(database).unwrap();
        connection
            .execute_batch(
                "DROP TABLE head; DROP TABLE world; DROP TABLE chain; DROP TABLE body;
                 DROP TABLE agent; DROP TABLE claim_agent;
                 DROP TABLE trust_record; DROP TABLE exchange_item; DROP TABLE exchange_answer;
                 DROP TABLE exchange_transition; DROP TABLE exchange; DROP TABLE claim_heard;
                 DROP TABLE request_seen; DROP TABLE exchange_secret;",
            )
            .unwrap();
        store
    }
}

#[test]
fn the_sqlite_backend_conforms() {
    assert_eq!(block_on(run_all(&Sqlite::default())), []);
}

/// I1 to I11, as far as a store holds them: I9, CLM-6, CLM-7, CLM-15, CLM-28, CLM-41.
#[test]
fn the_sqlite_backend_conforms_in_what_it_says_of_claims() {
    assert_eq!(block_on(run_claims(&Sqlite::default())), []);
}

/// Adversarial cases F66, F68, F75, H102: as far as a store holds them: R4, R6, R7.
#[test]
fn the_sqlite_backend_conforms_in_what_it_keeps_of_exchanges() {
    assert_eq!(block_on(run_exchange(&Sqlite::default())), []);
}
