//! Health: each thing that a memory needs to be used, looked at by itself.

use counterfoil_life::{Life as _, commit};
use std::collections::BTreeSet;
use std::fs;

use counterfoil_sqlite::SqliteStore;
use counterfoil_store::CapsuleLog as _;
use serde::Serialize;

use crate::care::validate;
use crate::claims::settings;
use crate::error::Error;
use crate::exchange;
use crate::heads;
use crate::home::{Home, LogKey};
use crate::keys;
use crate::memory::Memory;
use crate::words::count;

/// State of one thing that was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// As it should be.
    Ok,
    /// Not decided.
    Open,
    /// Wrong.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub(crate) struct Check {
    name: &'static str,
    pub(crate) state: State,
    detail: String,
}

impl Check {
    pub(crate) fn new(name: &'static str, state: State, detail: impl ToString) -> Self {
        let detail = detail.to_string();
        Self {
            name,
            state,
            detail,
        }
    }
}

/// Looks at what a memory needs to be used: database, settings, keys, clock, heads, and that the log may grow. Keys of erased
/// content that were to be destroyed are.
pub(crate) async fn health(memory: &Memory) -> Result<Vec<Check>, Error> {
    let home = memory.home();
    let store = home.reader_as_it_is()?;
    let mut checks = database(&store).await?;
    checks.push(index(&store));
    checks.push(beside(&store).await?);
    checks.push(clock(&store));
    checks.extend(shipped(&store).await?);
    checks.push(check("heads", heads(home, store.size().await?)));
    drop(store);
    checks.push(check("claims", claims(home)));
    checks.push(check("exchange", exchange(home)));
    if home.is_standby() {
        let detail = "it follows another store: it has no keys, and is only read";
        checks.push(good("standby", detail.to_owned()));
        return Ok(checks);
    }
    let keys = home.keys();
    let folder = fs::metadata(&keys)
        .map_err(|error| Error::place(error, "put the keys back from your own copy"))
        .and_then(|found| keys::check_private(&keys, &found));
    checks.push(check(
        "key folder",
        folder.map(|()| "closed to others".to_owned()),
    ));
    let log = home.log_key().and_then(LogKey::verifier_key);
    checks.push(check("log key", log.map(|key| key.to_string())));
    let agent = home.agent().map(|agent| agent.agent().to_string());
    checks.push(check("agent key", agent));
    checks.push(writing(home));
    Ok(checks)
}

async fn database(store: &SqliteStore) -> Result<Vec<Check>, Error> {
    let health = store.health().await?;
    let integrity = health.integrity.join("; ");
    let intact = health.integrity.is_empty();
    let objects = health.schema_differences.join("; ");
    let same = health.schema_differences.is_empty();
    let mut checks = vec![
        good("sqlite", health.sqlite_version),
        good("schema", format!("version {}", health.schema_version)),
        good("journal", health.journal_mode),
        Check {
            name: "integrity",
            state: good_if(intact),
            detail: if intact {
                "no page, index or constraint is damaged".into()
            } else {
                format!("{integrity}; restore the database")
            },
        },
        Check {
            name: "objects",
            state: good_if(same),
            detail: if same {
                "tables, indexes and triggers are those of this schema".into()
            } else {
                format!(
                    "{objects}; restore the database, or run `counterfoil check` on what was written meanwhile"
                )
            },
        },
    ];
    checks.extend(health.keyless.map(|slots| sealed(&slots)));
    Ok(checks)
}

/// Names the contents of a sealed store that have no key.
fn sealed(slots: &BTreeSet<String>) -> Check {
    let first: Vec<&str> = slots.iter().take(10).map(String::as_str).collect();
    let missing = u64::try_from(slots.len()).unwrap_or(u64::MAX);
    Check {
        name: "sealed",
        state: good_if(slots.is_empty()),
        detail: match slots.is_empty() {
            true => "each content has its key, or lost it to an erasure".into(),
            false => format!(
                "{} without a key, which was not erased: {}; put the newest copy of content-keys.db back into the key folder",
                count(missing, "content", "contents"),
                first.join(", ")
            ),
        },
    }
}

/// Names a table of the index that lacks rows.
fn index(store: &SqliteStore) -> Check {
    let found = match store.miscounted() {
        None => Ok("has its rows".to_owned()),
        Some(table) => Err(Error::refused(
            format_args!("rows of {table} are missing, or there are too many"),
            "run `counterfoil rebuild`",
        )),
    };
    check("index", found)
}

