//! A clock that leaps, and goes back: the program under libfaketime (docs/format/capsule.md, Time).

use std::process::{Command, Stdio};

use crate::place::{BINARY, Place, Ran};

/// Ten years ahead, as faketime writes it.
const TEN_YEARS: &str = "+3650d";

/// Returns whether the program can be run under another clock. CI has to have it.
pub(crate) fn has_faketime() -> bool {
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
pub(crate) fn ahead(ahead: &str, place: &Place, args: &[&str]) -> Ran {
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
    place.run(["check"]).ok();
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
    let doctor = place.run(["check"]);
    assert!(
        doctor.code(1).stdout().contains("BAD   clock"),
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

/// The scenario of a user: the clock was ten years ahead for a while, and nothing brought it back.
#[test]
fn a_corrected_clock_counts_again() {
    if !has_faketime() {
        return;
    }
    let place = Place::new();
    let correct = ["clock", "correct", "--reason", "a dead battery"];
    place.run(correct).refused(3, "nothing to correct");
    place.json(["claim", "add", "ada", "role", "cook"]);
    let moment = place.json(["believe", "ada", "role"])["asOf"].clone();
    let moment = moment.as_str().unwrap();
    let known = || {
        let belief = place.json(["believe", "ada", "role", "--as-of", moment]);
        (belief, place.json(["as-of", moment]))
    };
    let before = known();
    let fault = ["claim", "add", "ada", "town", "Lisbon", "--accept-clock"];
    ahead(TEN_YEARS, &place, &fault).ok();
    let currency = |predicate: &str| {
        let belief = place.json(["believe", "ada", predicate]);
        belief["sides"][0]["currency"].as_str().unwrap().to_owned()
    };
    assert_eq!(currency("role"), "decayed");

    let corrected = place.json(correct);
    assert_eq!(corrected["sinceIndex"], 2, "{corrected}");
    let at = corrected["recordedAt"].as_str().unwrap();
    assert!(at < "2036", "{at}");
    let doctor = place.run(["check"]);
    assert!(doctor.ok().stdout().contains("ok    clock"));
    let fresh = place.run([
        "claim",
        "add",
        "ada",
        "street",
        "Rua Nova",
        "--from",
        "2020-01-01",
    ]);
    assert_eq!(fresh.ok().stderr(), "");
    for predicate in ["role", "town", "street"] {
        assert_eq!(currency(predicate), "fresh", "{predicate}");
    }
    let town = place.json(["history", "ada", "town"]);
    let at = at.trim_end_matches(['0', 'Z']);
    assert!(town.to_string().contains(at), "{town}");
    assert_eq!(known(), before);

    let [proof, anchors] = ["proof", "anchors"].map(|name| place.folder().join(name));
    let [proof, anchors] = [&proof, &anchors].map(|path| path.to_str().unwrap());
    place.run(["prove", "ada", "street", "-o", proof]).ok();
    place.run(["anchors", "-o", anchors]).ok();
    let verified = ["verify-belief", proof, "--anchors", anchors];
    place.run(verified).ok();
    let prove = place.run(["prove", "ada", "town"]);
    assert!(
        prove.stderr().contains("was corrected"),
        "{}",
        prove.stderr()
    );
    for check in [&["check", "--deep"][..], &["rebuild"], &["check", "--deep"]] {
        place.run(check).ok();
    }
    assert_eq!((currency("town"), known()), ("fresh".into(), before));
    // A leap is measured from the time that counts.
    let leap = ahead(TEN_YEARS, &place, &["remember", "leap"]);
    leap.refused(4, "--accept-clock");
    let aged = ahead("+100d", &place, &["believe", "ada", "town"]);
    assert!(aged.ok().stdout().contains("decayed"));
}
