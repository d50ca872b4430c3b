//! Twin of `authority/tests/ui/refused/fp_04_authority_selects.rs`: what an authority may not, an actor may (§9.2.1).

use counterfoil_actor::types::SelectionRequest;
use counterfoil_selector::MemorySelector;

async fn reselect(selector: &dyn MemorySelector, request: &SelectionRequest) -> usize {
    selector.select(request).await.map_or(0, |result| result.selected().len())
}

fn main() {
    let _ = reselect;
}
