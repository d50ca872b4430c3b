//! `timeline`: in the terminal, as JSON and as SVG.

use std::fs;

use super::{add, added};
use crate::place::Place;

fn drawn() -> Place {
    let place = Place::new();
    added(
        &place,
        &[
            "mira", "lives_in", "Lisbon", "--from", "2019-04", "--until", "2022-02",
        ],
        "committed",
    );
    added(
        &place,
        &["mira", "lives_in", "Porto", "--from", "2022-03"],
        "committed",
    );
    added(
        &place,
        &["mira", "lives_in", "Braga", "--from", "2024-01"],
        "contested",
    );
    added(
        &place,
        &["mira", "likes", "<cats> & \"dogs\"", "--until", "2021"],
        "committed",
    );
    added(
        &place,
        &[
            "mira",
            "likes",
            "gin",
            "--from",
            "2022",
            "--channel",
            "model",
        ],
        "committed_inferred",
    );
    place
}

#[test]
fn a_timeline_is_drawn_with_bars_on_one_axis() {
    let place = drawn();
    let told = place.run(["timeline", "mira"]).ok().stdout();
    let row = |of: &str| {
        told.lines()
            .find(|line| line.contains(of))
            .unwrap()
            .to_owned()
    };
    assert!(
        row("Lisbon").contains('━') && !row("Lisbon").contains(['▒', '▶']),
        "{told}"
    );
    assert!(
        row("Porto").contains('▒') && row("Porto").contains('━') && row("Porto").contains('▶'),
        "{told}"
    );
    assert!(
        row("Braga").contains('▒') && !row("Braga").contains('━'),
        "{told}"
    );
    assert!(row("<cats>").contains('◀'), "{told}");
    assert!(row("gin").contains('┄'), "{told}");
    assert!(row("predicate").contains("2022"), "{told}");
    let start = |of: &str, mark: char| {
        let row = row(of);
        row.chars().position(|letter| letter == mark).unwrap()
    };
    let first_tick = row("predicate").chars().position(|it| it == '2').unwrap();
    assert!(start("Lisbon", '━') < start("Porto", '━'), "{told}");
    assert!(start("Porto", '━') < start("Porto", '▒'), "{told}");
    assert_eq!(start("Porto", '▒'), start("Braga", '▒'), "{told}");
    assert!(first_tick >= start("<cats>", '◀'), "{told}");
    assert!(
        told.lines().all(|line| line.chars().count() <= 120),
        "{told}"
    );
    let one = place.run(["timeline", "mira", "lives_in"]).ok().stdout();
    assert!(one.contains("Porto") && !one.contains("gin"), "{one}");
    let earlier = place
        .run(["timeline", "mira", "--as-of", "2020"])
        .ok()
        .stdout();
    assert!(earlier.contains("Nothing was said"), "{earlier}");
    let nobody = place.run(["timeline", "nobody"]).ok().stdout();
    assert!(nobody.contains("Nothing was said of nobody"), "{nobody}");
}

#[test]
fn a_timeline_has_the_beliefs_over_all_of_time() {
    let place = drawn();
    let document = place.json(["timeline", "mira", "lives_in"]);
    let line = &document["lines"][0];
    assert_eq!(line["claims"].as_array().unwrap().len(), 3);
    let segments = line["segments"].as_array().unwrap();
    let contested: Vec<_> = segments
        .iter()
        .filter(|segment| segment["belief"]["status"] == "contested")
        .collect();
    assert_eq!(contested.len(), 1, "{document:#}");
    assert_eq!(contested[0]["window"]["start"], "2024-01-01T00:00:00Z");
}

#[test]
fn a_timeline_is_a_file_of_its_own() {
    let place = drawn();
    let path = place.folder().join("mira.svg");
    let svg = path.to_str().unwrap();
    let told = place.run(["timeline", "mira", "--svg", svg]).ok().stdout();
    assert!(told.contains("written to"), "{told}");
    let drawn = fs::read_to_string(&path).unwrap();
    well_formed(&drawn);
    for part in [
        "&lt;cats&gt; &amp; &quot;dogs&quot;",
        "class=\"contested\"",
        "class=\"inferred\"",
        ">2022<",
        "as known",
        "said by a model",
        "url(#hatch)",
        "role=\"img\"",
    ] {
        assert!(drawn.contains(part), "{part}");
    }
    for outside in ["href", "<script", "@import", "<image"] {
        assert!(!drawn.contains(outside), "{outside}");
    }
    assert!(
        !drawn
            .replace("xmlns=\"http://www.w3.org/2000/svg\"", "")
            .contains("http")
    );
    place
        .run(["timeline", "mira", "--svg", "/no/such/folder/x.svg"])
        .refused(3, "cannot be written");
    let nobody = place.folder().join("nobody.svg");
    place
        .run(["timeline", "nobody", "--svg", nobody.to_str().unwrap()])
        .ok();
    well_formed(&fs::read_to_string(nobody).unwrap());
}

/// However strange a claim is, its drawing is XML.
#[test]
fn strange_claims_are_drawn_as_well() {
    let place = Place::new();
    add(
        &place,
        &[
            "]]>&lt;",
            "<!--",
            "\u{1}\u{fffe}\u{ffff}\u{d7ff}'\"</text>",
            "--from",
            "0001",
            "--until",
            "9999",
        ],
    );
    add(
        &place,
        &["]]>&lt;", "<!--", "other", "--from", "0001-01-01"],
    );
    add(&place, &["]]>&lt;", "now", &"long ".repeat(2000)]);
    place.run(["timeline", "]]>&lt;"]).ok();
    let path = place.folder().join("x.svg");
    place
        .run(["timeline", "]]>&lt;", "--svg", path.to_str().unwrap()])
        .ok();
    well_formed(&fs::read_to_string(path).unwrap());
}

/// Tags are closed in their order, and text has neither `<` nor a bare `&` nor what XML 1.0 forbids.
fn well_formed(xml: &str) {
    assert!(!xml.contains(|it: char| (it.is_control() && it != '\n')
        || it == '\u{fffe}'
        || it == '\u{ffff}'));
    let body = xml
        .strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        .unwrap();
    let mut open = Vec::new();
    let mut parts = body.split('<');
    assert_eq!(parts.next(), Some(""));
    for part in parts {
        let (tag, text) = part.split_once('>').unwrap();
        for reference in [tag, text].iter().flat_map(|it| it.split('&').skip(1)) {
            let (name, _) = reference.split_once(';').unwrap();
            assert!(["amp", "lt", "gt", "quot", "#39"].contains(&name), "{name}");
        }
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{part}"),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split_whitespace().next().unwrap()),
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
    }
    assert!(open.is_empty(), "{open:?}");
}
