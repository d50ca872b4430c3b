//! What becomes of answers that are odd in one way each.

use counterfoil_capsule::Signer;
use counterfoil_exchange::documents::{
    Attestation, AttestationParts, Audience, Chain, Claim, MemoryProvenance, Nonce, Party,
    ProvenanceSource, Request, RequestHeader, RequestId, RequestParts, Text,
};
use serde_json::{Value, json};

use super::super::Met;
use super::stage::{Stage, agent, agent_of, answer_by, attested, days_ago, read, rows, time};
use crate::place::Place;
use crate::serving::server::Served;

/// One answer with a memory of each kind.
pub(super) fn of_many_kinds(met: &mut Met) {
    let stage = Stage::new();
    let (ann, ann_key) = (&stage.ann, agent_of(&stage.ann));
    ann.run(["claim", "add", "ann", "lives in", "Lisbon"]).ok();
    let mut memories = vec![
        stage.says("plain", |_| ()),
        stage.says("conditional", |memory| {
            memory["salience"] = json!({ "expected_decay": { "type": "conditional" } });
        }),
        stage.says("old", |memory| memory["created_at"] = days_ago(400).into()),
        stage.says("early", |memory| memory["created_at"] = days_ago(-1).into()),
        stage.says("url", |memory| {
            memory["evidence"] = json!([{ "url": "https://nowhere.invalid/" }])
        }),
        stage.says("hidden", |memory| {
            memory["claim"]["content"] = "a\u{202e}b".into()
        }),
        stage.says("contrary", |memory| {
            memory["claim"] = json!({
                "type": "fact", "content": "ann lives in Porto",
                "subject": "ann", "predicate": "lives in", "value": "Porto",
            });
        }),
        stage.says("heard", |memory| {
            memory["claim"]["content"] = "what is said of plain".into()
        }),
        attested(&ann_key, "own", |_| ()),
        raw("raw"),
    ];
    memories.push(changed(stage.says("forged", |_| ())));
    memories.push(unsigned(stage.says("stripped", |_| ())));
    memories.push(handed_on(&stage, "broken", |hops| drop(hops.remove(0))));
    memories.push(handed_on(&stage, "bad-hop", |hops| {
        let other = hops[0]["signature"].clone();
        hops.last_mut().unwrap()["signature"] = other;
    }));
    for kind in ["event", "fact", "insight", "relationship"] {
        memories.push(stage.says(kind, |memory| memory["claim"]["type"] = kind.into()));
    }
    let count = memories.len();
    let shown = stage.ask(met, &["--max", "30"], 0, |request| {
        vec![stage.answer(request, memories)]
    });
    assert_eq!(shown["memories"].as_array().unwrap().len(), count);
    stage.ask(met, &["--dry-run"], 0, |request| {
        vec![stage.answer(request, vec![stage.says("shown", |_| ())])]
    });
    stage.ask(met, &[], 1, |request| {
        vec![stage.answer(request, vec![changed(stage.says("forged", |_| ()))])]
    });
}

/// A receipt of a log that is not known, and one of something else.
pub(super) fn with_receipts(met: &mut Met) {
    let stage = Stage::new();
    let settings = "[[share]]\nto = \"*\"\nlabels = [\"public\"]\n";
    std::fs::write(stage.bob.dir().join("exchange.toml"), settings).unwrap();
    let data = json!({ "text": "what of it", "share": "public" }).to_string();
    let file = stage.bob.file("memory.json", data.as_bytes());
    stage
        .bob
        .run(["remember".as_ref(), "--file".as_ref(), file.as_os_str()])
        .ok();
    let served = Served::new(&stage.bob);
    let added = stage.ann.json(["peer", "add", "bob", &served.url]);
    let log = added["log"].as_str().unwrap();
    let reply = served.post(request_to(&stage, 1).bytes());
    let answered: Value = serde_json::from_str(reply.split_once("\r\n\r\n").unwrap().1).unwrap();
    let mut result = answered["results"][0].clone();
    assert!(result["receipt"].is_object(), "{answered}");
    drop(served);
    stage.introduce(&[]);
    let whole = result.clone();
    let other = Stage::new();
    other.ask(met, &[], 0, |request| {
        let receipt = whole["receipt"].clone();
        let memory = other.says("m", |_| ());
        vec![other.answer(
            request,
            vec![json!({ "memory_id": "m", "attestation": memory, "receipt": receipt })],
        )]
    });
    stage.introduce(&["--log", log]);
    result["attestation"] = stage.says("m", |_| ());
    stage.ask(met, &[], 1, |request| {
        vec![stage.answer(request, vec![result])]
    });
}

