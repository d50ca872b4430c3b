//! The main job, through the real binary: import, recall with proof, propose, decide.

use std::fs;

use crate::place::{Place, SAMPLE};
use serde_json::Value;

/// M-2, M-9, CR-17, FP-02: what is recalled is proven, and the proposal carries the trace of it.
#[test]
fn a_proposal_on_recalled_memories_is_approved_by_anchors_alone() {
    let place = Place::new();
    place.run(["import", SAMPLE]).ok();
    let anchors = place.folder().join("anchors.json");
    place
        .run(["anchors".as_ref(), "-o".as_ref(), anchors.as_os_str()])
        .ok();
    let trace = place.json(["recall", "Which allergy does Kit have?", "--max", "3"]);
    let selected = trace["selected"].as_array().unwrap();
    assert_eq!(selected.len(), 3);
    for memory in selected {
        assert_eq!(memory["verified"], true);
        assert_eq!(memory["evidence"]["method"], "merkle");
    }
    let proposal = place.folder().join("proposal.json");
    let propose = [
        "propose",
        "--summary",
        "Bake without sesame",
        "--recall",
        "Kit's allergy",
    ];
    let mut args: Vec<_> = propose.iter().map(AsRef::as_ref).collect();
    args.extend([
        "--recall".as_ref(),
        "birthday cake".as_ref(),
        "-o".as_ref(),
        proposal.as_os_str(),
    ]);
    place.run(args).ok();
    let verify = [
        "verify".as_ref(),
        proposal.as_os_str(),
        "--anchors".as_ref(),
        anchors.as_os_str(),
    ];
    let verified = place.run(verify);
    assert!(verified.ok().stdout().contains("APPROVED"));
    // The authority needs no store: it decides the same when there is none.
    fs::remove_dir_all(place.dir()).unwrap();
    assert_eq!(
        place.run(verify).ok().stdout().lines().count(),
        verified.stdout().lines().count()
    );
}

