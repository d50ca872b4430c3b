//! Every operation against memories outside of the key's scope, against keys without its right, and without a key.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::{ALL, Api};

/// An operation: method and path of the description, its right, the path that is called, and the document.
struct Row {
    operation: &'static str,
    right: Option<&'static str>,
    path: String,
    document: Option<Value>,
}

fn row(id: &str, operation: &'static str, right: &'static str, document: Option<Value>) -> Row {
    let path = operation.split_once(' ').unwrap().1;
    let path = path.replace("{id}", id).replace("{subject}", "Bo");
    Row {
        operation,
        right: (!right.is_empty()).then_some(right),
        path: path.replace("{predicate}", "likes"),
        document,
    }
}

/// Each operation that takes a key, about the memory `id`.
fn rows(id: &str) -> Vec<Row> {
    let reads = [
        ("GET /v1/memories", "recall"),
        ("GET /v1/memories/{id}", "recall"),
        ("DELETE /v1/memories/{id}", "forget"),
        ("GET /v1/memories/{id}/versions", "recall"),
        ("GET /v1/memories/{id}/receipt", "recall"),
        ("GET /v1/memories/{id}/uses", "recall"),
        ("GET /v1/decisions", "recall"),
        ("GET /v1/beliefs/{subject}/{predicate}", "believe"),
        ("GET /v1/beliefs/{subject}/{predicate}/why", "believe"),
        ("GET /v1/beliefs/{subject}/{predicate}/history", "believe"),
        ("GET /v1/beliefs/{subject}/{predicate}/proof", "prove"),
        ("GET /v1/contested", "believe"),
        ("GET /v1/head", ""),
        ("GET /metrics", "metrics"),
        ("GET /v1/imports/{id}", "import"),
        ("GET /v1/imports/{id}/events", "import"),
        ("DELETE /v1/imports/{id}", "import"),
    ];
    let fact = json!({"subject": "Bo", "predicate": "likes", "value": "tea", "source": id});
    let recall = json!({"query": "marzipan", "detail": "full"});
    let writes = [
        (
            "POST /v1/memories",
            "remember",
            json!({"text": "of Kit", "source": id}),
        ),
        (
            "PATCH /v1/memories/{id}",
            "remember",
            json!({"text": "changed"}),
        ),
        ("POST /v1/recall", "recall", recall),
        ("POST /v1/facts", "state", fact),
        (
            "POST /v1/proposals",
            "prove",
            json!({"summary": "s", "ids": [id]}),
        ),
        ("POST /v1/verify", "", json!({"proof": {}})),
        (
            "POST /v1/erasures",
            "erase",
            json!({"id": id, "reason": "r"}),
        ),
        (
            "POST /v1/imports",
            "import",
            json!({"conversation": "c", "time": "2025-03-01T10:15:00Z", "text": "of Kit"}),
        ),
    ];
    let mut export = row(id, "GET /v1/export", "export", None);
    export.path.push_str(&format!("?memory={id}"));
    let reads = reads.map(|(operation, right)| row(id, operation, right, None));
    let writes =
        writes.map(|(operation, right, document)| row(id, operation, right, Some(document)));
    reads.into_iter().chain(writes).chain([export]).collect()
}

impl Row {
    fn send(&self, api: &Api, token: &str) -> (u16, String) {
        let method = self.operation.split(' ').next().unwrap();
        let body = self
            .document
            .as_ref()
            .map(Value::to_string)
            .unwrap_or_default();
        let line = format!("{method} {}", self.path);
        let answer = api.send(token, &line, "if-match: *\r\n", &body);
        (answer.status, answer.body)
    }
}