/// Nobody's answers, by the same way: without a proof, and as a draft.
pub(super) fn by_nobody(met: &mut Met) {
    let stage = Stage::of_strangers();
    let folder = stage.folder();
    let folder = folder.to_str().unwrap();
    stage.ask_at(folder, met, &[], 0, |request| {
        let mut answer = stage.answer(request, vec![raw("m")]);
        remove(&mut answer, "proof");
        remove(&mut answer["responder"], "public_key");
        vec![answer]
    });
    stage.ask_at(folder, met, &["--keep-raw"], 0, |request| {
        vec![draft(request)]
    });
}

/// Somebody else's answer, and Bob's to another question.
pub(super) fn by_others(met: &mut Met) {
    let stage = Stage::new();
    let said = || vec![stage.says("m", |_| ())];
    let status = || json!({ "code": "success" });
    stage.ask(met, &["--timeout", "1"], 2, |request| {
        vec![answer_by(&agent(8), request, request, status(), said())]
    });
    stage.ask(met, &["--timeout", "1"], 2, |request| {
        vec![answer_by(
            &stage.signer,
            request,
            &request_to(&stage, 2),
            status(),
            said(),
        )]
    });
}

/// Each way in which a question can go.
pub(super) fn of_each_status(met: &mut Met) {
    let stage = Stage::new();
    for (status, code) in [
        (json!({ "code": "no_match" }), 0),
        (json!({ "code": "declined" }), 1),
        (json!({ "code": "error", "problem": "internal" }), 2),
    ] {
        stage.ask(met, &[], code, |request| {
            vec![stage.answer_with(request, status, Vec::new())]
        });
    }
    let status = json!({ "code": "partial", "message": "there is more" });
    stage.ask(met, &[], 0, |request| {
        vec![stage.answer_with(request, status, vec![stage.says("m", |_| ())])]
    });
}

/// From somebody whom another vouches for, whom I trust, and whom I trust no more.
pub(super) fn at_each_level(met: &mut Met) {
    let (stage, cas) = (Stage::new(), Place::new());
    let key = cas.json(["key", "show"])["agent"]
        .as_str()
        .unwrap()
        .to_owned();
    stage.ann.run(["peer", "add", "cas", &key]).ok();
    stage.ann.run(["peer", "trust", "cas"]).ok();
    let domain = ["--domain", "memory-systems"];
    let sure = ["vouch", "issue", &stage.key(), "--confidence", "high"];
    let vouch = cas.run([&sure[..], &domain].concat()).ok().stdout();
    let file = stage.ann.file("vouch", vouch.as_bytes());
    stage
        .ann
        .run(["vouch".as_ref(), "import".as_ref(), file.as_os_str()])
        .ok();
    let mut one = |name: &str, code| {
        stage.ask(met, &domain, code, |request| {
            vec![stage.answer(request, vec![stage.says(name, |_| ())])]
        })
    };
    assert_eq!(one("vouched", 0)["memories"][0]["level"], 2);
    stage.ann.run(["peer", "trust", "bob"]).ok();
    assert_eq!(one("direct", 0)["memories"][0]["level"], 3);
    stage
        .ann
        .run(["peer", "distrust", "bob", "--mark", "framing"])
        .ok();
    one("marked", 0);
    stage.ann.run(["peer", "distrust", "bob"]).ok();
    one("nobody", 0);
}

/// After the deadline, by hand, and once more.
pub(super) fn too_late(met: &mut Met) {
    let stage = Stage::new();
    let asking = stage.asks("bob", &["--timeout", "1"]);
    let request = stage.asked();
    let shown: Value = serde_json::from_slice(&asking.wait_with_output().unwrap().stdout).unwrap();
    let id = shown["exchange"].as_str().unwrap();
    stage.give(
        &request,
        &[stage.answer(&request, vec![stage.says("m", |_| ())])],
    );
    read(
        met,
        &stage
            .ann
            .run(["--json", "exchange", "resume", id])
            .code(2)
            .json(),
    );
    read(met, &stage.ann.json(["exchange", "adopt", id]));
    read(met, &stage.ann.json(["exchange", "adopt", id]));
    rows(met, &stage.ann);
}

/// By who asks, while nobody answers.
pub(super) fn given_up(met: &mut Met) {
    let stage = Stage::new();
    let mut asking = stage.asks("bob", &["--timeout", "60"]);
    stage.asked();
    let listed = stage.ann.json(["exchange", "list"]);
    asking.kill().unwrap();
    asking.wait().unwrap();
    met.note("exchange", &listed["exchanges"][0]["state"]);
    let id = listed["exchanges"][0]["exchange"].as_str().unwrap();
    read(met, &stage.ann.json(["exchange", "cancel", id]));
}

