//! The rows of the claims benchmark on the peer: one row a call, the answer is one JSON line.
//!
//! Stores are filled by copying a claim that the peer wrote itself: through its own API a line of 100,000 claims would
//! take hours. What is measured is its API alone. Times are of the processor, of all threads of this process.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use mempill::engine::QueryMemoryRequest;
use mempill::sqlite::DefaultEngine;
use mempill::{AgentId, RememberOptions, open_default_for_agent, recall, remember};
use rusqlite::{Connection, params};
use serde_json::json;

const AGENT: &str = "bench";

#[tokio::main(flavor = "multi_thread", worker_threads = 8)]
async fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| -> Result<u64> {
        let word = words.get(at).context("a number is missing")?;
        Ok(word.parse()?)
    };
    let folder = words.get(1).context("say which row, and a folder")?;
    let folder = Path::new(folder);
    let answer = match words[0].as_str() {
        "belief" => belief(folder, number(2)?, number(3)?, number(4)?).await?,
        "ingest" => ingest(folder, number(2)?, number(3)?, number(4)?).await?,
        "durable" => durable(folder, number(2)?, number(3)?).await?,
        "bytes" => bytes(folder, number(2)?).await?,
        "readers" => readers(folder, number(2)?).await?,
        "pairs" => pairs(folder, number(2)?)?,
        "half" => return half(folder, &words[2], number(3)?).await,
        other => bail!("there is no row {other}"),
    };
    println!("{answer}");
    Ok(())
}

/// Seconds of the processor that this process has used.
fn cpu() -> f64 {
    cpu_time::ProcessTime::now().as_duration().as_secs_f64()
}

fn subject(line: u64) -> String {
    format!("person-{line}")
}

/// Hour `at` after 2000-01-01, as RFC 3339.
fn hour(at: u64) -> String {
    let begin = chrono::DateTime::from_timestamp(946_684_800, 0).unwrap_or_default();
    let hour = begin + chrono::Duration::hours(i64::try_from(at).unwrap_or_default());
    hour.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A store with `lines` lines of `each` claims, whose windows are hours that follow each other.
async fn filled(folder: &Path, lines: u64, each: u64) -> Result<DefaultEngine> {
    let engine = open_default_for_agent(folder, AGENT)?;
    let options = RememberOptions::default()
        .valid_from(hour(0))
        .valid_until(hour(1))
        .confidence(0.9);
    remember(&engine, AGENT, "template", "lives_in", "city-0", options).await?;
    drop(engine);
    let mut connection = Connection::open(folder.join(format!("agent_{AGENT}.db")))?;
    let transaction = connection.transaction()?;
    {
        let mut claim = transaction.prepare(
            "INSERT INTO claims (claim_id, agent_id, subject, predicate, value, cardinality, provenance_label,
             nearest_external_anchor_id, derivation_depth, tx_time, valid_time_start, valid_time_end,
             valid_time_confidence, value_confidence, criticality, derived_from, metadata, snapshot_schema_version,
             embedding_model_id, valid_time_start_granularity, valid_time_end_granularity)
             SELECT ?1, agent_id, ?2, predicate, ?3, cardinality, provenance_label, ?1, derivation_depth, ?6, ?4, ?5,
             valid_time_confidence, value_confidence, criticality, derived_from, metadata, snapshot_schema_version,
             embedding_model_id, valid_time_start_granularity, valid_time_end_granularity
             FROM claims WHERE agent_id = 'bench' AND subject = 'template' AND predicate = 'lives_in'",
        )?;
        let mut entry = transaction.prepare(
            "INSERT INTO ledger_entries (entry_id, agent_id, claim_id, event_kind, disposition, rationale, recorded_at)
             SELECT ?1, agent_id, ?2, event_kind, disposition, rationale, ?3 FROM ledger_entries
             WHERE claim_id = (SELECT claim_id FROM claims WHERE agent_id = 'bench' AND subject = 'template') LIMIT 1",
        )?;
        for line in 0..lines {
            for at in 0..each {
                let id = uuid::Uuid::new_v4().to_string();
                let value = format!("\"city-{}\"", at % 1000);
                let stamp = hour(200_000 + line * each + at);
                claim.execute(params![
                    id,
                    subject(line),
                    value,
                    hour(at),
                    hour(at + 1),
                    stamp
                ])?;
                entry.execute(params![uuid::Uuid::new_v4().to_string(), id, stamp])?;
            }
        }
    }
    transaction.commit()?;
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    drop(connection);
    Ok(open_default_for_agent(folder, AGENT)?)
}

/// CPU milliseconds of one belief, at the present.
async fn belief(folder: &Path, lines: u64, each: u64, times: u64) -> Result<serde_json::Value> {
    let engine = filled(folder, lines, each).await?;
    let ask = |line: u64| QueryMemoryRequest {
        agent_id: AgentId(AGENT.to_owned()),
        subject: subject(line),
        predicate: "lives_in".to_owned(),
        valid_at: chrono::DateTime::parse_from_rfc3339(&hour(each / 2))
            .ok()
            .map(Into::into),
        ..serde_json::from_value(json!({
            "agent_id": AGENT, "subject": "", "predicate": "",
        }))
        .unwrap_or_else(|_| unreachable!("the defaults of a query"))
    };
    let began = cpu();
    for at in 0..times {
        let answer = engine.query_memory(ask(at * 7919 % lines)).await?;
        std::hint::black_box(&answer);
    }
    Ok(json!({ "cpuMs": (cpu() - began) * 1e3 / times as f64 }))
}

