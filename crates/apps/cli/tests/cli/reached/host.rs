//! A host: a program beside the command line, which speaks for others on the same store.

use base64::{Engine, engine::general_purpose::STANDARD};
use counterfoil_capsule::{AgentSigner, SecretKey};
use counterfoil_claim_memory::{Change, ClaimMemory, ClaimMemoryError, ClaimProposal, Settings};
use counterfoil_claims::time::{Boundary, Micros, ValidTime};
use counterfoil_claims::{Cardinality, Channel, Channels, ClaimError, FactValue, Identifier};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::Clock;
use counterfoil_store::log::NoteSigner;
use counterfoil_types::{Confidence, DidKey, WorldId};
use jiff::Timestamp;
use std::future::Future;
use std::sync::Arc;

use super::Met;
use crate::place::Place;

/// What another agent says is believed, and told as what it is; what comes back from recall asserts nothing.
pub(super) fn speaking(met: &mut Met) {
    let place = Place::new();
    let tea = met.add(&place, &["mira", "drinks", "tea"]);
    let other = DidKey::from_public_key(SecretKey::from_seed([9; 32]).public_key());
    let peer = memory(&place, Channels::of_host().peer(other, 2).unwrap());
    wait(async { peer.remember("mira", "owes", 5).await }).unwrap();
    drop(peer);
    met.ask(&place, &["believe", "mira", "owes"]);
    met.ask(&place, &["history", "mira", "owes"]);
    let recall = memory(&place, Channels::of_host().recall());
    let tea = WorldId::new(tea).unwrap();
    let refused = refusal(wait(async { recall.end(tea, None).await }));
    let ClaimError::InsufficientProvenance { provenance, .. } = refused else {
        panic!("{refused}");
    };
    met.note("provenance", &provenance.into());
    drop(recall);
    let options = options(&place).with_clock(Arc::new(InTwoDays));
    let later = memory_in(
        &place,
        SqliteStore::open(options).unwrap(),
        Channels::of_host().user(),
    );
    wait(async { later.remember("mira", "drinks", "tea").await }).unwrap();
    drop(later);
    met.ask(&place, &["claim", "ledger"]);
}

/// A clock that is two days ahead.
struct InTwoDays;

impl Clock for InTwoDays {
    fn now_micros(&self) -> u64 {
        let ahead = Timestamp::now().as_microsecond() + 2 * 86_400_000_000;
        u64::try_from(ahead).unwrap()
    }
}

/// What the command line refuses by itself, before it is a request: the engine refuses it as well.
pub(super) fn refusing(place: &Place) -> [ClaimError; 2] {
    let memory = memory(place, Channels::of_host().user());
    let said = || memory.remember("mira", "drinks", "tea");
    let unsure = refusal(wait(async {
        said().from("2020").valid_confidence(1.5).await
    }));
    let proposal = ClaimProposal {
        subject: Identifier::new("subject", "mira").unwrap(),
        predicate: Identifier::new("predicate", "drinks").unwrap(),
        value: FactValue::new(&"tea".into()).unwrap(),
        valid: Some(ValidTime {
            from: Some(Boundary::instant(Micros::MAX)),
            until: None,
            confidence: Confidence::ONE,
        }),
        cardinality: Cardinality::Unknown,
        change: Change::None,
        span: None,
    };
    [
        unsure,
        refusal(wait(async { memory.consider(proposal).await })),
    ]
}

fn memory(place: &Place, channel: Channel) -> ClaimMemory {
    memory_in(place, SqliteStore::open(options(place)).unwrap(), channel)
}

fn memory_in(place: &Place, store: SqliteStore, channel: Channel) -> ClaimMemory {
    let (_, agent) = key(place, "agent.key");
    ClaimMemory::new(
        Arc::new(store),
        Arc::new(AgentSigner::new(agent)),
        channel,
        Settings::default(),
    )
}

fn options(place: &Place) -> Options {
    let (log, secret) = key(place, "log.key");
    let note = NoteSigner::new(&log, secret).unwrap();
    Options::writable(place.database(), note, place.keys().join("last-checkpoint"))
}

/// The name and the secret in a key file.
pub(super) fn key(place: &Place, file: &str) -> (String, SecretKey) {
    let text = std::fs::read_to_string(place.keys().join(file)).unwrap();
    let line = |name: &str| {
        let mut lines = text.lines();
        lines
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or_default()
            .to_owned()
    };
    let seed = STANDARD.decode(line("seed ")).unwrap();
    (
        line("name "),
        SecretKey::from_seed(seed.try_into().unwrap()),
    )
}

fn refusal<T>(answer: Result<T, ClaimMemoryError>) -> ClaimError {
    match answer {
        Err(ClaimMemoryError::Refused(refusal)) => refusal,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was accepted"),
    }
}

fn wait<T>(done: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(done)
}
