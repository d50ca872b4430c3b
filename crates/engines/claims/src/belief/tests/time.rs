//! Windows, handovers and what cuts a claim (docs/format/claims.md 3), by example.

use alloc::vec;

use crate::belief::testing::{
    EPOCH_US, FIRST_HAND, Log, MODEL, USER, at, became, body, peer, valid, value, values,
};
use crate::belief::{BeliefStatus, ClaimState};
use crate::effective::{Extent, effects_in_force, instant_of};
use crate::{Act, ClaimRef, Disposition, Unit};

/// I8, CLM-4, CLM-39: what covers a day holds on that day and ends after it (vectors vS12, vS15, vS16).
#[test]
fn until_a_day_covers_the_day() {
    let mut log = Log::default();
    log.dated(USER, "Berlin", "2020-01-01..2020-01-01");
    let status = |when| log.belief(at(when)).status;
    assert_eq!(status("2019-12-31T23:59:59Z"), BeliefStatus::NoBelief);
    assert_eq!(status("2020-01-01"), BeliefStatus::Resolved);
    assert_eq!(
        status("2020-01-01T23:59:59.999999Z"),
        BeliefStatus::Resolved
    );
    assert_eq!(status("2020-01-02"), BeliefStatus::Ended);
}

/// A claim hands over to the next within a granule, whichever of the two is the coarser.
#[test]
fn windows_that_touch_within_a_granule_hand_over() {
    for (first, second, before, after) in [
        (
            "2020..2024-03-01",
            "2024-03-01..",
            "2024-02-29",
            "2024-03-01",
        ),
        ("2020..2024", "2024-03..", "2024-02-29", "2024-03-01"),
        ("2020..2024-03", "2024..", "2024-02-29", "2024-03-01"),
        (
            "2020..2024-03-01",
            "2024-03-01T12:00:00Z..",
            "2024-03-01T11:59:59Z",
            "2024-03-01T12:00:00Z",
        ),
        (
            "2020..2024-03-01T12:00:00Z",
            "2024-03-01..",
            "2024-03-01T11:59:59Z",
            "2024-03-01T12:00:00Z",
        ),
        (
            "2020..2024-03-01T12:00:00Z",
            "2024-03-01T12:00:00Z..",
            "2024-03-01T11:59:59Z",
            "2024-03-01T12:00:00Z",
        ),
        (
            "..2024-03-01",
            "2024-03-01..2024-03-01",
            "2024-02-29",
            "2024-03-01",
        ),
    ] {
        let (one, two) = (extent(first), extent(second));
        assert_eq!(one.hands_over_to(&two), Some(at(after)), "{first} {second}");
        assert_eq!(two.hands_over_to(&one), None);
        assert!(!one.overlaps(&two) && !two.overlaps(&one));
        for order in [[("x", first), ("y", second)], [("y", second), ("x", first)]] {
            let mut log = Log::default();
            for (text, window) in order {
                log.dated(USER, text, window);
            }
            assert_eq!(values(&log.belief(at(before))), ["x"], "{first} {second}");
            assert_eq!(values(&log.belief(at(after))), ["y"], "{first} {second}");
        }
    }
}

/// I7: who says what held in a year does not make way for who says that another held until the last day of it.
#[test]
fn nobody_makes_way_altogether() {
    for (own, other, asked) in [
        ("2020..2020", "2019..2020-12-31", "2020-06-01"),
        ("2020..2020", "2020-01-02..", "2020-06-01"),
        ("2020-03..2020-03", "2019..2020-03-31", "2020-03-10"),
        ("2020..2020", "2019..2020-12-31T23:59:59Z", "2020-06-01"),
    ] {
        let (one, two) = (extent(own), extent(other));
        assert!(one.overlaps(&two) && two.overlaps(&one), "{own} {other}");
        let mut log = Log::default();
        log.dated(USER, "x", own);
        log.dated(peer(), "y", other);
        let belief = log.belief(at(asked));
        assert_eq!(belief.status, BeliefStatus::Contested, "{own} {other}");
        assert_eq!(values(&belief), ["x", "y"]);
    }
}

