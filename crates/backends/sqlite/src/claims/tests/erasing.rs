//! What is left when a claim is erased, and what goes on.

use super::*;

/// I1, CAP-33: the text of an erased claim is in no table; the line goes on.
#[test]
fn what_is_erased_leaves_every_table_and_the_line_goes_on() {
    let rig = Rig::new();
    let lines = line("Ada", "lives in");
    let first = rig.lives("Xanadu", ["2019", "2019"]);
    let second = rig.lives("Porto", ["2020", ""]);
    rig.told(says("Ada", "hides in", "Zembla"));
    assert_eq!(rig.found("xanadu", None), [first.to_string()]);
    let rig = rig.reopened();
    rig.erase(&first);
    assert!(rig.found("xanadu", None).is_empty());
    assert_eq!(block_on(rig.store.unit_of(&first)).unwrap(), None);
    let numbers: Vec<u64> = rig.units_of(&lines).iter().map(Unit::number).collect();
    assert_eq!(numbers, [1]);
    let third = rig.lives("Faro", ["1999", "2000"]);
    let units = rig.units_of(&lines);
    assert_eq!(units[1].reference(), &third);
    assert_eq!((units[1].number(), units[1].previous()), (2, Some(&second)));
    assert!(rig.holding("xanadu").is_empty());
    rig.is_sound();

    // The last line of a subject: its name goes as well.
    let hidden = rig.units_of(&line("Ada", "hides in"));
    rig.erase(hidden[0].reference());
    let predicates = block_on(rig.store.predicates(agent(1).agent(), None, Scope::new())).unwrap();
    assert_eq!(predicates, [identifier("lives in")]);
    rig.is_sound();
}

/// I1: units that are erased from the end of a line are counted on: each number is given once while anything is left of
/// the line.
#[test]
fn no_number_is_given_twice_while_something_is_left_of_a_line() {
    let rig = Rig::new();
    let lines = line("Ada", "lives in");
    let gone = rig.lives("Xanadu", ["2019", "2019"]);
    rig.erase(&gone);
    let evora = rig.lives("Evora", ["2021", ""]);
    let numbers: Vec<u64> = rig.units_of(&lines).iter().map(Unit::number).collect();
    assert_eq!(numbers, [0], "nothing was left of the line: it begins anew");
    let sines = rig.lives("Sines", ["1998", "1999"]);
    let beja = rig.lives("Beja", ["1997", "1997"]);
    for gone in [&beja, &sines] {
        rig.erase(gone);
    }
    rig.lives("Loule", ["1990", "1990"]);
    let units = rig.units_of(&lines);
    assert_eq!(units[0].reference(), &evora);
    assert_eq!((units[1].number(), units[1].previous()), (3, Some(&beja)));
    rig.is_sound();
}
