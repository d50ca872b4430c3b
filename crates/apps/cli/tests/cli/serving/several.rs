//! Several agents asked at once: `ask --who-knows`.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::server::Served;
use crate::place::Place;

const QUESTION: &str = "who is the owner of staging?";
const NOTE: &str = "staging has three racks";

/// An agent that names these domains, shares who owns staging and a note, and serves.
struct Agent {
    served: Served,
    place: Place,
}

impl Agent {
    fn new(domains: &[&str], owner: &str) -> Self {
        Self::with(domains, owner, "")
    }

    /// With more lines of settings.
    fn with(domains: &[&str], owner: &str, more: &str) -> Self {
        let place = Place::new();
        let settings = format!(
            "[agent]\ndomains = {}\n{more}\n[share_claims]\npredicates = [\"owner\"]\n\
             [[share]]\nto = \"*\"\nlabels = [\"public\"]\n",
            json!(domains)
        );
        std::fs::write(place.dir().join("exchange.toml"), settings).unwrap();
        place
            .run([
                "claim", "add", "staging", "owner", owner, "--from", "2026-02",
            ])
            .ok();
        place.run(["remember", "--share", "public", NOTE]).ok();
        let served = Served::new(&place);
        Self { served, place }
    }
}

/// An agent that asks, and knows these by their names.
fn asker(known: &[(&str, &Agent)]) -> Place {
    let place = Place::new();
    for (name, agent) in known {
        place.run(["peer", "add", name, &agent.served.url]).ok();
    }
    place
}

/// The names of those of `agents` that a filter leaves.
fn names(rows: &Value, leave: impl Fn(&Value) -> bool) -> Vec<&str> {
    let rows = rows.as_array().unwrap().iter().filter(|row| leave(row));
    rows.map(|row| row["agent"]["name"].as_str().unwrap())
        .collect()
}

/// Each value with those that say so, the trusted first; strangers are marked, and decide no belief.
#[test]
fn one_answer_is_weighed_by_trust_with_every_side() {
    let (bob, carl, eve) = (
        Agent::new(&["ops"], "Priya"),
        Agent::new(&["ops/deploys"], "Priya"),
        Agent::new(&["ops"], "Mallory"),
    );
    let ann = asker(&[("eve", &eve), ("bob", &bob), ("carl", &carl)]);
    ann.run(["peer", "trust", "bob", "--domain", "ops"]).ok();
    let shown = ann.json(["ask", "--who-knows", "ops", QUESTION]);
    assert_eq!(
        names(&shown["agents"], |_| true),
        ["bob", "carl", "eve"],
        "{shown}"
    );
    let line = &shown["claims"][0];
    assert_eq!(
        (&line["subject"], &line["predicate"]),
        (&"staging".into(), &"owner".into())
    );
    assert_eq!(
        line["belief"],
        json!({ "status": "resolved", "value": "Priya" }),
        "{shown}"
    );
    let side = |at: usize| {
        let side = &line["sides"][at];
        (
            side["value"].clone(),
            side["level"].clone(),
            side["decides"].clone(),
        )
    };
    assert_eq!(side(0), ("Priya".into(), 3.into(), true.into()), "{shown}");
    assert_eq!(
        side(1),
        ("Mallory".into(), 1.into(), false.into()),
        "{shown}"
    );
    let said = &line["sides"][0]["saidBy"];
    assert_eq!(names(said, |_| true), ["bob", "carl"], "{shown}");
    assert_eq!(
        names(said, |said| said["stranger"] == true),
        ["carl"],
        "{shown}"
    );
    // The next question finds them stored, each once.
    let stored = |shown: &Value| shown["texts"][0]["saidBy"][0]["stored"].clone();
    assert!(stored(&shown).is_string(), "{shown}");
    let again = ann.json(["ask", "--who-knows", "ops", QUESTION]);
    assert_eq!(stored(&shown), stored(&again), "{again}");
    let words = ann
        .run(["ask", "--who-knows", "ops", QUESTION])
        .ok()
        .stdout();
    let (trusted, stranger) = words.split_once("Mallory").unwrap();
    assert!(
        trusted.contains("trust 3") && stranger.contains("a stranger"),
        "{words}"
    );
}

/// A memory that several agents have is stored once, as if they had been asked one after the other.
#[test]
fn what_several_have_is_stored_once() {
    let agents: Vec<Agent> = (0..4).map(|_| Agent::new(&["ops"], "Priya")).collect();
    let named: Vec<(String, &Agent)> = agents
        .iter()
        .enumerate()
        .map(|(at, agent)| (format!("agent-{at}"), agent))
        .collect();
    let named: Vec<(&str, &Agent)> = named
        .iter()
        .map(|(name, agent)| (name.as_str(), *agent))
        .collect();
    let ann = asker(&named);
    let shown = ann.json(["ask", "--who-knows", "ops", "what of the racks of staging?"]);
    let note = &shown["texts"][0];
    assert_eq!(note["saidBy"].as_array().unwrap().len(), 4, "{shown}");
    let stored = |said: &Value| said["stored"].as_str().unwrap().to_owned();
    let mut worlds: Vec<String> = note["saidBy"]
        .as_array()
        .unwrap()
        .iter()
        .map(stored)
        .collect();
    worlds.dedup();
    assert_eq!(worlds.len(), 1, "{shown}");
    let listed = ann.json(["exchange", "list"]);
    assert_eq!(listed["exchanges"].as_array().unwrap().len(), 4);
}

