//! Cases: what became of each memory, and what was heard more than once (R7; case 102).

use counterfoil_exchange::machine::ItemState;
use counterfoil_types::WorldId;

use super::super::support::{all, opened};
use super::super::{Factory, Outcome, Setup};
use super::rig::{START_US, begin, claim, id, item};
use crate::exchange_limits::{MAX_BYTES, MAX_ITEM_ROWS, MAX_ITEMS};
use crate::{ExchangeStore, StoreError};

pub(super) async fn last<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    begin(&store, 1).await?;
    let rows = [
        item(3, ItemState::Checked, Some("w-3"))?,
        item(0, ItemState::Checked, None)?,
        item(3, ItemState::Stored, Some("w-3"))?,
        item(1, ItemState::Rejected, None)?,
        item(0, ItemState::Quarantined, None)?,
    ];
    for row in rows.clone() {
        store.set_item(&id(1), row).await?;
    }
    let store = factory.reopen(&setup, store);
    let found = store.exchange(&id(1)).await?.map(|found| found.items);
    let [_, _, third, first, zeroth] = rows;
    ensure_eq!(found, Some(vec![zeroth, first, third]));
    Ok(())
}

pub(super) async fn limited<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let one = id(1);
    begin(&store, 1).await?;
    let mut large = item(1, ItemState::Checked, None)?;
    large.report = "x".repeat(MAX_BYTES + 1);
    for beyond in [item(MAX_ITEMS, ItemState::Checked, None)?, large] {
        let refused = store.set_item(&one, beyond).await;
        ensure_matches!(refused, Err(StoreError::ExchangeLimit { .. }));
    }
    let row = item(0, ItemState::Checked, None)?;
    let rows = (0..=MAX_ITEM_ROWS).map(|_| store.set_item(&one, row.clone()));
    let told = all(rows).await.into_iter();
    let refused: Vec<_> = told.filter_map(Result::err).collect();
    let limited = matches!(refused.as_slice(), [StoreError::ExchangeLimit { .. }]);
    ensure!(limited, "{refused:?}");
    Ok(())
}

/// Adversarial case H102.
pub(super) async fn heard<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    ensure!(store.heard(&claim(1)).await?.is_none());
    let world = WorldId::new("w")?;
    let note = |world, later| store.note_heard(claim(1), world, START_US + later);
    ensure_eq!(note(Some(world.clone()), 0).await?, 1);
    let again = all((1..808).map(|later| note(None, later))).await;
    let mut times = again.into_iter().collect::<Result<Vec<_>, _>>()?;
    times.sort_unstable();
    ensure!(times.into_iter().eq(2..=808), "not each time one more");
    let store = factory.reopen(&setup, store);
    let found = store.heard(&claim(1)).await?;
    ensure!(found == Some((world, 808)), "{found:?}");
    ensure!(store.heard(&claim(2)).await?.is_none());
    Ok(())
}

pub(super) async fn stored_once<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let (first, second) = (WorldId::new("first")?, WorldId::new("second")?);
    let note = |world, at_us| store.note_heard(claim(1), world, at_us);
    note(None, START_US).await?;
    ensure!(store.heard(&claim(1)).await?.is_none());
    note(Some(first.clone()), START_US).await?;
    // A clock that is set back takes nothing away.
    note(Some(second), START_US - 1).await?;
    let found = store.heard(&claim(1)).await?;
    ensure!(found == Some((first, 3)), "{found:?}");
    Ok(())
}
