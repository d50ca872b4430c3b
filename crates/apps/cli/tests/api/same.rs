//! The API gives what the facade gives: the same documents, and the same effects of the same operations.

use counterfoil::blocking::Memory;
use counterfoil::{BeliefQuery, Detail, Note, RecallOptions};
use serde_json::{Value, json};

use crate::client::{ALL, Api, MOST};

#[test]
fn what_is_read_is_what_the_facade_reads() {
    let api = Api::start();
    let token = api.key("", ALL, "user");
    for text in [
        "Kit must not eat sesame",
        "Kit lives in Porto",
        "Bo bakes a lemon cake",
    ] {
        let made = api.post(&token, "/v1/memories", &json!({"text": text, "who": "Kit"}));
        assert_eq!(made.status, 201);
    }
    let memory = Memory::open_read_only(&api.store).unwrap();
    let options = RecallOptions {
        max: 2,
        ..RecallOptions::default()
    };
    for query in ["what must Kit not eat?", "lemon", "nothing of this"] {
        let recalled = memory.recall(query, &options).unwrap();
        for (name, detail) in [
            ("text", Detail::Text),
            ("index", Detail::Index),
            ("full", Detail::Full),
        ] {
            let mut expected = json!(recalled.document(detail));
            let given = api.post(
                &token,
                "/v1/recall",
                &json!({"query": query, "max": 2, "detail": name}),
            );
            let mut given = given.json();
            // Receipts are made anew: of both the proofs are of the same memories.
            let proofs =
                [&mut expected, &mut given].map(|it| it.as_object_mut().unwrap().remove("proofs"));
            let names = proofs
                .map(|it| it.map(|it| it.as_object().unwrap().keys().cloned().collect::<Vec<_>>()));
            assert_eq!(given, expected, "{query} {name}");
            assert_eq!(names[0], names[1]);
        }
    }
    let proofs = api
        .post(
            &token,
            "/v1/recall",
            &json!({"query": "sesame", "proofs": true}),
        )
        .json();
    let receipt = proofs["items"][0]["receipt"].as_str().unwrap();
    assert!(proofs["proofs"][receipt].is_object(), "{proofs}");
    let id = proofs["items"][0]["id"].as_str().unwrap();
    let shown = memory.show(id).unwrap();
    let given = api.get(&token, &format!("/v1/memories/{id}"));
    assert_eq!(given.json()["text"], shown.value()["world"]["data"]["text"]);
    assert_eq!(given.header("etag"), Some(format!("\"{id}\"").as_str()));
    assert_eq!(given.json()["receipt"], receipt);
    let versions = api.get(&token, &format!("/v1/memories/{id}/versions"));
    let (versions, history) = (versions.json(), memory.history(id, 50).unwrap());
    let row = &history.value()["versions"][0];
    let first = &versions["items"][0];
    assert_eq!((&versions["count"], &first["id"]), (&json!(1), &row["id"]));
    assert_eq!(
        (&first["recorded"], &first["content"]),
        (&row["recordedAt"], &row["content"])
    );
    let head = api.get(&token, "/v1/head").json();
    assert_eq!(without_kind(head), *memory.checkpoint().unwrap().value());
}

/// A document of the facade has no type and no version of its own.
fn without_kind(mut value: Value) -> Value {
    let members = value.as_object_mut().unwrap();
    members.remove("type");
    members.remove("version");
    value
}

#[test]
fn what_is_believed_is_what_the_facade_believes() {
    let api = Api::start();
    let token = api.key("", ALL, "user");
    for value in ["Porto", "Lisbon"] {
        let fact =
            json!({"subject": "Kit", "predicate": "lives_in", "value": value, "from": "2022"});
        let token = api.key("", MOST, if value == "Porto" { "user" } else { "tool" });
        api.post(&token, "/v1/facts", &fact);
    }
    let memory = Memory::open_read_only(&api.store).unwrap();
    let (at, as_of) = (Some("2023"), Some("2099"));
    let query = BeliefQuery::of_dates(at, as_of).unwrap();
    let belief = memory.believe("Kit", "lives_in", &query).unwrap();
    let given = api
        .get(&token, "/v1/beliefs/Kit/lives_in?at=2023&asOf=2099")
        .json();
    assert_eq!(given["status"], "contested");
    assert_eq!(without_kind(given), belief.to_json());
    let contested = api.get(&token, "/v1/contested?at=2023&asOf=2099").json();
    assert_eq!(contested["items"], json!([belief.to_json()]));
    let why = memory.why("Kit", "lives_in", &query, 100).unwrap();
    let given = api
        .get(&token, "/v1/beliefs/Kit/lives_in/why?at=2023&asOf=2099")
        .json();
    assert_eq!(without_kind(given), json!(why));
    let history = memory.line_history("Kit", "lives_in", &query, 100).unwrap();
    let given = api
        .get(&token, "/v1/beliefs/Kit/lives_in/history?at=2023&asOf=2099")
        .json();
    assert_eq!(without_kind(given), json!(history));
}

