//! Two processes: one serves or answers in a folder, one asks.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::server::Served;
use crate::place::Place;
use crate::tamper::forge;

const QUESTION: &str = "what do you know about pruning?";
const TEXT: &str = "Pruning is identity: what you forget defines who you become.";

/// Ann asks; Bob shares with everyone all that is public.
struct Two {
    ann: Place,
    bob: Place,
}

impl Two {
    fn new() -> Self {
        let (ann, bob) = (Place::new(), Place::new());
        let settings = "[agent]\nname = \"bob\"\n\n[[share]]\nto = \"*\"\nlabels = [\"public\"]\nformat = \"attestation\"\n";
        std::fs::write(bob.dir().join("exchange.toml"), settings).unwrap();
        bob.run(["remember", "--share", "public", TEXT]).ok();
        Self { ann, bob }
    }

    fn knows_bob_at(&self, url: &str) {
        let key = agent(&self.bob);
        self.ann.run(["peer", "add", "bob", &key, "--at", url]).ok();
    }
}

fn agent(place: &Place) -> String {
    let shown = place.json(["key", "show"]);
    shown["agent"].as_str().unwrap().to_owned()
}

/// MRP-2, MRP-3, MRP-4, MRP-5, MRP-6, MRP-7, MRP-18, MRP-27, MRP-31: asked, answered, checked, stored.
#[test]
fn what_was_asked_is_answered_checked_and_stored() {
    let two = Two::new();
    let served = Served::new(&two.bob);
    two.ann.run(["peer", "add", "bob", &served.url]).ok();
    let shown = two.ann.json(["ask", "bob", QUESTION]);
    assert_eq!(shown["state"], "stored", "{shown}");
    let memory = &shown["memories"][0];
    let result = |check: &str| memory["checks"][check]["result"].as_str();
    for check in ["identity", "signature", "record"] {
        assert_eq!(result(check), Some("pass"), "{check}: {shown}");
    }
    for check in ["evidence", "freshness", "vouch", "consistency"] {
        assert!(result(check).is_some(), "{check}: {shown}");
    }
    assert_eq!(memory["level"], 1);
    assert_eq!(memory["disposition"], "stored_unverified");
    let stored = memory["stored"].as_str().unwrap();
    let kept = two.ann.run(["show", stored]).ok().stdout();
    assert!(kept.contains("Pruning is identity"));
    let recalled = two.ann.run(["recall", "pruning"]).ok().stdout();
    let key = agent(&two.bob);
    let (_, key) = key.split_at("did:key:".len());
    assert!(
        recalled.contains(&format!("[said by {}", &key[..9]))
            && recalled.contains(", trust 1 at receipt]"),
        "{recalled}"
    );
    two.ann.run(["check"]).ok();
    let metrics = served.get("/metrics");
    assert!(metrics.contains("counterfoil_http_exchanges_total{status=\"success\"} 1"));
}

/// R22: the command after a partial answer gets its cursor, and brings the rest.
#[test]
fn what_follows_an_answer_in_part_is_asked_for_with_its_cursor() {
    let two = Two::new();
    let more = "Pruning in winter is best, it's said.";
    two.bob.run(["remember", "--share", "public", more]).ok();
    let served = Served::new(&two.bob);
    two.knows_bob_at(&served.url);
    let question = "what's known about pruning?";
    let first = two.ann.json(["ask", "bob", question, "--max", "1"]);
    assert_eq!(first["status"]["code"], "partial", "{first}");
    let cursor = first["cursor"].as_str().unwrap();
    let next = first["next"][0].as_str().unwrap();
    let command = format!(
        r"what follows: counterfoil ask bob 'what'\''s known about pruning?' --cursor={cursor} --max 1"
    );
    assert_eq!(next.replace(&format!("'{cursor}'"), cursor), command);
    let given = format!("--cursor={cursor}");
    let second = two.ann.json(["ask", "bob", question, &given, "--max", "1"]);
    assert_eq!(second["status"]["code"], "success", "{second}");
    assert_eq!(second.get("cursor"), None);
    let content = |shown: &Value| shown["memories"][0]["content"].clone();
    assert_ne!(content(&first), content(&second), "{second}");
    let empty = two.ann.run(["ask", "bob", "what?", "--cursor="]);
    empty.refused(3, "cursor");
}

