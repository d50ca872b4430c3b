//! Claims among memories, as `recall` gives them (I6, I7).

use serde_json::Value;

use super::{add, added, remember};
use crate::place::Place;

/// World and reason of each memory that is recalled.
fn recalled(place: &Place, query: &str) -> Vec<(String, String)> {
    let trace = place.json(["recall", query]);
    let selected = trace["selected"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    selected
        .map(|memory| (text(&memory["ref"]["worldId"]), text(&memory["reason"])))
        .collect()
}

/// CLM-51: a contested line is never recalled as settled: the reason of each side names the other.
#[test]
fn a_contest_is_recalled_with_all_its_sides() {
    let place = Place::new();
    let lisbon = added(&place, &["mira", "lives in", "Lisbon"], "committed");
    let porto = added(&place, &["mira", "lives in", "Porto"], "contested");
    let card = remember(&place, "mira sent a card from Porto");
    let found = recalled(&place, "where does mira live");
    for (side, other) in [(&lisbon, &porto), (&porto, &lisbon)] {
        let (_, reason) = found.iter().find(|(world, _)| world == side).unwrap();
        assert!(
            reason.starts_with("CONTESTED: 2 values are claimed"),
            "{reason}"
        );
        assert!(reason.contains(other.as_str()), "{reason}");
    }
    let (_, reason) = found.iter().find(|(world, _)| *world == card).unwrap();
    assert!(
        !reason.contains("CONTESTED"),
        "a memory beside them is none: {reason}"
    );

    let told = place.run(["recall", "where does mira live"]).ok().stdout();
    assert!(told.contains("mira lives in: Lisbon"), "{told}");
    assert!(told.contains("[CONTESTED"), "{told}");
}

/// CLM-14: what `recall` handed out comes back as an echo.
#[test]
fn what_was_recalled_is_an_echo_when_it_comes_back() {
    let place = Place::new();
    let tea = added(&place, &["mira", "drinks", "tea"], "committed");
    assert!(
        recalled(&place, "tea")
            .iter()
            .any(|(world, _)| *world == tea)
    );
    let echo = add(
        &place,
        &["mira", "drinks", "tea", "--channel", "first-hand"],
    );
    assert_eq!(
        (echo["disposition"].as_str(), echo["ref"].as_str()),
        (Some("corroborated"), Some(&*tea))
    );
    assert_eq!(echo["because"]["reEntry"], true, "{echo:#}");
}
