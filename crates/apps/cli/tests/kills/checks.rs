//! What must hold of the store whenever one looks, and at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::CapsuleLog;
use counterfoil_store::conformance::block_on;
use counterfoil_types::WorldId;
use serde_json::Value;

use crate::act::{Acknowledged, Act};
use crate::store::Store;

/// What was tried, whatever came of it.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    texts: BTreeSet<String>,
    durations: Vec<Duration>,
}

impl Attempts {
    pub(crate) fn begin(&mut self, act: &Act) {
        self.texts.insert(act.text().to_owned());
    }

    pub(crate) fn took(&mut self, duration: Duration) {
        self.durations.push(duration);
    }

    /// `None` before anything went well.
    pub(crate) fn typical(&self) -> Option<Duration> {
        let mut sorted = self.durations.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied()
    }
}

fn opened(store: &Store) -> SqliteStore {
    SqliteStore::open(Options::read_only(store.database())).unwrap()
}

/// Each World that was acknowledged stands, where it was said to stand.
pub(crate) fn nothing_is_lost(store: &Store, acknowledged: &[Acknowledged]) {
    let opened = opened(store);
    for one in acknowledged {
        let world_id = WorldId::new(one.world_id.as_str()).unwrap();
        let index = block_on(opened.index_of(&world_id)).unwrap();
        assert!(index.is_some(), "{one:?} was acknowledged and is lost");
        assert!(
            one.index.is_none() || one.index == index,
            "{one:?} is at {index:?}"
        );
    }
}

/// Besides: each entry was tried, none is there twice, the audit is clean, the guard fits, and the
/// store goes on. Returns how many entries nobody was told of.
pub(crate) fn everything_holds(
    store: &Store,
    acknowledged: &[Acknowledged],
    attempts: &Attempts,
) -> usize {
    nothing_is_lost(store, acknowledged);
    let kept = texts(store);
    for (text, count) in &kept {
        assert!(attempts.texts.contains(text), "{text:?} was never said");
        assert_eq!(*count, 1, "{text:?} is there more than once");
    }
    for one in acknowledged {
        assert!(kept.contains_key(&one.text), "{one:?} holds other content");
    }
    let audit = store.json(&["check", "--deep"]);
    assert_eq!(audit["healthy"], true, "{audit}");
    if store.knows("check") {
        store.run(&["check"]);
    }
    store.json(&["check"]);
    store.json(&["remember", "and on it goes"]);
    kept.len() - acknowledged.len()
}

/// What the entries say, and how often.
fn texts(store: &Store) -> BTreeMap<String, usize> {
    let opened = opened(store);
    let mut texts = BTreeMap::new();
    for index in 0..block_on(opened.size()).unwrap() {
        let stored = block_on(opened.capsule(index)).unwrap().unwrap();
        let payload: Value = serde_json::from_str(&stored.payload.unwrap().text).unwrap();
        // A record of the agent's keys says nothing of its own.
        if let Some(text) = payload["data"]["text"].as_str() {
            *texts.entry(text.to_owned()).or_default() += 1;
        }
    }
    texts
}
