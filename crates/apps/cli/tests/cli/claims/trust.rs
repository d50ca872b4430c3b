//! Who says it, echoes of recall, and what may be read without a secret.

use serde_json::json;

use super::{add, added, believe, held, remember};
use crate::place::{Place, Ran};

/// I5, CLM-21, CLM-37: a model's word changes nothing that others have said.
#[test]
fn a_model_never_overturns_the_user() {
    let place = Place::new();
    let tea = added(&place, &["mira", "drinks", "tea"], "committed");
    let inferred = add(
        &place,
        &[
            "mira",
            "drinks",
            "gin",
            "--channel",
            "model",
            "--supersedes",
            &tea,
        ],
    );
    assert_eq!(inferred["disposition"], "committed_inferred");
    assert_eq!(inferred["because"]["ignored"], json!([tea]));
    let belief = believe(&place, &["mira", "drinks"]);
    assert_eq!(held(&belief).1, [&json!("tea")]);
    assert_eq!(belief["markers"], json!(["model_dissent"]));
    let told = place.run(["believe", "mira", "drinks"]).ok().stdout();
    assert!(
        told.contains("a model says otherwise") && told.contains("gin"),
        "{told}"
    );
    let refused = ["claim", "end", &tea, "--channel", "model"];
    place.run(refused).refused(3, "may not assert this");
    let note = remember(&place, "a note");
    added(
        &place,
        &["mira", "drinks", "rum", "--channel", "first-hand"],
        "contested",
    );
    let verdict = [
        "adjudicate",
        &tea,
        "deny",
        "--evidence",
        &note,
        "--channel",
        "model",
    ];
    place.run(verdict).refused(3, "may not assert this");
}

/// Only a model says so: it is believed, and the reader is told.
#[test]
fn what_only_a_model_says_is_marked() {
    let place = Place::new();
    let first = added(
        &place,
        &["mira", "likes", "cats", "--channel", "model"],
        "committed_inferred",
    );
    let belief = believe(&place, &["mira", "likes"]);
    assert_eq!(
        (&belief["status"], &belief["support"]),
        (&json!("timing_uncertain"), &json!("inferred"))
    );
    let told = place.run(["believe", "mira"]).ok().stdout();
    assert!(told.contains("by a model"), "{told}");
    let mut last = first;
    let mut became = Vec::new();
    for predicate in ["a", "b"] {
        let args = [
            "mira",
            predicate,
            "x",
            "--channel",
            "model",
            "--derived-from",
            &last,
        ];
        let answer = add(&place, &args);
        became.push(answer["disposition"].as_str().unwrap().to_owned());
        last = super::reference(&answer);
    }
    assert_eq!(
        became,
        ["committed_inferred", "quarantined"],
        "the depth is limited"
    );
    assert_eq!(believe(&place, &["mira", "b"])["status"], "no_belief");
    let told = place.run(["claim", "show", &last]).ok().stdout();
    assert!(told.contains("too far from any evidence"), "{told}");
    let released = ["claim", "release", &last, "--channel", "model"];
    place.run(released).refused(3, "may not assert this");
    assert_eq!(
        place.json(["claim", "release", &last])["disposition"],
        "released"
    );
    assert_eq!(believe(&place, &["mira", "b"])["support"], "inferred");
}

/// I6, CLM-14: what was handed out and comes back counts for nothing, whatever the channel.
#[test]
fn an_echo_gains_nothing() {
    let place = Place::new();
    let tea = added(&place, &["mira", "drinks", "tea"], "committed");
    let before = believe(&place, &["mira", "drinks"]);
    for channel in ["model", "first-hand", "user"] {
        let echo = add(&place, &["mira", "drinks", "tea", "--channel", channel]);
        assert_eq!(echo["disposition"], "corroborated", "{echo:#}");
        assert_eq!(echo["ref"], tea.as_str());
        assert_eq!(echo["because"]["reEntry"], true);
        assert_eq!(echo.get("unit"), None, "nothing was written");
    }
    let told = place
        .run(["claim", "add", "mira", "drinks", "tea"])
        .ok()
        .stdout();
    assert!(told.contains("an echo counts for nothing"), "{told}");
    let after = believe(&place, &["mira", "drinks"]);
    assert_eq!(after["sides"], before["sides"]);
}

/// CLM-16: a burst of echoes is kept apart.
#[test]
fn a_loop_of_echoes_is_stopped() {
    let place = Place::new();
    added(&place, &["mira", "drinks", "tea"], "committed");
    believe(&place, &["mira", "drinks"]);
    let mut last = json!(null);
    for _ in 0..66 {
        last = add(&place, &["mira", "drinks", "tea", "--channel", "model"]);
    }
    assert_eq!(last["disposition"], "quarantined");
    assert_eq!(last["because"]["burst"], true);
    assert!(last["next"][0].as_str().unwrap().contains("wait a minute"));
}

