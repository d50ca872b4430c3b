//! Ann asks with the real binary, and each answer is written by hand: it says what no honest agent would.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use counterfoil_capsule::integrity::{Binding, Purpose, sign};
use counterfoil_capsule::{AgentSigner, Signer, Timestamp};
use counterfoil_exchange::documents::Request;
use counterfoil_types::json::canonical;
use serde_json::{Value, json};

use super::host;
use crate::place::Place;

/// R11, MRP-45: a memory that points somewhere is not followed there.
#[test]
fn nothing_is_fetched_unless_it_is_asked_for() {
    // A public name: what is reserved or of this machine is never asked, so that it would tell nothing.
    let url = "https://beacon.counterfoil.dev/";
    let (ann, bob) = (Place::new(), Place::new());
    let signer = AgentSigner::new(host::key(&bob, "agent.key").1);
    let (key, between) = (signer.key().to_string(), folder(&ann));
    let args = [
        "peer",
        "add",
        "bob",
        &key,
        "--at",
        between.to_str().unwrap(),
    ];
    ann.run(args).ok();
    let shown = ask(&ann, &["bob"], |request| signed(request, &signer, url));
    let found = &shown["memories"][0]["checks"]["evidence"];
    assert_eq!(found["reason"], "not-fetched", "{shown}");
    assert_eq!(
        shown["memories"][0]["level"], 1,
        "who proves nothing is not asked"
    );
}

/// MRP-36, MRP-8: a question, an answer in the shape of the notes that nobody has signed, the checks, and a memory that says how
/// little was shown of it.
#[test]
fn the_least_that_works_asks_answers_checks_and_saves() {
    let ann = Place::new();
    let between = folder(&ann);
    let shown = ask(
        &ann,
        &[between.to_str().unwrap(), "--keep-raw"],
        |request| {
            json!({
                "type": "memory_response", "version": "0.1",
                "request_id": request.parts().header.request_id.as_str(),
                "timestamp": time(0).to_string(),
                "responder": { "agent_id": "Agent-A" },
                "status": "success",
                "memories": [{ "attestation": { "claim": "pruning is identity" }, "relevance": 0.85 }],
            })
        },
    );
    assert_eq!(shown["state"], "stored", "{shown}");
    let memory = &shown["memories"][0];
    assert_eq!(memory["checks"]["identity"]["result"], "skip");
    assert_eq!(memory["checks"]["signature"]["reason"], "draft");
    let kept = ann.json(["show", memory["stored"].as_str().unwrap()]);
    let data = kept.pointer("/world/data").or(kept.get("data"));
    let data = data.unwrap_or_else(|| panic!("{kept}"));
    assert_eq!(data["kind"], "received");
    assert_eq!(data["text"], "pruning is identity");
    assert_eq!(
        (&data["level"], &data["disposition"]),
        (&0.into(), &"raw_only".into())
    );
    assert!(data.get("from").is_none() && data.get("attestation").is_none());
    let recalled = ann.run(["recall", "pruning"]).ok().stdout();
    assert!(recalled.contains("pruning is identity"), "{recalled}");
}

fn folder(place: &Place) -> PathBuf {
    let between = place.folder().join("between");
    std::fs::create_dir_all(&between).unwrap();
    between
}

/// Asks, and puts the answer into the folder.
fn ask(ann: &Place, args: &[&str], answer: impl FnOnce(&Request) -> Value) -> Value {
    let mut command = ann.command();
    command
        .args(["--json", "ask"])
        .args(args)
        .arg("what of it?");
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let asking = command.spawn().unwrap();
    let request = asked(ann);
    let name = format!("response-{}.json", request.parts().header.request_id);
    let (draft, outbox) = (folder(ann).join("draft"), folder(ann).join("outbox"));
    std::fs::write(&draft, canonical(&answer(&request)).unwrap()).unwrap();
    std::fs::rename(draft, outbox.join(name)).unwrap();
    let ran = asking.wait_with_output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    serde_json::from_slice(&ran.stdout).unwrap()
}

/// The request in the folder.
fn asked(ann: &Place) -> Request {
    let inbox = folder(ann).join("inbox");
    for _ in 0..600 {
        let entries = std::fs::read_dir(&inbox).into_iter().flatten().flatten();
        let mut paths = entries.map(|entry| entry.path());
        if let Some(path) = paths.find(|path| path.extension().is_some_and(|it| it == "json")) {
            return Request::parse(&std::fs::read(&path).unwrap()).unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("nobody asked");
}

/// An answer of one memory with this evidence, both signed.
fn signed(request: &Request, by: &AgentSigner, url: &str) -> Value {
    let (header, requester) = (&request.parts().header, &request.parts().requester);
    let party = json!({ "agent_id": "somebody", "public_key": by.key().to_string() });
    let memory = json!({
        "type": "attestation", "version": "1", "id": "m", "agent": party,
        "created_at": time(-3600).to_string(),
        "claim": { "type": "observation", "content": "something" },
        "evidence": [{ "url": url }],
    });
    let mut binding = Binding {
        purpose: Purpose::Assertion,
        domain: None,
        challenge: None,
    };
    let memory = sign(memory, by, time(0), &binding).unwrap();
    binding.domain = requester.public_key.map(|key| key.to_string());
    binding.challenge = header.nonce.as_ref().map(ToString::to_string);
    let answer = json!({
        "type": "memory_response", "version": "1",
        "header": {
            "request_id": header.request_id.as_str(),
            "response_id": "0198c0de-0000-4000-8000-000000000000",
            "timestamp": time(0).to_string(),
        },
        "in_response_to": request.hash().to_string(),
        "audience": binding.domain, "responder": party,
        "status": { "code": "success" }, "meta": { "returned": 1 },
        "results": [{ "memory_id": "m", "attestation": memory }],
    });
    sign(answer, by, time(0), &binding).unwrap()
}

/// The present, moved by so many seconds.
fn time(moved_s: i64) -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let moved = since.as_secs().checked_add_signed(moved_s).unwrap();
    Timestamp::from_micros(moved * 1_000_000).unwrap()
}
