//! A log in a shared ground against bare inserts of the same rows into the same PostgreSQL, and against a store of its own, in one
//! run: `cargo xtask bench ground [BATCHES]`.
#![expect(clippy::print_stdout, reason = "the figures are the output")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer};
use counterfoil_ground_tests::Server;
use counterfoil_life_tests::support::world;
use counterfoil_postgres::{GroundSettings, PostgresGround};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{CapsuleLog as _, Draft};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls};

/// Memories of one batch.
const BATCH: usize = 256;
/// Appends one at a time.
const SINGLE: usize = 500;

fn main() -> Result<()> {
    let batches = std::env::args().nth(1).map_or(Ok(40), |it| it.parse())?;
    let server = Server::start(&[]).context("PostgreSQL is not installed")?;
    let runtime = Runtime::new()?;
    let url = server.database();
    PostgresGround::new(GroundSettings::new(&url))?.migrate()?;
    let node = Store::new(1, Some(&url))?;
    let alone = Store::new(1, None)?;
    let shared = rate(batches, || node.append(&runtime, batches))?;
    let embedded = rate(batches, || alone.append(&runtime, batches))?;
    let client = runtime.block_on(connected(&url))?;
    let bare = rate(batches, || runtime.block_on(inserted(&client, batches)))?;
    println!("batches of {BATCH}, memories a second");
    println!("  in a shared ground     {shared:8.0}");
    println!(
        "  in a store of its own  {embedded:8.0}   shared is {:.2} of it",
        shared / embedded
    );
    println!(
        "  bare inserts           {bare:8.0}   shared is {:.2} of it",
        shared / bare
    );
    let one = median(|number| node.one(&runtime, number))?;
    let own = median(|number| alone.one(&runtime, number))?;
    let insert = median(|number| runtime.block_on(one_row(&client, number)))?;
    let asked = median(|_| Ok(runtime.block_on(node.store.follow()).map(drop)?))?;
    println!("one at a time, p50 in ms");
    println!("  in a shared ground     {:8.2}", ms(one));
    println!("  in a store of its own  {:8.2}", ms(own));
    println!(
        "  bare insert            {:8.2}   shared is {:.2} of it",
        ms(insert),
        ms(one) / ms(insert)
    );
    println!("  a read that asks the ground first adds {:.2}", ms(asked));
    let nodes = (2..6)
        .map(|seed| Store::new(seed, Some(&url)))
        .collect::<Result<Vec<_>>>()?;
    let began = Instant::now();
    std::thread::scope(|scope| {
        let running: Vec<_> = nodes
            .iter()
            .map(|node| scope.spawn(|| node.append(&runtime, batches)))
            .collect();
        running
            .into_iter()
            .try_for_each(|it| it.join().unwrap_or(Ok(())))
    })?;
    let four = rows(4 * batches) / began.elapsed().as_secs_f64();
    println!(
        "4 nodes on 4 logs, memories a second\n  {four:8.0}   {:.2} of one node on one log",
        four / shared
    );
    Ok(())
}

struct Store {
    store: SqliteStore,
    _folder: TempDir,
    signer: Arc<dyn Signer>,
}

impl Store {
    /// A store whose log has a key of its own, in the ground at `url` where there is one.
    fn new(seed: u8, url: Option<&str>) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let log = || NoteSigner::new("bench.example/log", SecretKey::from_seed([seed; 32]));
        let mut options = Options::writable(
            folder.path().join("memory.db"),
            log()?,
            guard(folder.path()),
        );
        if let Some(url) = url {
            let ground = Arc::new(PostgresGround::new(GroundSettings::new(url))?);
            let log = ground.log(&log()?.verifier_key().to_string(), &format!("node-{seed}"));
            options = options.with_ground(Arc::new(log));
        }
        Ok(Self {
            store: SqliteStore::create(options)?,
            _folder: folder,
            signer: Arc::new(AgentSigner::new(SecretKey::from_seed([100 + seed; 32]))),
        })
    }

    fn append(&self, runtime: &Runtime, batches: usize) -> Result<()> {
        for batch in 0..batches {
            let drafts = (0..BATCH)
                .map(|number| draft(batch * BATCH + number))
                .collect();
            runtime.block_on(self.store.append(Arc::clone(&self.signer), drafts))?;
        }
        Ok(())
    }

    fn one(&self, runtime: &Runtime, number: usize) -> Result<()> {
        let draft = draft(1_000_000 + number);
        runtime.block_on(self.store.append_one(Arc::clone(&self.signer), draft))?;
        Ok(())
    }
}

