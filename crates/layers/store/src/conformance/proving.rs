//! Cases: every receipt verifies offline, and every size of the log continues the ones before it.

use counterfoil_capsule::Receipt;
use counterfoil_types::{Sha256Hash, WorldId};
use counterfoil_verifier::dangerous::{root_from_inclusion_proof, verify_consistency};
use counterfoil_verifier::map::MemoryStanding;
use counterfoil_verifier::{Checkpoint, merkle};

use super::support::{checkpoint, draft, drafts, fetch, opened, put, verify, verify_receipt};
use super::{Factory, Outcome, Setup};
use crate::{CapsuleLog, StoreError};

const SIZES: u64 = 20;

pub(super) async fn receipts<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    for size in 1..=SIZES {
        let id = format!("w-{}", size - 1);
        put(&store, &setup, draft(&id, "text")?).await?;
        for index in 0..size {
            verify(&store, &setup, &format!("w-{index}")).await?;
        }
    }
    Ok(())
}

/// Appends one entry at a time and returns the roots, from the empty log on.
async fn roots(
    setup: &Setup,
    store: &dyn CapsuleLog,
) -> Result<Vec<Sha256Hash>, Box<dyn std::error::Error + Send + Sync>> {
    let mut roots = vec![merkle::EMPTY_ROOT];
    for index in 0..SIZES {
        let draft = draft(&format!("w-{index}"), "text")?;
        put(store, setup, draft).await?;
        let (size, root) = checkpoint(setup, store).await?;
        ensure_eq!(size, index + 1);
        roots.push(root);
    }
    Ok(roots)
}

pub(super) async fn consistency<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let roots = roots(&setup, &store).await?;
    for (from, before) in (0..).zip(&roots) {
        for (to, after) in (0..).zip(&roots).skip_while(|(to, _)| *to < from) {
            let hashes = store.consistency(from, to).await?;
            match from {
                0 => ensure!(hashes.is_empty(), "a proof from the empty log is not empty"),
                _ => verify_consistency((from, *before), (to, *after), &hashes)
                    .map_err(|error| format!("from {from} to {to}: {error}"))?,
            }
        }
    }
    Ok(())
}

pub(super) async fn inclusion<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let roots = roots(&setup, &store).await?;
    for (size, root) in (0..).zip(&roots) {
        for index in 0..size {
            let leaf = store
                .capsule(index)
                .await?
                .ok_or("a capsule is missing")?
                .entry
                .leaf_hash();
            let path = store.inclusion(index, size).await?;
            let found = root_from_inclusion_proof(index, size, &leaf, &path)
                .map_err(|error| format!("entry {index} at {size}: {error}"))?;
            ensure_eq!(found, *root);
        }
    }
    Ok(())
}

pub(super) async fn floor<F: Factory>(factory: &F) -> Outcome {
    let setup = Setup::new().with_floor(3);
    let store = factory.open(&setup);
    store.append(setup.agent(1), drafts("early", 2)?).await?;
    let early = Receipt::of(&fetch(&store, "early-0").await?)?.ok_or("no receipt")?;
    ensure!(early.consistency().is_none());
    store.append(setup.agent(1), drafts("w", 1)?).await?;
    let floor = checkpoint(&setup, &store).await?;
    verify_receipt(&setup, &fetch(&store, "w-0").await?, Some(floor))?;
    for round in 0..6 {
        store
            .append(setup.agent(1), drafts(&format!("later-{round}"), 1)?)
            .await?;
        verify_receipt(&setup, &fetch(&store, "early-1").await?, Some(floor))?;
    }
    Ok(())
}

pub(super) async fn out_of_range<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    store.append(setup.agent(1), drafts("w", 3)?).await?;
    let refused = |answer: Result<Vec<Sha256Hash>, StoreError>| {
        matches!(answer, Err(StoreError::OutOfRange { .. }))
    };
    for (index, size) in [(3, 3), (0, 4), (0, 0), (2, 2), (u64::MAX, 3), (0, u64::MAX)] {
        let answer = store.inclusion(index, size).await;
        ensure!(refused(answer), "entry {index} at {size} was proven");
    }
    for (from, to) in [(2, 1), (0, 4), (3, 4), (u64::MAX, u64::MAX)] {
        let answer = store.consistency(from, to).await;
        ensure!(refused(answer), "size {to} was proven to continue {from}");
    }
    Ok(())
}

/// A store that binds no map says so, and proves nothing of a standing.
pub(super) async fn standings<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let worlds = [WorldId::new("w-0")?, WorldId::new("unknown")?];
    ensure!(store.standings(&worlds).await?.is_none(), "an empty log");
    let first = put(&store, &setup, draft("w-0", "text")?).await?;
    let next = draft("w-1", "other text")?.following(first.chain, first.capsule);
    for (draft, size) in [(None, 1), (Some(next), 2)] {
        if let Some(draft) = draft {
            put(&store, &setup, draft).await?;
        }
        let note = store.checkpoint().await?.ok_or("no checkpoint")?;
        let Some(root) = Checkpoint::from_note(&note)?.map_root() else {
            ensure!(store.standings(&worlds).await?.is_none(), "no map is bound");
            continue;
        };
        let found = store.standings(&worlds).await?.ok_or("no standings")?;
        ensure_eq!((found.checkpoint, found.size), (note, size));
        let [Some(lookups), None] = &found.of[..] else {
            return Err("other memories than were asked for".into());
        };
        ensure!(
            lookups.line.is_none(),
            "a memory that is no claim has a line"
        );
        let author = (&setup.agent(1).agent(), 0);
        let (standing, mark) =
            MemoryStanding::check(&root, (&worlds[0], first.index), author, lookups)?;
        ensure!(mark.is_none(), "a key that nobody has stolen is marked");
        ensure_eq!(standing.superseded.map(|it| it.0), (size == 2).then_some(1));
    }
    Ok(())
}
