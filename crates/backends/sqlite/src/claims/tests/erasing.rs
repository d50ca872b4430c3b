//! What is left when a claim is erased, and what goes on.

use super::*;

fn erasure(world_id: &ClaimRef) -> EraseRequest {
    EraseRequest {
        world_id: world_id.clone(),
        extent: Extent::Version,
        reason: "asked for".to_owned(),
    }
}

/// I1, CAP-33: the text of an erased claim is in no table; the line goes on.
#[test]
fn what_is_erased_leaves_every_table_and_the_line_goes_on() {
    let rig = Rig::new();
    let lines = line("Ada", "lives in");
    let first = rig.told(between(
        says("Ada", "lives in", "Xanadu"),
        Some("2019"),
        Some("2019"),
    ));
    let second = rig.told(between(
        says("Ada", "lives in", "Porto"),
        Some("2020"),
        None,
    ));
    rig.serves("Ada", "lives in", "Xanadu", &first);
    rig.told(says("Ada", "hides in", "Zembla"));
    assert_eq!(rig.found("xanadu", None), [first.to_string()]);
    let rig = rig.reopened();
    block_on(rig.store.erase(agent(1), erasure(&first))).unwrap();
    assert!(rig.found("xanadu", None).is_empty());
    let served: u64 = rig
        .raw()
        .query_row("SELECT count(*) FROM claim_served", [], |row| row.get(0))
        .unwrap();
    assert_eq!(served, 0);
    assert_eq!(block_on(rig.store.unit_of(&first)).unwrap(), None);
    let numbers: Vec<u64> = rig.units_of(&lines).iter().map(Unit::number).collect();
    assert_eq!(numbers, [1]);
    let third = rig.told(between(
        says("Ada", "lives in", "Faro"),
        Some("1999"),
        Some("2000"),
    ));
    let units = rig.units_of(&lines);
    assert_eq!(units[1].reference(), &third);
    assert_eq!((units[1].number(), units[1].previous()), (2, Some(&second)));
    assert!(rig.holding("xanadu").is_empty());
    rig.is_sound();

    // The last line of a subject: its name goes as well.
    let hidden = rig.units_of(&line("Ada", "hides in"));
    block_on(rig.store.erase(agent(1), erasure(hidden[0].reference()))).unwrap();
    let (agent, none) = (agent(1).agent(), None);
    let predicates = block_on(rig.store.predicates(agent, none)).unwrap();
    assert_eq!(predicates, [identifier("lives in")]);
    rig.is_sound();
}

/// I1: units that are erased from the end of a line are counted on: each number is given once while anything is left of
/// the line.
#[test]
fn no_number_is_given_twice_while_something_is_left_of_a_line() {
    let rig = Rig::new();
    let lines = line("Ada", "lives in");
    let gone = rig.told(between(
        says("Ada", "lives in", "Xanadu"),
        Some("2019"),
        Some("2019"),
    ));
    block_on(rig.store.erase(agent(1), erasure(&gone))).unwrap();
    let evora = rig.told(between(
        says("Ada", "lives in", "Evora"),
        Some("2021"),
        None,
    ));
    let numbers: Vec<u64> = rig.units_of(&lines).iter().map(Unit::number).collect();
    assert_eq!(numbers, [0], "nothing was left of the line: it begins anew");
    let sines = rig.told(between(
        says("Ada", "lives in", "Sines"),
        Some("1998"),
        Some("1999"),
    ));
    let beja = rig.told(between(
        says("Ada", "lives in", "Beja"),
        Some("1997"),
        Some("1997"),
    ));
    for gone in [&beja, &sines] {
        block_on(rig.store.erase(agent(1), erasure(gone))).unwrap();
    }
    rig.told(between(
        says("Ada", "lives in", "Loule"),
        Some("1990"),
        Some("1990"),
    ));
    let units = rig.units_of(&lines);
    assert_eq!(units[0].reference(), &evora);
    assert_eq!((units[1].number(), units[1].previous()), (3, Some(&beja)));
    rig.is_sound();
}
