//! What stands beside the log about claims is audited as far as the log tells of it.

use super::*;

/// Three claims of which the second is erased, and the first was handed out.
fn three_claims() -> (Rig, ClaimRef) {
    let rig = Rig::new();
    let [first, middle, _] =
        ["2018", "2019", "2020"].map(|year| rig.lives(&format!("city of {year}"), [year, year]));
    rig.erase(&middle);
    rig.serves("Ada", "lives in", "city of 2018", &first);
    let rig = rig.reopened();
    rig.is_sound();
    (rig, first)
}

/// Changes rows behind the triggers' back, which are put back as they were; an audit finds it.
#[track_caller]
fn is_found(rig: &Rig, trigger: &str, sql: &str, expected: &str) {
    let raw = rig.raw();
    let find = "SELECT sql FROM sqlite_schema WHERE name = ?1";
    let made: String = raw.query_row(find, [trigger], |row| row.get(0)).unwrap();
    raw.execute_batch(&format!("DROP TRIGGER {trigger}; {sql}; {made};"))
        .unwrap();
    let found = rig.differences();
    assert!(found.concat().contains(expected), "{found:?}");
}

/// I1: a unit that is missing from its line, and of which nothing says that it was erased.
#[test]
fn a_gap_that_nothing_accounts_for_is_found() {
    let (rig, _) = three_claims();
    let trigger = "claim_erased_is_not_deleted";
    let expected = "a unit of its line is missing";
    is_found(&rig, trigger, "DELETE FROM claim_erased", expected);
}

#[test]
fn an_erasure_of_what_is_there_or_is_no_claim_is_found() {
    let (rig, first) = three_claims();
    let to = "UPDATE claim_erased SET idx = (SELECT idx FROM world WHERE id =";
    let (trigger, sql) = ("claim_erased_is_not_updated", format!("{to} '{first}')"));
    is_found(&rig, trigger, &sql, "the content of the entry is there");
}

/// I6: a mark of what was handed out that is moved to something else, here to the record of an erasure.
#[test]
fn a_mark_on_something_that_is_no_claim_is_found() {
    let (rig, _) = three_claims();
    let sql = "UPDATE claim_served SET idx = 3";
    let expected = "what was handed out is no claim";
    is_found(&rig, "claim_served_only_grows", sql, expected);
}
