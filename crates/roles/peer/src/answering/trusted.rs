//! Cache of the trust records about other agents, and of levels, read again at most every second (R8).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use counterfoil_exchange::documents::{Domain, Vouch};
use counterfoil_exchange::trust::{Level, Record, Records};
use counterfoil_types::DidKey;

use crate::{Host, PeerError};

/// Age up to which the records count, in microseconds of the monotonic clock.
const CURRENT_US: u64 = 1_000_000;
/// Most cached levels.
const MOST_LEVELS: usize = 16_384;
/// Most vouches for this agent in an answer.
const MOST_VOUCHES: usize = 8;

/// Cached trust records.
#[derive(Debug, Default)]
pub(super) struct TrustCache {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    read_us: Option<u64>,
    /// True if the last read failed; then no level is returned.
    is_unread: bool,
    /// Number of stored records, which only grows.
    count: u64,
    records: Arc<Records>,
    levels: HashMap<(DidKey, Option<Domain>), Level>,
    /// Vouches for this agent, as a canonical JSON array.
    vouches: Option<Arc<str>>,
}

impl TrustCache {
    /// Returns the current level of trust in `key` about `domain`.
    pub(super) async fn level(
        &self,
        host: &Host,
        key: DidKey,
        domain: Option<&Domain>,
    ) -> Result<Level, PeerError> {
        let now = host.timer.now();
        let is_due = {
            let mut state = self.state();
            let age = |read_us| now.monotonic_us.saturating_sub(read_us);
            let due = state.read_us.is_none_or(|at| age(at) >= CURRENT_US);
            if due && state.read_us.is_some() {
                // This caller reads; others use the earlier records meanwhile.
                state.read_us = Some(now.monotonic_us);
            }
            due
        };
        if is_due {
            self.read(host).await?;
        }
        let about = (key, domain.cloned());
        let records = {
            let state = self.state();
            if state.is_unread {
                return Err(PeerError::Unreadable { what: "records" });
            }
            if let Some(level) = state.levels.get(&about) {
                return Ok(*level);
            }
            Arc::clone(&state.records)
        };
        let now_us = records.present(now.wall_us);
        let level = records.level(&key, domain, now_us, &host.trust).level;
        let mut state = self.state();
        if Arc::ptr_eq(&state.records, &records) && state.levels.len() < MOST_LEVELS {
            state.levels.insert(about, level);
        }
        Ok(level)
    }

    /// Returns the vouches for this agent that are not revoked, the newest 8, as a canonical JSON array; `None` without any.
    pub(super) fn vouches(&self) -> Option<Arc<str>> {
        self.state().vouches.clone()
    }

    /// Reads the records. Meanwhile the earlier ones count; after a failure none do until a read succeeds
    /// (docs/format/trust.md §1).
    pub(super) async fn read(&self, host: &Host) -> Result<(), PeerError> {
        let read = async {
            let now_us = host.timer.now().monotonic_us;
            let known = self.state().count;
            let stored = host.store.records(known).await?;
            {
                let mut state = self.state();
                state.levels.clear();
                state.read_us = Some(now_us);
            }
            let Some(stored) = stored else {
                return Ok(());
            };
            let rows = stored.iter();
            let rows = rows.map(|(bytes, at)| (bytes.as_slice(), *at));
            let records = Records::receive(rows, &host.own_keys).map_err(PeerError::Records)?;
            let mine = host.signer.key();
            let vouches = records.iter().filter_map(Record::vouch).filter(|vouch| {
                vouch.parts().subject.public_key == mine && records.revoked_us(vouch).is_none()
            });
            // The newest first, as older ones may have ended. A vouch is signed, so its text is canonical.
            let mut texts: Vec<&str> = vouches.map(Vouch::text).collect();
            texts.reverse();
            texts.truncate(MOST_VOUCHES);
            let vouches = (!texts.is_empty()).then(|| ["[", &texts.join(","), "]"].concat().into());
            let mut state = self.state();
            state.count = u64::try_from(stored.len()).unwrap_or(u64::MAX);
            state.records = Arc::new(records);
            state.vouches = vouches;
            state.levels.clear();
            Ok(())
        };
        let read = read.await;
        self.state().is_unread = read.is_err();
        read
    }

    /// Returns the records as they were read last.
    pub(super) fn records(&self) -> Arc<Records> {
        Arc::clone(&self.state().records)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