/// I2: a window that ends in the year in which it begins is coherent, however its ends are written.
#[test]
fn from_a_month_until_its_year_is_coherent() {
    for (when, incoherent) in [
        ("2020-06..2020", false),
        ("2020-06-15..2020-06", false),
        ("2020..2020-06", false),
        ("2021..2020", true),
        ("2021-01..2020", true),
        ("2020-06-01T00:00:01Z..2020-06-01T00:00:00Z", true),
    ] {
        assert_eq!(valid(when).is_incoherent(), incoherent, "{when}");
    }
    let mut log = Log::default();
    log.dated(USER, "x", "2020-06..2020");
    let status = |when| log.belief(at(when)).status;
    assert_eq!(status("2020-05-31"), BeliefStatus::NoBelief);
    assert_eq!(status("2020-12-31"), BeliefStatus::TimingUncertain);
    assert_eq!(status("2021-01-01"), BeliefStatus::Ended);
}

/// Where neither changes into the other within a granule, they overlap and contest each other.
#[test]
fn windows_that_share_more_than_a_granule_overlap() {
    for (first, second, shared) in [
        ("2020..2025-01-01", "2024-01-01..", "2024-06-01"),
        ("2020..2024", "2024-03..2024-06", "2024-04-15"),
        ("2024..2024-03-01", "2024..", "2024-02-01"),
        ("2020..", "2024..", "2025-06-01"),
        ("..2024-03-02", "..2024-03-01", "2024-01-01"),
    ] {
        assert!(extent(first).overlaps(&extent(second)), "{first} {second}");
        let mut log = Log::default();
        log.dated(USER, "x", first);
        log.dated(USER, "y", second);
        assert_eq!(
            log.belief(at(shared)).status,
            BeliefStatus::Contested,
            "{first} {second}"
        );
    }
    assert!(!extent("2020..2021").overlaps(&extent("2022..2023")));
}

/// Who yields in a handover is an alternative, has ended or is scheduled, and says to or from whom.
#[test]
fn who_yields_is_an_alternative() {
    let mut log = Log::default();
    let first = log.dated(USER, "x", "2020..2024");
    let second = log.dated(USER, "y", "2024-03..");
    let belief = log.belief(at("2024-06-15"));
    assert_eq!(belief.alternatives[0].value, value("x"));
    assert_eq!(belief.markers, []);
    let entry = &log.history(at("2024-06-15"))[0];
    became(entry, ClaimState::Ended, Some(second));

    let mut log = Log::default();
    let _ = log.dated(USER, "x", "2020..2024-03-15");
    let later = log.dated(USER, "y", "2024..");
    let entry = &log.history(at("2024-02-01"))[1];
    assert_eq!(entry.claim.reference(), &later);
    became(entry, ClaimState::Scheduled, Some(first));
}

/// I11, CLM-32: a bound ends a claim from its begin on; a reopen takes that back (vectors vB01, vB07, vB11, vB12,
/// vB13).
#[test]
fn a_bound_ends_and_a_reopen_undoes_it() {
    let mut log = Log::default();
    let claim = log.dated(USER, "a", "2021-04-01..");
    let bound = log.bound(&claim, "2025");
    assert_eq!(log.belief(at("2024-12-31")).status, BeliefStatus::Resolved);
    assert_eq!(log.belief(at("2025-01-01")).status, BeliefStatus::Ended);
    let entry = log.history(at("2026"))[0].clone();
    became(&entry, ClaimState::Ended, Some(bound.clone()));
    assert_eq!(entry.window.end, Some(at("2025-01-01")));
    let undoable = effects_in_force(&log.view(&log.units[0]));
    assert_eq!(undoable, core::slice::from_ref(&bound));
    log.reopen(claim.clone(), vec![bound]);
    assert_eq!(log.belief(at("2025-01-01")).status, BeliefStatus::Resolved);
    assert_eq!(effects_in_force(&log.view(&log.units[0])), []);
    let early = log.bound(&claim, "2023");
    log.bound(&claim, "2024");
    assert_eq!(log.belief(at("2023-06-01")).status, BeliefStatus::Ended);
    log.reopen(claim, vec![early]);
    assert_eq!(log.belief(at("2023-06-01")).status, BeliefStatus::Resolved);
    assert_eq!(log.belief(at("2024-06-01")).status, BeliefStatus::Ended);
}

