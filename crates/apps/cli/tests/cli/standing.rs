//! How memories stand reaches whoever decides: through the command line, from a real store to an authority without one.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::heads::copy;
use crate::place::{BINARY, Place, Ran};

/// Proposes with what `query` recalls, and verifies the proposal under a policy.
fn verified(place: &Place, query: &str, policy: &str, more: &[&str]) -> Value {
    let proposal = place.folder().join("proposal.json");
    let (proposal, anchors) = (proposal.to_str().unwrap(), anchors(place));
    let recall = [
        "propose",
        "--summary",
        "s",
        "--recall",
        query,
        "-o",
        proposal,
    ];
    place.run(recall.iter().chain(more)).ok();
    review(place, proposal, &anchors, policy).json()
}

fn review(place: &Place, proposal: &str, anchors: &str, policy: &str) -> Ran {
    let policy = place.file("policy.toml", policy.as_bytes());
    let policy = policy.to_str().unwrap();
    place.run([
        "--json",
        "verify",
        proposal,
        "--anchors",
        anchors,
        "--policy",
        policy,
    ])
}

fn anchors(place: &Place) -> String {
    let anchors = place.folder().join("anchors.json");
    let anchors = anchors.to_str().unwrap().to_owned();
    place.run(["anchors", "-o", &anchors]).ok();
    anchors
}

const STANDARD: &str = "preset = \"standard\"\n";
const HIGH_RISK: &str = "preset = \"high-risk\"\n";

/// Outcome or code of each memory, by the text or value that it shows.
fn outcomes(report: &Value) -> Vec<(String, String)> {
    let memories = report["memories"].as_array().unwrap().iter();
    let mut outcomes: Vec<_> = memories
        .map(|memory| {
            let words = memory["words"]["fields"].as_array().unwrap();
            let path = |field: &&Value| {
                ["/data/text", "/data/value"].contains(&field["path"].as_str().unwrap())
            };
            let words = words.iter().find(path).unwrap()["value"].as_str().unwrap();
            let code = memory.get("code").unwrap_or(&memory["outcome"]);
            (words.to_owned(), code.as_str().unwrap().to_owned())
        })
        .collect();
    outcomes.sort();
    outcomes
}

fn assert_outcomes(report: &Value, decision: &str, expected: &[(&str, &str)]) {
    let expected = expected
        .iter()
        .map(|(words, code)| ((*words).to_owned(), (*code).to_owned()));
    assert_eq!(outcomes(report), expected.collect::<Vec<_>>());
    assert_eq!(report["decision"], decision, "{report}");
}

#[test]
fn an_earlier_version_is_told_from_the_current_one() {
    let place = Place::new();
    let id = place.json(["remember", "The boat shed key hangs in Ghent"])["id"].clone();
    let update = [
        "update",
        id.as_str().unwrap(),
        "--set",
        "/text=The boat shed key hangs in Bruges",
    ];
    place.run(update).ok();
    let current = verified(&place, "boat shed key", HIGH_RISK, &[]);
    assert_outcomes(
        &current,
        "approved",
        &[("The boat shed key hangs in Bruges", "proven")],
    );
    assert_eq!(current["memories"][0]["standing"], json!({"current": true}));
    let both = verified(&place, "boat shed key", HIGH_RISK, &["--all-versions"]);
    let of_both = [
        ("The boat shed key hangs in Bruges", "proven"),
        ("The boat shed key hangs in Ghent", "superseded"),
    ];
    assert_outcomes(&both, "rejected", &of_both);
    // The standard lets the past be cited, and names it.
    let told = verified(&place, "boat shed key", STANDARD, &["--all-versions"]);
    assert_eq!(told["decision"], "approved");
    let memories = told["memories"].as_array().unwrap();
    let past = memories
        .iter()
        .find(|memory| memory["standing"]["current"] == false)
        .unwrap();
    assert_eq!(past["standing"]["by"], json!({"superseded": "2"}));
    let later = memories
        .iter()
        .find(|memory| memory["standing"]["current"] == true)
        .unwrap();
    assert_eq!(past["standing"]["successor"], later["worldId"]);
}

