//! `audit`: everything that is stored against its signatures, the log, and the files beside it.

use std::fs;
use std::io;

use counterfoil_sqlite::{AuditReport, Depth, SqliteStore};
use counterfoil_store::pool::PoolAnomalies;
use counterfoil_store::{CapsuleLog, StoreError, StoreLocation};
use counterfoil_types::DidKey;
use counterfoil_verifier::note::VerifierKey;
use counterfoil_verify::terminal;
use serde::Serialize;

use crate::args::AuditArgs;
use crate::commands::log::root_at;
use crate::commands::validate::beside;
use crate::context::Context;
use crate::failure::Failure;
use crate::floor;
use crate::home::{Home, LogKey};
use crate::keys;
use crate::output::count;

/// The most characters of a difference shown to a person.
const LIMIT: usize = 400;

/// What an audit says.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Audited {
    /// Nothing differs, and nothing was left out.
    clean: bool,
    entries: u64,
    /// What is beside the accepted chains, which is no difference.
    #[serde(flatten)]
    beside: Beside,
    /// How many differences there are; the list may be shorter.
    total: u64,
    pub(crate) differences: Vec<Difference>,
    /// Files that could not be compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_compared: Vec<&'static str>,
}

/// Forks, and what was not accepted.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Beside {
    open_forks: u64,
    contested: u64,
    pending: u64,
    quarantined: u64,
    #[serde(skip)]
    told: Option<String>,
}

impl From<PoolAnomalies> for Beside {
    fn from(aside: PoolAnomalies) -> Self {
        Self {
            open_forks: aside.open_forks,
            contested: aside.contested,
            pending: aside.pending,
            quarantined: aside.quarantined,
            told: (!aside.is_empty()).then(|| beside(&aside)),
        }
    }
}

/// One thing that is not as it was written.
#[derive(Debug, Serialize)]
pub(crate) struct Difference {
    /// A table of the database, or a file beside it.
    pub(crate) place: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<u64>,
    pub(crate) detail: String,
}

pub(crate) async fn run(context: &Context, args: AuditArgs) -> Result<(), Failure> {
    let depth = if args.deep {
        Depth::Deep
    } else {
        Depth::Standard
    };
    let audited = audit(&context.home, depth).await?;
    context.out.answer(&audited, |out| {
        for difference in &audited.differences {
            writeln!(out, "{}", terminal::plain(&difference.to_string(), LIMIT))?;
        }
        if let Some(told) = &audited.beside.told {
            writeln!(out, "Beside the chains: {told}.")?;
        }
        match audited.total {
            0 if !audited.clean => writeln!(
                out,
                "No difference in {}; not compared: {}.",
                entries(&audited),
                audited.not_compared.join(", ")
            ),
            0 => writeln!(out, "Clean: {} checked.", entries(&audited)),
            total => writeln!(out, "{} in {}.", differences(total), entries(&audited)),
        }
    })?;
    if audited.clean {
        return Ok(());
    }
    if audited.total == 0 {
        return Err(Failure::unproven(
            format_args!("{} could not be compared", audited.not_compared.join(", ")),
            "put it back from your own copy and audit again",
        ));
    }
    Err(Failure::refused(
        format_args!(
            "the store is not what was written: {}",
            differences(audited.total)
        ),
        "restore the database and its keys from a backup that audits clean",
    ))
}