fn guard(folder: &Path) -> std::path::PathBuf {
    folder.join("guard")
}

fn draft(number: usize) -> Draft {
    let text = format!(
        "Memory {number}: the ferry to the island leaves at {} past the hour, from pier {}",
        number % 60,
        number % 9
    );
    Draft::new(world(&format!("m-{number}"), &text))
}

async fn connected(url: &str) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    client
        .batch_execute(
            "CREATE TABLE bare_entry (LIKE counterfoil.entry INCLUDING ALL); \
             CREATE TABLE bare_key (LIKE counterfoil.content_key INCLUDING ALL)",
        )
        .await?;
    Ok(client)
}

/// Inserts what the node has written, in as many transactions.
async fn inserted(client: &Client, batches: usize) -> Result<()> {
    let found = client
        .query(
            "SELECT log_id, idx, line FROM counterfoil.entry ORDER BY idx LIMIT $1",
            &[&i64::try_from(batches * BATCH)?],
        )
        .await?;
    let entry = client
        .prepare("INSERT INTO bare_entry SELECT $1, e.* FROM unnest($2::bigint[], $3::text[]) AS e (idx, line)")
        .await?;
    let key = client
        .prepare("INSERT INTO bare_key (log_id, root, slot, key) SELECT $1, k.slot, k.slot, $3 FROM unnest($2::text[]) AS k (slot)")
        .await?;
    for batch in found.chunks(BATCH) {
        let log: Vec<u8> = batch.first().context("a batch without rows")?.get(0);
        let (indices, lines): (Vec<i64>, Vec<&str>) = batch
            .iter()
            .map(|row| (row.get::<_, i64>(1), row.get::<_, &str>(2)))
            .collect();
        let slots: Vec<String> = indices
            .iter()
            .map(|index| format!("entry/{index}"))
            .collect();
        client.batch_execute("BEGIN").await?;
        client.execute(&entry, &[&log, &indices, &lines]).await?;
        client
            .execute(&key, &[&log, &slots, &vec![7_u8; 72]])
            .await?;
        client.batch_execute("COMMIT").await?;
    }
    Ok(())
}

async fn one_row(client: &Client, number: usize) -> Result<()> {
    let sql = "INSERT INTO bare_entry VALUES ($1, $2, $3)";
    let statement = client.prepare(sql).await?;
    let (log, index, line) = (vec![1_u8; 32], i64::try_from(number)?, "x".repeat(1200));
    client.execute(&statement, &[&log, &index, &line]).await?;
    Ok(())
}

fn rows(batches: usize) -> f64 {
    u32::try_from(batches * BATCH).map_or(f64::NAN, f64::from)
}

/// Returns memories a second.
fn rate(batches: usize, run: impl FnOnce() -> Result<()>) -> Result<f64> {
    let began = Instant::now();
    run()?;
    Ok(rows(batches) / began.elapsed().as_secs_f64())
}

fn median(mut run: impl FnMut(usize) -> Result<()>) -> Result<Duration> {
    let mut times = Vec::with_capacity(SINGLE);
    for number in 0..SINGLE {
        let began = Instant::now();
        run(number)?;
        times.push(began.elapsed());
    }
    times.sort_unstable();
    times.get(SINGLE / 2).copied().context("no time")
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