/// Both sides of a contest, and a model's guess beside what a user said, were approved under the strictest policy.
#[test]
fn a_claim_is_judged_by_the_belief_that_it_stands_in() {
    let place = Place::new();
    let add = |value: &str, more: &[&str]| {
        let line = [
            "--json", "claim", "add", "mira", "drinks", value, "--from", "2020",
        ];
        place.run(line.iter().chain(more)).json()["ref"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let tea = add("tea", &[]);
    for policy in [HIGH_RISK, STANDARD] {
        let report = verified(&place, "mira drinks", policy, &[]);
        assert_outcomes(&report, "approved", &[("tea", "proven")]);
        assert_eq!(
            report["memories"][0]["standing"],
            json!({"current": true, "claim": "believed"})
        );
    }
    add("rum", &["--channel", "model"]);
    for policy in [HIGH_RISK, STANDARD] {
        let report = verified(&place, "mira drinks", policy, &[]);
        assert_outcomes(
            &report,
            "rejected",
            &[("rum", "not-believed"), ("tea", "proven")],
        );
    }
    let gin = add("gin", &["--channel", "first-hand"]);
    for policy in [HIGH_RISK, STANDARD] {
        let report = verified(&place, "mira drinks", policy, &[]);
        let contested = [
            ("gin", "contested"),
            ("rum", "not-believed"),
            ("tea", "contested"),
        ];
        assert_outcomes(&report, "rejected", &contested);
    }
    // What a policy does not ask for is shown all the same.
    let lax = verified(&place, "mira drinks", "preset = \"manifesto\"\n", &[]);
    assert_eq!(lax["decision"], "approved");
    assert_eq!(lax["memories"][0]["standing"]["claim"], "contested");
    // Settled, the winner is believed, and the other one is the past.
    place.run(["claim", "supersede", &tea, "--by", &gin]).ok();
    let settled = verified(&place, "mira drinks gin", HIGH_RISK, &["--max", "1"]);
    assert_outcomes(&settled, "approved", &[("gin", "proven")]);
    // A model alone is no source for what carries high risk.
    let alone = [
        "claim",
        "add",
        "mira",
        "owns",
        "a kayak",
        "--from",
        "2020",
        "--channel",
        "model",
    ];
    place.run(alone).ok();
    assert_eq!(
        verified(&place, "mira owns kayak", STANDARD, &["--max", "1"])["decision"],
        "approved"
    );
    let inferred = verified(&place, "mira owns kayak", HIGH_RISK, &["--max", "1"]);
    assert_outcomes(&inferred, "rejected", &[("a kayak", "not-external")]);
}

/// A proposal whose belief lost its last units was approved as resolved. Without signature anybody can cut it.
#[test]
fn a_belief_without_its_last_units_is_not_taken() {
    let place = Place::new();
    for (value, channel) in [("tea", "user"), ("gin", "first-hand")] {
        let add = ["claim", "add", "mira", "drinks", value, "--from", "2020"];
        place
            .run(add.into_iter().chain(["--channel", channel]))
            .ok();
    }
    let path = place.folder().join("proposal.json");
    let propose = [
        "propose",
        "--summary",
        "s",
        "--recall",
        "mira drinks tea",
        "--max",
        "1",
        "--unsigned",
        "-o",
    ];
    place
        .run(propose.iter().copied().chain([path.to_str().unwrap()]))
        .ok();
    let anchors = anchors(&place);
    let whole: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let unsigned = "require_signed = false\nrequire_same_actor = false\n";
    for (cut, code) in [
        ("nothing", "contested"),
        ("units", "belief-refused"),
        ("line", "belief-missing"),
        ("reference", "belief-missing"),
        ("belief", "attestations-invalid"),
    ] {
        let mut proposal = whole.clone();
        let attestations = &mut proposal["trace"]["context"]["attestations"];
        let memory = attestations["memories"]
            .as_object_mut()
            .unwrap()
            .values_mut()
            .next()
            .unwrap();
        match cut {
            "reference" => drop(memory.as_object_mut().unwrap().remove("belief")),
            "belief" => attestations["beliefs"] = json!("none"),
            "line" => drop(
                attestations["beliefs"][0]
                    .as_object_mut()
                    .unwrap()
                    .remove("line"),
            ),
            "units" => attestations["beliefs"][0]["units"]
                .as_array_mut()
                .unwrap()
                .truncate(1),
            _ => {}
        }
        fs::write(&path, proposal.to_string()).unwrap();
        let report = review(&place, path.to_str().unwrap(), &anchors, unsigned).json();
        let found = match cut {
            "belief" => &report["reasons"][0]["code"],
            _ => &report["memories"][0]["code"],
        };
        assert_eq!(found, code, "{cut}");
        assert_ne!(report["decision"], "approved");
    }
}

/// What a stolen key signed is named as such, also to an authority that has not heard of the theft.
#[test]
fn a_memory_of_a_stolen_key_is_refused() {
    let place = Place::new();
    place.run(["remember", "Pay the rent to Nadia"]).ok();
    let anchors = anchors(&place);
    let path = place.folder().join("proposal.json");
    let path = path.to_str().unwrap();
    let decided = || {
        place
            .run(["propose", "--summary", "s", "--recall", "rent", "-o", path])
            .ok();
        review(&place, path, &anchors, HIGH_RISK).json()
    };
    assert_outcomes(
        &decided(),
        "approved",
        &[("Pay the rent to Nadia", "proven")],
    );
    place
        .run([
            "key",
            "compromise",
            "--from",
            "1",
            "--reason",
            "laptop stolen",
        ])
        .ok();
    assert_outcomes(
        &decided(),
        "rejected",
        &[("Pay the rent to Nadia", "compromised")],
    );
}

/// A store with a note, of which a copy has gone on otherwise: the id of the note, and the file of what the copy exports.
fn parted() -> (Place, String, String) {
    let place = Place::new();
    let id = place.json(["remember", "The boat shed key hangs in Ghent"])["id"].clone();
    let id = id.as_str().unwrap().to_owned();
    let twin = place.folder().join("twin");
    copy(&place.dir(), &twin);
    let set = |city| format!("/text=The boat shed key hangs in {city}");
    place.run(["update", &id, "--set", &set("Bruges")]).ok();
    let export = place.folder().join("twin.jsonl");
    let export = export.to_str().unwrap().to_owned();
    for command in [
        &["update", &id, "--set", &set("Lille")][..],
        &["export", "-o", &export],
    ] {
        let mut twice = Command::new(BINARY);
        twice.env("COUNTERFOIL_STATE_DIR", place.state_folder());
        Ran(twice
            .arg("--dir")
            .arg(&twin)
            .args(command)
            .output()
            .unwrap())
        .ok();
    }
    (place, id, export)
}

fn assert_forked(place: &Place) {
    for policy in [HIGH_RISK, STANDARD] {
        let report = verified(place, "boat shed key", policy, &[]);
        let expected = [("The boat shed key hangs in Bruges", "forked")];
        assert_outcomes(&report, "rejected", &expected);
    }
}

/// A version of a chain that its agent signed twice was approved as current, since the other branch lies beside the log.
#[test]
fn a_forked_memory_is_refused_until_a_branch_is_chosen() {
    for (side, kept) in [("accepted", "Bruges"), ("others", "Lille")] {
        let (place, id, export) = parted();
        let kept = format!("The boat shed key hangs in {kept}");
        let of_both = verified(&place, "boat shed key", HIGH_RISK, &[]);
        assert_eq!(of_both["decision"], "approved");
        place.run(["import", &export]).code(1);
        // The import records the fork, and no proposal does so again.
        let size = || place.run(["log", "checkpoint"]).stdout();
        assert_eq!(size().lines().nth(1), Some("4"));
        assert_forked(&place);
        assert_eq!(size().lines().nth(1), Some("4"));
        let fork = place.json(["fork", "list"])["forks"][0].clone();
        let keep = fork[side].as_str().or(fork[side][0].as_str()).unwrap();
        let resolve = [
            "fork",
            "resolve",
            &id,
            "--operator",
            "--reason",
            "r",
            "--keep",
            keep,
        ];
        place.run(resolve).ok();
        for policy in [HIGH_RISK, STANDARD] {
            let report = verified(&place, &kept, policy, &["--max", "1"]);
            assert_outcomes(&report, "approved", &[(&kept, "proven")]);
        }
        place.run(["check", "--deep"]).ok();
    }
}

/// Without the agent's key a fork is seen and not recorded; the next proposal with the key does.
#[test]
fn a_fork_that_was_seen_without_the_key_is_recorded_before_a_proposal() {
    let (place, _, export) = parted();
    let (key, away) = (place.keys().join("agent.key"), place.folder().join("away"));
    fs::rename(&key, &away).unwrap();
    let import = place.run(["import", &export]);
    assert!(
        import
            .code(1)
            .stderr()
            .contains("a fork is not in the log yet")
    );
    fs::rename(&away, &key).unwrap();
    assert_forked(&place);
}
