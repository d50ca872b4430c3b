//! Claims in files: killed processes, readers beside writers, a commit that fails, rows that are changed by hand (I1, I9).
//!
//! In short: the backend's own tests, those of the command line and `tests/faults` go through each at length.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use counterfoil_claims::{Disposition, Line, Settings, Submission};
use counterfoil_claims_tests::request::Who;
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::conformance::block_on;
use counterfoil_store::{AsOf, ClaimRequest, ClaimStore, StoreError};
use rusqlite::Connection;

use crate::engine::{channel, did, identifier, signer, value};
use crate::store::options_in;

/// Set for the child process alone, which writes to this folder until it is killed.
const FOLDER: &str = "COUNTERFOIL_CLAIMS_FOLDER";
const ROUND: &str = "COUNTERFOIL_CLAIMS_ROUND";

fn claim(subject: &str, canonical: &str) -> Submission {
    Submission::new(
        &channel(Who::User),
        identifier(subject),
        identifier("p"),
        value(canonical),
    )
}

fn line(subject: &str) -> Line {
    Line {
        agent: did(0),
        subject: identifier(subject),
        predicate: identifier("p"),
    }
}

fn submit(store: &SqliteStore, said: Submission) -> Result<Disposition, StoreError> {
    let told = vec![ClaimRequest::Submit(said)];
    let settings = Arc::new(Settings::default());
    let mut answers = block_on(store.submit(signer(0), settings, told))?;
    Ok(answers.pop().unwrap().unwrap().disposition)
}

fn created() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::create(options_in(folder.path())).unwrap();
    (folder, store)
}

/// I9, CLM-49: what was acknowledged is there after `kill -9`, nothing is torn, and the key says whether it was
/// committed.
#[test]
fn claims_survive_being_killed() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return write_until_killed(folder.as_ref(), &std::env::var(ROUND).unwrap());
    }
    survives_kills(5);
}

pub(crate) fn survives_kills(rounds: usize) {
    let (folder, store) = created();
    drop(store);
    let mut acknowledged = BTreeMap::new();
    for round in 0..rounds {
        acknowledged.extend(killed_after(folder.path(), round, 1 + round * 7 % 30));
        let store = SqliteStore::open(options_in(folder.path())).unwrap();
        for (key, reference) in &acknowledged {
            let found = block_on(store.committed(did(0), key)).unwrap();
            let found = found.unwrap_or_else(|| panic!("round {round}: {key} was lost"));
            assert_eq!(found.reference.to_string(), *reference);
            let belief = block_on(store.believe(line(key), AsOf::default(), Arc::default()));
            assert_eq!(belief.unwrap().sides.len(), 1, "{key}");
        }
    }
    let store = SqliteStore::open(options_in(folder.path())).unwrap();
    let report = block_on(store.audit()).unwrap();
    assert!(report.is_clean(), "{:#?}", report.differences);
}

fn write_until_killed(folder: &Path, round: &str) {
    let store = SqliteStore::open(options_in(folder)).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let store = &store;
            scope.spawn(move || {
                for number in 0.. {
                    let key = format!("{round}-{thread}-{number}");
                    let told = vec![ClaimRequest::Submit(
                        claim(&key, "\"a\"").keyed(&key).unwrap(),
                    )];
                    let answers = block_on(store.submit(signer(0), Arc::default(), told)).unwrap();
                    let reference = &answers[0].as_ref().unwrap().reference;
                    let line = format!("ack {key} {reference}\n");
                    std::io::stdout().write_all(line.as_bytes()).unwrap();
                }
            });
        }
    });
}

/// Kills a child that has acknowledged so many claims; key and reference of each that it did.
fn killed_after(folder: &Path, round: usize, claims: usize) -> Vec<(String, String)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "durable::claims_survive_being_killed",
            "--nocapture",
        ])
        .env(FOLDER, folder)
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let mut said = output.lines().map_while(Result::ok).filter_map(|line| {
        let (key, reference) = line.split_once("ack ")?.1.split_once(' ')?;
        Some((key.to_owned(), reference.to_owned()))
    });
    let mut acknowledged: Vec<_> = said.by_ref().take(claims).collect();
    child.kill().unwrap();
    acknowledged.extend(said);
    child.wait().unwrap();
    assert!(
        acknowledged.len() >= claims,
        "round {round}: the child ended by itself"
    );
    // A last line that was cut off was not acknowledged.
    acknowledged.retain(|(_, reference)| reference.len() == acknowledged_length());
    acknowledged
}