/// R14: what was forgotten lets nothing out any more, not even the claim that cites it.
#[test]
fn a_claim_is_not_told_by_a_memory_that_was_forgotten() {
    let two = Two::new();
    let diary = two.bob.json(["remember", "--share", "public", "a note"]);
    let diary = diary["id"].as_str().unwrap();
    let claim = ["claim", "add", "eve", "studies", "herons", "--source"];
    two.bob.run(claim.into_iter().chain([diary])).ok();
    let served = Served::new(&two.bob);
    two.knows_bob_at(&served.url);
    let question = ["ask", "bob", "what does eve study? herons", "--dry-run"];
    let told = two.ann.json(question);
    assert_eq!(told["memories"][0]["subject"], "eve");
    two.bob.run(["forget", diary, "--reason", "mine"]).ok();
    let told = two.ann.json(question);
    assert_eq!(told["state"], "no_match", "{told}");
}

/// A memory that was edited at rest is not told to a peer, whatever was edited (decision 0034).
#[test]
fn an_edited_memory_is_not_told() {
    let two = Two::new();
    let clean = std::fs::read(two.bob.database()).unwrap();
    let told = || {
        let served = Served::new(&two.bob);
        two.knows_bob_at(&served.url);
        two.ann.json(["ask", "bob", QUESTION, "--dry-run"])
    };
    let honest = told();
    assert_eq!(honest["memories"].as_array().unwrap().len(), 1, "{honest}");
    for edit in [
        "UPDATE body SET payload = replace(payload, 'identity', 'FORGED')",
        "UPDATE capsule SET signature = zeroblob(64)",
        "UPDATE capsule SET field_root = zeroblob(32)",
        "UPDATE capsule SET header = replace(header, '\"timestamp\":\"20', '\"timestamp\":\"21')",
    ] {
        forge(&two.bob, edit);
        let told = told();
        assert_eq!(told["state"], "no_match", "{edit}: {told}");
        for beside in ["db-wal", "db-shm"] {
            drop(std::fs::remove_file(
                two.bob.database().with_extension(beside),
            ));
        }
        std::fs::write(two.bob.database(), &clean).unwrap();
    }
}

/// MRP-32: an address where one agent alone is known to be asked means that agent; where several are, any of them may answer.
#[test]
fn an_address_where_somebody_is_known_to_be_asked_means_them() {
    let two = Two::new();
    let served = Served::new(&two.bob);
    two.knows_bob_at(&served.url);
    let url = served.url.clone();
    let shown = two.ann.json(["ask", &url, QUESTION]);
    assert_eq!(shown["asked"]["name"], "bob", "{shown}");
    let other = agent(&Place::new());
    let args = ["peer", "add", "else", &other, "--at", &url];
    two.ann.run(args).ok();
    drop(served);
    let shown = two
        .ann
        .run(["--json", "ask", &url, QUESTION, "--timeout", "1"]);
    assert_eq!(shown.code(2).json().get("asked"), None);
}

/// Adversarial case F79: who takes connections and says nothing, not even who they are, is waited for no longer than was said.
#[test]
fn who_is_silent_about_itself_is_not_waited_for_beyond_the_deadline() {
    let place = Place::new();
    // The system takes the connections; nobody ever reads from them.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let begun = Instant::now();
    let ran = place.run(["--json", "ask", &url, "what?", "--timeout", "1"]);
    assert!(begun.elapsed() < Duration::from_secs(8), "{begun:?}");
    assert_eq!(ran.code(2).json()["state"], "timed_out");
}

/// Adversarial case H113: files that others put into a folder are reported, without control characters.
#[test]
fn what_is_no_request_is_told_of_and_left() {
    let two = Two::new();
    let folder = two.bob.folder().join("between");
    std::fs::create_dir_all(folder.join("inbox")).unwrap();
    for (name, text) in [
        ("notes\u{1b}[31m.txt", "hello"),
        ("request-0198c0de-0000-7000-8000-000000000000.json", "{"),
    ] {
        std::fs::write(folder.join("inbox").join(name), text).unwrap();
    }
    let args = ["answer", "--once", "--dir", folder.to_str().unwrap()];
    let said = two.bob.run(args).ok().stdout();
    assert!(
        said.contains("left notes") && !said.contains('\u{1b}'),
        "{said:?}"
    );
    let refused = "refused 0198c0de-0000-7000-8000-000000000000: malformed";
    assert!(said.contains(refused), "{said}");
}

