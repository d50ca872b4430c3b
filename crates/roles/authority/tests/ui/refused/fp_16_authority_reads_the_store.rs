//! FP-16, §9.2.3: an authority reads no store. Twin: `actor/tests/ui/allowed/fp_16_actor_reads_the_store.rs`.

use counterfoil_authority::types::WorldId;
use counterfoil_store::MemoryStore;

async fn fetch(store: &dyn MemoryStore, world: &WorldId) -> bool {
    store.get(world).await.is_ok()
}

fn main() {
    let _ = fetch;
}
