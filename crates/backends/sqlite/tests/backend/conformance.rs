//! The suite of `counterfoil-store`, run by this backend.

use std::sync::Mutex;

use crate::common::{Place, block_on};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::conformance::{Factory, Setup, run_all, run_claims};

/// Keeps the folders until the suite is done.
#[derive(Default)]
struct Sqlite(Mutex<Vec<Place>>);

impl Sqlite {
    fn create(&self, setup: &Setup) -> (SqliteStore, std::path::PathBuf) {
        let place = Place::new();
        let signer = setup.note_signer().unwrap();
        let mut options = Options::writable(place.database(), signer, place.guard())
            .with_clock(setup.clock.clone())
            .with_entropy(setup.entropy.clone());
        if let Some(floor) = setup.floor {
            options = options.with_floor(floor);
        }
        let database = place.database();
        self.0.lock().unwrap().push(place);
        (SqliteStore::create(options).unwrap(), database)
    }
}

impl Factory for Sqlite {
    type Store = SqliteStore;

    fn open(&self, setup: &Setup) -> SqliteStore {
        self.create(setup).0
    }

    /// A store whose tables are gone.
    fn broken(&self, setup: &Setup) -> SqliteStore {
        let (store, database) = self.create(setup);
        let connection = rusqlite::Connection::open(database).unwrap();
        connection
            .execute_batch(
                "DROP TABLE head; DROP TABLE world; DROP TABLE chain; DROP TABLE body;
                 DROP TABLE agent; DROP TABLE claim_agent;",
            )
            .unwrap();
        store
    }
}

#[test]
fn the_sqlite_backend_conforms() {
    let failures = block_on(run_all(&Sqlite::default()));
    assert!(failures.is_empty(), "{failures:#?}");
}

/// I1 to I11, as far as a store holds them: I9, CLM-6, CLM-7, CLM-15, CLM-28, CLM-41.
#[test]
fn the_sqlite_backend_conforms_in_what_it_says_of_claims() {
    let failures = block_on(run_claims(&Sqlite::default()));
    assert!(failures.is_empty(), "{failures:#?}");
}
