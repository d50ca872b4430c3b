//! Twin of `authority/tests/ui/refused/fp_16_authority_reads_the_store.rs`: what an authority may not, an actor may (§9.2.1).

use counterfoil_actor::types::WorldId;
use counterfoil_store::MemoryStore;

async fn fetch(store: &dyn MemoryStore, world: &WorldId) -> bool {
    store.get(world).await.is_ok()
}

fn main() {
    let _ = fetch;
}