/// The record's own ids find their turns among the first ten for most questions.
#[test]
fn the_questions_of_the_sample_are_answered() {
    let place = Place::new();
    place.run(["import", SAMPLE]).ok();
    let questions = fs::read_to_string(SAMPLE.replace("record", "questions")).unwrap();
    let mut recalled = 0.0;
    let mut count = 0.0;
    for line in questions.lines() {
        let question: Value = serde_json::from_str(line).unwrap();
        let trace = place.json([
            "recall",
            question["question"].as_str().unwrap(),
            "--max",
            "10",
        ]);
        let found: Vec<String> = trace["selected"]
            .as_array()
            .unwrap()
            .iter()
            .map(|memory| {
                let shown = place.json(["show", memory["ref"]["worldId"].as_str().unwrap()]);
                shown["world"]["data"]["source"]["id"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        let wanted = question["ids"].as_array().unwrap();
        let hits = wanted
            .iter()
            .filter(|id| found.iter().any(|it| *id == it))
            .count();
        recalled += f64::from(u32::try_from(hits).unwrap())
            / f64::from(u32::try_from(wanted.len()).unwrap());
        count += 1.0;
    }
    assert!(recalled / count > 0.6, "recall@10 is {}", recalled / count);
}

#[test]
fn a_note_is_remembered_recalled_and_shown() {
    let place = Place::new();
    let made = place.json(["remember", "the spare key hangs behind the clock"]);
    assert_eq!(
        (made["index"].as_u64(), made["treeSize"].as_u64()),
        (Some(1), Some(2)),
        "the key chain stands before it"
    );
    let id = made["worldId"].as_str().unwrap();
    let trace = place.json(["recall", "spare key"]);
    assert_eq!(trace["selected"][0]["ref"]["worldId"], id);
    assert_eq!(trace["atWorldId"], id);
    let shown = place.json(["show", id]);
    assert_eq!(
        shown["world"]["data"]["text"],
        "the spare key hangs behind the clock"
    );
    assert_eq!(shown["capsule"]["world"], id);
    assert!(shown["receipt"]["tlogProof"].is_string());
    assert!(
        place
            .run(["show", id])
            .ok()
            .stdout()
            .contains("behind the clock")
    );
}

#[test]
fn text_comes_from_standard_input_and_documents_from_a_file() {
    let place = Place::new();
    place
        .run_with_input(["remember", "-"], "two\nlines\n".as_bytes())
        .ok();
    let file = place.file("fact.json", br#"{"plan": {"city": "Ghent"}}"#);
    let made = place.json(["remember".as_ref(), "--file".as_ref(), file.as_os_str()]);
    let shown = place.json(["show", made["worldId"].as_str().unwrap()]);
    assert_eq!(shown["world"]["data"]["plan"]["city"], "Ghent");
    let trace = place.json(["recall", "ghent"]);
    assert_eq!(trace["selected"][0]["ref"]["worldId"], made["worldId"]);
}

#[test]
fn an_empty_store_recalls_nothing_and_stands_at_genesis() {
    let place = Place::new();
    let trace = place.json(["recall", "anything"]);
    assert_eq!(trace["atWorldId"], "genesis");
    assert_eq!(trace["selected"], Value::Array(Vec::new()));
    assert!(
        place
            .run(["recall", "anything"])
            .ok()
            .stdout()
            .contains("Nothing found")
    );
}

#[test]
fn constraints_narrow_what_is_recalled() {
    let place = Place::with_memories();
    let texts = |args: &[&str]| place.json(args)["selected"].as_array().unwrap().len();
    assert_eq!(
        texts(&["recall", "heron key"]),
        2 + 3,
        "the neighbours count too"
    );
    assert_eq!(
        texts(&["recall", "heron key", "--after", "2025-04-01", "--max", "1"]),
        1
    );
    let early = place.json([
        "recall",
        "heron key",
        "--before",
        "2025-04-01",
        "--max",
        "1",
    ]);
    let shown = place.json([
        "show",
        early["selected"][0]["ref"]["worldId"].as_str().unwrap(),
    ]);
    assert_eq!(shown["world"]["data"]["source"]["id"], "1:1");
    assert_eq!(
        texts(&["recall", "heron key", "--min-confidence", "1"]),
        1 + 1
    );
    assert_eq!(
        texts(&[
            "recall",
            "heron key",
            "--require-verified",
            "--method",
            "none"
        ]),
        0
    );
    assert_eq!(
        texts(&[
            "recall",
            "heron key",
            "--require-evidence",
            "--method",
            "signature"
        ]),
        5
    );
}

/// SR-01: what each method proves to an authority that asks for the log.
#[test]
fn verify_exits_with_the_decision() {
    let place = Place::with_memories();
    let anchors = place.folder().join("anchors.json");
    place
        .run(["anchors".as_ref(), "-o".as_ref(), anchors.as_os_str()])
        .ok();
    let decide = |method: &str, policy: &str| {
        let proposal = place.folder().join(format!("{method}.json"));
        place
            .run([
                "propose".as_ref(),
                "--summary".as_ref(),
                "Cut a key".as_ref(),
                "--recall".as_ref(),
                "heron key".as_ref(),
                "--method".as_ref(),
                method.as_ref(),
                "-o".as_ref(),
                proposal.as_os_str(),
            ])
            .ok();
        let policy = place.file("policy.toml", policy.as_bytes());
        let verify = place.run([
            "verify".as_ref(),
            proposal.as_os_str(),
            "--anchors".as_ref(),
            anchors.as_os_str(),
            "--policy".as_ref(),
            policy.as_os_str(),
        ]);
        verify.0.status.code().unwrap()
    };
    assert_eq!(decide("merkle", "preset = \"standard\"\n"), 0);
    assert_ne!(decide("none", "preset = \"high-risk\"\n"), 0);
}

#[test]
fn later_receipts_prove_that_the_log_continues_from_the_floor() {
    let place = Place::with_memories();
    let anchors = place.folder().join("anchors.json");
    place
        .run(["anchors".as_ref(), "-o".as_ref(), anchors.as_os_str()])
        .ok();
    let first = fs::read_to_string(&anchors).unwrap();
    for number in 0..3 {
        place
            .run(["remember", &format!("heron key number {number}")])
            .ok();
    }
    place
        .run(["anchors".as_ref(), "-o".as_ref(), anchors.as_os_str()])
        .ok();
    assert_eq!(
        fs::read_to_string(&anchors).unwrap(),
        first,
        "the floor that was given out stays"
    );
    let decide = |floor: &[&str]| {
        let proposal = place.folder().join("proposal.json");
        let mut args = vec![
            "propose",
            "--summary",
            "Cut a key",
            "--recall",
            "heron key",
            "-o",
        ];
        args.push(proposal.to_str().unwrap());
        args.extend(floor);
        place.run(args).ok();
        place.run([
            "verify".as_ref(),
            proposal.as_os_str(),
            "--anchors".as_ref(),
            anchors.as_os_str(),
        ])
    };
    decide(&[]).ok();
    decide(&["--floor", "0"]).code(1);
    place
        .run([
            "anchors".as_ref(),
            "--renew-floor".as_ref(),
            "-o".as_ref(),
            anchors.as_os_str(),
        ])
        .ok();
    assert!(
        fs::read_to_string(&anchors)
            .unwrap()
            .contains("\"size\":\"9\"")
    );
    decide(&[]).ok();
    let bare = place.run(["anchors", "--no-floor"]);
    assert!(!bare.ok().stdout().contains("floor"));
}

#[test]
fn an_intent_is_taken_from_a_file() {
    let place = Place::with_memories();
    let body = place.file(
        "body.json",
        br#"{"type":"order.place","input":{"sacks":9}}"#,
    );
    let propose = |intent: &std::path::Path| {
        place.json([
            "propose".as_ref(),
            "--summary".as_ref(),
            "s".as_ref(),
            "--recall".as_ref(),
            "key".as_ref(),
            "--intent".as_ref(),
            intent.as_os_str(),
        ])
    };
    let proposal = propose(&body);
    assert_eq!(proposal["intent"]["body"]["type"], "order.place");
    assert_eq!(
        proposal["intent"]["meta"]["origin"]["actor"],
        proposal["actor"]
    );
    let whole = place.file("whole.json", proposal["intent"].to_string().as_bytes());
    assert_eq!(propose(&whole)["intent"], proposal["intent"]);
}

#[test]
fn the_log_is_shown_proven_and_exported() {
    let place = Place::with_memories();
    let checkpoint = place.run(["log", "checkpoint"]).ok().stdout();
    assert_eq!(checkpoint.lines().nth(1), Some("6"));
    let proof = place.json(["log", "consistency", "--from", "3"]);
    assert_eq!(
        (proof["from"]["size"].as_u64(), proof["to"]["size"].as_u64()),
        (Some(3), Some(6))
    );
    assert_eq!(proof["to"]["root"].as_str(), checkpoint.lines().nth(2));
    let export = place.folder().join("tiles");
    place
        .run(["log".as_ref(), "export".as_ref(), export.as_os_str()])
        .ok();
    assert_eq!(
        fs::read_to_string(export.join("checkpoint")).unwrap(),
        checkpoint
    );
    assert!(export.join("tile/0/000.p/6").is_file());
}

#[test]
fn the_store_is_healthy_counted_and_rebuilt_identically() {
    let place = Place::with_memories();
    assert_eq!(place.json(["doctor"])["healthy"], true);
    let stats = place.json(["stats"]);
    assert_eq!(stats["memories"], 5);
    assert!(stats["parts"].as_array().unwrap().len() > 5);
    let state = place.state();
    assert_eq!(place.json(["rebuild"])["identical"], true);
    assert_eq!(place.state(), state);
    assert_eq!(place.json(["audit", "--deep"])["clean"], true);
}

#[test]
fn the_demo_catches_every_forgery() {
    let place = Place::bare();
    let demo = place.run(["demo"]);
    let told = demo.ok().stdout();
    assert_eq!(told.matches("-> caught").count(), 8, "{told}");
    for scene in [
        "of version 0, byte for byte",
        "forked at number 3",
        "stands there 0 times",
        "Bryn Mill or Carrow Mill, CONTESTED",
        "about 2025-03-01  believed: Stowe Mill, resolved",
        "folded again: APPROVED",
        "a unit is missing",
        "an echo counts for nothing",
        "0 units written",
        "\"until Christmas\": 1 passed over",
        "identity pass, signature pass, evidence pass",
        "Tuesday or Thursday, CONTESTED",
        "\"bakery flour_supplier Bryn Mill\"  trust 1",
    ] {
        assert!(told.contains(scene), "{told}");
    }
    assert!(!place.dir().exists(), "the demo leaves nothing behind");
    assert_eq!(place.json(["demo"])["ok"], true);
}
