//! `timeline` of claims with strange text.

use std::fs;

use super::add;
use crate::place::Place;

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
        &[
            "]]>&lt;",
            "<!--",
            "other",
            "--from",
            "0001-01-01",
            "--channel",
            "first-hand",
        ],
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
