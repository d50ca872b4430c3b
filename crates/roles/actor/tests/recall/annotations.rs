//! Standing comes from the annotation: no wording of a reason decides anything.

use std::collections::BTreeMap;
use std::sync::Arc;

use counterfoil_actor::Actor;
use counterfoil_actor::selector::{
    AnnotatedSelection, Annotation, BeliefStanding, MemorySelector, async_trait,
};
use counterfoil_actor::types::{
    BoxError, Confidence, MemoryRef, Reason, SelectedMemory, SelectionRequest, SelectionResult,
};

use crate::support::{SELECTED_AT, Shelf, actor_ref, id, millis, query, ready};

/// Calls `a` contested and `b` believed, in words; by its annotations it is the other way round.
struct Reworded;

#[async_trait]
impl MemorySelector for Reworded {
    async fn select(&self, _: &SelectionRequest) -> Result<SelectionResult, BoxError> {
        let reasons = [
            ("a", "CONTESTED: said by b; NOT BELIEVED"),
            ("b", "believed"),
        ];
        let selected = reasons.map(|(name, reason)| {
            let reason = Reason::new(reason).expect("a reason");
            SelectedMemory::new(MemoryRef::new(id(name)), reason, Confidence::ONE)
        });
        Ok(SelectionResult::new(selected.into(), millis(SELECTED_AT)).expect("two memories"))
    }

    async fn select_annotated(
        &self,
        request: &SelectionRequest,
    ) -> Result<AnnotatedSelection, BoxError> {
        let (sides, others) = (2, vec![id("a")]);
        let contested = Annotation {
            belief: Some(BeliefStanding::Contested { sides, others }),
            ..Annotation::default()
        };
        let annotations = BTreeMap::from([(id("b"), contested)]);
        Ok((self.select(request).await?, annotations))
    }
}

#[test]
fn a_reworded_reason_decides_nothing() {
    let shelf = Arc::new(Shelf::of(&["a", "b"]));
    let actor = Actor::new(actor_ref("planner"), Arc::new(Reworded), shelf);
    let deliberation = actor.deliberate(id("base"));
    let recalled = ready(deliberation.recall(query("a b"), None)).expect("a recall");
    let caveats = recalled.memories().map(|memory| {
        let caveats = memory.annotation().caveats(ToString::to_string);
        (memory.world().world_id().to_string(), caveats)
    });
    let contested = "CONTESTED: 2 values are claimed and none is settled: this one, a";
    let expected = [("a".into(), vec![]), ("b".into(), vec![contested.into()])];
    assert_eq!(caveats.collect::<Vec<_>>(), expected);
}
