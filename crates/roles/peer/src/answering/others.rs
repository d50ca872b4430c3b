//! How far those who ask are trusted: the records about others, read again at most every second (R8).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use counterfoil_exchange::documents::Domain;
use counterfoil_exchange::trust::{Level, RecordBody, Records};
use counterfoil_store::StoredRecord;
use counterfoil_types::DidKey;

use crate::{Host, PeerError};

/// For so long what was read counts, in microseconds of the monotonic clock.
const CURRENT_US: u64 = 1_000_000;
/// The most levels that are remembered between two readings.
const MOST_LEVELS: usize = 16_384;
/// The most vouches for one agent in an answer.
const MOST_VOUCHES: usize = 8;

/// What this agent has recorded about others.
#[derive(Debug, Default)]
pub(super) struct Others {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    read_us: Option<u64>,
    /// They could not be read the last time: nobody is answered by what was known before.
    is_unread: bool,
    /// How many records there were; they are only added.
    count: usize,
    records: Arc<Records>,
    levels: HashMap<(DidKey, Option<Domain>), Level>,
    /// Vouches for this agent, as an array in canonical form.
    vouches: Option<Arc<str>>,
}

impl Others {
    /// How far `key` is trusted about `domain` now.
    pub(super) async fn level(
        &self,
        host: &Host,
        key: DidKey,
        domain: Option<&Domain>,
    ) -> Result<Level, PeerError> {
        let now = host.timer.now();
        if self.is_due(now.monotonic_us) {
            self.read(host).await?;
        }
        let about = (key, domain.cloned());
        let records = {
            let known = self.known();
            if known.is_unread {
                return Err(PeerError::Kept { what: "records" });
            }
            if let Some(level) = known.levels.get(&about) {
                return Ok(*level);
            }
            Arc::clone(&known.records)
        };
        let level = records.level(&key, domain, now.wall_us, &host.trust).level;
        let mut known = self.known();
        if Arc::ptr_eq(&known.records, &records) && known.levels.len() < MOST_LEVELS {
            known.levels.insert(about, level);
        }
        Ok(level)
    }

    /// Vouches for this agent that nobody has taken back, at most 8, as an array in canonical form; `None`: there are none.
    pub(super) fn vouches(&self) -> Option<Arc<str>> {
        self.known().vouches.clone()
    }

    /// Reads the records. Those who ask meanwhile go by what was read before; if they cannot be read, nobody does until
    /// they can (docs/format/trust.md §1).
    pub(super) async fn read(&self, host: &Host) -> Result<(), PeerError> {
        let read = self.reread(host).await;
        self.known().is_unread = read.is_err();
        read
    }

    async fn reread(&self, host: &Host) -> Result<(), PeerError> {
        let now_us = host.timer.now().monotonic_us;
        let stored = host.store.records().await?;
        let same = {
            let mut known = self.known();
            known.levels.clear();
            known.read_us = Some(now_us);
            known.count == stored.len()
        };
        if same {
            return Ok(());
        }
        let count = stored.len();
        let records = received(&stored, host)?;
        let vouches = vouches_for(&records, host);
        let mut known = self.known();
        known.count = count;
        known.records = Arc::new(records);
        known.vouches = vouches;
        known.levels.clear();
        Ok(())
    }

    /// Whether it is time to read again; it is so for one of those who ask.
    fn is_due(&self, now_us: u64) -> bool {
        let mut known = self.known();
        let due = known
            .read_us
            .is_none_or(|read_us| now_us.saturating_sub(read_us) >= CURRENT_US);
        if due && known.read_us.is_some() {
            known.read_us = Some(now_us);
        }
        due
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn received(stored: &[StoredRecord], host: &Host) -> Result<Records, PeerError> {
    let kept = stored
        .iter()
        .map(|one| (one.bytes.as_slice(), one.received_us));
    Ok(Records::receive(kept, &host.own_keys)?)
}

fn vouches_for(records: &Records, host: &Host) -> Option<Arc<str>> {
    let mine = host.signer.key();
    let vouches = records.iter().filter_map(|record| match record.body() {
        RecordBody::Vouch(vouch) => Some(vouch),
        _ => None,
    });
    let vouches = vouches
        .filter(|vouch| vouch.parts().subject.1 == mine && records.revoked_us(vouch).is_none());
    // A vouch is signed, so its bytes are canonical.
    let texts = vouches
        .take(MOST_VOUCHES)
        .filter_map(|vouch| str::from_utf8(vouch.bytes()).ok());
    let texts: Vec<&str> = texts.collect();
    (!texts.is_empty()).then(|| ["[", &texts.join(","), "]"].concat().into())
}
