//! Exchanges with another agent while the disk fails: begun, answered, stored; and requests that are heard (R4, R6).

use counterfoil_exchange::answering::{SeenQuotas, Sighting};
use counterfoil_exchange::documents::{ClaimHash, DocumentHash, RequestId};
use counterfoil_exchange::machine::{EventKind, ExchangeState, ItemState, Transition};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::conformance::block_on;
use counterfoil_store::{
    BegunExchange, ExchangeStore, RequestState, StoreError, StoredExchange, StoredItem,
};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};

const AT_US: u64 = 1_790_000_000_000_000;

/// The id of the request of that name.
pub(crate) fn id(name: &str) -> RequestId {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&blake3::hash(name.as_bytes()).as_bytes()[..16]);
    RequestId::from_bytes(bytes)
}

fn answer(name: &str) -> Vec<u8> {
    format!("the answer to {name}").repeat(40).into_bytes()
}

fn claim(name: &str) -> ClaimHash {
    ClaimHash::from_digest(*DocumentHash::of(&answer(name)).digest())
}

/// The rows of the exchange of that name.
fn rows(name: &str) -> [Transition; 4] {
    use ExchangeState::{Idle, Received, Sent, Stored, Verified};
    let row = |number, event, from, to| Transition {
        number,
        from,
        event,
        to,
        at_us: AT_US,
        evidence: (event == EventKind::Answer).then(|| DocumentHash::of(&answer(name))),
        deadline_us: (event == EventKind::Ask).then_some(AT_US),
    };
    [
        row(0, EventKind::Ask, Idle, Sent),
        row(1, EventKind::Answer, Sent, Received),
        row(2, EventKind::Examined, Received, Verified),
        row(3, EventKind::Kept, Verified, Stored),
    ]
}

fn found(store: &SqliteStore, name: &str) -> Result<Option<StoredExchange>, StoreError> {
    block_on(store.exchange(&id(name)))
}

/// How many rows there are of the exchange; an error where they are not the first ones.
pub(crate) fn written(store: &SqliteStore, name: &str) -> Result<usize, StoreError> {
    let written = found(store, name)?.map_or_else(Vec::new, |found| found.transitions);
    if !rows(name).starts_with(&written) {
        return Err(StoreError::Bug("rows that nobody wrote"));
    }
    let kept = block_on(store.answer(&id(name), &DocumentHash::of(&answer(name))))?;
    if written.len() > 1 && kept != Some(answer(name)) {
        return Err(StoreError::Bug("an answer is named that is not there"));
    }
    Ok(written.len())
}

/// Asks, and keeps the answer; what was done before is not done again.
pub(crate) fn ask(store: &SqliteStore, name: &str) -> Result<(), StoreError> {
    let [first, second, ..] = rows(name);
    let before = written(store, name)?;
    if before == 0 {
        let begun = BegunExchange {
            id: id(name),
            request: name.as_bytes().to_vec(),
            peer: None,
            address: "conversation".to_owned(),
            terms: "{}".to_owned(),
            begun_us: AT_US,
        };
        block_on(store.begin_exchange(begun, first))?;
    }
    if before < 2 {
        let bytes = answer(name);
        block_on(store.keep_answer(&id(name), DocumentHash::of(&bytes), bytes))?;
        block_on(store.add_transition(&id(name), second))?;
    }
    Ok(())
}

/// Writes down under which id a memory will be stored.
pub(crate) fn draw(store: &SqliteStore, name: &str, world: &WorldId) -> Result<(), StoreError> {
    if written(store, name)? == 2 {
        let [_, _, third, _] = rows(name);
        block_on(store.add_transition(&id(name), third))?;
    }
    if state(store, name)?.is_none() {
        set(store, name, ItemState::Checked, world)?;
    }
    Ok(())
}

/// Writes down that it is stored.
pub(crate) fn kept(store: &SqliteStore, name: &str, world: &WorldId) -> Result<(), StoreError> {
    if block_on(store.heard(&claim(name)))?.is_none() {
        block_on(store.note_heard(claim(name), Some(world.clone()), AT_US))?;
    }
    if state(store, name)? == Some(ItemState::Checked) {
        set(store, name, ItemState::Stored, world)?;
    }
    if written(store, name)? == 3 {
        let [_, _, _, last] = rows(name);
        block_on(store.add_transition(&id(name), last))?;
    }
    Ok(())
}

fn state(store: &SqliteStore, name: &str) -> Result<Option<ItemState>, StoreError> {
    let items = found(store, name)?.map_or_else(Vec::new, |found| found.items);
    Ok(items.first().map(|item| item.state))
}

fn set(
    store: &SqliteStore,
    name: &str,
    state: ItemState,
    world: &WorldId,
) -> Result<(), StoreError> {
    let item = StoredItem {
        number: 0,
        state,
        world: Some(world.clone()),
        claim: claim(name),
        report: "{}".to_owned(),
        at_us: AT_US,
    };
    block_on(store.set_item(&id(name), item))
}

/// Hears the request of that name.
pub(crate) fn hear(store: &SqliteStore, name: &str) -> Result<RequestState, StoreError> {
    let sighting = Sighting {
        key: DidKey::from_public_key([3; 32]),
        request_id: id(name),
        hash: Sha256Hash::from_bytes([1; 32]),
        until_us: AT_US,
    };
    block_on(store.see(sighting, AT_US, SeenQuotas::default()))
}

/// Whether it was heard.
pub(crate) fn was_heard(store: &SqliteStore, name: &str) -> Result<bool, StoreError> {
    let (key, hash) = (
        DidKey::from_public_key([3; 32]),
        Sha256Hash::from_bytes([1; 32]),
    );
    Ok(block_on(store.seen(&key, &id(name), &hash))? == RequestState::Same)
}