/// CLM-32, CLM-39: a bound after the own end cuts nothing; one before the start of a dated claim leaves nothing.
#[test]
fn bounds_outside_of_the_window() {
    let mut log = Log::default();
    let claim = log.dated(USER, "a", "2020..2021");
    log.bound(&claim, "2023");
    let entry = log.history(at("2026"))[0].clone();
    became(&entry, ClaimState::Ended, None);
    let bound = log.bound(&claim, "2019");
    let entry = log.history(at("2020-06-01"))[0].clone();
    became(&entry, ClaimState::Ended, Some(bound));
    assert!(entry.window.is_empty());
    assert_eq!(log.belief(at("2026")).status, BeliefStatus::NoBelief);
}

/// I11, CLM-33: an undated claim that ended before it was recorded answers before its end (vector vB12).
#[test]
fn an_undated_claim_that_ended_early_answers_before_its_end() {
    let mut log = Log::default();
    let claim = log.undated(USER, "a");
    log.bound(&claim, "2021");
    assert_eq!(log.belief(at("1999")).status, BeliefStatus::TimingUncertain);
    assert_eq!(
        log.belief(at("2020-12-31")).status,
        BeliefStatus::TimingUncertain
    );
    assert_eq!(log.belief(at("2021-01-01")).status, BeliefStatus::Ended);
    assert_eq!(log.present().status, BeliefStatus::Ended);
}

/// I1, CLM-23, CLM-34: a claim that is superseded is cut where the other one starts, and says by which unit.
#[test]
fn a_claim_is_superseded_from_the_start_of_the_other() {
    let mut log = Log::default();
    let old = log.dated(USER, "diane", "2021-04-01..");
    let mut new = body("joan", Some(valid("2024-09-01..")));
    new.supersedes = vec![old.clone()];
    let new = log.add(USER, Act::Claim(new));
    let entry = log.history(at("2026"))[0].clone();
    became(&entry, ClaimState::Superseded, Some(new.clone()));
    assert_eq!(entry.window.end, Some(at("2024-09-01")));
    assert_eq!(log.history(at("2022"))[0].state, ClaimState::Current);
    let third = log.undated(USER, "third");
    let by = log.supersede(new, third.clone());
    assert_eq!(values(&log.belief(at("2026"))), ["third"]);
    let affirmed = log.undated(USER, "fourth");
    let verdict = log.affirm(FIRST_HAND, affirmed, vec![third]);
    let entries = log.history(instant_of(log.now()));
    assert_eq!(entries[1].because_of, Some(by));
    assert!(
        entries[1].window.is_empty(),
        "it was to start after its place was taken"
    );
    assert_eq!(entries[2].because_of, Some(verdict));
    assert_eq!(values(&log.belief(at("2026"))), ["fourth"]);
}

/// A claim takes no place of a higher standing, none that it was told to ignore, and none from quarantine.
#[test]
fn supersedes_is_ignored_where_it_may_not_be() {
    type BeliefChange = fn(&mut Unit, &ClaimRef);
    let changes: [(_, BeliefChange); 4] = [
        (MODEL, |_, _| {}),
        (peer(), |_, _| {}),
        (USER, |unit, old| unit.because.ignored = vec![old.clone()]),
        (USER, |unit, _| unit.disposition = Disposition::Quarantined),
    ];
    for (who, change) in changes {
        let mut log = Log::default();
        let old = log.dated(FIRST_HAND, "old", "2020..");
        let mut new = body("new", None);
        new.supersedes = vec![old.clone()];
        change(log.put(who, Act::Claim(new)), &old);
        assert!(values(&log.present()).contains(&"old"));
    }
}

/// Where the claim that took a place was erased, the unit that says so still cuts, at its stamp.
#[test]
fn an_erased_taker_cuts_at_the_stamp_of_who_names_it() {
    let mut log = Log::default();
    let old = log.dated(USER, "old", "2020..");
    let gone = ClaimRef::new("erased").unwrap();
    log.supersede(old, gone);
    assert_eq!(
        log.belief(instant_of(log.now()) - 1).status,
        BeliefStatus::Resolved
    );
    assert_eq!(log.present().status, BeliefStatus::Ended);
}

fn extent(when: &str) -> Extent {
    Extent::own(Some(&valid(when)), EPOCH_US)
}
