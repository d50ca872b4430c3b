//! Audit: everything that is stored against its signatures, the log, and the files beside it.

use counterfoil_life::Life as _;
use std::io;
use std::path::Path;

use counterfoil_life::{AuditReport, beside as file_beside};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::pool::PoolAnomalies;
use counterfoil_store::{CapsuleLog, StoreError, StoreLocation, open_plain};
use counterfoil_types::{DidKey, Sha256Hash};
use counterfoil_verifier::Checkpoint;
use counterfoil_verifier::dangerous::checkpoint_signed_by;
use counterfoil_verifier::note::{Algorithm, VerifierKey};

use crate::care::log::root_at;
use crate::care::validate::beside;
use crate::error::{Error, ErrorKind};
use crate::floor;
use crate::home::{Home, LogKey};
use crate::keys;
use crate::memory::Memory;
use crate::report::{Report, object};
use crate::rotation::take_over;
use crate::words::count;

/// Result of an audit.
#[derive(Default)]
struct Audited {
    report: AuditReport,
    /// Capsules outside the accepted chains; they do not count as differences.
    aside: PoolAnomalies,
    /// Files that could not be compared.
    not_compared: Vec<&'static str>,
}

/// Compares everything that is stored with its signatures and the log, and the files beside it. `deep` also makes derived state
/// again and compares it.
pub(crate) async fn stored(memory: &Memory, deep: bool) -> Result<Report, Error> {
    let audited = audit(memory, deep).await?;
    let (left_out, aside) = (&audited.not_compared, &audited.aside);
    let report = &audited.report;
    let problem = match report.total {
        0 if left_out.is_empty() => None,
        0 => Some(Error::unproven(
            format_args!("{} could not be compared", left_out.join(", ")),
            "put it back from your own copy and check again",
        )),
        total => Some(Error::refused(
            format_args!(
                "the store is not what was written: {}",
                count(total, "difference", "differences")
            ),
            "restore the database and its keys from a backup that checks clean",
        )),
    };
    let differences = report.differences.iter().map(|(place, detail)| {
        let difference = object().with("place", place.table_name());
        difference
            .with_some("index", place.index())
            .with("detail", detail)
    });
    let document = object()
        .with("clean", problem.is_none())
        .with("entries", report.entries)
        .with("openForks", aside.open_forks)
        .with("contested", aside.contested)
        .with("pending", aside.pending)
        .with("quarantined", aside.quarantined)
        .with("total", report.total)
        .with("differences", differences.collect::<Vec<_>>())
        .with_some("notCompared", (!left_out.is_empty()).then_some(left_out));
    let beside = (!aside.is_empty()).then(|| beside(aside));
    Ok(Report::new(&document)?.with("beside", beside).but(problem))
}

/// Audits the database, and then the files beside it against the database.
async fn audit(memory: &Memory, deep: bool) -> Result<Audited, Error> {
    let home = memory.home();
    let mut audited = Audited::default();
    let store = match home.reader_as_it_is() {
        Ok(store) => store,
        Err(error) => {
            audited.report.damage::<()>(Err(error.into_store()?))?;
            return Ok(audited);
        }
    };
    let progress = memory.progress().cloned();
    let each = Box::new(move |done: u64, all: u64| {
        if let Some(progress) = &progress {
            // The entries were checked once before.
            progress(
                done,
                Some((all.saturating_add(done), all.saturating_mul(2))),
            );
        }
    });
    let report = store.audit_with(deep, each).await;
    if let Some(report) = audited.report.damage(report)? {
        audited.report = report;
    }
    audited.aside = readable(store.aside().await)?.unwrap_or_default();
    match home.log_key_alone().and_then(LogKey::verifier_key) {
        Err(_) if home.is_standby() => {}
        Ok(key) => audited.add_if("keys/log.key", of_this_log(&key, &store).await?),
        Err(failure) => audited.leave_out("keys/log.key", home, &failure),
    }
    match keys::read_public(&home.log_public_path()) {
        Ok(Some(key)) => audited.add_if("keys/log.pub", of_this_log(&key, &store).await?),
        Ok(None) => {}
        Err(failure) => audited.add("keys/log.pub", failure.to_string()),
    }
    match take_over(home).and_then(|()| home.agent_key_alone()) {
        Err(_) if home.is_standby() => {}
        Ok((_, key)) => {
            let other = home.agent_public().ok().filter(|public| *public != key);
            audited.add_if(
                "keys/agent.key",
                other.map(|it| format!("its public key is {key}, keys/agent.pub says {it}")),
            );
            audited.add_if("received", unlisted(&store, key).await?);
        }
        Err(failure) => audited.leave_out("keys/agent.key", home, &failure),
    }
    for (name, found) in [
        ("keys/last-checkpoint", last_checkpoint(home, &store).await),
        (
            "keys/last-checkpoint.journal",
            last_journal(home, &store).await,
        ),
        ("heads", behind(home)),
        ("floor", given_out(home, &store).await),
    ] {
        audited.add_if(name, found?);
    }
    Ok(audited)
}

