//! The suite of `counterfoil-store`, run by this backend.

use counterfoil_life::Life as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::common::{Place, block_on};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::conformance::{Factory, Failure, Setup, run_all, run_claims, run_exchange};
use counterfoil_types::WorldId;

/// Keeps the folders until the suite is done.
#[derive(Default)]
struct Sqlite {
    /// Floor of all receipts, in place of the one that is asked for, and no store breaks.
    wrong_floor: Option<u64>,
    whole: Mutex<Vec<(Place, Options)>>,
    broken: Mutex<Vec<Place>>,
}

impl Sqlite {
    fn create(&self, setup: &Setup) -> (SqliteStore, Place) {
        let place = Place::new();
        let options = options(setup, &place.database(), place.guard());
        let options = match self.wrong_floor {
            Some(floor) => options.with_floor(floor),
            None => options,
        };
        (SqliteStore::create(options).unwrap(), place)
    }

    /// After each case the store holds what was signed, and the derived tables follow from it (CAP-4).
    fn check_whole(self) {
        for (_place, options) in self.whole.into_inner().unwrap() {
            let store = SqliteStore::open(options).unwrap();
            let mut differences = block_on(store.audit_deep()).unwrap().differences;
            // One case appends a record that is none of its kind.
            differences.retain(|(_, why)| why != "invalid: E_RECORD (state)");
            assert_eq!(differences, []);
            let (_, before, after) = block_on(store.rebuild()).unwrap();
            assert_eq!(before, Some(after));
        }
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
        let (store, place) = self.create(setup);
        let options = options(setup, &place.database(), place.guard());
        self.whole.lock().unwrap().push((place, options));
        store
    }

    fn reopen(&self, setup: &Setup, store: SqliteStore) -> SqliteStore {
        let database = store.path().to_owned();
        drop(store);
        let guard = database.with_file_name("last-checkpoint");
        SqliteStore::open(options(setup, &database, guard)).unwrap()
    }

    fn erase(&self, setup: &Setup, store: &SqliteStore, claim: &WorldId) -> bool {
        let erased = block_on(store.erase(setup.agent(1), claim, "asked to"));
        erased.is_ok_and(|certificate| certificate.is_some())
    }

    /// A store whose tables are gone.
    fn broken(&self, setup: &Setup) -> SqliteStore {
        let (store, place) = self.create(setup);
        if self.wrong_floor.is_some() {
            self.broken.lock().unwrap().push(place);
            return store;
        }
        place
            .raw()
            .execute_batch(
                "DROP TABLE head; DROP TABLE world; DROP TABLE chain; DROP TABLE body;
                 DROP TABLE agent; DROP TABLE claim_agent;
                 DROP TABLE trust_record; DROP TABLE trust; DROP TABLE exchange_item; DROP TABLE exchange_answer;
                 DROP TABLE exchange_transition; DROP TABLE exchange; DROP TABLE claim_heard;
                 DROP TABLE request_seen; DROP TABLE exchange_secret;",
            )
            .unwrap();
        self.broken.lock().unwrap().push(place);
        store
    }
}

/// CAP-1, CAP-2, CAP-18, CAP-19, CAP-20, CAP-22, CAP-30: every version that is made is a capsule of its own, sealed and
/// checked; C14: a change beyond the limits names both contents; C15: another agent derives and never extends.
#[test]
fn the_sqlite_backend_conforms() {
    let stores = Sqlite::default();
    assert_eq!(block_on(run_all(&stores)), []);
    stores.check_whole();
}

/// I1 to I11, as far as a store holds them: I9, CLM-6, CLM-7, CLM-15, CLM-28, CLM-41.
#[test]
fn the_sqlite_backend_conforms_in_what_it_says_of_claims() {
    let stores = Sqlite::default();
    assert_eq!(block_on(run_claims(&stores)), []);
    stores.check_whole();
}

/// Adversarial cases F66, F68, F75, H102: as far as a store holds them: R4, R6, R7.
#[test]
fn the_sqlite_backend_conforms_in_what_it_keeps_of_exchanges() {
    assert_eq!(block_on(run_exchange(&Sqlite::default())), []);
}

/// The suite notices a backend that answers although it is broken, and proves from another floor.
#[test]
fn a_backend_that_hides_its_failure_does_not_conform() {
    let wrong = Sqlite {
        wrong_floor: Some(1),
        ..Sqlite::default()
    };
    let cases = |failures: Vec<Failure>| -> Vec<&str> {
        failures.into_iter().map(|(case, _)| case).collect()
    };
    let failed = cases(block_on(run_all(&wrong)));
    let expected = [
        "a failure is an error and never an empty result",
        "receipts carry consistency from the floor",
    ];
    assert!(
        expected.iter().all(|case| failed.contains(case)),
        "{failed:?}"
    );
    assert_eq!(
        cases(block_on(run_claims(&wrong))),
        ["a store that fails believes nothing rather than something else"]
    );
    assert_eq!(
        cases(block_on(run_exchange(&wrong))),
        ["a store of exchanges that fails answers with an error"]
    );
}