/// An agent that is silent, gone or has nothing is listed with the reason, and delays no other.
#[test]
fn a_silent_agent_costs_nobody_an_answer() {
    let (bob, none) = (Agent::new(&["ops"], "Priya"), Agent::new(&["ops"], "Priya"));
    none.place.run(["share", "remove", "public"]).ok();
    let ann = asker(&[("bob", &bob)]);
    // The system takes the connections; nobody ever reads from them.
    let silent: Vec<TcpListener> = (0..3)
        .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    let add = |name: &str, url: &str| {
        let key = Place::new().json(["key", "show"])["agent"]
            .as_str()
            .unwrap()
            .to_owned();
        ann.run(["peer", "add", name, &key, "--at", url, "--domain", "ops"])
            .ok();
    };
    for (at, silent) in silent.iter().enumerate() {
        let url = format!("http://{}", silent.local_addr().unwrap());
        add(&format!("silent-{at}"), &url);
    }
    add("elsewhere", "/nowhere/at/all");
    let begun = Instant::now();
    let shown = ann.json(["ask", "--who-knows", "ops", QUESTION, "--timeout", "3"]);
    assert!(
        begun.elapsed() < Duration::from_secs(8),
        "one after the other: {:?}",
        begun.elapsed()
    );
    let with = |state: &str| names(&shown["agents"], |agent| agent["state"] == state);
    assert_eq!(with("stored"), ["bob"], "{shown}");
    assert_eq!(
        with("timed_out"),
        ["silent-0", "silent-1", "silent-2"],
        "{shown}"
    );
    assert_eq!(with("failed"), ["elsewhere"], "{shown}");
    let unreasoned = names(&shown["agents"], |agent| agent.get("reason").is_none());
    assert_eq!(unreasoned, ["bob"], "{shown}");
    drop(bob);
    ann.run(["ask", "--who-knows", "ops", QUESTION, "--timeout", "1"])
        .code(2);
}

/// Agents are chosen by their domains and by trust: a distrusted one is not asked, nor are more than the limit.
#[test]
fn those_who_may_know_are_asked_and_no_others() {
    let (bob, carl, cook) = (
        Agent::new(&["ops"], "Priya"),
        Agent::new(&["ops"], "Priya"),
        Agent::new(&["cooking"], "Priya"),
    );
    let ann = asker(&[("bob", &bob), ("carl", &carl), ("cook", &cook)]);
    let asked = |topic: &str, more: &[&str]| {
        let args = [&["ask", "--who-knows", topic, QUESTION, "--dry-run"], more].concat();
        let shown = ann.json(args);
        let names = names(&shown["agents"], |_| true);
        (names.join(" "), shown["notAsked"].as_u64().unwrap())
    };
    assert_eq!(asked("ops", &[]), ("bob carl".into(), 0));
    assert_eq!(asked("the cooking of rice", &[]), ("cook".into(), 0));
    ann.run(["peer", "trust", "carl"]).ok();
    assert_eq!(asked("ops", &["--max-agents", "1"]), ("carl".into(), 1));
    ann.run(["peer", "distrust", "bob"]).ok();
    assert_eq!(asked("ops", &[]), ("carl".into(), 0));
    let unknown = ["ask", "--who-knows", "gardening", QUESTION];
    ann.refuses(unknown, 3, "no agent is known that names a domain");
    // One that names no domain is asked if it is trusted enough to decide.
    ann.run([
        "peer",
        "add",
        "quiet",
        Place::new().json(["key", "show"])["agent"]
            .as_str()
            .unwrap(),
        "--at",
        &bob.served.url,
    ])
    .ok();
    ann.refuses(unknown, 3, "no agent is known that names a domain");
    ann.run(["peer", "trust", "quiet"]).ok();
    let shown = ann.run([
        "--json",
        "ask",
        "--who-knows",
        "gardening",
        QUESTION,
        "--timeout",
        "1",
    ]);
    assert_eq!(names(&shown.json()["agents"], |_| true), ["quiet"]);
}

const REFERRING: &str = "[[share]]\nto = \"*\"\nlabels = [\"public\"]\nrefer = true\n";