/// A claim that a fact takes the place of is named by its id or the beginning of it, as everywhere.
#[test]
fn a_superseded_claim_is_named_in_short() {
    let api = Api::start();
    let token = api.key("", ALL, "user");
    let state = |value: &str, supersedes: &[&str]| {
        let fact = json!({"subject": "Kit", "predicate": "lives_in", "value": value, "supersedes": supersedes});
        api.post(&token, "/v1/facts", &fact)
    };
    let first = state("Porto", &[]).json();
    let short = &first["id"].as_str().unwrap()[..14];
    assert_eq!(state("Faro", &[short]).status, 201);
    assert_eq!(
        (
            state("Faro", &["mem_ffffffff"]).code().as_str(),
            state("Faro", &["?"]).code().as_str()
        ),
        ("input", "input")
    );
}

/// Every pair of key and value that the two doors seal is the same.
#[test]
fn what_is_stored_is_what_the_facade_stores() {
    let api = Api::start();
    let token = api.key("user=kit", ALL, "user");
    let folder = tempfile::tempdir().unwrap();
    let other = Memory::create(folder.path().join("other")).unwrap();
    let document = json!({
        "text": "Kit must not eat sesame", "who": "Kit", "when": "2025-04-01", "scope": {"session": "42"},
        "tags": ["food"], "metadata": {"form": "7"},
    });
    let line = "POST /v1/memories";
    let key = "idempotency-key: first\r\n";
    let made = api.send(&token, line, key, &document.to_string());
    let again = api.send(&token, line, key, &document.to_string());
    assert_eq!((made.status, again.status), (201, 200));
    assert_eq!(
        (&again.json()["id"], &again.json()["became"]),
        (&made.json()["id"], &json!("same"))
    );
    let changed = json!({"text": "Kit may eat sesame", "scope": {"session": "42"}});
    assert_eq!(
        api.send(&token, line, key, &changed.to_string()).status,
        400
    );
    let scope = "user=kit,session=42".parse().unwrap();
    let note = Note::from("Kit must not eat sesame")
        .who("Kit")
        .scope(scope);
    let note = note.tag("food").metadata("form", "7").key("first");
    let expected = other.remember(note).unwrap().id;
    let expected = other.show(&expected.to_string()).unwrap();
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let memory = Memory::open_read_only(&api.store).unwrap();
    let stored = memory.show(&id).unwrap();
    assert_eq!(
        stored.value()["world"]["data"],
        expected.value()["world"]["data"]
    );
    let shown = api.get(&token, &format!("/v1/memories/{id}")).json();
    assert_eq!(shown["when"], "2025-04-01T00:00:00Z");
    assert_eq!(shown["scope"], json!({"user": "kit", "session": "42"}));
}

/// A version is written over the one that was read, and over no other.
#[test]
fn a_version_is_written_over_the_one_that_was_read() {
    let api = Api::start();
    let token = api.key("user=kit", ALL, "user");
    let made = api.post(&token, "/v1/memories", &json!({"text": "Kit likes tea"}));
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let line = format!("PATCH /v1/memories/{id}");
    let body = json!({"text": "Kit likes coffee", "reason": "said so"}).to_string();
    let change = |tag: &str| api.send(&token, &line, tag, &body);
    assert_eq!(
        (change("").status, change("").code().as_str()),
        (428, "precondition-required")
    );
    for tag in [
        "if-match: \"mem_0\"\r\n".to_owned(),
        format!("if-match: W/\"{id}\"\r\n"),
        format!("if-match: {id}\r\n"),
    ] {
        assert_eq!(change(&tag).status, 412, "{tag}");
    }
    let first = format!("if-match: {}\r\n", made.header("etag").unwrap());
    let changed = change(&first);
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(
        (change(&first).status, change(&first).code().as_str()),
        (412, "precondition-failed")
    );
    let shown = api.get(&token, &format!("/v1/memories/{id}"));
    assert_eq!(shown.json()["text"], "Kit likes coffee");
    assert_eq!(
        (shown.header("etag"), &shown.json()["number"]),
        (changed.header("etag"), &json!(1))
    );
    assert_eq!(
        shown.json()["data"]["correction"],
        json!({"by": "user", "reason": "said so"})
    );
    let versions = api
        .get(&token, &format!("/v1/memories/{id}/versions"))
        .json();
    assert_eq!(versions["count"], 2);
    let hidden = api.send(&token, &format!("DELETE /v1/memories/{id}"), "", "");
    assert_eq!(
        (hidden.status, &hidden.json()["became"]),
        (200, &json!("hidden"))
    );
    assert_eq!(
        api.post(&token, "/v1/recall", &json!({"query": "coffee"}))
            .json()["items"],
        json!([])
    );
    assert_eq!(api.get(&token, "/v1/memories").json()["items"], json!([]));
    assert_eq!(
        api.get(&token, &format!("/v1/memories/{id}")).json()["hidden"],
        true
    );
}

