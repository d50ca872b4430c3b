//! Shared by the cases: exchanges that may be begun, rows that may follow, requests that may be heard.

use counterfoil_exchange::answering::{SeenQuotas, Sighting};
use counterfoil_exchange::documents::{ClaimHash, DocumentHash, RequestId};
use counterfoil_exchange::machine::{EventKind, ExchangeState, ItemState, Transition};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};

use super::super::support::Fault;
use crate::{BegunExchange, ExchangeStore, StoreError, StoredItem};

/// 2026-03-01T00:00:00Z, in microseconds.
pub(super) const START_US: u64 = 1_772_323_200_000_000;
/// Room for all.
pub(super) const ROOM: SeenQuotas = SeenQuotas {
    per_key: 100_000,
    in_all: 100_000,
};

pub(super) fn id(number: u32) -> RequestId {
    let mut bytes = [7; 16];
    for (place, byte) in bytes.iter_mut().zip(number.to_be_bytes()) {
        *place = byte;
    }
    RequestId::from_bytes(bytes)
}

pub(super) fn key(number: u32) -> DidKey {
    let mut bytes = [9; 32];
    for (place, byte) in bytes.iter_mut().zip(number.to_be_bytes()) {
        *place = byte;
    }
    DidKey::from_public_key(bytes)
}

pub(super) const fn hash(byte: u8) -> Sha256Hash {
    Sha256Hash::from_bytes([byte; 32])
}

pub(super) const fn claim(byte: u8) -> ClaimHash {
    ClaimHash::from_digest(hash(byte))
}

pub(super) fn begun(number: u32, begun_us: u64) -> BegunExchange {
    BegunExchange {
        id: id(number),
        request: format!("{{\"request\":{number}}}").into_bytes(),
        peer: number.is_multiple_of(2).then(|| key(number)),
        address: "https://peer.example".to_owned(),
        terms: "{}".to_owned(),
        begun_us,
    }
}

/// Begins an exchange.
pub(super) async fn begin(store: &impl ExchangeStore, number: u32) -> Result<(), StoreError> {
    let (begun, first) = (begun(number, START_US), asked(START_US));
    store.begin_exchange(begun, first).await
}

/// The first row of an exchange.
pub(super) const fn asked(at_us: u64) -> Transition {
    Transition {
        number: 0,
        from: ExchangeState::Idle,
        event: EventKind::Ask,
        to: ExchangeState::Sent,
        at_us,
        evidence: None,
        deadline_us: Some(at_us + 30_000_000),
    }
}

/// A row of that number, which says that an answer came.
pub(super) const fn answered(number: u32, answer: DocumentHash, at_us: u64) -> Transition {
    Transition {
        number,
        from: ExchangeState::Sent,
        event: EventKind::Answer,
        to: ExchangeState::Received,
        at_us,
        evidence: Some(answer),
        deadline_us: None,
    }
}

pub(super) fn item(
    number: u32,
    state: ItemState,
    world: Option<&str>,
) -> Result<StoredItem, Fault> {
    Ok(StoredItem {
        number,
        state,
        world: world.map(WorldId::new).transpose()?,
        claim: claim(1),
        report: "{\"checks\":[]}".to_owned(),
        at_us: START_US,
    })
}

/// A document about others.
pub(super) fn document(text: &str) -> Vec<u8> {
    format!("{{\"text\":\"{text}\"}}").into_bytes()
}

/// A request under the id `number` of the key `of`, to be remembered until `until_us`.
pub(super) fn sighting(of: u32, number: u32, until_us: u64) -> Sighting {
    Sighting {
        key: key(of),
        request_id: id(number),
        hash: hash(1),
        until_us,
    }
}
