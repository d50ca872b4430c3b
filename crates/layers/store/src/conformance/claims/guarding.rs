//! Cases: no claim comes past the gate, and none is rewritten (I1, I5).

use counterfoil_capsule::delta::Change;
use counterfoil_types::{UnixMillis, WorldId};
use serde_json::json;

use super::super::support::{Fault, opened, world};
use super::super::{Factory, Outcome, Setup};
use super::rig::{Blank, Rig, START_US, dated};
use crate::claims::JudgedDrafts;
use crate::mutation::{NewVersion, derive, mutate, roll_back};
use crate::{AsOf, CapsuleLog, ClaimStore, Draft, MemoryStore, StoreError};

/// I5: a draft of a claim is of a line that may have changed since.
pub(super) async fn gate_alone<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let setup = Setup::new();
    let (store, judge) = (factory.open(&setup), factory.open(&setup));
    let rig = Rig::new(&judge, &setup, 1);
    let request = [dated(&rig.channels.user(), "Ada", "lives in", "Lisbon")?];
    let mut mint = || WorldId::new("minted").map_err(|_| StoreError::Bug("no id"));
    let mut blank = Blank;
    let mut judged = JudgedDrafts::new(rig.agent(), 0, None, START_US);
    judged.judge_all(&mut blank, &rig.settings, &request, &mut mint)?;
    ensure!(judged.drafts.len() == 1, "the gate let nothing in");
    let refused = store.append(setup.agent(1), judged.drafts).await;
    ensure_matches!(refused, Err(StoreError::NotSubmitted { .. }));
    ensure!(store.size().await? == 0, "a claim came in past the gate");
    Ok(())
}

/// I1: a claim is not rewritten.
pub(super) async fn nothing_follows<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let told = rig.user_says("Ada", "lives in", "Lisbon").await?;
    let (chain, _) = store.chain_of(&told.reference).await?.ok_or("no chain")?;
    let head = store.head(&chain).await?.ok_or("no head")?;
    let next = Draft::new(world("next", "changed")?).following(chain, head.capsule);
    let new = |id: &str| -> Result<NewVersion, Fault> {
        Ok((WorldId::new(id)?, UnixMillis::new(1_700_000_000_000)?))
    };
    let patch = json!([{ "op": "replace", "path": "/value", "value": "Porto" }]);
    let (agent, change) = (setup.agent(1), Change::Patch(&patch));
    for (what, refused) in [
        (
            "an append",
            store.append(agent.clone(), vec![next]).await.map(drop),
        ),
        (
            "a change",
            mutate(&store, agent.clone(), &chain, change, new("a")?)
                .await
                .map(drop),
        ),
        (
            "a rollback",
            roll_back(&store, agent.clone(), &chain, 0, new("b")?)
                .await
                .map(drop),
        ),
        (
            "a derivation",
            derive(&store, agent, (&chain, 0), None, new("c")?)
                .await
                .map(drop),
        ),
    ] {
        ensure!(
            matches!(refused, Err(StoreError::IsClaim { .. })),
            "{what}: {refused:?}"
        );
    }
    ensure!(store.size().await? == 1, "something stands behind a claim");
    ensure!(store.exists(&told.reference).await?, "the claim is gone");
    Ok(())
}

/// I9: a failure is an error, and never an answer of nothing.
pub(super) async fn broken<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let setup = Setup::new();
    let store = factory.broken(&setup);
    let rig = Rig::new(&store, &setup, 1);
    let (agent, line, asked) = (rig.agent(), rig.line("Ada", "lives in")?, AsOf::default());
    let settings = || rig.settings.clone();
    let (subject, unit) = (line.subject.clone(), WorldId::new("w")?);
    let request = vec![dated(&rig.channels.user(), "Ada", "lives in", "Lisbon")?];
    rig.serve(("Ada", "lives in", "Lisbon"), &unit).await?;
    for (what, failed) in [
        (
            "submit",
            store
                .submit(rig.signer.clone(), settings(), request)
                .await
                .is_err(),
        ),
        ("committed", store.committed(agent, "k").await.is_err()),
        (
            "believe",
            store
                .believe(line.clone(), asked, settings())
                .await
                .is_err(),
        ),
        (
            "believe_subject",
            store
                .believe_subject(agent, subject, None, asked, settings())
                .await
                .is_err(),
        ),
        (
            "claim_history",
            store
                .claim_history(line.clone(), asked, settings())
                .await
                .is_err(),
        ),
        ("units", store.units(line, None).await.is_err()),
        ("unit_of", store.unit_of(&unit).await.is_err()),
        (
            "contested",
            store
                .contested(agent, asked, None, 10, settings())
                .await
                .is_err(),
        ),
        ("pending", store.pending(agent, settings()).await.is_err()),
        ("ledger", store.ledger(agent, None, None, 10).await.is_err()),
        ("predicates", store.predicates(agent, None).await.is_err()),
        ("last_recorded", store.last_recorded(agent).await.is_err()),
    ] {
        ensure!(failed, "`{what}` answers although the store is broken");
    }
    Ok(())
}
