//! One row on our side, in a process of its own: the answer is one JSON line, as the peer gives it.

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail, ensure};
use counterfoil_capsule::remember;
use counterfoil_claims::Disposition;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{AsOf, CapsuleLog, ClaimRequest, ClaimStore, Draft};
use counterfoil_types::{UnixMillis, WorldId};
use cpu_time::ProcessTime;
use serde_json::{Value, json};

use crate::fill::{self, BATCH};
use crate::raw;

/// The argument with which this program answers one row.
pub(crate) const ROW: &str = "--row";

pub(crate) fn answer(words: &[String]) -> Result<()> {
    let [row, folder, numbers @ ..] = words else {
        bail!("say which row, and a folder");
    };
    let folder = Path::new(folder);
    if let ("half", [value, rounds]) = (row.as_str(), numbers) {
        return runtime()?.block_on(half(folder, value, rounds.parse()?));
    }
    let numbers: Vec<u64> = numbers
        .iter()
        .map(|word| word.parse())
        .collect::<Result<_, _>>()?;
    let number = |at: usize| numbers.get(at).copied().context("a number is missing");
    let runtime = runtime()?;
    let answer = match row.as_str() {
        "belief" => runtime.block_on(belief(folder, number(0)?, number(1)?, number(2)?))?,
        "ingest" => runtime.block_on(ingest(folder, number(0)?, number(1)?, number(2)?))?,
        "durable" => runtime.block_on(durable(folder, number(0)?, number(1)?))?,
        "batches" => runtime.block_on(batches(folder, number(0)?))?,
        "bytes" => runtime.block_on(bytes(folder, number(0)?))?,
        "readers" => runtime.block_on(readers(folder, number(0)?))?,
        "pairs" => pairs(folder, number(0)?)?,
        other => bail!("there is no row {other}"),
    };
    println!("{answer}");
    Ok(())
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread()
        .worker_threads(8)
        .enable_all()
        .build()?)
}

/// Milliseconds each of `times`.
fn each_ms(spent: Duration, times: u64) -> f64 {
    spent.as_secs_f64() * 1e3 / u32::try_from(times).map_or(f64::NAN, f64::from)
}

fn per_second(count: u64, spent: Duration) -> f64 {
    u32::try_from(count).map_or(f64::NAN, f64::from) / spent.as_secs_f64()
}

async fn belief(folder: &Path, lines: u64, each: u64, times: u64) -> Result<Value> {
    let store = fill::filled(folder, lines, each).await?;
    let asked = AsOf {
        valid_at: Some(fill::instant(each / 2)),
        as_of_us: None,
    };
    let began = ProcessTime::now();
    for at in 0..times {
        let belief = store
            .believe(fill::line(at * 7919 % lines)?, asked, fill::settings())
            .await?;
        ensure!(belief.primary().is_some(), "one claim holds at each hour");
        black_box(&belief);
    }
    Ok(json!({ "cpuMs": each_ms(began.elapsed(), times) }))
}

/// Beside what is there: the processor's time, that of signing and sealing included, commits not waited for; and that of as many memories
/// of the same length, which are sealed and committed alike.
async fn ingest(folder: &Path, lines: u64, each: u64, times: u64) -> Result<Value> {
    let store = fill::filled(folder, lines, each).await?;
    let began = ProcessTime::now();
    for at in 0..times {
        let request = fill::hourly(at * 7919 % lines, each + at, &format!("town-{at}"))?;
        fill::submit(&store, vec![request]).await?;
    }
    let spent = each_ms(began.elapsed(), times);
    let began = ProcessTime::now();
    for at in 0..times {
        let name = WorldId::new(format!("memory-{at}"))?;
        let text = format!(
            "person-{at} lives in town-{at} for an hour, and elsewhere before and after it"
        );
        let world = remember(name, UnixMillis::new(at + 1)?, json!({ "text": text }))?;
        store.append_one(fill::signer(0), Draft::new(world)).await?;
    }
    let memory = each_ms(began.elapsed(), times);
    Ok(json!({ "cpuMs": spent, "memoryCpuMs": memory, "besideMs": spent - memory }))
}