/// The matrix has a row for each operation of the description.
#[test]
fn the_matrix_has_every_operation() {
    let api = Api::start();
    let described = api.get("", "/v1/openapi.json").json();
    let mut left: BTreeSet<String> = BTreeSet::new();
    for (path, operations) in described["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let is_public = operation["security"] == json!([]);
            if !is_public {
                left.insert(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    for row in rows("mem_0") {
        assert!(left.remove(row.operation), "{}", row.operation);
    }
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(api.get("", "/healthz").status, 200);
}

/// API-2; mutant `key-unbound`.
#[test]
fn of_a_memory_in_another_scope_each_operation_says_what_it_says_of_none() {
    let api = Api::start();
    let (kit, owner) = (api.key("user=kit", ALL, "user"), api.key("", ALL, "user"));
    let text = "Bo hides marzipan behind the clock";
    let made = api.post(
        &owner,
        "/v1/memories",
        &json!({"text": text, "scope": {"user": "bo"}, "who": "Bo"}),
    );
    let foreign = made.json()["id"].as_str().unwrap().to_owned();
    let fact = json!({"subject": "Bo", "predicate": "likes", "value": "marzipan"});
    assert_eq!(api.post(&owner, "/v1/facts", &fact).status, 201);
    let absent = format!("mem_{}", "0".repeat(32));
    for (of_foreign, of_absent) in rows(&foreign).iter().zip(rows(&absent)) {
        let operation = of_foreign.operation;
        let (status, body) = of_foreign.send(&api, &kit);
        assert!(!body.contains("behind the clock"), "{operation}: {body}");
        let is_about_it =
            of_foreign.path != of_absent.path || of_foreign.document != of_absent.document;
        if is_about_it {
            let (absent_status, absent_body) = of_absent.send(&api, &kit);
            let same = body.replace(&foreign, &absent);
            assert_eq!((status, same), (absent_status, absent_body), "{operation}");
            assert!((400..500).contains(&status), "{operation}: {status}");
        }
    }
    // A scope in a request narrows that of the key, and never leaves it.
    for (path, document) in [
        (
            "/v1/recall",
            json!({"query": "marzipan", "scope": {"user": "bo"}}),
        ),
        (
            "/v1/memories",
            json!({"text": "a", "scope": {"user": "bo"}}),
        ),
    ] {
        assert_eq!(api.post(&kit, path, &document).status, 400, "{path}");
    }
    // Nothing has become of the memory.
    let shown = api.get(&owner, &format!("/v1/memories/{foreign}")).json();
    assert_eq!(
        (&shown["text"], &shown["hidden"]),
        (&json!(text), &json!(false))
    );
}

/// A key reads the decisions about memories of its scope, and what used them, and nothing of others.
#[test]
fn decisions_are_those_about_the_memories_of_the_key() {
    let api = Api::start();
    let folder = api.store.parent().unwrap().to_owned();
    let at = |name: &str| folder.join(name).display().to_string();
    let key = api.command(&["key", "new", &at("authority.key"), "--name", "bakery"]);
    std::fs::write(api.store.join("authorities"), key["line"].as_str().unwrap()).unwrap();
    std::fs::write(
        at("policy.toml"),
        "name = \"bakery\"\nmaximum_age_ms = 3600000\n",
    )
    .unwrap();
    api.command(&["anchors", "-o", &at("anchors.json")]);
    let [(kit, of_kit), (bo, of_bo)] = ["kit", "bo"].map(|user| {
        let token = api.key(&format!("user={user}"), ALL, "user");
        let text = format!("{user} hides marzipan");
        let made = api
            .post(&token, "/v1/memories", &json!({"text": text}))
            .json();
        let id = made["id"].as_str().unwrap().to_owned();
        let proposal = json!({"summary": format!("Ask {user}"), "ids": [id], "to": "bakery"});
        let proposal = api.post(&token, "/v1/proposals", &proposal);
        std::fs::write(at("proposal.json"), &proposal.body).unwrap();
        api.command(&[
            "decide",
            "proposal",
            &at("proposal.json"),
            "--anchors",
            &at("anchors.json"),
            "--policy",
            &at("policy.toml"),
            "--key",
            &at("authority.key"),
            "-o",
            &at(user),
        ]);
        api.command(&["decided", &at(user), "--proposal", &at("proposal.json")]);
        (token, id)
    });
    for (token, own, foreign, name) in
        [(&kit, &of_kit, &of_bo, "bo"), (&bo, &of_bo, &of_kit, "kit")]
    {
        let used = api.get(token, &format!("/v1/memories/{own}/uses"));
        let decisions = api.get(token, "/v1/decisions");
        for (answer, list) in [(&used, "decisions"), (&decisions, "items")] {
            let decision = &answer.json()[list][0];
            assert_eq!(
                decision["memories"],
                json!([{"id": own, "outcome": "proven"}]),
                "{answer:?}"
            );
            assert_eq!(answer.json()[list].as_array().unwrap().len(), 1);
            assert!(
                !answer.body.contains(foreign.as_str()) && !answer.body.contains(name),
                "{answer:?}"
            );
        }
        assert_eq!(
            api.get(token, &format!("/v1/memories/{foreign}/uses"))
                .status,
            404
        );
    }
    let owner = api.key("", ALL, "user");
    let all = api.get(&owner, "/v1/decisions?limit=1").json();
    assert_eq!(
        (&all["more"], &all["items"][0]["text"]),
        (&json!(true), &json!("approved by bakery: Ask bo"))
    );
}

/// API-5; mutant `key-rights`.
#[test]
fn a_key_calls_the_operations_of_its_rights_alone() {
    let api = Api::start();
    let owner = api.key("", ALL, "user");
    let made = api.post(&owner, "/v1/memories", &json!({"text": "Kit likes tea"}));
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let rows = rows(&id);
    for right in ALL.split(',') {
        let others: Vec<&str> = ALL.split(',').filter(|other| *other != right).collect();
        let token = api.key("", &others.join(","), "user");
        let mut asking = rows
            .iter()
            .filter(|row| row.right == Some(right))
            .peekable();
        assert!(asking.peek().is_some(), "{right}");
        for row in asking {
            let (status, body) = row.send(&api, &token);
            let body: Value = serde_json::from_str(&body).unwrap();
            assert_eq!(
                (status, &body["code"]),
                (403, &json!("forbidden")),
                "{}",
                row.operation
            );
        }
    }
    for row in &rows {
        let (status, body) = row.send(&api, "");
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(
            (status, &body["code"]),
            (401, &json!("unauthorized")),
            "{}",
            row.operation
        );
    }
    assert_eq!(
        api.get(&owner, &format!("/v1/memories/{id}")).json()["text"],
        "Kit likes tea"
    );
}
