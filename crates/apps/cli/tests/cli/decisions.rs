//! The circle of a proposal: remembered, proposed, decided and signed, kept, and found again by the memory that was used.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::place::{Place, Ran};

/// A store whose actor trusts one authority by key and name.
fn with_authority() -> Place {
    let place = Place::new();
    place.run(["remember", "Kit must not eat sesame"]).ok();
    run(&place, "anchors -o {}/anchors.json").ok();
    let line = run(&place, "--json key new {}/bakery.key --name bakery.example");
    let line = line.ok().json()["line"].as_str().unwrap().to_owned();
    fs::write(place.dir().join("authorities"), format!("# ours\n{line}\n")).unwrap();
    place.file(
        "policy.toml",
        b"name = \"bakery.example\"\nmaximum_age_ms = 3600000\n",
    );
    place
}

/// Runs a line of which the words stand apart; `{}` is the folder beside the store, `_` a space.
fn run(place: &Place, line: &str) -> Ran {
    let folder = place.folder().display().to_string();
    let words = line
        .split(' ')
        .map(|word| word.replace("{}", &folder))
        .map(|word| match word.starts_with("mem_") {
            true => word,
            false => word.replace('_', " "),
        });
    place.run(words.collect::<Vec<_>>())
}

fn propose(place: &Place, name: &str, summary: &str) {
    let line = format!(
        "propose --summary {summary} --recall sesame --max 1 --to bakery.example -o {{}}/{name}.json"
    );
    run(place, &line).ok();
}

