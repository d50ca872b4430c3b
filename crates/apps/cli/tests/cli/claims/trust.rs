//! Channels of claims, and reading without a secret.

use std::process::Stdio;

use super::added;
use crate::place::{Place, Ran};

/// M-1: what is claimed is shown, never obeyed.
#[test]
fn a_claim_steers_no_terminal() {
    let place = Place::new();
    let value = "\u{1b}[2J\u{202e}gone";
    added(
        &place,
        &["mira\u{202e}", "says\u{200b}", value],
        "committed",
    );
    added(
        &place,
        &[
            "mira\u{202e}",
            "says\u{200b}",
            "other",
            "--channel",
            "first-hand",
        ],
        "contested",
    );
    let note = place.json(["remember", "a note"]);
    let note = note["id"].as_str().unwrap().to_owned();
    let svg = place.folder().join("t.svg");
    let svg = svg.to_str().unwrap();
    for args in [
        &["believe", "mira\u{202e}"][..],
        &["believe", "mira\u{202e}", "says\u{200b}"],
        &["why", "mira\u{202e}", "says\u{200b}"],
        &["history", "mira\u{202e}", "says\u{200b}"],
        &["timeline", "mira\u{202e}"],
        &["timeline", "mira\u{202e}", "--svg", svg],
        &["contested"],
        &["claim", "ledger"],
        &[
            "claim",
            "add",
            "mira\u{202e}",
            "says\u{200b}",
            "third",
            "--source",
            &note,
        ],
    ] {
        for form in [&[][..], &["--json"]] {
            let shown = place.run([args, form].concat()).ok().stdout();
            let bad = ['\u{1b}', '\u{202e}', '\u{200b}'];
            assert!(!shown.contains(bad), "{args:?}: {shown:?}");
        }
    }
    let drawn = std::fs::read_to_string(svg).unwrap();
    assert!(!drawn.contains(['\u{1b}', '\u{202e}', '\u{200b}']));
}

/// CLM-47: a reader waits for no writer. A writer is refused after a while.
#[test]
fn a_reader_is_answered_while_another_program_writes() {
    let place = Place::new();
    added(&place, &["mira", "drinks", "tea"], "committed");
    let before = place.state();
    let other = rusqlite::Connection::open(place.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut writer = place.command();
    writer.args(["remember", "x"]).stderr(Stdio::piped());
    let writer = writer.spawn().unwrap();
    for args in [
        &["believe", "mira"][..],
        &["why", "mira", "drinks"],
        &["timeline", "mira"],
    ] {
        let began = std::time::Instant::now();
        let ran = place.run(args);
        assert!(ran.ok().stdout().contains("tea"), "{args:?}");
        assert!(began.elapsed().as_secs() < 5, "{args:?}");
    }
    let refused = Ran(writer.wait_with_output().unwrap());
    refused.refused(4, "locked by another process");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(place.state(), before);
    place.run(["remember", "x"]).ok();
}