/// MRP-33, MRP-34, MRP-9: a document in a message is answered with a document.
#[test]
fn a_document_in_a_message_is_answered_with_a_document() {
    let two = Two::new();
    let now = jiff::Timestamp::now().strftime("%FT%TZ").to_string();
    let asked = json!({
        "type": "memory_request", "version": "0.1",
        "request_id": "0198c0de-0000-4000-8000-000000000000", "timestamp": now,
        "requester": { "agent_id": "ann" }, "query": { "natural": QUESTION },
    });
    let message = format!("Look:\n```json\n{asked}\n```\n");
    let heard = two.bob.run_with_input(["hear", "-"], message.as_bytes());
    println!("{}", heard.stderr());
    assert!(heard.ok().stdout().starts_with("```json\n{"));
}

/// MRP-1, MRP-50: who it is, what it knows of and where its log is stands in its card, and is a hint: nobody is trusted for it.
#[test]
fn an_agent_is_found_by_its_card() {
    let (ann, bob) = (Place::new(), Place::new());
    let settings = "[agent]\nname = \"bob\"\ndomains = [\"memory-systems\"]\n";
    std::fs::write(bob.dir().join("exchange.toml"), settings).unwrap();
    let served = Served::new(&bob);
    let added = ann.json(["peer", "add", "bob", &served.url]);
    assert_eq!(added["key"], agent(&bob).as_str(), "{added}");
    assert_eq!(added["domains"], json!(["memory-systems"]));
    assert!(added["log"].is_string(), "{added}");
    let told = ann.json(["trust", "explain", "bob", "--domain", "memory-systems"]);
    assert_eq!(told["level"], 1, "{told}");
}

/// MRP-19, MRP-39: an agent that I trust vouches for the one who answers, and the answer brings the vouch: it is verified, recorded
/// and counted at once.
#[test]
fn a_vouch_in_an_answer_is_verified_recorded_and_counted() {
    let two = Two::new();
    let carol = Place::new();
    let (key, ops) = (agent(&two.bob), ["--domain", "ops"]);
    let vouch = carol.folder().join("vouch.json");
    let vouch = vouch.to_str().unwrap();
    let sure = ["--confidence", "high", "-o", vouch];
    let issue = [&["vouch", "issue", &key], &ops[..], &sure[..]].concat();
    carol.run(issue).ok();
    two.bob.run(["vouch", "import", vouch]).ok();

    let served = Served::new(&two.bob);
    two.ann.run(["peer", "add", "bob", &served.url]).ok();
    let demanding = [&["ask", "bob", QUESTION, "--require-vouches"], &ops[..]].concat();
    // To Ann, Carol is a stranger yet.
    let before = two.ann.run(["--json"].iter().chain(&demanding).copied());
    assert!(
        before.stdout().contains("no-vouches"),
        "{}",
        before.stdout()
    );

    two.ann.run(["peer", "add", "carol", &agent(&carol)]).ok();
    two.ann
        .run(["peer", "trust", "carol", "--domain", "ops"])
        .ok();
    let shown = two.ann.json(demanding);
    assert_eq!(shown["state"], "stored", "{shown}");
    assert_eq!(shown["memories"][0]["checks"]["vouch"]["result"], "pass");
    assert_eq!(shown["level"], 2);
    let vouches = two.ann.json(["vouch", "list", "--of", "bob"]);
    assert_eq!(vouches["vouches"][0]["voucher"]["called"], "carol");
}

/// R9, MRP-40: an agent is asked what it states of its memory; the same for one that it does not share and for none.
#[test]
fn what_an_agent_states_of_its_memory_is_shown_and_not_counted() {
    let two = Two::new();
    two.bob.run(["remember", "a secret of mine"]).ok();
    let served = Served::new(&two.bob);
    two.ann.run(["peer", "add", "bob", &served.url]).ok();
    let asked = two.ann.json(["ask", "bob", QUESTION]);
    let id = asked["memories"][0]["memoryId"].as_str().unwrap();
    let before = two.ann.size();
    let said = two.ann.json(["ask", "bob", "--verify", id]);
    let of = |said: &Value| -> Vec<String> {
        let rows = said["testimony"].as_array().unwrap().iter();
        rows.map(|row| row["said"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(of(&said), ["pass", "skip", "fail"]);
    let none = two.ann.json(["ask", "bob", "--verify", "world-none"]);
    assert_eq!(of(&none), ["skip", "skip", "skip"]);
    let shown = two.ann.run(["ask", "bob", "--verify", id]).ok().stdout();
    assert!(
        shown.contains("signature valid") && shown.contains("own word"),
        "{shown}"
    );
    assert_eq!(two.ann.size(), before);
    two.ann.refuses(["ask", "bob"], 3, "<QUESTION>");
}