impl Agent {
    fn key(&self) -> String {
        self.place.json(["key", "show"])["agent"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Records another agent as trusted and as knowing of its domains.
    fn trusts(&self, name: &str, other: &Self) {
        self.place
            .run(["peer", "add", name, &other.served.url])
            .ok();
        self.place.run(["peer", "trust", name]).ok();
    }
}

/// Ann knows Bob, who trusts Carol, who trusts Dan and Bob, of whom Dan trusts Eve; all but Ann refer.
struct Circle {
    ann: Place,
    carol: Agent,
    _others: [Agent; 3],
}

impl Circle {
    fn new() -> Self {
        let [bob, carol, dan, eve] =
            ["Bob", "Carol", "Dan", "Eve"].map(|owner| Agent::with(&["ops"], owner, REFERRING));
        bob.trusts("their-carol", &carol);
        carol.trusts("dan", &dan);
        carol.trusts("bob", &bob);
        dan.trusts("eve", &eve);
        let ann = asker(&[("bob", &bob)]);
        // A server reads trust records once a second.
        std::thread::sleep(Duration::from_millis(1_500));
        Self {
            ann,
            carol,
            _others: [bob, dan, eve],
        }
    }

    /// The answer to Ann, and the owners in it.
    fn ask(&self, more: &[&str]) -> (Value, String) {
        let args = ["ask", "--who-knows", "ops", QUESTION, "--timeout", "5"];
        let shown = self.ann.json([&args, more].concat());
        let sides = shown["claims"][0]["sides"].as_array().unwrap().iter();
        let mut owners: Vec<_> = sides.map(|side| side["value"].as_str().unwrap()).collect();
        owners.sort_unstable();
        let owners = owners.join(" ");
        (shown, owners)
    }
}

const FOLLOWED: [&str; 2] = ["--follow-referrals", "--private-addresses"];

/// Referrals are followed over two hops, and a circle of them ends; no agent is trusted for one, or known from then on.
#[test]
fn referrals_are_followed_over_two_hops_and_trusted_by_none() {
    let circle = Circle::new();
    let (shown, owners) = circle.ask(&FOLLOWED);
    assert_eq!(owners, "Bob Carol Dan", "{shown}");
    let agents = shown["agents"].as_array().unwrap();
    let by = &agents[1]["referredBy"][0];
    assert_eq!(
        (&by["agent"]["name"], &by["domain"]),
        (&"bob".into(), &"ops".into()),
        "{shown}"
    );
    assert_eq!(
        agents[1]["agent"]["key"],
        circle.carol.key().as_str(),
        "{shown}"
    );
    assert!(agents.iter().all(|agent| agent["level"] == 1), "{shown}");
    let sides = shown["claims"][0]["sides"].as_array().unwrap();
    assert!(
        sides
            .iter()
            .all(|side| side["saidBy"][0]["stranger"] == true),
        "{shown}"
    );
    assert!(
        !shown.to_string().contains("their-carol"),
        "a name of another is not told: {shown}"
    );
    let listed = circle.ann.json(["peer", "list"])["peers"].to_string();
    assert!(!listed.contains(&circle.carol.served.address), "{listed}");
}

/// Referrals are followed where the user says so alone, to public addresses, no more than the limit, and to no distrusted agent.
#[test]
fn referrals_are_followed_no_further_than_the_user_allows() {
    let circle = Circle::new();
    assert_eq!(circle.ask(&[]).1, "Bob");
    let (guarded, owners) = circle.ask(&["--follow-referrals"]);
    let row = &guarded["agents"][1];
    assert_eq!(
        (owners.as_str(), &row["state"]),
        ("Bob", &"peer_error".into()),
        "{guarded}"
    );
    assert!(
        row["reason"].as_str().unwrap().contains("not public"),
        "{guarded}"
    );
    let (limited, owners) = circle.ask(&[&FOLLOWED[..], &["--max-agents", "1"]].concat());
    assert_eq!(
        (owners.as_str(), &limited["notAsked"]),
        ("Bob Carol", &1.into()),
        "{limited}"
    );
    circle
        .ann
        .run(["peer", "distrust", &circle.carol.key()])
        .ok();
    assert_eq!(circle.ask(&FOLLOWED).1, "Bob");
}

/// An agent refers to others only where a rule says so.
#[test]
fn nobody_refers_to_others_unasked_or_without_a_rule() {
    let carol = Agent::new(&["ops"], "Carol");
    for (rule, asked) in [("", 1), (REFERRING, 2)] {
        let bob = Agent::with(&["ops"], "Bob", rule);
        bob.trusts("carol", &carol);
        std::thread::sleep(Duration::from_millis(1_500));
        let ann = asker(&[("bob", &bob)]);
        let args = [
            "ask",
            "--who-knows",
            "ops",
            QUESTION,
            "--follow-referrals",
            "--private-addresses",
        ];
        let shown = ann.json(args);
        assert_eq!(shown["agents"].as_array().unwrap().len(), asked, "{shown}");
    }
}
