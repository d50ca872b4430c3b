//! Cases: the process ends after each write of an exchange, and another goes on (R6, R7; case 75).

use counterfoil_exchange::documents::DocumentHash;
use counterfoil_exchange::machine::{EventKind, ExchangeState, ItemState, Transition};
use counterfoil_types::WorldId;

use super::super::support::{Fault, draft, put};
use super::super::{Factory, Outcome, Setup};
use super::rig::{START_US, answered, asked, begin, claim, id, item};
use crate::{CapsuleLog, ExchangeStore, StoredExchange};

/// The answer of the exchange.
const ANSWER: &[u8] = b"{\"memory_response\":{}}";

/// Number of writes of an exchange, in order.
const WRITES: u32 = 8;

/// Adversarial case F75: as far as the store holds it: the number of the World is there before the World is, and after each end of the
/// process the same World is appended again, which adds nothing.
pub(super) async fn ended_after_each<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    for ended_after in 1..=WRITES {
        let setup = Setup::new();
        let mut store = factory.open(&setup);
        for write in 0..ended_after {
            perform(&store, &setup, write).await?;
        }
        store = factory.reopen(&setup, store);
        let found = store.exchange(&id(1)).await?.ok_or("it is not there")?;
        ensure!(as_written(&found, ended_after));
        let kept = store.answer(&id(1), &DocumentHash::of(ANSWER)).await?;
        let expected = (ended_after > 1).then(|| ANSWER.to_vec());
        ensure!(kept == expected, "after {ended_after}: another answer");
        // Whoever goes on does so from the last row; the World that is named may have been appended or not.
        for write in ended_after..WRITES {
            perform(&store, &setup, write).await?;
        }
        if let Some(world) = found.items.first().and_then(|item| item.world.clone()) {
            put(&store, &setup, draft(&world.to_string(), "heard")?).await?;
        }
        ensure_eq!(store.size().await?, 1);
        let whole = store.exchange(&id(1)).await?.ok_or("it is gone")?;
        ensure!(as_written(&whole, WRITES), "at the end: {whole:?}");
    }
    Ok(())
}

async fn perform(store: &impl ExchangeStore, setup: &Setup, write: u32) -> Result<(), Fault> {
    let answer = DocumentHash::of(ANSWER);
    let (exchange, [_, second, third, fourth]) = (id(1), rows());
    match write {
        0 => begin(store, 1).await?,
        1 => {
            store
                .keep_answer(&exchange, answer, ANSWER.to_vec())
                .await?
        }
        2 => store.add_transition(&exchange, second).await?,
        3 => store.add_transition(&exchange, third).await?,
        4 => {
            store
                .set_item(&exchange, item(0, ItemState::Checked, Some("w"))?)
                .await?
        }
        5 => {
            put(store, setup, draft("w", "heard")?).await?;
            store
                .note_heard(claim(1), Some(WorldId::new("w")?), START_US)
                .await?;
        }
        6 => {
            store
                .set_item(&exchange, item(0, ItemState::Stored, Some("w"))?)
                .await?
        }
        _ => store.add_transition(&exchange, fourth).await?,
    }
    Ok(())
}

fn as_written(found: &StoredExchange, writes: u32) -> bool {
    let count = match writes {
        1 | 2 => 1,
        3 => 2,
        4..=7 => 3,
        _ => 4,
    };
    let state = match writes {
        ..5 => None,
        5 | 6 => Some(ItemState::Checked),
        _ => Some(ItemState::Stored),
    };
    let first = found.items.first();
    found.transitions.iter().eq(rows().iter().take(count))
        && first.map(|item| item.state) == state
        && first
            .is_none_or(|item| item.world.as_ref().map(WorldId::to_string).as_deref() == Some("w"))
}

/// The rows of the exchange, in order.
fn rows() -> [Transition; 4] {
    let second = answered(1, DocumentHash::of(ANSWER), START_US);
    let third = Transition {
        number: 2,
        from: ExchangeState::Received,
        event: EventKind::Examined,
        to: ExchangeState::Verified,
        evidence: None,
        ..second.clone()
    };
    let fourth = Transition {
        number: 3,
        from: ExchangeState::Verified,
        event: EventKind::Kept,
        to: ExchangeState::Stored,
        ..third.clone()
    };
    [asked(START_US), second, third, fourth]
}