fn decide(place: &Place, name: &str, more: &str) -> Ran {
    let line = format!(
        "decide proposal {{}}/{name}.json --anchors {{}}/anchors.json --policy {{}}/policy.toml --key \
         {{}}/bakery.key -o {{}}/{name}.decision{more}"
    );
    run(place, &line)
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The id of the memory that the proposals used.
fn memory(place: &Place) -> String {
    let proposal = read(&place.folder().join("cake.json"));
    let id = proposal.pointer("/trace/context/memory/selected/0/ref/worldId");
    id.unwrap().as_str().unwrap().to_owned()
}

#[test]
fn the_circle_closes_for_an_approved_and_for_a_rejected_proposal() {
    let place = with_authority();
    propose(&place, "cake", "A_cake_without_halva");
    propose(&place, "late", "A_cake_with_halva");
    decide(&place, "cake", "").ok();
    decide(&place, "late", " --now 2040-01-01").code(1);

    let approved = run(
        &place,
        "--json decided {}/cake.decision --proposal {}/cake.json --outcome The_cake_is_baked",
    );
    let approved = approved.ok().json();
    assert_eq!(approved["verdict"], "approved");
    assert_eq!(
        approved["memories"],
        json!([{"id": memory(&place), "outcome": "proven"}])
    );
    let rejected = run(
        &place,
        "--json decided {}/late.decision --proposal {}/late.json",
    )
    .ok()
    .json();
    assert_eq!(rejected["verdict"], "rejected");

    let used = run(&place, &format!("--json why {} --used", memory(&place)))
        .ok()
        .json();
    let decisions = used["decisions"].as_array().unwrap();
    assert_eq!(decisions.len(), 2, "{used}");
    for (decision, kept, name, text) in [
        (
            &decisions[0],
            &approved,
            "cake",
            "approved by bakery.example: A cake without halva",
        ),
        (
            &decisions[1],
            &rejected,
            "late",
            "rejected by bakery.example: A cake with halva",
        ),
    ] {
        let proposal = read(&place.folder().join(format!("{name}.json")));
        assert_eq!(decision["text"], text);
        assert_eq!(decision["decision"], kept["decision"]);
        assert_eq!(decision["proposalId"], proposal["proposalId"]);
        assert_eq!(
            (&decision["known"], &decision["authority"]["name"]),
            (&json!(true), &json!("bakery.example"))
        );
    }
    let led_to = json!({"id": approved["outcome"], "text": "The cake is baked"});
    assert_eq!(
        (&decisions[0]["outcome"], decisions[1].get("outcome")),
        (&led_to, None)
    );

    // The next proposal is made on the last of them, and a decision is a memory as any other.
    propose(&place, "next", "Serve_the_cake");
    let next = read(&place.folder().join("next.json"));
    assert_eq!(next["baseWorld"], rejected["decision"]);
    run(&place, "recall halva").ok();
    run(&place, "check").ok();
    run(&place, "rebuild").ok();
    assert_eq!(
        run(&place, &format!("--json why {} --used", memory(&place)))
            .ok()
            .json(),
        used
    );
}

/// An authority that is not trusted any more has decided all the same, and the answer says so. A memory that nothing used, and a
/// later version of one that was.
#[test]
fn a_memory_says_which_proposals_used_it() {
    let place = with_authority();
    propose(&place, "cake", "A_cake");
    decide(&place, "cake", "").ok();
    run(&place, "decided {}/cake.decision --proposal {}/cake.json").ok();
    let other = place.json(["remember", "The oven is hot"])["id"].clone();
    let used =
        |id: &str| run(&place, &format!("--json why {id} --used")).ok().json()["decisions"].clone();
    assert_eq!(used(other.as_str().unwrap()), json!([]));
    let updated = place.json([
        "update",
        &memory(&place),
        "--set",
        "/text=Kit may eat sesame",
    ]);
    let version = updated["id"].as_str().unwrap();
    assert_eq!(used(version), used(&memory(&place)));
    assert_eq!(used(version).as_array().unwrap().len(), 1);
    assert_eq!(used(version)[0]["known"], json!(true));
    fs::remove_file(place.dir().join("authorities")).unwrap();
    assert_eq!(used(version)[0]["known"], json!(false));
    run(&place, "why nothing --used").refused(3, "nothing");
}

/// What used a memory, and the decisions, were not to be had in a scope. Memories of others do not show through them.
#[test]
fn in_a_scope_decisions_are_those_about_its_memories_alone() {
    let place = with_authority();
    let remember = |scope: &str, text: &str| {
        let made = place.json(["--scope", scope, "remember", text]);
        made["id"].as_str().unwrap().to_owned()
    };
    let kit = remember("user=kit", "Kit may have sesame oil");
    let bo = remember("user=bo", "Bo hides the sesame seeds");
    for (name, scope) in [
        ("kit", "--scope user=kit "),
        ("bo", "--scope user=bo "),
        ("all", ""),
    ] {
        let line = format!(
            "{scope}propose --summary Sesame_for_{name} --recall sesame --max 9 --to bakery.example -o {{}}/{name}.json"
        );
        run(&place, &line).ok();
        decide(&place, name, "");
        let keep = format!("decided {{}}/{name}.decision --proposal {{}}/{name}.json");
        run(&place, &format!("{keep} --outcome Bought_for_{name}")).ok();
        // The store keeps a decision, and no part of it.
        run(&place, &format!("--scope user=kit {keep}")).refused(1, "not done in a scope");
    }
    let of = |line: &str| run(&place, line).ok().json();
    let used = of(&format!("--scope user=kit --json why {kit} --used"));
    let [seen, other] = used["decisions"].as_array().unwrap().as_slice() else {
        panic!("{used}");
    };
    let here = json!([{"id": kit, "outcome": "proven"}]);
    assert_eq!(seen["text"], "approved by bakery.example: Sesame for kit");
    assert_eq!((&seen["memories"], seen.get("outcome")), (&here, None));
    let other = other.as_object().unwrap();
    assert_eq!((other.len(), &other["memories"]), (2, &here), "{used}");
    assert!(other["decidedAt"].is_number());
    let text = run(&place, &format!("--scope user=kit why {kit} --used"))
        .ok()
        .stdout();
    assert!(
        text.contains("used memories outside of this scope as well"),
        "{text}"
    );

    let decided = |scope: &str| {
        let listed = of(&format!("{scope}--json decided"));
        let items = listed["items"].as_array().unwrap().clone();
        let texts = items
            .iter()
            .map(|it| it["text"].as_str().unwrap().to_owned());
        (texts.collect::<Vec<_>>(), listed.to_string())
    };
    let (texts, listed) = decided("--scope user=kit ");
    assert_eq!(texts, ["approved by bakery.example: Sesame for kit"]);
    for said in [used.to_string(), listed] {
        assert!(
            !said.contains(&bo) && !said.contains("for all") && !said.contains("for bo"),
            "{said}"
        );
        assert!(!said.contains("Bought"), "{said}");
    }
    assert_eq!(decided("--scope user=ann ").0, [""; 0]);
    let newest_first =
        ["all", "bo", "kit"].map(|name| format!("approved by bakery.example: Sesame for {name}"));
    assert_eq!(decided("").0, newest_first);
    let first = of("--json decided --max 1");
    assert_eq!(
        (first["items"].as_array().unwrap().len(), &first["more"]),
        (1, &json!(true))
    );
    run(&place, &format!("--scope user=kit why {bo} --used")).refused(3, "there is no memory");
    run(&place, "decided --max 0").refused(3, "--max 0");
    run(&place, "decided {}/kit.decision").refused(3, "--proposal");
}

#[test]
fn a_decision_is_kept_once_and_has_one_outcome() {
    let place = with_authority();
    propose(&place, "cake", "A_cake");
    decide(&place, "cake", "").ok();
    let keep = "--json decided {}/cake.decision --proposal {}/cake.json";
    assert_eq!(run(&place, keep).ok().json()["recordedNow"], json!(true));
    let baked = format!("{keep} --outcome Baked");
    let first = run(&place, &baked).ok().json();
    let state = place.state();
    assert_eq!(first["recordedNow"], json!(false));
    assert_eq!(run(&place, &baked).ok().json(), first);
    assert_eq!(run(&place, keep).ok().json()["decision"], first["decision"]);
    assert_eq!(place.state(), state);
    place.refuses(
        [
            "decided",
            &at(&place, "cake.decision"),
            "--proposal",
            &at(&place, "cake.json"),
            "--outcome",
            "Burnt",
        ],
        3,
        "another outcome",
    );
}

fn at(place: &Place, name: &str) -> String {
    place.folder().join(name).display().to_string()
}

/// Whoever wrote it: a decision by another key, one that was changed, and one about another proposal change nothing.
#[test]
fn a_decision_that_does_not_hold_is_not_kept() {
    let place = with_authority();
    propose(&place, "cake", "A_cake");
    propose(&place, "other", "Another_cake");
    decide(&place, "cake", "").ok();
    decide(&place, "other", " --now 2040-01-01").code(1);
    let decision = read(&place.folder().join("cake.decision"));
    let refused = |file: &str, proposal: &str, code, what: &str| {
        let (file, proposal) = (at(&place, file), at(&place, proposal));
        place.refuses(["decided", &file, "--proposal", &proposal], code, what);
    };
    refused(
        "cake.decision",
        "other.json",
        1,
        "and not about this proposal",
    );
    refused(
        "other.decision",
        "cake.json",
        1,
        "and not about this proposal",
    );
    for (at, value) in [
        ("/verdict", json!("rejected")),
        ("/memories/0/outcome", json!("accepted")),
        ("/reasons/0", json!("accepted")),
        ("/decidedAt", json!(1_800_000_000_000_u64)),
    ] {
        let mut edited = decision.clone();
        *edited.pointer_mut(at).unwrap() = value;
        place.file("edited.json", edited.to_string().as_bytes());
        refused("edited.json", "cake.json", 1, "does not hold");
    }
    // The proposal was changed after it was decided on.
    let mut proposal = read(&place.folder().join("cake.json"));
    proposal["trace"]["summary"] = "A cake with halva".into();
    place.file("changed.json", proposal.to_string().as_bytes());
    refused(
        "cake.decision",
        "changed.json",
        1,
        "and not about this proposal",
    );
    for (content, what) in [
        (&b"{}"[..], "none that can be read"),
        (b"{", "JSON"),
        (b"", "JSON"),
    ] {
        place.file("edited.json", content);
        let code = if content == b"{}" { 1 } else { 3 };
        refused("edited.json", "cake.json", code, what);
    }
    let rejected = [
        "decided",
        &at(&place, "other.decision"),
        "--proposal",
        &at(&place, "other.json"),
        "--outcome",
        "x",
    ];
    place.run(rejected).refused(3, "does not approve");
}

/// A decision counts by the key and the name that the operator of the store has listed.
#[test]
fn a_decision_of_an_unknown_authority_is_not_kept() {
    let place = with_authority();
    propose(&place, "cake", "A_cake");
    decide(&place, "cake", "").ok();
    let refused = |code, what: &str| {
        let (file, proposal) = (at(&place, "cake.decision"), at(&place, "cake.json"));
        place.refuses(["decided", &file, "--proposal", &proposal], code, what);
    };
    let authorities = place.dir().join("authorities");
    let listed = fs::read_to_string(&authorities).unwrap();
    fs::write(
        &authorities,
        listed.replace("bakery.example", "mill.example"),
    )
    .unwrap();
    refused(1, "not its name");
    run(&place, "key new {}/mill.key").ok();
    let mill = run(&place, "--json key new {}/mill2.key").ok().json();
    fs::write(&authorities, mill["line"].as_str().unwrap()).unwrap();
    refused(1, "no authority here");
    fs::remove_file(&authorities).unwrap();
    refused(3, "authorities is not there");
}

/// Nothing is decided with the key of a log, and no key is replaced.
#[test]
fn an_authority_has_a_key_of_its_own() {
    let place = with_authority();
    propose(&place, "cake", "A_cake");
    let made = fs::read(place.folder().join("bakery.key")).unwrap();
    run(&place, "key new {}/bakery.key").refused(3, "is there already");
    assert_eq!(fs::read(place.folder().join("bakery.key")).unwrap(), made);
    run(&place, "key new {}/new.key --name two_words").refused(3, "no name of an authority");
    fs::copy(
        place.keys().join("log.key"),
        place.folder().join("bakery.key"),
    )
    .unwrap();
    decide(&place, "cake", "").refused(3, "key of a log");
    assert!(!place.folder().join("cake.decision").exists());
}