/// Counts capsules outside the accepted chains. They are reported for information and never fail the check.
async fn beside(store: &SqliteStore) -> Result<Check, Error> {
    let aside = store.aside().await?;
    let mut detail = validate::beside(&aside);
    if aside.open_forks > 0 {
        detail.push_str("; `counterfoil fork list` shows the forks");
    }
    Ok(good("beside", detail))
}

/// Destroys keys of shipped content that was erased, where that was interrupted or they could not be reached. `None` without
/// sealed destinations.
async fn shipped(store: &SqliteStore) -> Result<Option<Check>, Error> {
    let sealed = commit::destroy_keys(store, Vec::new()).await?;
    let left = sealed
        .iter()
        .filter_map(|it| Some((&it.folder, it.obstacle.as_ref()?)));
    let left: Vec<String> = left
        .map(|(folder, why)| format!("{folder}: {why}"))
        .collect();
    let number = u64::try_from(sealed.len()).unwrap_or(u64::MAX);
    Ok((number > 0).then(|| Check {
        name: "shipped",
        state: good_if(left.is_empty()),
        detail: match left.is_empty() {
            true => format!(
                "{}; no key of erased content is left",
                count(number, "sealed destination", "sealed destinations")
            ),
            false => left.join("; "),
        },
    }))
}

/// Compares the log with the clock.
fn clock(store: &SqliteStore) -> Check {
    let ahead = store.clock_lead();
    Check {
        name: "clock",
        state: good_if(ahead.is_none()),
        detail: ahead.map_or_else(
            || "not behind the log".to_owned(),
            |ahead| {
                format!(
                    "{ahead}, and what is recorded now is dated after that: set the clock if it is behind; if it is right, \
                     `counterfoil clock correct --reason TEXT` lets it count again"
                )
            },
        ),
    }
}

/// Compares the log with its heads outside, and says how far each lags.
fn heads(home: &Home, size: u64) -> Result<String, Error> {
    home.reader()?;
    let lags = match home.head_places() {
        Some(places) => heads::lags(&places, size)?,
        None => Vec::new(),
    };
    Ok(match lags.is_empty() {
        true => "none: set $COUNTERFOIL_STATE_DIR to a folder apart from the store".to_owned(),
        false => lags.join("; "),
    })
}

/// Summary of the claim settings.
fn claims(home: &Home) -> Result<String, Error> {
    let settings = settings::read(home)?;
    let oracle = match settings.oracle_days {
        None => "no oracle".to_owned(),
        Some(days) => format!("an oracle, for {}", count(days.into(), "day", "days")),
    };
    Ok(format!(
        "fresh under {} days, aging under {}; {oracle}",
        settings.currency.fresh_days, settings.currency.aging_days,
    ))
}

/// Summary of the exchange settings.
fn exchange(home: &Home) -> Result<String, Error> {
    let settings = exchange::settings::read(home)?.answering;
    let number = |len| u64::try_from(len).unwrap_or(u64::MAX);
    if settings.shares.is_empty() {
        return Ok("nothing is shared with others".to_owned());
    }
    Ok(format!(
        "{} of what is shared; claims of {}",
        count(number(settings.shares.len()), "rule", "rules"),
        count(
            number(settings.shared_predicates.len()),
            "predicate",
            "predicates"
        ),
    ))
}

/// Opens the store for appending, which compares the log with the last signed checkpoint.
fn writing(home: &Home) -> Check {
    let opened = home
        .writer()
        .and_then(|store| match store.guard_mismatch() {
            Some(mismatch) => Err(mismatch.clone().into()),
            None => Ok("possible; the log continues what was signed last".to_owned()),
        });
    check("writing", opened)
}

fn check(name: &'static str, found: Result<String, Error>) -> Check {
    match found {
        Ok(detail) => good(name, detail),
        Err(failure) => Check {
            name,
            state: State::Bad,
            detail: failure.to_string(),
        },
    }
}

const fn good(name: &'static str, detail: String) -> Check {
    Check {
        name,
        state: State::Ok,
        detail,
    }
}

const fn good_if(holds: bool) -> State {
    match holds {
        true => State::Ok,
        false => State::Bad,
    }
}