/// Too much that is none, and two answers to one question.
pub(super) fn in_a_crowd(met: &mut Met) {
    let stage = Stage::new();
    stage.ask(met, &["--timeout", "8"], 2, |request| {
        // Under one name, which is read again when its file has changed.
        for number in 0..24 {
            let garbage = json!({ "type": "garbage", "number": number });
            stage.give(request, &[garbage]);
            std::thread::sleep(std::time::Duration::from_millis(250));
        }
        Vec::new()
    });
    let mut asked = None;
    let shown = stage.ask(met, &[], 0, |request| {
        let answer = stage.answer(request, vec![stage.says("one", |_| ())]);
        asked = Some(Request::parse(request.bytes()).unwrap());
        vec![answer]
    });
    let request = asked.unwrap();
    let id = shown["exchange"].as_str().unwrap();
    let outbox = stage.folder().join("outbox");
    std::fs::remove_file(outbox.join(format!("response-{id}.json"))).unwrap();
    stage.give(
        &request,
        &[stage.answer(&request, vec![stage.says("two", |_| ())])],
    );
    read(met, &stage.ann.json(["exchange", "resume", id]));
}

/// A question to Bob that is not Ann's.
fn request_to(stage: &Stage, number: u8) -> Request {
    let RequestParts {
        requester,
        query,
        preferences,
        ..
    } = template();
    let header = RequestHeader {
        request_id: RequestId::from_bytes([number; 16]),
        nonce: Some(Nonce::from_bytes([number; 16])),
        timestamp: time(0),
        expires: time(60),
    };
    let audience = Audience::One(stage.signer.key());
    let parts = RequestParts {
        header,
        requester,
        audience,
        query,
        preferences,
    };
    Request::sign(parts, &agent(7)).unwrap()
}

/// The least that a request says.
pub(super) fn template() -> RequestParts {
    let text = json!({
        "type": "memory_request", "version": "1", "audience": "*",
        "header": {
            "request_id": "0198c0de-0000-4000-8000-000000000000", "nonce": "AAAAAAAAAAAAAAAAAAAAAA",
            "timestamp": time(0).to_string(), "expires": time(60).to_string(),
        },
        "requester": { "agent_id": "somebody" },
        "query": { "natural": "what of it?" },
    });
    let request = Request::parse(super::stage::canonical(&text).as_bytes()).unwrap();
    request.parts().clone()
}

/// What the notes' agents answer: unsigned, in the shape of a draft.
pub(super) fn draft(request: &Request) -> Value {
    json!({
        "type": "memory_response", "version": "0.1",
        "request_id": request.parts().header.request_id.as_str(),
        "timestamp": time(0).to_string(),
        "responder": { "agent_id": "Agent-A" },
        "status": "success",
        "memories": [{ "attestation": { "claim": "pruning is identity" }, "relevance": 0.85 }],
    })
}

fn raw(id: &str) -> Value {
    json!({
        "type": "attestation", "version": "1", "id": id,
        "claim": { "type": "observation", "content": format!("raw {id}") },
    })
}

fn changed(mut memory: Value) -> Value {
    memory["claim"]["content"] = "what nobody has signed".into();
    memory
}

fn unsigned(mut memory: Value) -> Value {
    remove(&mut memory, "proof");
    memory
}

/// What came to Bob by another agent, with the hops changed before he signs.
fn handed_on(stage: &Stage, id: &str, change: impl FnOnce(&mut Vec<Value>)) -> Value {
    let content = format!("what is said of {id}");
    let claim = Claim::of_text(Text::new(content).unwrap());
    let chain = Chain::default()
        .handed_on(claim.hash(), time(-7200), &agent(3))
        .and_then(|chain| chain.handed_on(claim.hash(), time(-7100), &agent(4)))
        .and_then(|chain| chain.handed_on(claim.hash(), time(-7000), &stage.signer))
        .unwrap();
    let parts = AttestationParts {
        agent: Some(Party::named(Text::new("somebody").unwrap())),
        created_at: Some(time(-3600)),
        provenance: Some(MemoryProvenance {
            chain: Some(chain),
            ..MemoryProvenance::of_source(ProvenanceSource::Received)
        }),
        ..AttestationParts::of_claim(Text::new(id).unwrap(), claim)
    };
    let whole = Attestation::sign(parts, &stage.signer).unwrap();
    let mut hops = whole.to_value().unwrap()["provenance"]["chain"]
        .as_array()
        .unwrap()
        .clone();
    change(&mut hops);
    stage.says(id, |memory| {
        memory["provenance"] = json!({ "source": "received", "chain": hops });
    })
}

fn remove(object: &mut Value, member: &str) {
    object.as_object_mut().unwrap().remove(member).unwrap();
}
