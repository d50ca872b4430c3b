//! The states of one memory of an answer (R7).

use counterfoil_exchange::checks::Disposition;
use counterfoil_exchange::machine::{ItemEvent, ItemState, step_item};

fn events() -> Vec<ItemEvent> {
    let checked = Disposition::ALL.into_iter().map(ItemEvent::Checked);
    checked
        .chain([ItemEvent::Stored, ItemEvent::NotStored])
        .collect()
}

/// R7: memories of one answer go each its own way.
#[test]
fn a_memory_goes_where_its_own_disposition_sends_it() {
    let after = |events: &[ItemEvent]| {
        events
            .iter()
            .fold(ItemState::Received, |state, event| step_item(state, *event))
    };
    let checked = |disposition| ItemEvent::Checked(disposition);
    assert_eq!(
        after(&[checked(Disposition::Reject), ItemEvent::Stored]),
        ItemState::Rejected
    );
    assert_eq!(
        after(&[checked(Disposition::RawOnly)]),
        ItemState::Quarantined
    );
    assert_eq!(
        after(&[checked(Disposition::RawOnly), ItemEvent::Stored]),
        ItemState::Stored
    );
    for disposition in [
        Disposition::StoredUnverified,
        Disposition::StoredMedium,
        Disposition::StoredHigh,
    ] {
        assert_eq!(after(&[checked(disposition)]), ItemState::Checked);
        assert_eq!(
            after(&[checked(disposition), ItemEvent::Stored]),
            ItemState::Stored
        );
        assert_eq!(
            after(&[checked(disposition), ItemEvent::NotStored]),
            ItemState::Quarantined
        );
    }
    assert_eq!(
        after(&[ItemEvent::Stored]),
        ItemState::Received,
        "nothing is stored unchecked"
    );
}

/// MRP-48: total, final states stay, and to hear the same event twice is to hear it once.
#[test]
fn every_event_in_every_state_of_a_memory_has_an_answer() {
    for state in ItemState::ALL {
        for event in events() {
            let next = step_item(state, event);
            let is_final = matches!(state, ItemState::Rejected | ItemState::Stored);
            assert!(!is_final || next == state, "{state:?} {event:?}");
            let again = step_item(next, event);
            assert_eq!(again, next, "{state:?} {event:?}");
        }
    }
}

/// Case 110: a later check of what is checked only lowers it.
#[test]
fn a_later_check_only_lowers() {
    for state in [ItemState::Checked, ItemState::Quarantined] {
        for disposition in Disposition::ALL {
            let next = step_item(state, ItemEvent::Checked(disposition));
            let lowered = matches!(next, ItemState::Rejected | ItemState::Quarantined);
            assert!(next == state || lowered, "{state:?} {disposition:?}");
        }
    }
}