/// The value, where the database can be read there; damage is the database's own difference.
fn readable<T>(read: Result<T, StoreError>) -> Result<Option<T>, Error> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(StoreError::Corrupt { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A database that was made under another key agrees with itself; the key file tells.
async fn of_this_log(key: &VerifierKey, store: &SqliteStore) -> Result<Option<String>, Error> {
    let stored = readable(store.verifier_key().await)?;
    let other = stored.filter(|stored| *stored != key.to_string());
    Ok(other.map(|_| "the database is of another log than this key".to_owned()))
}

/// Counts entries by other agents that are not listed as received. `None` if there are none.
async fn unlisted(store: &SqliteStore, agent: DidKey) -> Result<Option<String>, Error> {
    let found = readable(store.unlisted(agent).await)?.flatten();
    Ok(found.map(|(first, number)| {
        format!(
            "{} by other agents not listed, entry {first} the first",
            count(number, "entry is", "entries are")
        )
    }))
}

async fn last_checkpoint(home: &Home, store: &SqliteStore) -> Result<Option<String>, Error> {
    match signed_in(home, &home.last_checkpoint(), "") {
        Ok(Some(signed)) => precedes(store, signed.size(), signed.root()).await,
        Ok(None) => {
            // A log that was never signed has none, nor has a store that only follows.
            let is_signed = store.size().await.is_ok_and(|size| size > 0) && !home.follows();
            let is_missing = is_signed && !home.last_checkpoint().exists();
            Ok(is_missing.then(|| "the file is missing".to_owned()))
        }
        Err(difference) => Ok(Some(difference)),
    }
}

/// The difference between the log and its heads outside.
fn behind(home: &Home) -> Result<Option<String>, Error> {
    match home.reader() {
        Err(error) if error.kind() == ErrorKind::Unproven => Ok(Some(error.to_string())),
        other => other.map(|_| None),
    }
}

/// Checks that the head of the journal beside the keys is on the journal of the database.
async fn last_journal(home: &Home, store: &SqliteStore) -> Result<Option<String>, Error> {
    let path = file_beside(&home.last_checkpoint(), ".journal");
    let signed = match signed_in(home, &path, "/journal") {
        Ok(Some(signed)) => signed,
        // It is written with the first row.
        Ok(None) => return Ok(None),
        Err(difference) => return Ok(Some(difference)),
    };
    let is_on = match store.journal_link(signed.size()).await {
        Ok(link) => link.is_some_and(|link| link.as_bytes() == signed.root().as_bytes()),
        Err(StoreError::Corrupt { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    Ok((!is_on).then(|| {
        format!(
            "the first {} rows of the journal were signed, and the database holds others or fewer: events, forks or \
             exchanges were removed. Put the later database back, or accept the loss with `counterfoil reconcile`",
            signed.size()
        )
    }))
}

/// The checkpoint in a file beside the keys, signed by the log's key under its name and `suffix`. `None` without the file, and
/// without any key, which is left out already.
fn signed_in(home: &Home, path: &Path, suffix: &str) -> Result<Option<Checkpoint>, String> {
    let note = match open_plain(path).and_then(io::read_to_string) {
        Ok(note) => note,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let Ok(key) = home.log_public() else {
        return Ok(None);
    };
    let name = format!("{}{suffix}", key.name());
    let key = VerifierKey::new(&name, Algorithm::Ed25519, key.public_key());
    let signed = key.ok().and_then(|key| checkpoint_signed_by(&key, &note));
    let detail = || "it is not a checkpoint that this log has signed".to_owned();
    signed.map(Some).ok_or_else(detail)
}

async fn given_out(home: &Home, store: &SqliteStore) -> Result<Option<String>, Error> {
    match floor::given_out(home) {
        Ok(Some(signed)) => precedes(store, signed.size(), signed.root()).await,
        Ok(None) => Ok(None),
        Err(failure) => Ok(Some(failure.to_string())),
    }
}

/// Checks that the log in the database begins with the signed checkpoint; otherwise returns the difference.
async fn precedes(
    store: &SqliteStore,
    size: u64,
    root: Sha256Hash,
) -> Result<Option<String>, Error> {
    let Some(held) = readable(store.size().await)? else {
        return Ok(None);
    };
    if size > held {
        return Ok(Some(format!(
            "{size} entries were signed, the database holds {held}"
        )));
    }
    if size == 0 || root_at(store, size).await.is_ok_and(|found| found == root) {
        return Ok(None);
    }
    Ok(Some(format!(
        "another history of {size} entries was signed than the database holds"
    )))
}

impl Audited {
    fn leave_out(&mut self, place: &'static str, home: &Home, failure: &Error) {
        let line = format_args!("{place} was not compared: {failure}");
        home.notices().add(line);
        self.not_compared.push(place);
    }

    fn add_if(&mut self, place: &str, detail: Option<String>) {
        if let Some(detail) = detail {
            self.add(place, detail);
        }
    }

    fn add(&mut self, place: &str, detail: String) {
        self.report.total += 1;
        let place = StoreLocation::table(place);
        self.report.differences.push((place, detail));
    }
}