/// A memory that is stored between two pages neither moves the others nor is listed twice.
#[test]
fn pages_list_each_memory_once() {
    let api = Api::start();
    let token = api.key("user=kit", ALL, "user");
    assert_eq!(api.get(&token, "/v1/memories").json()["items"], json!([]));
    for number in 0..7 {
        api.post(
            &token,
            "/v1/memories",
            &json!({"text": format!("Kit bought {number} plums")}),
        );
    }
    let (mut path, mut listed) = ("/v1/memories?limit=3".to_owned(), Vec::new());
    loop {
        let page = api.get(&token, &path).json();
        let items = page["items"].as_array().unwrap();
        listed.extend(
            items
                .iter()
                .map(|item| item["text"].as_str().unwrap().to_owned()),
        );
        api.post(
            &token,
            "/v1/memories",
            &json!({"text": format!("Bo bought {} pears", listed.len())}),
        );
        let Some(cursor) = page["nextCursor"].as_str() else {
            break;
        };
        path = format!("/v1/memories?limit=3&cursor={cursor}");
    }
    listed.sort();
    let expected: Vec<String> = (0..7)
        .map(|number| format!("Kit bought {number} plums"))
        .collect();
    assert_eq!(listed, expected);
}

/// A fact of a narrower scope is given beside the belief of the key's own, and one without a scope is not there for the key.
#[test]
fn beliefs_of_narrower_scopes_stand_beside_the_own_one() {
    let api = Api::start();
    let path = "/v1/beliefs/Kit/lives_in";
    let tokens =
        ["", "user=kit", "user=kit,session=42", "user=bo"].map(|scope| api.key(scope, ALL, "user"));
    let state = |token: &str, value: &str| {
        let fact = json!({"subject": "Kit", "predicate": "lives_in", "value": value});
        assert_eq!(api.post(token, "/v1/facts", &fact).status, 201);
    };
    let believed = |token: &str| {
        let belief = api.get(token, path).json();
        let value = |belief: &Value| {
            belief["sides"][0]["value"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        let narrower = belief["narrower"].as_array().cloned().unwrap_or_default();
        (
            value(&belief),
            narrower
                .iter()
                .map(|it| (it["scope"].clone(), value(it)))
                .collect::<Vec<_>>(),
        )
    };
    let [owner, kit, session, bo] = &tokens;
    state(owner, "Rome");
    assert_eq!(believed(kit), (String::new(), vec![]));
    state(session, "Porto");
    let in_session = (json!({"user": "kit", "session": "42"}), "Porto".to_owned());
    assert_eq!(believed(kit), (String::new(), vec![in_session.clone()]));
    state(kit, "Lyon");
    assert_eq!(believed(kit), ("Lyon".to_owned(), vec![in_session.clone()]));
    assert_eq!(believed(session), ("Porto".to_owned(), vec![]));
    assert_eq!(believed(bo), (String::new(), vec![]));
    let in_kit = (json!({"user": "kit"}), "Lyon".to_owned());
    let (own, mut narrower) = believed(owner);
    narrower.sort_by_key(|(scope, _)| scope.to_string().len());
    assert_eq!((own.as_str(), narrower), ("Rome", vec![in_kit, in_session]));
}

/// A proposal and a proof of a belief are approved by an authority with the anchors of the log.
#[test]
fn proofs_are_checked() {
    let api = Api::start();
    let token = api.key("", ALL, "user");
    let made = api
        .post(
            &token,
            "/v1/memories",
            &json!({"text": "Kit must not eat sesame"}),
        )
        .json();
    let fact = json!({"subject": "Kit", "predicate": "lives_in", "value": "Porto", "from": "2022"});
    api.post(&token, "/v1/facts", &fact);
    let request = json!({"summary": "A cake without halva", "ids": [made["id"]]});
    let proposal = api.post(&token, "/v1/proposals", &request);
    assert_eq!(proposal.status, 201);
    let belief = api.get(&token, "/v1/beliefs/Kit/lives_in/proof").json();
    for proof in [proposal.json(), belief] {
        let verdict = api
            .post(&token, "/v1/verify", &json!({"proof": proof}))
            .json();
        assert_eq!(verdict["verdict"], "approved", "{verdict}");
    }
    let mut forged = proposal.json();
    forged["explanation"] = "with halva".into();
    let verdict = api.post(&token, "/v1/verify", &json!({"proof": forged}));
    assert!(
        verdict.status == 400 || verdict.json()["verdict"] != "approved",
        "{verdict:?}"
    );
    let exported = api.get(&token, "/v1/export");
    assert_eq!(exported.header("content-type"), Some("application/jsonl"));
    assert!(exported.body.lines().count() >= 3);
}
