//! `validate` of a hundred thousand capsules, beside nothing but one signature check each on the same
//! number of threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use counterfoil_capsule::SealedCapsule;
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::pool::{PoolVerdict, Validation};
use counterfoil_store::{CapsuleLog, Draft};
use ed25519_dalek::{Signature, VerifyingKey};

use crate::log::{agent, new_store, seal, world};
use crate::measure::{aimed, heading, line, median, micros, ratio, time};

const CAPSULES: u64 = 100_000;
const BATCH: u64 = 256;
const ROUNDS: usize = 5;
/// The longest that one version of the store with evolving Worlds gets.
const VERSIONS: u64 = 20;

pub(crate) fn report() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let threads = thread::available_parallelism()?.get();
    let single = new_store(&folder.path().join("single"))?;
    runtime.block_on(fill(&single))?;
    let evolving = new_store(&folder.path().join("evolving"))?;
    let versions = runtime.block_on(evolve(&evolving))?;

    let signed = seal(1, &agent())?;
    let (mut bare, mut checkpoint, mut each, mut chains) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        bare.push(time(|| signatures(&signed, threads)).0);
        checkpoint.push(validated(&runtime, &single, false, CAPSULES)?);
        each.push(validated(&runtime, &single, true, CAPSULES)?);
        chains.push(validated(&runtime, &evolving, false, versions)?);
    }
    let [bare, checkpoint, each, chains] = [bare, checkpoint, each, chains].map(median);
    heading(&format!("validate: {CAPSULES} capsules, {threads} threads"));
    line("one signature check each, and nothing else", seconds(bare));
    line(
        "validate, the log's checkpoint for signatures",
        seconds(checkpoint),
    );
    aimed(
        "  against one signature check each",
        format!("{:.1} x faster", ratio(bare, checkpoint)),
        "at least 3 x",
    );
    line("validate, every signature and field tree", seconds(each));
    line(
        &format!("validate, {versions} versions in chains of {VERSIONS}"),
        format!(
            "{:.1} µs each",
            micros(chains) / f64::from(u32::try_from(versions)?)
        ),
    );
    Ok(())
}

fn seconds(spent: Duration) -> String {
    format!("{:.3} s", spent.as_secs_f64())
}

async fn fill(store: &SqliteStore) -> Result<()> {
    for first in (0..CAPSULES).step_by(usize::try_from(BATCH)?) {
        let drafts =
            (first..CAPSULES.min(first + BATCH)).map(|number| world(number).map(Draft::new));
        store
            .append(Arc::new(agent()), drafts.collect::<Result<_>>()?)
            .await?;
    }
    Ok(())
}

/// Worlds of [`VERSIONS`] versions each, written side by side.
async fn evolve(store: &SqliteStore) -> Result<u64> {
    let mut heads = store
        .append(
            Arc::new(agent()),
            (0..BATCH)
                .map(|number| world(number).map(Draft::new))
                .collect::<Result<_>>()?,
        )
        .await?;
    for version in 1..VERSIONS {
        let drafts = (0..).zip(&heads).map(|(number, head)| {
            let next = world(version * 1_000_000 + number)?;
            Ok(Draft::new(next).following(head.chain, head.capsule))
        });
        let drafts = drafts.collect::<Result<Vec<_>>>()?;
        heads = store.append(Arc::new(agent()), drafts).await?;
    }
    Ok(BATCH * VERSIONS)
}

/// What `validate` is held against: the bare checks, shared out over the threads.
fn signatures(signed: &SealedCapsule, threads: usize) {
    let key = VerifyingKey::from_bytes(signed.key.public_key());
    let (Ok(key), entry) = (key, signed.entry.to_text()) else {
        return;
    };
    let signature = Signature::from_bytes(&signed.signature);
    let (left, capsules) = (AtomicUsize::new(0), usize::try_from(CAPSULES).unwrap_or(0));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while left.fetch_add(1, Ordering::Relaxed) < capsules {
                    let held = key.verify_strict(entry.as_bytes(), &signature);
                    assert!(
                        std::hint::black_box(held).is_ok(),
                        "the bench's own signature"
                    );
                }
            });
        }
    });
}

fn validated(
    runtime: &tokio::runtime::Runtime,
    store: &SqliteStore,
    each_signature: bool,
    capsules: u64,
) -> Result<Duration> {
    let how = Validation {
        each_signature,
        ..Validation::default()
    };
    let (spent, report) = time(|| runtime.block_on(store.validate(how, Box::new(drop))));
    let report = report?;
    ensure!(report.verdict() == PoolVerdict::Valid, "{report:?}");
    ensure!(report.entries == capsules, "{} entries", report.entries);
    Ok(spent)
}
