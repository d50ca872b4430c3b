//! FP-04, M-4: an authority does not select again. Twin: `actor/tests/ui/allowed/fp_04_actor_selects.rs`.

use counterfoil_authority::types::SelectionRequest;
use counterfoil_selector::MemorySelector;

async fn reselect(selector: &dyn MemorySelector, request: &SelectionRequest) -> usize {
    selector.select(request).await.map_or(0, |result| result.selected().len())
}

fn main() {
    let _ = reselect;
}
