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

/// R22: the command after a partial answer gets its cursor, and brings the rest.
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
