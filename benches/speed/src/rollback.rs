//! What it costs to bring a state back: over the deltas themselves, and from the store.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use counterfoil_capsule::Signer;
use counterfoil_capsule::delta::{Delta, roll_back};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::mutation::state_at;
use counterfoil_store::{CapsuleLog, mutation};
use counterfoil_types::{UnixMillis, WorldId};

use crate::log::{agent, new_store};
use crate::measure::{aimed, heading, median, micros, ratio, time};
use crate::mutation::{begin, change};

const DELTAS: u64 = 1_000;
const STEPS: [u64; 4] = [125, 250, 500, 1_000];

pub(crate) fn report() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let store = new_store(folder.path())?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(measure(&store))
}

async fn measure(store: &SqliteStore) -> Result<()> {
    let signer: Arc<dyn Signer> = Arc::new(agent());
    let chain = begin(store, Arc::clone(&signer)).await?;
    let mut deltas = Vec::new();
    for number in 1..=DELTAS {
        change(store, Arc::clone(&signer), &chain, number).await?;
        let stored = store.version(&chain, number).await?;
        let body = stored.and_then(|stored| stored.delta).context("no delta")?;
        deltas.push(Delta::parse(body.text.as_bytes())?);
    }
    let head = state_at(store, &chain, DELTAS).await?;
    let times = undoing(&deltas, head.content_value())?;

    heading("rollback: a World of 64 KiB, back over deltas of 4 operations");
    for (steps, spent) in &times {
        let operations = 4 * u32::try_from(*steps)?;
        aimed(
            &format!("undoing {steps} deltas in memory"),
            format!("{:.0} µs", micros(*spent)),
            &format!(
                "{:.2} µs an operation",
                micros(*spent) / f64::from(operations)
            ),
        );
    }
    if let (Some((_, few)), Some((_, many))) = (times.get(1), times.last()) {
        let times = format!("{:.1} x", ratio(*many, *few));
        aimed("  1,000 deltas against 250", times, "4 x is linear");
    }
    for back in STEPS {
        let start = Instant::now();
        let new = (
            WorldId::new(format!("back-{back}"))?,
            UnixMillis::new(1_772_323_200_000)?,
        );
        let signer = Arc::clone(&signer);
        mutation::rollback_to(store, signer, &chain, DELTAS - back, new).await?;
        aimed(
            &format!("from the store, {back} versions back, fsync included"),
            format!("{:.0} µs", micros(start.elapsed())),
            "at most 63 deltas are read",
        );
    }
    Ok(())
}

fn undoing(deltas: &[Delta], head: &serde_json::Value) -> Result<Vec<(u64, Duration)>> {
    let mut all = Vec::new();
    for steps in STEPS {
        let mut samples = Vec::new();
        for _ in 0..9 {
            let newest_first = deltas.iter().rev().take(usize::try_from(steps)?);
            let (spent, state) = time(|| roll_back(head, newest_first));
            black_box(state?);
            samples.push(spent);
        }
        all.push((steps, median(samples)));
    }
    Ok(all)
}