/// Audits the database, and then the files beside it against the database.
pub(crate) async fn audit(home: &Home, depth: Depth) -> Result<Audited, Failure> {
    let store = match home.reader() {
        Ok(store) => store,
        Err(error) => return Audited::broken(error.into_store()?),
    };
    let mut audited = match store.audit(depth).await {
        Ok(report) => Audited::from(report),
        Err(error) => Audited::broken(error)?,
    };
    match store.aside().await {
        Ok(aside) => audited.beside = aside.into(),
        Err(StoreError::Corrupt { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    match home.log_key().and_then(LogKey::verifier_key) {
        Ok(key) => audited.add_if("keys/log.key", of_this_log(&key, &store).await?),
        Err(failure) => audited.leave_out("keys/log.key", &failure.into()),
    }
    match keys::read_public(&home.log_public_path()) {
        Ok(Some(key)) => audited.add_if("keys/log.pub", of_this_log(&key, &store).await?),
        Ok(None) => {}
        Err(failure) => audited.add("keys/log.pub", failure.to_string()),
    }
    match home.agent() {
        Ok(agent) => {
            audited.add_if("keys/agent.key", not_the_pair(home, &agent.agent()));
            audited.add_if("received", unlisted(&store, agent.agent()).await?);
        }
        Err(failure) => audited.leave_out("keys/agent.key", &failure.into()),
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
async fn of_this_log(key: &VerifierKey, store: &SqliteStore) -> Result<Option<String>, Failure> {
    match store.verifier_key().await {
        Ok(stored) if stored == key.to_string() => Ok(None),
        Ok(_) => Ok(Some(
            "the database is of another log than this key".to_owned(),
        )),
        Err(StoreError::Corrupt { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether the agent's public key beside the secret one is that of another.
fn not_the_pair(home: &Home, agent: &DidKey) -> Option<String> {
    let public = home.agent_public().ok()?;
    (public != *agent).then(|| format!("its public key is {agent}, keys/agent.pub says {public}"))
}

/// What others signed is listed as received; their records count for less than this store's own.
async fn unlisted(store: &SqliteStore, agent: DidKey) -> Result<Option<String>, Failure> {
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

async fn last_checkpoint(home: &Home, store: &SqliteStore) -> Result<Option<String>, Failure> {
    let note = match fs::read_to_string(home.last_checkpoint()) {
        Ok(note) => note,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A log that was never signed has none.
            let signed = store.size().await.is_ok_and(|size| size > 0);
            return Ok(signed.then(|| "the file is missing".to_owned()));
        }
        Err(error) => return Ok(Some(error.to_string())),
    };
    // Without any key that is left out already.
    let Ok(key) = home.log_public() else {
        return Ok(None);
    };
    match floor::signed_by(&key, &note) {
        Some(signed) => precedes(store, signed.size(), signed.root()).await,
        None => Ok(Some(
            "it is not a checkpoint that this log has signed".to_owned(),
        )),
    }
}

async fn given_out(home: &Home, store: &SqliteStore) -> Result<Option<String>, Failure> {
    match floor::given_out(home) {
        Ok(Some(signed)) => precedes(store, signed.size(), signed.root()).await,
        Ok(None) => Ok(None),
        Err(failure) => Ok(Some(failure.to_string())),
    }
}

/// Whether the log in the database begins with what was signed; if not, how it differs.
async fn precedes(
    store: &SqliteStore,
    size: u64,
    root: counterfoil_types::Sha256Hash,
) -> Result<Option<String>, Failure> {
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
    fn broken(error: StoreError) -> Result<Self, Failure> {
        let StoreError::Corrupt { place, detail } = error else {
            return Err(error.into());
        };
        Ok(Self {
            clean: false,
            entries: 0,
            beside: Beside::default(),
            total: 1,
            differences: vec![Difference::at(&place, detail)],
            not_compared: Vec::new(),
        })
    }

    fn leave_out(&mut self, place: &'static str, failure: &Failure) {
        crate::output::notice(format_args!("{place} was not compared: {failure}"));
        self.clean = false;
        self.not_compared.push(place);
    }

    fn add_if(&mut self, place: &str, detail: Option<String>) {
        if let Some(detail) = detail {
            self.add(place, detail);
        }
    }

    fn add(&mut self, place: &str, detail: String) {
        self.clean = false;
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
            clean: report.is_clean(),
            entries: report.entries,
            beside: Beside::default(),
            total: report.total,
            differences: report
                .differences
                .into_iter()
                .map(|found| Difference::at(&found.place, found.detail))
                .collect(),
            not_compared: Vec::new(),
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

impl core::fmt::Display for Difference {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.index {
            Some(index) => write!(f, "{}, entry {index}: {}", self.place, self.detail),
            None => write!(f, "{}: {}", self.place, self.detail),
        }
    }
}

fn entries(audited: &Audited) -> String {
    count(audited.entries, "entry", "entries")
}

fn differences(total: u64) -> String {
    count(total, "difference", "differences")
}