/// CPU milliseconds of one ingest beside what is there.
async fn ingest(folder: &Path, lines: u64, each: u64, times: u64) -> Result<serde_json::Value> {
    let engine = filled(folder, lines, each).await?;
    let began = cpu();
    for at in 0..times {
        let options = RememberOptions::default()
            .valid_from(hour(each + at))
            .valid_until(hour(each + at + 1))
            .confidence(0.9);
        remember(
            &engine,
            AGENT,
            subject(at * 7919 % lines),
            "lives_in",
            format!("town-{at}"),
            options,
        )
        .await?;
    }
    Ok(json!({ "cpuMs": (cpu() - began) * 1e3 / times as f64 }))
}

/// Durable ingests a second of so many agents; each has a file, as the peer has it.
async fn durable(folder: &Path, agents: u64, each: u64) -> Result<serde_json::Value> {
    let began = Instant::now();
    let mut tasks = Vec::new();
    for agent in 0..agents {
        let name = format!("agent{agent}");
        let engine = open_default_for_agent(folder, &name)?;
        tasks.push(tokio::spawn(async move {
            for at in 0..each {
                let (subject, value) = (subject(at), format!("city-{at}"));
                remember(
                    &engine,
                    &name,
                    subject,
                    "lives_in",
                    value,
                    RememberOptions::default(),
                )
                .await?;
            }
            Ok::<_, anyhow::Error>(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    let seconds = began.elapsed().as_secs_f64();
    Ok(json!({ "perSecond": (agents * each) as f64 / seconds }))
}

/// Bytes on disk for one claim.
async fn bytes(folder: &Path, count: u64) -> Result<serde_json::Value> {
    let engine = filled(folder, count / 10, 10).await?;
    drop(engine);
    let file = folder.join(format!("agent_{AGENT}.db"));
    let length = std::fs::metadata(file)?.len();
    Ok(json!({ "bytes": length as f64 / count as f64 }))
}

/// Which part of reads fails while eight tasks write.
async fn readers(folder: &Path, each: u64) -> Result<serde_json::Value> {
    let engine = Arc::new(open_default_for_agent(folder, AGENT)?);
    let (done, reads, failed) = (
        Arc::new(AtomicBool::new(false)),
        AtomicU64::new(0),
        AtomicU64::new(0),
    );
    let writers = (0..8).map(|writer| {
        let engine = engine.clone();
        tokio::spawn(async move {
            for at in 0..each {
                let subject = format!("s-{writer}-{at}");
                let _ = remember(
                    &*engine,
                    AGENT,
                    subject,
                    "lives_in",
                    "x",
                    RememberOptions::default(),
                )
                .await;
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let flag = done.clone();
    let waiting = tokio::spawn(async move {
        for writer in writers {
            let _ = writer.await;
        }
        flag.store(true, Ordering::Relaxed);
    });
    while !done.load(Ordering::Relaxed) {
        reads.fetch_add(1, Ordering::Relaxed);
        if recall(&*engine, AGENT, "s-0-0", "lives_in").await.is_err() {
            failed.fetch_add(1, Ordering::Relaxed);
        }
    }
    waiting.await?;
    let (reads, failed) = (reads.into_inner(), failed.into_inner());
    Ok(json!({ "reads": reads, "failedPercent": 100.0 * failed as f64 / reads.max(1) as f64 }))
}

/// In how many of so many rounds two processes both get a contradictory claim in without a conflict.
fn pairs(folder: &Path, rounds: u64) -> Result<serde_json::Value> {
    drop(open_default_for_agent(folder, AGENT)?);
    let me = std::env::current_exe()?;
    let start = |value: &str| {
        Command::new(&me)
            .args([
                "half",
                &folder.display().to_string(),
                value,
                &rounds.to_string(),
            ])
            .stdout(std::process::Stdio::piped())
            .spawn()
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
    let both = left.lines().zip(right.lines()).filter(|(left, right)| {
        left.contains("CommittedCheap") && right.contains("CommittedCheap")
    });
    Ok(json!({ "rounds": rounds, "bothAccepted": both.count() }))
}

/// One of the two processes: both start each round at the same instant.
async fn half(folder: &Path, value: &str, rounds: u64) -> Result<()> {
    let engine = open_default_for_agent(folder, AGENT)?;
    let milliseconds = || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(0, |now| now.as_millis() as u64)
    };
    let begin = (milliseconds() / 1000 + 2) * 1000;
    for round in 0..rounds {
        while milliseconds() < begin + round * 20 {
            std::hint::spin_loop();
        }
        let answer = remember(
            &engine,
            AGENT,
            format!("pair-{round}"),
            "is",
            value,
            RememberOptions::default(),
        )
        .await;
        println!("{:?}", answer.map(|receipt| receipt.disposition));
    }
    Ok(())
}
