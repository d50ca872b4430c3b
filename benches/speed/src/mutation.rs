//! What a small change of a large World costs: bytes on disk, by table, and time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use counterfoil_capsule::delta::Change;
use counterfoil_capsule::{ChainId, Signer};
use counterfoil_sqlite::{SqliteStore, Stats};
use counterfoil_store::mutation::{NewVersion, mutate_capsule};
use counterfoil_store::{CapsuleLog, Draft};
use counterfoil_types::{UnixMillis, WorldId};
use serde_json::{Value, json};

use crate::log::{agent, new_store};
use crate::measure::{aimed, heading, line, micros};

const FIELDS: u64 = 600;
const MUTATIONS: u64 = 1_000;

pub(crate) fn report() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let store = new_store(folder.path())?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let figures = runtime.block_on(figures(&store))?;

    heading("mutation: 100 bytes of a World of 64 KiB, 1,000 times, bytes a version by table");
    let bytes_of = |stats: &Stats, name: &str| {
        let table = stats.tables.iter().find(|(table, _)| table == name);
        table.map_or(0, |(_, bytes)| *bytes)
    };
    for (name, bytes) in &figures.after.tables {
        let grown = bytes - bytes_of(&figures.before, name).min(*bytes);
        if grown >= MUTATIONS {
            line(name, format!("{} B", grown / MUTATIONS));
        }
    }
    let grown = figures.after.file_bytes - figures.before.file_bytes;
    aimed(
        "the whole file, snapshots, log and full text included",
        format!("{} B", grown / MUTATIONS),
        "at most 2,000 B",
    );
    let each = figures.spent / u32::try_from(MUTATIONS)?;
    line(
        "one mutation, fsync included",
        format!("{:.0} µs", micros(each)),
    );
    Ok(())
}

struct Figures {
    before: Stats,
    after: Stats,
    spent: Duration,
}

async fn figures(store: &SqliteStore) -> Result<Figures> {
    let signer: Arc<dyn Signer> = Arc::new(agent());
    let chain = begin(store, Arc::clone(&signer)).await?;
    let before = store.stats().await?;
    let start = Instant::now();
    for number in 1..=MUTATIONS {
        change(store, Arc::clone(&signer), &chain, number).await?;
    }
    let spent = start.elapsed();
    let after = store.stats().await?;
    Ok(Figures {
        before,
        after,
        spent,
    })
}

/// A chain that begins with a World of 64 KiB.
pub(crate) async fn begin(store: &SqliteStore, signer: Arc<dyn Signer>) -> Result<ChainId> {
    let mut words = Words(1);
    let fields = (0..FIELDS).map(|field| (name_of(field), Value::String(words.sentence())));
    let new = version(0)?;
    let data = Value::Object(fields.collect());
    let world = counterfoil_capsule::remember(new.0, new.1, data)?;
    let bytes = world.content()?.len();
    ensure!(
        (60_000..72_000).contains(&bytes),
        "a World of {bytes} bytes"
    );
    let places = store.append(signer, vec![Draft::new(world)]).await?;
    let place = places.first();
    place
        .map(|place| place.chain)
        .ok_or_else(|| anyhow::anyhow!("an append without a place"))
}

/// Gives one field another sentence.
pub(crate) async fn change(
    store: &SqliteStore,
    signer: Arc<dyn Signer>,
    chain: &ChainId,
    number: u64,
) -> Result<()> {
    let path = format!("/{}", name_of(number * 7919 % FIELDS));
    let sentence = Words(number + 1_000_000).sentence();
    let patch = json!([{ "op": "replace", "path": path, "value": sentence }]);
    let change = Change::Patch(&patch);
    mutate_capsule(store, signer, chain, change, version(number)?).await?;
    Ok(())
}

fn name_of(field: u64) -> String {
    format!("field{field:03}")
}

fn version(number: u64) -> Result<NewVersion> {
    // As long and as even as the ids that the command line mints.
    let id = format!("019ca6b1-dc00-7000-8000-{:012x}", number * 0x9e37_79b9);
    Ok((
        WorldId::new(id)?,
        UnixMillis::new(1_772_323_200_000 + number)?,
    ))
}

/// Sentences of 100 bytes from some two thousand made-up words, the frequent ones short: they
/// compress about as well as English does.
pub(crate) struct Words(pub(crate) u64);

impl Words {
    fn next(&mut self) -> u64 {
        // xorshift64*, seeded apart from zero.
        let mut x = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.0 = x;
        x.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn word(&mut self) -> String {
        const SYLLABLES: [&str; 24] = [
            "an", "be", "co", "der", "en", "fi", "ga", "hou", "ing", "ka", "le", "mo", "ness",
            "or", "per", "qua", "ren", "st", "ter", "un", "ver", "wi", "ter", "y",
        ];
        // About Zipf: half of the words are among the first forty.
        let (range, pick) = (self.next() % 6, self.next());
        let mut rank = pick % (10 << (range + 1));
        let mut word = String::new();
        loop {
            let at = usize::try_from(rank % 24).unwrap_or_default();
            word.push_str(SYLLABLES.get(at).copied().unwrap_or_default());
            rank /= 24;
            if rank == 0 {
                return word;
            }
            rank -= 1;
        }
    }

    fn sentence(&mut self) -> String {
        let mut sentence = String::new();
        while sentence.len() < 92 {
            sentence.push_str(&self.word());
            sentence.push(' ');
        }
        sentence.trim_end().to_owned()
    }
}
