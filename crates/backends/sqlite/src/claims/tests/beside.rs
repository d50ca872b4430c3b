//! What stands beside the log about claims is audited as far as the log tells of it.

use super::*;

/// Three claims of which the second is erased.
fn three_claims() -> (Rig, ClaimRef) {
    let rig = Rig::new();
    let [first, middle, _] =
        ["2018", "2019", "2020"].map(|year| rig.lives(&format!("city of {year}"), [year, year]));
    rig.erase(&middle);
    let rig = rig.reopened();
    rig.is_sound();
    (rig, first)
}

/// I1: a unit that is missing from its line and of which nothing says that it was erased, and an erasure of what is there.
#[test]
fn what_does_not_fit_the_log_is_found() {
    let (rig, first) = three_claims();
    let of_first = format!("SELECT idx FROM world WHERE id = '{first}'");
    for (sql, expected) in [
        (
            format!("UPDATE claim_erased SET idx = ({of_first})"),
            "the content of the entry is there",
        ),
        (
            "DELETE FROM claim_erased".to_owned(),
            "a unit of its line is missing",
        ),
    ] {
        rig.tamper(&sql);
        let found = rig.differences();
        assert!(found.concat().contains(expected), "{sql}: {found:?}");
    }
}
