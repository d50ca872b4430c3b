//! The states of one memory of an answer (R7).

use counterfoil_exchange::checks::Disposition;
use counterfoil_exchange::machine::ItemState;

/// The states after each event: the six dispositions of the checks, stored, set apart.
fn after(state: ItemState) -> Vec<ItemState> {
    let checked = Disposition::ALL.map(|disposition| state.checked(disposition));
    checked
        .into_iter()
        .chain([state.stored(), state.set_apart()])
        .collect()
}

/// R7, MRP-48, case 110: the whole table. Nothing is stored unchecked, a later check only lowers, a final state stays, and an event
/// that comes twice is as one.
#[test]
fn a_memory_goes_where_its_own_disposition_sends_it() {
    use ItemState::{Checked, Quarantined, Received, Rejected, Stored};
    for (state, next) in [
        (
            Received,
            [
                Rejected,
                Quarantined,
                Checked,
                Checked,
                Checked,
                Received,
                Received,
            ],
        ),
        (
            Checked,
            [
                Rejected,
                Quarantined,
                Checked,
                Checked,
                Checked,
                Stored,
                Quarantined,
            ],
        ),
        (
            Quarantined,
            [
                Rejected,
                Quarantined,
                Quarantined,
                Quarantined,
                Quarantined,
                Stored,
                Quarantined,
            ],
        ),
        (Rejected, [Rejected; 7]),
        (Stored, [Stored; 7]),
    ] {
        assert_eq!(after(state), next, "{state}");
    }
}
