//! Cases: no claim comes past the gate, and none is rewritten (I1, I5).

use counterfoil_capsule::delta::Change;
use counterfoil_types::{Scope, WorldId};
use serde_json::json;

use super::super::model::new_version;
use super::super::support::{opened, world};
use super::super::{Factory, Outcome, Setup};
use super::rig::{Blank, Rig, dated};
use crate::claims::JudgedDrafts;
use crate::mutation::{derive, mutate_capsule, rollback_to};
use crate::{AsOf, CapsuleLog, ClaimStore, Draft, MemoryStore, StoreError};

/// I5: a draft of a claim is of a line that may have changed since.
pub(super) async fn gate_alone<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let setup = Setup::new();
    let (store, judge) = (factory.open(&setup), factory.open(&setup));
    let rig = Rig::new(&judge, &setup, 1);
    let request = [dated(&rig.channels.user(), "Ada", "lives in", "Lisbon")?];
    let mut mint = || WorldId::new("minted").map_err(|_| StoreError::Bug("no id"));
    let mut blank = Blank;
    let mut judged = JudgedDrafts::new(rig.agent(), 0, None, &*setup.clock)?;
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
    let patch = json!([{ "op": "replace", "path": "/value", "value": "Porto" }]);
    let (agent, change, new) = (|| setup.agent(1), Change::Patch(&patch), new_version("a")?);
    for refused in [
        store.append_one(agent(), next).await,
        mutate_capsule(&store, agent(), &chain, change, new.clone()).await,
        rollback_to(&store, agent(), &chain, 0, new.clone()).await,
        derive(&store, agent(), (&chain, 0), None, new).await,
    ] {
        ensure_matches!(refused, Err(StoreError::IsClaim { .. }));
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
    ensure_fails!(
        store.submit(rig.signer.clone(), settings(), request),
        store.committed(agent, "k", &Scope::new()),
        store.believe(line.clone(), asked, settings()),
        store.believe_subject(agent, subject, Scope::new(), None, asked, settings()),
        store.claim_history(line.clone(), asked, settings()),
        store.units(line, None),
        store.unit_of(&unit),
        store.contested(agent, Scope::new(), asked, None, 10, settings()),
        store.pending(agent, settings()),
        store.ledger(agent, Scope::new(), None, None, 10),
        store.predicates(agent, None, Scope::new()),
        store.last_recorded(agent),
    );
    Ok(())
}