/// Reading asks for no passphrase; writing does, as `remember` does.
#[test]
fn sealed_keys_are_needed_to_write_and_not_to_read() {
    let place = Place::new();
    added(&place, &["mira", "drinks", "tea"], "committed");
    let claim = added(&place, &["mira", "drinks", "rum"], "contested");
    let file = place.file("passphrase", b"correct horse\n");
    let file = file.to_str().unwrap();
    place
        .run(["key", "encrypt", "--passphrase-file", file])
        .ok();
    for args in [
        &["believe", "mira"][..],
        &["believe", "mira", "drinks"],
        &["why", "mira", "drinks"],
        &["history", "mira", "drinks"],
        &["contested"],
        &["pending"],
        &["timeline", "mira"],
        &["claim", "show", &claim],
        &["claim", "ledger"],
        &["claim", "did", "k"],
    ] {
        let ran = place.run(args);
        assert!(ran.ok().stderr().is_empty(), "{args:?}: {}", ran.stderr());
    }
    let write = ["claim", "add", "mira", "drinks", "milk"];
    place.run(write).refused(4, "COUNTERFOIL_PASSPHRASE");
    let opened = [&write[..], &["--passphrase-file", file]].concat();
    place.run(opened).ok();
    // With the passphrase at hand, what is handed out is noted.
    let asked = place.command();
    let mut asked = asked;
    let output = asked
        .env("COUNTERFOIL_PASSPHRASE", "correct horse")
        .args(["believe", "mira", "drinks"])
        .output()
        .unwrap();
    Ran(output).ok();
    let ledger = place.run(["claim", "ledger"]).ok().stdout();
    assert!(ledger.contains("handed out 1 time"), "{ledger}");
}

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
        &["mira\u{202e}", "says\u{200b}", "other"],
        "contested",
    );
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
        &["claim", "add", "mira\u{202e}", "says\u{200b}", "third"],
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

/// CLM-47: what was handed out cannot be noted then; the answer is given all the same.
#[test]
fn a_reader_is_answered_while_another_program_writes() {
    let place = Place::new();
    added(&place, &["mira", "drinks", "tea"], "committed");
    let other = rusqlite::Connection::open(place.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
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
    other.execute_batch("ROLLBACK").unwrap();
    let ledger = place.run(["claim", "ledger"]).ok().stdout();
    assert!(!ledger.contains("handed out"), "{ledger}");
}

/// A restored backup is read, and takes no claim: it would sign a second history.
#[test]
fn a_restored_backup_is_asked_and_not_told() {
    let place = Place::new();
    added(&place, &["mira", "drinks", "tea"], "committed");
    let backup = std::fs::read(place.database()).unwrap();
    added(&place, &["mira", "drinks", "rum"], "contested");
    std::fs::write(place.database(), backup).unwrap();
    let belief = believe(&place, &["mira", "drinks"]);
    assert_eq!(held(&belief).1, [&json!("tea")]);
    let said = ["claim", "add", "mira", "drinks", "milk"];
    place.run(said).refused(4, "counterfoil reconcile");
}

/// I9, CLM-48: of programs that contradict each other at the same time, one is first, and the others know of it.
#[test]
fn of_programs_that_contradict_each_other_one_is_first() {
    let place = Place::new();
    let started: Vec<_> = (0..8)
        .map(|at| {
            let value = format!("value {at}");
            let mut command = place.command();
            command.args(["--json", "claim", "add", "mira", "drinks", &value]);
            command
                .stdout(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let reader = place.run(["believe", "mira", "drinks"]);
    reader.ok();
    let mut rivals: Vec<u64> = started
        .into_iter()
        .map(|program| {
            let answer = Ran(program.wait_with_output().unwrap()).ok().json();
            let rivals = answer["because"]["rivalCount"].as_u64().unwrap_or(0);
            let expected = if rivals == 0 {
                "committed"
            } else {
                "contested"
            };
            assert_eq!(answer["disposition"], expected);
            rivals
        })
        .collect();
    rivals.sort_unstable();
    assert_eq!(
        rivals,
        [0, 1, 2, 3, 4, 5, 6, 7],
        "each knows of all before it"
    );
    let belief = believe(&place, &["mira", "drinks"]);
    assert_eq!(held(&belief).1.len(), 8);
}
