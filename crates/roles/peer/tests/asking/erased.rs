//! What somebody has erased is gone from exchanges, and they can be looked at all the same.

use std::sync::Arc;

use counterfoil_capsule::AgentSigner;
use counterfoil_exchange::machine::ExchangeState;
use counterfoil_life::Life as _;
use counterfoil_store::conformance::block_on;

use crate::answers::{answer, key, memory, text};
use crate::rig::{Rig, Scripted, done, question};

/// R17: of an exchange of which a memory was erased, the rest is still told.
#[test]
fn an_exchange_of_which_a_memory_was_erased_is_shown_without_it() {
    let rig = Rig::new();
    let asking = rig.asking();
    let mut way = Scripted::answering(&rig, |request| {
        answer(
            request,
            vec![memory("m1", text("one")), memory("m2", text("two"))],
        )
    });
    let report = done(asking.ask(question(Some(key(9))), &mut way));
    let signer = Arc::<AgentSigner>::clone(&rig.signer);
    let stored = report.memories[0].stored.clone().unwrap();
    let erased = block_on(rig.store.erase(signer, &stored, "asked to"));
    assert!(erased.unwrap().is_some());
    let shown = done(asking.report(&report.id));
    assert_eq!(shown.state, ExchangeState::Stored);
    assert_eq!(shown.memories, report.memories[1..]);
    assert_eq!(shown.response, None);
    done(asking.resume(&report.id, &mut Scripted::silent(&rig)));
}
