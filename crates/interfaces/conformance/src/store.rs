//! Checks of a store (§6.1; M-5, M-11, CR-13, CR-18).

use counterfoil_memory_store::MemoryStore;
use counterfoil_types::{World, WorldId};

use crate::cases::{absent, worlds};
use crate::report::Report;

/// Checks a store that holds the Worlds of [`worlds`]. It is read and not written.
pub async fn check_store(store: &dyn MemoryStore) -> Report {
    let mut report = Report::default();
    for world in worlds() {
        let id = world.world_id();
        let case = format!("World {:?}", id.to_string());
        for reading in ["first", "second"] {
            let (rule, fault) = match store.get(id).await {
                Ok(Some(found)) => differs(&found, &world),
                Ok(None) => ("CR-13", Some(format!("the {reading} get found nothing"))),
                Err(error) => ("CR-13", Some(format!("the {reading} get failed: {error}"))),
            };
            report.check(rule, &case, fault);
        }
        let exists = matches!(store.exists(id).await, Ok(true));
        report.holds("CR-13", &case, exists, "exists does not say so");
    }
    for id in absent() {
        let case = format!("no World {:?}", id.to_string());
        let (rule, fault) = match store.get(&id).await {
            Ok(None) => ("section 6.1", None),
            Ok(Some(_)) => ("M-11", Some("get found one".to_owned())),
            Err(error) => (
                "section 6.1",
                Some(format!("get failed and did not say none: {error}")),
            ),
        };
        report.check(rule, &case, fault);
        let exists = matches!(store.exists(&id).await, Ok(false));
        report.holds("section 6.1", &case, exists, "exists does not say no");
    }
    check_each(store, &mut report).await;
    report
}

/// What is read together is what is read one by one, in its order.
async fn check_each(store: &dyn MemoryStore, report: &mut Report) {
    let stored: Vec<Option<World>> = worlds().into_iter().map(Some).collect();
    let stored = [vec![None; absent().len()], stored].concat();
    let there = worlds().into_iter().map(|world| world.world_id().clone());
    let ids: Vec<WorldId> = absent().into_iter().chain(there).collect();
    let found = store.get_each(&ids).await;
    report.holds(
        "CR-13",
        "all at once",
        found.len() == ids.len(),
        "get_each gives another number",
    );
    for ((id, found), stored) in ids.iter().zip(found).zip(stored) {
        let content = |world: &World| (world.world_id().clone(), world.content_value().clone());
        let is_same =
            found.is_ok_and(|it| it.as_ref().map(content) == stored.as_ref().map(content));
        let case = format!("World {:?} among others", id.to_string());
        report.holds("CR-13", case, is_same, "get_each gives another than get");
    }
}

/// Rule and difference of a World from the one that was stored; `metadata` is the store's.
fn differs(found: &World, stored: &World) -> (&'static str, Option<String>) {
    if found.world_id() != stored.world_id() {
        let other = format!("another World came: {}", found.world_id());
        return ("M-11", Some(other));
    }
    let is_same = found.content_value() == stored.content_value();
    let modified = || "its content was modified".to_owned();
    ("CR-13", (!is_same).then(modified))
}