/// `world-` and 32 digits.
const fn acknowledged_length() -> usize {
    38
}

/// I9, CLM-47: while eight threads write, no read fails; of two claims that contradict each other exactly one is
/// committed without conflict.
#[test]
pub(crate) fn reads_do_not_fail_during_writes() {
    let (_folder, store) = created();
    let done = AtomicBool::new(false);
    let reads = AtomicU64::new(0);
    let pairs = 20;
    let committed = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|thread| {
                let (store, committed) = (&store, &committed);
                scope.spawn(move || {
                    for pair in 0..pairs {
                        let said = claim(&format!("{}-{pair}", thread / 2), &thread.to_string());
                        if submit(store, said).unwrap() == Disposition::Committed {
                            committed.fetch_add(1, Ordering::SeqCst);
                        }
                    }
                })
            })
            .collect();
        for reader in 0..2 {
            let (store, done, reads) = (&store, &done, &reads);
            scope.spawn(move || {
                while !done.load(Ordering::SeqCst) {
                    let subject = format!("{reader}-0");
                    block_on(store.believe(line(&subject), AsOf::default(), Arc::default()))
                        .unwrap();
                    block_on(store.claim_history(line(&subject), AsOf::default(), Arc::default()))
                        .unwrap();
                    reads.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::SeqCst);
    });
    assert!(reads.load(Ordering::SeqCst) > 0);
    assert_eq!(committed.load(Ordering::SeqCst), 4 * pairs);
}

/// I9, CLM-49: after a write that could not be committed the same handle reads and writes, and nothing of it is there.
#[test]
pub(crate) fn a_failed_commit_leaves_the_store_usable() {
    let folder = tempfile::tempdir().unwrap();
    let options = options_in(folder.path()).with_patience(Duration::from_millis(50));
    let store = SqliteStore::create(options).unwrap();
    submit(&store, claim("s", "\"a\"")).unwrap();
    let mut other = Connection::open(folder.path().join("memory.db")).unwrap();
    let held = other
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .unwrap();
    submit(&store, claim("s", "\"b\"").keyed("second").unwrap()).unwrap_err();
    let belief = || block_on(store.believe(line("s"), AsOf::default(), Arc::default())).unwrap();
    assert_eq!(belief().sides.len(), 1);
    held.rollback().unwrap();
    assert!(
        block_on(store.committed(did(0), "second"))
            .unwrap()
            .is_none()
    );
    let again = submit(&store, claim("s", "\"b\"").keyed("second").unwrap()).unwrap();
    assert_eq!(again, Disposition::Contested);
    assert_eq!(belief().sides.len(), 2);
}

/// I1: what was written cannot be changed or deleted by SQL, and where the triggers are taken away an audit finds it; so it
/// does what was derived.
#[test]
pub(crate) fn units_cannot_be_changed_in_place() {
    let (folder, store) = created();
    submit(&store, claim("s", "\"a\"")).unwrap();
    submit(&store, claim("s", "\"b\"")).unwrap();
    let is_clean = || block_on(store.audit()).unwrap().is_clean();
    assert!(is_clean());
    let raw = Connection::open(folder.path().join("memory.db")).unwrap();
    for statement in [
        "UPDATE body SET payload = 'x'",
        "DELETE FROM body",
        "UPDATE capsule SET header = 'x'",
        "DELETE FROM capsule",
        "UPDATE log SET entry = 'x'",
        "DELETE FROM log",
    ] {
        assert!(raw.execute_batch(statement).is_err(), "{statement}");
    }
    raw.execute_batch("UPDATE claim_unit SET force = 1 - force")
        .unwrap();
    assert!(!is_clean());
    raw.execute_batch("UPDATE claim_unit SET force = 1 - force")
        .unwrap();
    assert!(is_clean());
    raw.execute_batch(
        "DROP TRIGGER body_is_only_taken_away;
         UPDATE body SET payload = replace(payload, 'user_asserted', 'first_handed!');",
    )
    .unwrap();
    assert!(!is_clean());
}
