//! Audit: everything that is stored against its signatures, the log, and the files beside it.

use counterfoil_life::Life as _;
use std::io;

use counterfoil_life::AuditReport;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::pool::PoolAnomalies;
use counterfoil_store::{CapsuleLog, StoreError, StoreLocation, open_plain};
use counterfoil_types::{DidKey, Sha256Hash};
use counterfoil_verifier::note::VerifierKey;
use serde::Serialize;

use crate::care::log::root_at;
use crate::care::validate::beside;
use crate::error::Error;
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
    entries: u64,
    /// Capsules outside the accepted chains; they do not count as differences.
    aside: PoolAnomalies,
    /// Number of differences; `differences` may list fewer.
    total: u64,
    differences: Vec<Difference>,
    /// Files that could not be compared.
    not_compared: Vec<&'static str>,
}

/// One thing that is not as it was written.
#[derive(Debug, Serialize)]
struct Difference {
    /// A table of the database, or a file beside it.
    place: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<u64>,
    detail: String,
}

impl Memory {
    /// Checks everything that is stored against its signatures and the log, and the files beside it. `deep` also makes
    /// derived state again and compares it.
    ///
    /// # Errors
    /// The store cannot be opened. [`Report::problem`] says when something differs or could not be compared.
    pub async fn audit(&self, deep: bool) -> Result<Report, Error> {
        let audited = audit(self, deep).await?;
        let (left_out, aside) = (&audited.not_compared, &audited.aside);
        let problem = match audited.total {
            0 if left_out.is_empty() => None,
            0 => Some(Error::unproven(
                format_args!("{} could not be compared", left_out.join(", ")),
                "put it back from your own copy and audit again",
            )),
            total => Some(Error::refused(
                format_args!(
                    "the store is not what was written: {}",
                    count(total, "difference", "differences")
                ),
                "restore the database and its keys from a backup that audits clean",
            )),
        };
        let document = object()
            .with("clean", problem.is_none())
            .with("entries", audited.entries)
            .with("openForks", aside.open_forks)
            .with("contested", aside.contested)
            .with("pending", aside.pending)
            .with("quarantined", aside.quarantined)
            .with("total", audited.total)
            .with("differences", &audited.differences)
            .with_some("notCompared", (!left_out.is_empty()).then_some(left_out));
        let beside = (!aside.is_empty()).then(|| beside(aside));
        Ok(Report::new(&document)?.with("beside", beside).but(problem))
    }
}

/// Audits the database, and then the files beside it against the database.
async fn audit(memory: &Memory, deep: bool) -> Result<Audited, Error> {
    let home = memory.home();
    let store = match memory.reader() {
        Ok(store) => store,
        Err(error) => return Audited::broken(error.into_store()?),
    };
    let report = match deep {
        true => store.audit_deep().await,
        false => store.audit().await,
    };
    let mut audited = match report {
        Ok(report) => Audited::from(report),
        Err(error) => Audited::broken(error)?,
    };
    match store.aside().await {
        Ok(aside) => audited.aside = aside,
        Err(StoreError::Corrupt { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    match home.log_key_alone().and_then(LogKey::verifier_key) {
        Ok(key) => audited.add_if("keys/log.key", of_this_log(&key, &store).await?),
        Err(failure) => audited.leave_out("keys/log.key", home, &failure),
    }
    match keys::read_public(&home.log_public_path()) {
        Ok(Some(key)) => audited.add_if("keys/log.pub", of_this_log(&key, &store).await?),
        Ok(None) => {}
        Err(failure) => audited.add("keys/log.pub", failure.to_string()),
    }
    match take_over(home).and_then(|()| home.agent_key_alone()) {
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
        ("floor", given_out(home, &store).await),
    ] {
        audited.add_if(name, found?);
    }
    Ok(audited)
}

/// A database that was made under another key agrees with itself; the key file tells.
async fn of_this_log(key: &VerifierKey, store: &SqliteStore) -> Result<Option<String>, Error> {
    match store.verifier_key().await {
        Ok(stored) if stored == key.to_string() => Ok(None),
        Ok(_) => Ok(Some(
            "the database is of another log than this key".to_owned(),
        )),
        Err(StoreError::Corrupt { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Counts entries by other agents that are not listed as received. `None` if there are none.
async fn unlisted(store: &SqliteStore, agent: DidKey) -> Result<Option<String>, Error> {
    match store.unlisted(agent).await {
        Ok(found) => Ok(found.map(|(first, number)| {
            format!(
                "{} by other agents not listed, entry {first} the first",
                count(number, "entry is", "entries are")
            )
        })),
        Err(StoreError::Corrupt { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn last_checkpoint(home: &Home, store: &SqliteStore) -> Result<Option<String>, Error> {
    let note = match open_plain(&home.last_checkpoint()).and_then(io::read_to_string) {
        Ok(note) => note,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A log that was never signed has none, nor has a store that only follows.
            let signed = store.size().await.is_ok_and(|size| size > 0) && !home.follows();
            return Ok(signed.then(|| "the file is missing".to_owned()));
        }
        Err(error) => return Ok(Some(error.to_string())),
    };
    // Without any key that is left out already.
    let Ok(key) = home.log_public() else {
        return Ok(None);
    };
    match counterfoil_verifier::dangerous::checkpoint_signed_by(&key, &note) {
        Some(signed) => precedes(store, signed.size(), signed.root()).await,
        None => Ok(Some(
            "it is not a checkpoint that this log has signed".to_owned(),
        )),
    }
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
    let held = match store.size().await {
        Ok(held) => held,
        Err(StoreError::Corrupt { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
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
    /// A database so damaged that it cannot be read through; any other error is one.
    fn broken(error: StoreError) -> Result<Self, Error> {
        let StoreError::Corrupt { place, detail } = error else {
            return Err(error.into());
        };
        Ok(Self {
            total: 1,
            differences: vec![Difference::at(&place, detail)],
            ..Self::default()
        })
    }

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
        self.total += 1;
        self.differences.push(Difference {
            place: place.to_owned(),
            index: None,
            detail,
        });
    }
}

impl From<AuditReport> for Audited {
    fn from(report: AuditReport) -> Self {
        Self {
            entries: report.entries,
            total: report.total,
            differences: report
                .differences
                .into_iter()
                .map(|(place, detail)| Difference::at(&place, detail))
                .collect(),
            ..Self::default()
        }
    }
}

impl Difference {
    fn at(place: &StoreLocation, detail: String) -> Self {
        Self {
            place: place.table_name().to_owned(),
            index: place.index(),
            detail,
        }
    }
}
