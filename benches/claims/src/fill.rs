//! Stores full of claims, written through the gate as any claim is.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use anyhow::{Context, Result, ensure};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
use counterfoil_claims::time::{Boundary, Micros, ValidTime};
use counterfoil_claims::{Channel, Channels, FactValue, Identifier, Line, Settings, Submission};
use counterfoil_exchange::trust::{LocalRecord, Record, RecordedTrust, Records};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{ClaimRequest, ClaimStore};
use counterfoil_types::{Confidence, DidKey, Scope};

/// Hours since 2000-01-01 that claim `at` begins.
const HOUR_US: Micros = 3_600_000_000;
const BEGIN_US: Micros = 946_684_800_000_000;
/// Agents that state some of the claims.
const OTHERS: Range<u64> = 100..108;

/// The most requests of one call.
pub(crate) const BATCH: u64 = 256;

pub(crate) fn signer(agent: u64) -> Arc<dyn Signer> {
    let seed = [u8::try_from(agent % 251).unwrap_or_default() + 1; 32];
    Arc::new(AgentSigner::new(SecretKey::from_seed(seed)))
}

pub(crate) fn agent() -> DidKey {
    signer(0).agent()
}

/// A decision to trust each of the other agents: a belief reads them.
pub(crate) fn settings() -> Arc<Settings> {
    static SETTINGS: LazyLock<Arc<Settings>> = LazyLock::new(|| {
        let at = Timestamp::from_micros(u64::try_from(BEGIN_US).unwrap_or_default()).ok();
        let trust = |number| {
            let record = LocalRecord::DirectTrust {
                key: signer(number).agent(),
                domain: None,
                expires: None,
            };
            Record::local(record, at?, signer(0).as_ref()).ok()
        };
        let records = Records::gather(OTHERS.filter_map(trust));
        Arc::new(Settings {
            trust: Some(Arc::new(RecordedTrust::new(Arc::new(records)))),
            ..Settings::default()
        })
    });
    Arc::clone(&SETTINGS)
}

/// The speaker of the claim about an hour: the user, and in each fourth one of the other agents.
fn speaker(hour: u64) -> Channel {
    let others = Channels::of_host();
    let agent = signer(OTHERS.start + hour / 4 % (OTHERS.end - OTHERS.start)).agent();
    let peer = others.peer(agent, 3).filter(|_| hour % 4 == 3);
    peer.unwrap_or_else(|| others.user())
}

pub(crate) fn options(folder: &Path) -> Result<Options> {
    let signer = NoteSigner::new("bench.example/claims", SecretKey::from_seed([9; 32]))?;
    let (database, guard) = (folder.join("memory.db"), folder.join("last-checkpoint"));
    Ok(Options::writable(database, signer, guard))
}

pub(crate) fn create(folder: &Path) -> Result<Arc<SqliteStore>> {
    std::fs::create_dir_all(folder)?;
    Ok(Arc::new(SqliteStore::create(options(folder)?)?))
}

pub(crate) fn instant(hour: u64) -> Micros {
    BEGIN_US + HOUR_US * Micros::try_from(hour).unwrap_or(0)
}

pub(crate) fn line(number: u64) -> Result<Line> {
    Ok(Line {
        agent: agent(),
        subject: Identifier::new("subject", &format!("person-{number}"))?,
        predicate: Identifier::new("predicate", "lives_in")?,
        scope: Scope::new(),
    })
}

/// The claim that holds for one hour.
pub(crate) fn hourly(number: u64, hour: u64, value: &str) -> Result<ClaimRequest> {
    let window = ValidTime {
        from: Some(Boundary::instant(instant(hour))),
        until: Some(Boundary::instant(instant(hour + 1))),
        confidence: Confidence::new(0.9)?,
    };
    let said = said(&speaker(hour), &format!("person-{number}"), value)?;
    Ok(ClaimRequest::Submit(said.valid(window)?))
}

pub(crate) fn undated(subject: &str, value: &str) -> Result<Submission> {
    said(&Channels::of_host().user(), subject, value)
}

fn said(by: &Channel, subject: &str, value: &str) -> Result<Submission> {
    Ok(Submission::new(
        by,
        Identifier::new("subject", subject)?,
        Identifier::new("predicate", "lives_in")?,
        FactValue::new(&value.into())?,
    ))
}

/// A store with `lines` lines of `each` claims, whose windows are hours that follow each other.
pub(crate) async fn filled(folder: &Path, lines: u64, each: u64) -> Result<Arc<SqliteStore>> {
    let store = create(folder)?;
    let all = (0..lines).flat_map(|number| (0..each).map(move |hour| (number, hour)));
    let mut batch = Vec::new();
    for (number, hour) in all {
        batch.push(hourly(number, hour, &format!("city-{}", hour % 1000))?);
        if batch.len() >= usize::try_from(BATCH)? {
            submit(&store, std::mem::take(&mut batch)).await?;
        }
    }
    submit(&store, batch).await?;
    Ok(store)
}

/// Submits and wants every request to be let in as a new unit.
pub(crate) async fn submit(store: &SqliteStore, requests: Vec<ClaimRequest>) -> Result<()> {
    let wanted = requests.len();
    let answers = store.submit(signer(0), settings(), requests).await?;
    let written = answers
        .iter()
        .flatten()
        .filter(|outcome| outcome.written.is_some());
    let written = written.count();
    ensure!(
        written == wanted,
        "{written} of {wanted} claims were written"
    );
    Ok(())
}

/// The size of what lies on disk once nobody has the store open.
pub(crate) fn bytes_on_disk(folder: &Path) -> Result<u64> {
    let file = folder.join("memory.db");
    let connection = rusqlite::Connection::open(&file)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(std::fs::metadata(file).context("the database")?.len())
}
