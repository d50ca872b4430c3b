//! Two processes: one serves, one asks.

use std::time::Instant;

use serde_json::Value;

use super::between::Between;
use super::server::Served;
use crate::place::Place;

const QUESTION: &str = "what do you know about pruning?";
const TEXT: &str = "Pruning is identity: what you forget defines who you become.";

/// Ann asks; Bob shares with everyone all that is public.
pub(super) struct Two {
    pub(super) ann: Place,
    pub(super) bob: Place,
}

impl Two {
    pub(super) fn new() -> Self {
        let two = Self {
            ann: Place::new(),
            bob: Place::new(),
        };
        let settings = "[agent]\nname = \"bob\"\n\n[[share]]\nto = \"*\"\nlabels = [\"public\"]\n\
                        format = \"attestation\"\n\n[share_claims]\npredicates = [\"lives in\"]\n";
        std::fs::write(two.bob.dir().join("exchange.toml"), settings).unwrap();
        let data = serde_json::json!({ "text": TEXT, "share": "public" });
        let file = two.bob.file("memory.json", data.to_string().as_bytes());
        two.bob
            .run(["remember".as_ref(), "--file".as_ref(), file.as_os_str()])
            .ok();
        two
    }

    pub(super) fn knows_bob_at(&self, url: &str) {
        let key = agent(&self.bob);
        self.ann.run(["peer", "add", "bob", &key, "--at", url]).ok();
    }
}

pub(super) fn agent(place: &Place) -> String {
    place.json(["key", "show"])["agent"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// MRP-6, MRP-3, MRP-4, MRP-5, MRP-31: asked, answered, checked, stored.
#[test]
fn what_was_asked_is_answered_checked_and_stored() {
    let two = Two::new();
    let served = Served::new(&two.bob);
    two.ann.run(["peer", "add", "bob", &served.url]).ok();
    let shown = two.ann.json(["ask", "bob", QUESTION]);
    assert_eq!(shown["state"], "stored", "{shown}");
    let memory = &shown["memories"][0];
    for check in ["identity", "signature", "evidence"] {
        assert_eq!(
            memory["checks"][check]["result"], "pass",
            "{check}: {shown}"
        );
    }
    let stored = memory["stored"].as_str().unwrap();
    assert!(
        two.ann
            .run(["show", stored])
            .ok()
            .stdout()
            .contains("Pruning is identity")
    );
    let recalled = two.ann.run(["recall", "pruning"]).ok().stdout();
    let key = agent(&two.bob);
    let (_, key) = key.split_at("did:key:".len());
    assert!(
        recalled.contains(&format!("[said by {}", &key[..9]))
            && recalled.contains(", trust 1 at receipt]"),
        "{recalled}"
    );
    two.ann.run(["audit"]).ok();
    assert!(
        served
            .get("/metrics")
            .contains("counterfoil_http_exchanges_total{status=\"success\"} 1")
    );
}

/// R14: what was forgotten lets nothing out any more, not even the claim that cites it.
#[test]
fn a_claim_is_not_told_by_a_memory_that_was_forgotten() {
    let two = Two::new();
    let diary = two.bob.json(["remember", "--share", "public", "a note"]);
    let diary = diary["worldId"].as_str().unwrap();
    let claim = ["claim", "add", "eve", "studies", "herons", "--source"];
    two.bob.run(claim.into_iter().chain([diary])).ok();
    let served = Served::new(&two.bob);
    two.knows_bob_at(&served.url);
    let told = || {
        two.ann
            .json(["ask", "bob", "what does eve study? herons", "--dry-run"])
    };
    assert_eq!(told()["memories"][0]["subject"], "eve");
    two.bob.run(["forget", diary, "--reason", "mine"]).ok();
    let shown = told();
    assert_eq!(shown["state"], "no_match", "{shown}");
}

/// Adversarial case H103: what contradicts is stored, and both sides are shown.
#[test]
fn what_contradicts_is_kept_beside() {
    let two = Two::new();
    two.ann
        .run(["claim", "add", "eve", "lives in", "Lisbon"])
        .ok();
    two.bob
        .run(["claim", "add", "eve", "lives in", "Porto"])
        .ok();
    let served = Served::new(&two.bob);
    two.knows_bob_at(&served.url);
    let shown = two
        .ann
        .json(["ask", "bob", "where does eve live? lives in Porto"]);
    let memories = shown["memories"].as_array().unwrap();
    let contested = memories
        .iter()
        .find(|memory| memory["checks"]["consistency"]["result"] == "fail");
    let contested = contested.unwrap_or_else(|| panic!("{shown}"));
    assert!(
        contested["flags"]
            .as_array()
            .unwrap()
            .contains(&"contested".into()),
        "{shown}"
    );
}

/// Adversarial case F66: a request that was answered is answered by the same bytes while they are held, and refused after a restart.
#[test]
fn a_request_is_answered_once() {
    let two = Two::new();
    let served = Served::new(&two.bob);
    let between = Between::before(&served.address, true);
    two.knows_bob_at(&between.url);
    two.ann.json(["ask", "bob", QUESTION]);
    let request = between.asked().pop().unwrap();
    let document = |reply: &str| reply.split_once("\r\n\r\n").unwrap().1.to_owned();
    let (once, twice) = (served.post(&request), served.post(&request));
    assert!(once.starts_with("HTTP/1.1 200"), "{once}");
    assert_eq!(document(&once), document(&twice));
    drop(served);
    let again = Served::new(&two.bob);
    let refused = again.post(&request);
    assert!(
        refused.starts_with("HTTP/1.1 409") && refused.contains("request-replayed"),
        "{refused}"
    );
}

/// R3: another agent answers where Bob was: nothing of it is stored.
#[test]
fn another_key_is_nobody() {
    let two = Two::new();
    let other = Place::new();
    let served = Served::new(&other);
    two.knows_bob_at(&served.url);
    let size = two.ann.size();
    let ran = two
        .ann
        .run(["--json", "ask", "bob", QUESTION, "--timeout", "3"]);
    let shown: Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert_ne!(shown["state"], "stored", "{shown}");
    assert!(shown["memories"].as_array().unwrap().is_empty(), "{shown}");
    assert_eq!(two.ann.size(), size);
}

/// Adversarial case F84 (MRP-52): while somebody floods, somebody else is answered.
#[test]
fn a_flood_is_refused_and_others_are_answered() {
    let two = Two::new();
    let served = Served::at(&two.bob, "127.0.0.1:0", &["--rate", "10000"]);
    two.knows_bob_at(&served.url);
    let between = Between::before(&served.address, true);
    two.ann
        .run(["ask", &between.url, QUESTION, "--anonymous"])
        .ok();
    let request = between.asked().pop().unwrap();
    let began = Instant::now();
    let refused = (0..200)
        .filter(|_| served.post(&request).starts_with("HTTP/1.1 429"))
        .count();
    assert!(refused > 100, "{refused} in {:?}", began.elapsed());
    let shown = two.ann.json(["ask", "bob", QUESTION]);
    assert_eq!(shown["state"], "stored", "{shown}");
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
    assert_eq!(added["domains"], serde_json::json!(["memory-systems"]));
    assert!(added["log"].is_string(), "{added}");
    let listed = ann.json(["peer", "list"]);
    let known = &listed["peers"][0];
    assert_eq!(
        (&known["name"], &known["level"]),
        (&"bob".into(), &1.into())
    );
    let told = ann.json(["trust", "explain", "bob", "--domain", "memory-systems"]);
    assert_eq!(told["level"], 1, "{told}");
}
