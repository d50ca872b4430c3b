//! Cases: chains grow at their head, by their agent, in time (C5, C7, C15, C17; I2).

use counterfoil_capsule::{CapsuleId, ChainId};
use counterfoil_types::Blake3Hash;

use super::support::{draft, drafts, opened, put, verify, world};
use super::{Factory, Outcome};
use crate::{AppendReport, CapsuleLog, Draft, MAX_LEAP_MICROS, StoreError};

fn next(
    place: &AppendReport,
    id: &str,
    text: &str,
) -> Result<Draft, Box<dyn std::error::Error + Send + Sync>> {
    Ok(Draft::new(world(id, text)?).following(place.chain, place.capsule))
}

pub(super) async fn grows<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let mut places = store
        .append(setup.agent(1), vec![draft("v-0", "version 0")?])
        .await?;
    let chain = places.first().map(|place| place.chain);
    for version in 1..5_u64 {
        let last = places.last().ok_or("no place")?;
        let draft = next(last, &format!("v-{version}"), &format!("version {version}"))?;
        places.extend(store.append(setup.agent(1), vec![draft]).await?);
    }
    for (seq, place) in (0..).zip(&places) {
        let stored = store
            .capsule(place.index)
            .await?
            .ok_or("a capsule is missing")?;
        ensure_eq!(stored.header.seq(), seq);
        ensure_eq!(Some(stored.header.chain()), chain);
        ensure_eq!(stored.delta.is_some(), (seq > 0));
        verify(&store, &setup, &format!("v-{seq}")).await?;
    }
    let last = places.last().ok_or("no place")?;
    let head = store
        .head(&last.chain)
        .await?
        .ok_or("the chain has no head")?;
    let same = (head.capsule, head.seq, head.index) == (last.capsule, 4, last.index);
    ensure!(same, "the head is not the last capsule");
    ensure_eq!(head.agent, setup.agent(1).agent());
    let unknown = ChainId::of_seed(CapsuleId::from_parts(1, [1; 10]));
    ensure!(store.head(&unknown).await?.is_none());
    Ok(())
}

pub(super) async fn moved<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let first = put(&store, &setup, draft("a", "a")?).await?;
    let second = put(&store, &setup, next(&first, "b", "b")?).await?;
    let refused = store
        .append(setup.agent(1), vec![next(&first, "c", "c")?])
        .await;
    let Err(StoreError::HeadMoved {
        chain,
        expected,
        actual,
    }) = refused
    else {
        return Err(format!("a stale head was answered with {refused:?}").into());
    };
    let named = (chain, expected, actual) == (first.chain, first.capsule, Some(second.capsule));
    ensure!(named, "the conflict names other heads");
    let wrong = AppendReport {
        capsule: Blake3Hash::from_bytes([1; 32]),
        ..second.clone()
    };
    let refused = store
        .append(setup.agent(1), vec![next(&wrong, "c", "c")?])
        .await;
    ensure_matches!(refused, Err(StoreError::HeadMoved { .. }));
    let nowhere = ChainId::of_seed(CapsuleId::from_parts(1, [1; 10]));
    let wrong = AppendReport {
        chain: nowhere,
        ..second.clone()
    };
    let refused = store
        .append(setup.agent(1), vec![next(&wrong, "c", "c")?])
        .await;
    let absent = matches!(refused, Err(StoreError::HeadMoved { actual: None, .. }));
    ensure!(absent, "an invented chain was extended");
    let again = put(&store, &setup, next(&first, "b", "b")?).await?;
    ensure_eq!(again.index, second.index);
    ensure_eq!(store.size().await?, 2);
    Ok(())
}

pub(super) async fn foreign<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let first = put(&store, &setup, draft("a", "a")?).await?;
    let refused = store
        .append(setup.agent(2), vec![next(&first, "b", "b")?])
        .await;
    ensure_matches!(refused, Err(StoreError::ForeignChain { .. }));
    Ok(())
}

pub(super) async fn race<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let first = put(&store, &setup, draft("a", "a")?).await?;
    let waiting = (0..8)
        .map(|number| {
            let draft = next(&first, &format!("b-{number}"), "b")?;
            Ok(store.append(setup.agent(1), vec![draft]))
        })
        .collect::<Result<Vec<_>, Box<dyn std::error::Error + Send + Sync>>>()?;
    let answers = super::support::all(waiting).await;
    let won = answers.iter().filter(|answer| answer.is_ok()).count();
    ensure!(won == 1, "{won} of 8 extended the same head");
    let lost = answers
        .iter()
        .filter(|answer| matches!(answer, Err(StoreError::HeadMoved { .. })));
    ensure_eq!(lost.count(), 7);
    Ok(())
}

pub(super) async fn time<F: Factory>(factory: &F) -> Outcome {
    const DAY_US: u64 = 86_400_000_000;
    let (setup, store) = opened(factory);
    let start = crate::Clock::now_micros(&*setup.clock);
    let readings = [
        start,
        start,
        start + DAY_US,
        start,
        start - DAY_US,
        start + 2 * DAY_US,
    ];
    for (round, now_us) in readings.into_iter().enumerate() {
        setup.set_clock(now_us);
        store
            .append(setup.agent(1), drafts(&format!("w-{round}"), 3)?)
            .await?;
    }
    let mut last = 0;
    for index in 0..store.size().await? {
        let header = store
            .capsule(index)
            .await?
            .ok_or("a capsule is missing")?
            .header;
        let now = header.timestamp().micros();
        ensure!(
            now > last,
            "entry {index} was recorded at {now}, after one at {last}"
        );
        ensure_eq!(header.is_held(), (9..15).contains(&index));
        last = now;
    }
    setup.set_clock(start);
    let other = store
        .append(setup.agent(2), drafts("other", 1)?)
        .await?
        .remove(0);
    ensure!(other.recorded_at.micros() <= start + 1_000);
    Ok(())
}

pub(super) async fn implausible<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let start = crate::Clock::now_micros(&*setup.clock);
    let first = store.append(setup.agent(1), drafts("w", 1)?).await?;
    let last = first.first().ok_or("no place")?.recorded_at.micros();
    for now_us in [0, 1_000_000, last + MAX_LEAP_MICROS + 1] {
        setup.set_clock(now_us);
        let refused = store
            .append(setup.agent(1), drafts(&format!("at-{now_us}"), 1)?)
            .await;
        let is_refused = match refused {
            Err(StoreError::ClockImplausible(_)) => now_us < start,
            Err(StoreError::ClockLeap { now, .. }) => now.micros() == now_us,
            _ => false,
        };
        ensure!(
            is_refused,
            "the time {now_us} was answered with {refused:?}"
        );
    }
    // A store may rest for a year.
    setup.set_clock(last + MAX_LEAP_MICROS);
    store.append(setup.agent(1), drafts("after", 1)?).await?;
    ensure!(store.size().await? == 2, "a refused time has grown the log");
    Ok(())
}
