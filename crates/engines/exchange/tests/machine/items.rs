//! The states of one memory of an answer (R7).

use counterfoil_exchange::checks::Disposition;
use counterfoil_exchange::machine::ItemState;

/// R7, MRP-48, case 110: the state after each disposition of the checks, from the lowest on, after storage, and after it is set apart.
/// Nothing is stored unchecked, a later check only lowers, a final state stays, and an event that comes twice is as one.
#[test]
fn a_memory_goes_where_its_own_disposition_sends_it() {
    for (state, next) in [
        (
            ItemState::Received,
            "rejected quarantined checked checked checked received received",
        ),
        (
            ItemState::Checked,
            "rejected quarantined checked checked checked stored quarantined",
        ),
        (
            ItemState::Quarantined,
            "rejected quarantined quarantined quarantined quarantined stored quarantined",
        ),
        (
            ItemState::Rejected,
            "rejected rejected rejected rejected rejected rejected rejected",
        ),
        (
            ItemState::Stored,
            "stored stored stored stored stored stored stored",
        ),
    ] {
        let checked = Disposition::ALL.map(|disposition| state.checked(disposition));
        let after = [&checked[..], &[state.stored(), state.set_apart()]].concat();
        assert_eq!(
            after
                .iter()
                .map(|it| it.name())
                .collect::<Vec<_>>()
                .join(" "),
            next,
            "{state}"
        );
    }
}