/// All agents on one store, one claim a call.
async fn durable(folder: &Path, agents: u64, each: u64) -> Result<Value> {
    let store = fill::create(folder)?;
    let began = Instant::now();
    let mut tasks = Vec::new();
    for agent in 0..agents {
        let store = Arc::clone(&store);
        let (signer, settings) = (fill::signer(agent), fill::settings());
        tasks.push(tokio::spawn(async move {
            for at in 0..each {
                let request = fill::undated(&format!("person-{at}"), &format!("city-{at}"))?;
                let request = vec![ClaimRequest::Submit(request)];
                store
                    .submit(Arc::clone(&signer), Arc::clone(&settings), request)
                    .await?;
            }
            anyhow::Ok(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    Ok(
        json!({ "perSecond": per_second(agents * each, began.elapsed()), "commits": store.commits() }),
    )
}

/// Batches of 256, and the same rows inserted raw.
async fn batches(folder: &Path, count: u64) -> Result<Value> {
    let store = fill::create(&folder.join("store"))?;
    let mut spent = Duration::ZERO;
    for batch in 0..count {
        let requests = (0..BATCH).map(|at| fill::hourly(at, batch, &format!("city-{at}")));
        let requests = requests.collect::<Result<Vec<_>>>()?;
        let began = Instant::now();
        fill::submit(&store, requests).await?;
        spent += began.elapsed();
    }
    drop(store);
    let raw = raw::insertion(
        &folder.join("store/memory.db"),
        &folder.join("raw.db"),
        count,
    )?;
    let signing = raw::signing(BATCH * count);
    Ok(json!({
        "perSecond": per_second(BATCH * count, spent),
        "rawPerSecond": per_second(BATCH * count, raw),
        "percentOfRaw": 100.0 * raw.as_secs_f64() / spent.as_secs_f64(),
        "percentOfRawWithoutSignatures": 100.0 * raw.as_secs_f64() / spent.saturating_sub(signing).as_secs_f64(),
        "signatureUs": each_ms(signing, BATCH * count) * 1e3,
    }))
}

async fn bytes(folder: &Path, count: u64) -> Result<Value> {
    drop(fill::filled(folder, count / 10, 10).await?);
    let bytes = u32::try_from(fill::bytes_on_disk(folder)?)?;
    Ok(
        json!({ "bytes": f64::from(bytes) / f64::from(u32::try_from(count)?), "parts": raw::parts(folder, count)? }),
    )
}

/// Which part of reads fails while eight tasks write.
async fn readers(folder: &Path, each: u64) -> Result<Value> {
    let store = fill::create(folder)?;
    let done = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..8)
        .map(|writer| tokio::spawn(write_some(Arc::clone(&store), writer, each)))
        .collect();
    let flag = Arc::clone(&done);
    let waiting = tokio::spawn(async move {
        for writer in writers {
            writer.await??;
        }
        flag.store(true, Ordering::Relaxed);
        anyhow::Ok(())
    });
    let (mut reads, mut failed) = (0_u32, 0_u32);
    while !done.load(Ordering::Relaxed) && !waiting.is_finished() {
        reads += 1;
        let belief = store
            .believe(fill::line(0)?, AsOf::default(), fill::settings())
            .await;
        failed += u32::from(belief.is_err());
    }
    waiting.await??;
    Ok(
        json!({ "reads": reads, "failedPercent": 100.0 * f64::from(failed) / f64::from(reads.max(1)) }),
    )
}

async fn write_some(store: Arc<SqliteStore>, writer: u64, each: u64) -> Result<()> {
    for at in 0..each {
        let request = vec![ClaimRequest::Submit(fill::undated(
            &format!("s-{writer}-{at}"),
            "x",
        )?)];
        store
            .submit(fill::signer(0), fill::settings(), request)
            .await?;
    }
    Ok(())
}

/// In how many of so many rounds two processes both get a contradictory claim in without a conflict.
fn pairs(folder: &Path, rounds: u64) -> Result<Value> {
    drop(fill::create(folder)?);
    let me = std::env::current_exe()?;
    let start = |value: &str| {
        let folder = folder.display().to_string();
        let words = [ROW, "half", &folder, value, &rounds.to_string()];
        Command::new(&me).args(words).stdout(Stdio::piped()).spawn()
    };
    let (left, right) = (start("left")?, start("right")?);
    let (left, right) = (left.wait_with_output()?, right.wait_with_output()?);
    ensure!(
        left.status.success() && right.status.success(),
        "one of the two ended badly"
    );
    let (left, right) = (
        String::from_utf8(left.stdout)?,
        String::from_utf8(right.stdout)?,
    );
    let committed = Disposition::Committed.name();
    let pairs = || left.lines().zip(right.lines());
    let both = pairs().filter(|(left, right)| *left == committed && *right == committed);
    let one = pairs().filter(|(left, right)| (*left == committed) != (*right == committed));
    Ok(json!({ "rounds": rounds, "bothAccepted": both.count(), "oneAccepted": one.count() }))
}

/// One of the two processes: both start each round at the same instant.
async fn half(folder: &Path, value: &str, rounds: u64) -> Result<()> {
    let store = SqliteStore::open(fill::options(folder)?)?;
    let now = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
    };
    let begin = Duration::from_secs(now().as_secs() + 2);
    for round in 0..u32::try_from(rounds)? {
        while now() < begin + Duration::from_millis(20) * round {
            std::hint::spin_loop();
        }
        let request = vec![ClaimRequest::Submit(fill::undated(
            &format!("pair-{round}"),
            value,
        )?)];
        let answers = store
            .submit(fill::signer(0), fill::settings(), request)
            .await?;
        for answer in answers {
            println!("{}", answer?.disposition.name());
        }
    }
    Ok(())
}
