//! What stands beside the log about claims is audited as far as the log tells of it.

use super::*;

fn three_claims() -> (Rig, [ClaimRef; 3]) {
    let rig = Rig::new();
    let claims = ["2018", "2019", "2020"].map(|year| {
        let city = format!("city of {year}");
        rig.told(between(
            says("Ada", "lives in", &city),
            Some(year),
            Some(year),
        ))
    });
    (rig, claims)
}

fn erased(rig: &Rig, claim: &ClaimRef) {
    let erasure = EraseRequest {
        world_id: claim.clone(),
        extent: Extent::Version,
        reason: "asked for".to_owned(),
    };
    block_on(rig.store.erase(agent(1), erasure)).unwrap();
}

/// Changes rows behind the triggers' back, which are put back as they were.
fn tampered(rig: &Rig, trigger: &str, sql: &str) -> Vec<String> {
    let raw = rig.raw();
    let find = "SELECT sql FROM sqlite_schema WHERE name = ?1";
    let made: String = raw.query_row(find, [trigger], |row| row.get(0)).unwrap();
    raw.execute_batch(&format!("DROP TRIGGER {trigger}; {sql}; {made};"))
        .unwrap();
    rig.differences()
}

/// I1: a unit that is missing from its line, and of which nothing says that it was erased.
#[test]
fn a_gap_that_nothing_accounts_for_is_found() {
    let (rig, [_, middle, _]) = three_claims();
    erased(&rig, &middle);
    rig.is_sound();
    let found = tampered(
        &rig,
        "claim_erased_is_not_deleted",
        "DELETE FROM claim_erased",
    );
    assert!(
        found
            .iter()
            .any(|it| it.contains("a unit of its line is missing")),
        "{found:?}"
    );
}

#[test]
fn an_erasure_of_what_is_there_or_is_no_claim_is_found() {
    let (rig, [first, middle, _]) = three_claims();
    erased(&rig, &middle);
    let to = "UPDATE claim_erased SET idx = (SELECT idx FROM world WHERE id =";
    let trigger = "claim_erased_is_not_updated";
    let found = tampered(&rig, trigger, &format!("{to} '{first}')"));
    assert!(
        found
            .iter()
            .any(|it| it.contains("the content of the entry is there")),
        "{found:?}"
    );
}

/// I6: a mark of what was handed out that is moved to something else, here to the record of an erasure.
#[test]
fn a_mark_on_something_that_is_no_claim_is_found() {
    let (rig, [first, middle, _]) = three_claims();
    erased(&rig, &middle);
    rig.serves("Ada", "lives in", "city of 2018", &first);
    let rig = rig.reopened();
    rig.is_sound();
    let found = tampered(
        &rig,
        "claim_served_only_grows",
        "UPDATE claim_served SET idx = 3",
    );
    assert!(
        found
            .iter()
            .any(|it| it.contains("what was handed out is no claim")),
        "{found:?}"
    );
}
