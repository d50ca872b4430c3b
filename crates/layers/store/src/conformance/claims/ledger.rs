//! Cases: the ledger, page by page (I1, I9).

use counterfoil_claims::{Assertion, ClaimRef, Unit};
use counterfoil_types::Scope;

use super::super::support::{Fault, opened};
use super::super::{Factory, Outcome};
use super::rig::{Rig, dated, fact};
use crate::{ClaimRequest, ClaimStore};

async fn page<S: ClaimStore>(
    rig: &Rig<'_, S>,
    claim: Option<&ClaimRef>,
    before: Option<u64>,
    limit: usize,
) -> Result<Vec<Unit>, Fault> {
    let page = rig
        .store
        .ledger(rig.agent(), Scope::new(), claim.cloned(), before, limit);
    Ok(page.await?)
}

pub(super) async fn pages<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let (rig, other) = (Rig::new(&store, &setup, 1), Rig::new(&store, &setup, 2));
    let mut indices = Vec::new();
    for number in 0..7 {
        let told = rig
            .user_says("Ada", &format!("likes {number}"), "yes")
            .await?;
        indices.extend(told.written.map(|(_, index, _)| index));
        other
            .user_says("Ada", &format!("likes {number}"), "no")
            .await?;
    }
    let (mut found, mut before) = (Vec::new(), None);
    while found.len() < 20 {
        let units = page(&rig, None, before, 3).await?;
        let Some(first) = units.first() else { break };
        ensure!(units.len() <= 3, "a page of {}", units.len());
        ensure!(units.is_sorted_by_key(Unit::stamp));
        before = Some(first.index());
        let earlier: Vec<u64> = units.iter().map(Unit::index).collect();
        found.splice(0..0, earlier);
    }
    ensure!(found == indices, "{found:?} are not {indices:?}");
    Ok(())
}

pub(super) async fn filtered<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let (user, own) = (rig.channels.user(), rig.channels.first_hand());
    let first = rig.user_says("Ada", "lives in", "Lisbon").await?.reference;
    let again = fact(&own, "Ada", "lives in", "Lisbon")?;
    rig.tell(ClaimRequest::Submit(again)).await?;
    let moved = fact(&user, "Ada", "lives in", "Porto")?.superseding(vec![first.clone()])?;
    rig.tell(ClaimRequest::Submit(moved)).await?;
    rig.tell(ClaimRequest::Assert(Assertion::reopen(
        &user,
        first.clone(),
    )))
    .await?;
    let many: Result<Vec<_>, _> = (0..30)
        .map(|number| dated(&user, "Bob", &format!("likes {number}"), "yes"))
        .collect();
    rig.submit(many?).await?;
    let units = page(&rig, Some(&first), None, 3).await?;
    let numbers: Vec<u64> = units.iter().map(Unit::number).collect();
    ensure_eq!(numbers, [1, 2, 3]);
    let all = page(&rig, Some(&first), None, 100).await?;
    ensure!(all.len() == 4, "{} are about it", all.len());
    let all = page(&rig, None, None, 1000).await?;
    ensure!(all.len() == 34, "{} units in all", all.len());
    Ok(())
}
