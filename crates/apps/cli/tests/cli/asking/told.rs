//! What an exchange tells, and what it leaves.

use super::pair::Pair;

const CHECKS: [&str; 6] = [
    "identity",
    "signature",
    "evidence",
    "freshness",
    "vouch",
    "consistency",
];

/// MRP-4, MRP-5, MRP-27: six checks by name, the disposition, and where it is stored.
#[test]
fn six_checks_a_disposition_and_a_reference() {
    let pair = Pair::new();
    pair.bob_shares("Pruning is identity: what you forget defines who you become.");
    let shown = pair.exchange("what do you know about pruning?", &[], 0);
    assert_eq!(shown["state"], "stored", "{shown}");
    assert_eq!(shown["asked"]["name"], "bob");
    let memory = &shown["memories"][0];
    for check in CHECKS {
        assert!(
            memory["checks"][check]["result"].is_string(),
            "{check}: {shown}"
        );
    }
    assert_eq!(
        (&memory["checks"]["identity"]["result"], &memory["level"]),
        (&"pass".into(), &1.into())
    );
    assert_eq!(memory["disposition"], "stored_unverified");
    let stored = memory["stored"].as_str().unwrap();
    let kept = pair.ann.run(["show", stored]);
    assert!(kept.ok().stdout().contains("Pruning is identity"));
    pair.ann.run(["audit"]).ok();

    let id = shown["exchange"].as_str().unwrap();
    let told = pair.ann.run(["exchange", "show", &id[..8]]);
    let told = told.ok().stdout();
    for word in [
        "identity",
        "consistency",
        "stored unverified",
        stored,
        "answered by",
        "what do you know about pruning?",
        "examined",
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
    let again = pair.ann.json(["exchange", "show", id]);
    assert_eq!(again["question"], "what do you know about pruning?");
    let rows = again["transitions"].as_array().unwrap();
    let states = rows.iter().map(|row| row["to"].as_str().unwrap());
    let states: Vec<_> = states.collect();
    assert_eq!(states, ["sent", "received", "verified", "stored"]);
    assert_eq!(again["memories"], shown["memories"]);
}

/// MRP-46: heard again, nothing new is stored.
#[test]
fn heard_again_is_not_stored_again() {
    let pair = Pair::new();
    pair.bob_shares("Pruning is identity.");
    let first = pair.exchange("what do you know about pruning?", &[], 0);
    let size = pair.ann.size();
    let again = pair.exchange("tell me about pruning", &[], 0);
    let memory = &again["memories"][0];
    assert_eq!(memory["stored"], first["memories"][0]["stored"]);
    assert_eq!(
        (&memory["flags"], &memory["heard"]),
        (&serde_json::json!(["known"]), &2.into())
    );
    assert_eq!(pair.ann.size(), size);
}

/// A dry run stores nothing; the exchange is listed.
#[test]
fn a_dry_run_stores_nothing() {
    let pair = Pair::new();
    pair.bob_shares("Pruning is identity.");
    let size = pair.ann.size();
    let shown = pair.exchange("what do you know about pruning?", &["--dry-run"], 0);
    assert_eq!(shown["state"], "discarded", "{shown}");
    assert_eq!(shown["memories"][0]["disposition"], "stored_unverified");
    assert_eq!(shown["memories"][0].get("stored"), None);
    assert_eq!(pair.ann.size(), size);
    let listed = pair.ann.json(["exchange", "list"]);
    assert_eq!(listed["exchanges"][0]["exchange"], shown["exchange"]);
    assert_eq!(
        listed["exchanges"][0]["question"],
        "what do you know about pruning?"
    );
}

/// Adversarial case H103 (MRP-28, MRP-26, R13): a contradiction is said, with both sides and what to do.
#[test]
fn h103_a_contradiction_is_said_with_both_sides() {
    let pair = Pair::new();
    pair.ann
        .run(["claim", "add", "ann", "lives in", "Lisbon"])
        .ok();
    pair.bob
        .run(["claim", "add", "ann", "lives in", "Porto"])
        .ok();
    let shown = pair.exchange("where does ann live, she lives in what place", &[], 0);
    let memory = &shown["memories"][0];
    assert_eq!(
        memory["checks"]["consistency"]["code"], "contradicts",
        "{shown}"
    );
    assert_eq!(
        (&memory["value"], &memory["contradicts"]),
        (&"Porto".into(), &serde_json::json!(["Lisbon"]))
    );
    assert_eq!(memory["gate"], "contested");
    assert!(
        memory["next"][0]
            .as_str()
            .unwrap()
            .contains("counterfoil believe ann 'lives in'")
    );
    let told = pair
        .ann
        .run(["exchange", "show", shown["exchange"].as_str().unwrap()]);
    let told = told.ok().stdout();
    assert!(
        told.contains("CONTESTED") && told.contains("it says Porto; you believe Lisbon"),
        "{told}"
    );
    let believed = pair.ann.json(["believe", "ann", "lives in"]);
    assert_eq!(believed["status"], "contested");
    for command in ["believe", "why"] {
        let told = pair.ann.run([command, "ann", "lives in"]).ok().stdout();
        assert!(told.contains(" is bob\n"), "{told}");
    }
}

/// MRP-30: demands that nothing meets leave nothing, and the exit code says so.
#[test]
fn nothing_passes_what_is_demanded() {
    let pair = Pair::new();
    pair.bob_shares("Pruning is identity.");
    let size = pair.ann.size();
    let shown = pair.exchange("what do you know about pruning?", &["--min-level", "3"], 1);
    assert_eq!(
        (&shown["state"], &shown["memories"][0]["disposition"]),
        (&"rejected".into(), &"reject".into())
    );
    assert_eq!(pair.ann.size(), size);
    let id = shown["exchange"].as_str().unwrap();
    let told = pair.ann.run(["exchange", "show", id]).ok().stdout();
    assert!(
        told.contains(", trust 1 (identified)") && !told.contains("trust 0"),
        "{told}"
    );
}

/// Who has nothing says so, which is no failure.
#[test]
fn nothing_to_be_had_is_no_failure() {
    let pair = Pair::new();
    let shown = pair.exchange("what do you know about herons?", &[], 0);
    assert_eq!(
        (&shown["state"], &shown["memories"]),
        (&"no_match".into(), &serde_json::json!([]))
    );
}

/// R22: of an answer in part the next command is told, and it brings what follows.
#[test]
fn what_follows_an_answer_in_part_is_asked_for_with_its_cursor() {
    let pair = Pair::new();
    pair.bob_shares("Pruning is identity.");
    pair.bob_shares("Pruning in winter is best, it's said.");
    let question = "what's known about pruning?";
    let first = pair.exchange(question, &["--max", "1"], 0);
    assert_eq!(first["status"]["code"], "partial", "{first}");
    let cursor = first["cursor"].as_str().unwrap();
    let next = first["next"][0].as_str().unwrap();
    let command = format!(
        r"what follows: counterfoil ask bob 'what'\''s known about pruning?' --cursor={cursor} --max 1"
    );
    assert_eq!(next.replace(&format!("'{cursor}'"), cursor), command);
    let given = format!("--cursor={cursor}");
    let second = pair.exchange(question, &[&given, "--max", "1"], 0);
    assert_eq!(second["status"]["code"], "success", "{second}");
    assert_eq!(second.get("cursor"), None);
    let content = |shown: &serde_json::Value| shown["memories"][0]["content"].clone();
    assert_ne!(content(&first), content(&second), "{second}");
    pair.ann
        .run(["ask", "bob", "what?", "--cursor="])
        .refused(3, "cursor");
}

/// MRP-46: that a value was there already is told as support only where the gate has counted another source.
#[test]
fn an_echo_is_not_told_as_support() {
    for (trusted, unchanged, words) in [
        (
            false,
            true,
            "corroborated: known already, and nothing was added",
        ),
        (
            true,
            false,
            "corroborated: known already, and another source says so",
        ),
    ] {
        let pair = Pair::new();
        let claim = ["claim", "add", "ann", "lives in", "Porto"];
        pair.bob.run(claim).ok();
        // Not word for word the same.
        pair.ann
            .run(claim.into_iter().chain(["--from", "2020"]))
            .ok();
        if trusted {
            pair.ann.run(["peer", "trust", "bob"]).ok();
        }
        let shown = pair.exchange("where does ann live, she lives in what place", &[], 0);
        let memory = &shown["memories"][0];
        assert_eq!(memory["gate"], "corroborated", "{shown}");
        assert_eq!(memory["unchanged"], unchanged, "{shown}");
        let id = shown["exchange"].as_str().unwrap();
        let told = pair.ann.run(["exchange", "show", id]).ok().stdout();
        assert!(told.contains(words), "{told}");
    }
}
