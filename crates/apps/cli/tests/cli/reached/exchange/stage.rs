//! Ann asks with the real binary; Bob's answers are written by hand and signed with his key.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use counterfoil_capsule::integrity::{Binding, Purpose, sign};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
use counterfoil_exchange::documents::Request;
use serde_json::{Value, json};

use super::super::{Met, host};
use crate::place::Place;

pub(super) const DAY_S: u64 = 86_400;

pub(super) struct Stage {
    pub(super) ann: Place,
    pub(super) bob: Place,
    pub(super) signer: AgentSigner,
}

impl Stage {
    /// Ann knows Bob by his key, and asks him in a folder.
    pub(super) fn new() -> Self {
        let stage = Self::of_strangers();
        stage.introduce(&[]);
        stage
    }

    /// Nobody is known in the folder.
    pub(super) fn of_strangers() -> Self {
        let (ann, bob) = (Place::new(), Place::new());
        let signer = agent_of(&bob);
        let stage = Self { ann, bob, signer };
        std::fs::create_dir(stage.folder()).unwrap();
        stage
    }

    pub(super) fn introduce(&self, more: &[&str]) {
        let (key, folder) = (self.key(), self.folder());
        let args = ["peer", "add", "bob", &key, "--at", folder.to_str().unwrap()];
        self.ann.run([&args[..], more].concat()).ok();
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.ann.folder().join("between")
    }

    pub(super) fn key(&self) -> String {
        self.signer.key().to_string()
    }

    /// Ann asks Bob, and gets these answers.
    #[track_caller]
    pub(super) fn ask(
        &self,
        met: &mut Met,
        more: &[&str],
        code: i32,
        answers: impl FnOnce(&Request) -> Vec<Value>,
    ) -> Value {
        self.ask_at("bob", met, more, code, answers)
    }

    #[track_caller]
    pub(super) fn ask_at(
        &self,
        whom: &str,
        met: &mut Met,
        more: &[&str],
        code: i32,
        answers: impl FnOnce(&Request) -> Vec<Value>,
    ) -> Value {
        let asking = self.asks(whom, more);
        let request = self.asked();
        self.give(&request, &answers(&request));
        let ran = asking.wait_with_output().unwrap();
        let (said, complaint) = (
            String::from_utf8(ran.stdout).unwrap(),
            String::from_utf8(ran.stderr).unwrap(),
        );
        assert_eq!(ran.status.code(), Some(code), "{said}\n{complaint}");
        let shown = serde_json::from_str(&said).unwrap();
        read(met, &shown);
        rows(met, &self.ann);
        shown
    }

    pub(super) fn asks(&self, whom: &str, more: &[&str]) -> Child {
        let mut command = self.ann.command();
        command
            .args(["--json", "ask", whom, "what of it?"])
            .args(more);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command.stderr(Stdio::piped()).spawn().unwrap()
    }

    /// What waits in the folder, which is taken away.
    pub(super) fn asked(&self) -> Request {
        let inbox = self.folder().join("inbox");
        for _ in 0..600 {
            let entries = std::fs::read_dir(&inbox).into_iter().flatten().flatten();
            let mut paths = entries.map(|entry| entry.path());
            if let Some(path) = paths.find(|path| path.extension().is_some_and(|it| it == "json")) {
                let request = Request::parse(&std::fs::read(&path).unwrap()).unwrap();
                std::fs::remove_file(path).unwrap();
                return request;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("nobody asked");
    }

    /// Puts answers into the folder, each under a name of its own.
    pub(super) fn give(&self, request: &Request, answers: &[Value]) {
        let outbox = self.folder().join("outbox");
        let id = &request.parts().header.request_id;
        for (number, answer) in answers.iter().enumerate() {
            let name = match number {
                0 => format!("response-{id}.json"),
                other => format!("response-{id}.{other:016x}.json"),
            };
            let draft = self.folder().join("being-written");
            std::fs::write(&draft, canonical(answer)).unwrap();
            std::fs::rename(draft, outbox.join(name)).unwrap();
        }
    }

    /// What Bob attests, of an hour ago, changed before he signs it.
    pub(super) fn says(&self, id: &str, change: impl FnOnce(&mut Value)) -> Value {
        attested(&self.signer, id, change)
    }

    /// Bob's answer with these memories, signed.
    pub(super) fn answer(&self, request: &Request, memories: Vec<Value>) -> Value {
        let code = if memories.is_empty() {
            "no_match"
        } else {
            "success"
        };
        self.answer_with(request, json!({ "code": code }), memories)
    }

    pub(super) fn answer_with(
        &self,
        request: &Request,
        status: Value,
        memories: Vec<Value>,
    ) -> Value {
        answer_by(&self.signer, request, request, status, memories)
    }
}

/// The key that an agent signs with.
pub(super) fn agent_of(place: &Place) -> AgentSigner {
    AgentSigner::new(host::key(place, "agent.key").1)
}

pub(super) fn agent(number: u8) -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([number; 32]))
}

