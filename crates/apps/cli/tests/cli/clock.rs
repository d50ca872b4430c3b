//! A clock that leaps, and goes back: the program under libfaketime (docs/format/capsule.md, Time).

use std::process::{Command, Stdio};

use crate::place::{BINARY, Place, Ran};

/// Ten years ahead, as faketime writes it.
const TEN_YEARS: &str = "+3650d";

/// Returns whether the program can be run under another clock. CI has to have it.
fn has_faketime() -> bool {
    let found = Command::new("faketime").arg("--version").output().is_ok();
    let required = std::env::var_os("COUNTERFOIL_REQUIRES_FAKETIME").is_some();
    assert!(
        found || !required,
        "faketime is missing: apt-get install faketime"
    );
    if !found {
        eprintln!("SKIPPED: there is no faketime, so no clock was set: apt-get install faketime");
    }
    found
}

/// Runs the program with the clock `ahead` of the present.
fn ahead(ahead: &str, place: &Place, args: &[&str]) -> Ran {
    let mut command = Command::new("faketime");
    command
        .args(["-f", ahead, BINARY])
        .env_remove("COUNTERFOIL_DIR");
    command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command.arg("--dir").arg(place.dir()).args(args);
    Ran(command.stdin(Stdio::null()).output().unwrap())
}

/// One write under a clock ten years ahead dated every later entry, and nothing said so.
#[test]
fn a_leap_is_asked_about_and_a_log_ahead_of_the_clock_is_reported() {
    if !has_faketime() {
        return;
    }
    let place = Place::new();
    place.run(["doctor"]).ok();
    ahead("+360d", &place, &["remember", "rested for a year"]).ok();
    let refused = ahead(TEN_YEARS, &place, &["remember", "leap"]);
    refused.refused(4, "--accept-clock");
    ahead(
        TEN_YEARS,
        &place,
        &["claim", "add", "ada", "town", "Lisbon"],
    )
    .refused(4, "days after");
    let (capsules, other) = (place.folder().join("capsules"), Place::new());
    let capsules = capsules.to_str().unwrap();
    place.run(["export", "-o", capsules]).ok();
    let received = ["import", capsules, "--format", "capsules"];
    ahead(TEN_YEARS, &other, &received).refused(4, "--accept-clock");
    place.file("store/clock.toml", b"max-leap-days = 4000");
    ahead(TEN_YEARS, &place, &["remember", "let by the setting"]).ok();
    std::fs::remove_file(place.dir().join("clock.toml")).unwrap();
    ahead(
        "+7300d",
        &place,
        &["remember", "accepted", "--accept-clock"],
    )
    .ok();

    let back = place.run(["remember", "back"]);
    let said = back.ok().stderr();
    assert!(
        said.contains("ahead of the clock by 7299 days, since entry 1"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    let written = place.json(["claim", "add", "ada", "town", "Lisbon"]);
    assert_eq!(written["logAhead"]["sinceIndex"], 1, "{written}");
    assert!(written["logAhead"]["seconds"].as_u64().unwrap() > 7_299 * 86_400);
    assert!(place.json(["recall", "back"])["logAhead"].is_null());
    let doctor = place.run(["doctor"]);
    assert!(
        doctor.code(1).stdout().contains("BAD  clock"),
        "{}",
        doctor.stdout()
    );
    // The clock has caught up.
    assert_eq!(
        ahead("+7301d", &place, &["remember", "later"])
            .ok()
            .stderr(),
        ""
    );
}