/// The present, moved by so many seconds.
pub(super) fn time(moved_s: i64) -> Timestamp {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let moved = now.checked_add_signed(moved_s).unwrap();
    Timestamp::from_micros(moved * 1_000_000).unwrap()
}

pub(super) fn days_ago(days: i64) -> String {
    time(-days * i64::try_from(DAY_S).unwrap()).to_string()
}

/// An attestation, signed.
pub(super) fn attested(by: &AgentSigner, id: &str, change: impl FnOnce(&mut Value)) -> Value {
    let mut memory = json!({
        "type": "attestation", "version": "1", "id": id,
        "agent": { "agent_id": "somebody", "public_key": by.key().to_string() },
        "created_at": time(-3600).to_string(),
        "claim": { "type": "observation", "content": format!("what is said of {id}") },
    });
    change(&mut memory);
    proven(memory, by, None, None)
}

/// An answer to `asked`, under the name and to the asker of `request`.
pub(super) fn answer_by(
    by: &AgentSigner,
    request: &Request,
    asked: &Request,
    status: Value,
    memories: Vec<Value>,
) -> Value {
    let parts = request.parts();
    let audience = parts
        .requester
        .public_key
        .map_or("*".to_owned(), |key| key.to_string());
    let results: Vec<Value> = memories
        .into_iter()
        .map(|memory| match memory.get("attestation") {
            Some(_) => memory,
            None => json!({ "memory_id": memory["id"], "attestation": memory }),
        })
        .collect();
    let document = json!({
        "type": "memory_response", "version": "1",
        "header": {
            "request_id": parts.header.request_id.as_str(),
            "response_id": "0198c0de-0000-4000-8000-000000000000",
            "timestamp": time(0).to_string(),
        },
        "in_response_to": asked.hash().to_string(),
        "audience": audience,
        "responder": { "agent_id": "somebody", "public_key": by.key().to_string() },
        "status": status,
        "meta": { "returned": results.len() },
        "results": results,
    });
    let nonce = asked.parts().header.nonce.as_ref().map(ToString::to_string);
    proven(document, by, Some(audience), nonce)
}

fn proven(
    document: Value,
    by: &AgentSigner,
    domain: Option<String>,
    challenge: Option<String>,
) -> Value {
    let binding = Binding {
        purpose: Purpose::Assertion,
        domain,
        challenge,
    };
    sign(document, by, time(0), &binding).unwrap()
}

pub(super) fn canonical(document: &Value) -> String {
    counterfoil_types::json::canonical(document).unwrap()
}

/// Notes what an exchange gave.
pub(super) fn read(met: &mut Met, shown: &Value) {
    met.note("exchange", &shown["state"]);
    met.note("level", &shown["level"]);
    if let Some(status) = shown.get("status") {
        met.note("status", &status["code"]);
    }
    for notice in shown["notices"].as_object().unwrap().keys() {
        met.note("notice", &notice.as_str().into());
    }
    for memory in shown["memories"].as_array().unwrap() {
        met.note("type", &memory["type"]);
        met.note("disposition", &memory["disposition"]);
        met.note("level", &memory["level"]);
        met.note("flags", &memory["flags"]);
        for (name, found) in memory["checks"].as_object().unwrap() {
            met.note("check", &name.as_str().into());
            for (member, kind) in [("code", "fail"), ("reason", "skip")] {
                if let Some(word) = found.get(member) {
                    met.note(kind, word);
                }
            }
        }
    }
    // What is no answer of whom was asked has no memories: its findings are in the failure.
    let failure = shown["failure"].as_str().unwrap_or_default();
    for part in failure.split("fail (").skip(1) {
        met.note("fail", &part.split(')').next().unwrap().into());
    }
}

/// Notes the states that were written down.
pub(super) fn rows(met: &mut Met, place: &Place) {
    for (member, sql) in [
        (
            "exchange",
            "SELECT before FROM exchange_transition UNION SELECT after FROM exchange_transition",
        ),
        ("item", "SELECT state FROM exchange_item"),
    ] {
        for word in texts(&place.database(), sql) {
            met.note(member, &word.into());
        }
    }
}

/// The first column of a query.
pub(super) fn texts(database: &Path, sql: &str) -> Vec<String> {
    let connection = rusqlite::Connection::open(database).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}
