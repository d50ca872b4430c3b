//! Keys of applications: made, listed and revoked on the command line, and valid at once.

use serde_json::json;

use crate::client::{Api, MOST};

/// API-1.
#[test]
fn a_token_is_shown_once_and_a_revoked_key_is_refused_at_once() {
    let api = Api::start();
    let made = api.command(&[
        "key-for", "kitchen", "--scope", "user=kit", "--can", "recall",
    ]);
    let token = made["token"].as_str().unwrap();
    assert_eq!(
        (&made["channel"], &made["scope"]),
        (&json!("model"), &json!({"user": "kit"}))
    );
    assert_eq!(api.get(token, "/v1/memories").status, 200);
    let listed = api.command(&["key-for", "--list"]);
    assert_eq!(listed["items"][0]["id"], made["id"]);
    let secret = token.rsplit('_').next().unwrap();
    let kept = std::fs::read_to_string(api.store.join("api-keys.json")).unwrap();
    for text in [listed.to_string(), kept] {
        assert!(!text.contains(secret));
    }
    // Wrong keys, each with the same answer.
    let other = api.key("", MOST, "model");
    let mixed = format!(
        "{}_{}",
        token.rsplit_once('_').unwrap().0,
        other.rsplit('_').next().unwrap()
    );
    let upper = token.to_uppercase();
    let answers = ["", &mixed, &upper, secret, "x"].map(|wrong| api.get(wrong, "/v1/memories"));
    for answer in &answers {
        assert_eq!((answer.status, &answer.body), (401, &answers[0].body));
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    let twice = format!("authorization: Bearer {token}\r\n");
    assert_eq!(api.send(token, "GET /v1/memories", &twice, "").status, 401);
    api.command(&["key-for", "--revoke", made["id"].as_str().unwrap()]);
    assert_eq!(api.get(token, "/v1/memories").body, answers[0].body);
    assert_eq!(api.get(&other, "/v1/memories").status, 200);
    let log = api.end();
    assert!(log.contains("/v1/memories") && log.contains(made["id"].as_str().unwrap()));
    assert!(!log.contains(secret));
}

/// The log holds neither contents nor ids of memories.
#[test]
fn the_log_of_the_api_holds_no_memory() {
    let api = Api::start();
    let token = api.key("user=kit", MOST, "model");
    let made = api.post(
        &token,
        "/v1/memories",
        &json!({"text": "Kit likes marzipan"}),
    );
    assert_eq!(made.status, 201);
    let id = made.json()["id"].as_str().unwrap().to_owned();
    api.get(&token, &format!("/v1/memories/{id}"));
    api.post(&token, "/v1/recall", &json!({"query": "marzipan"}));
    api.get(&token, "/v1/memories?cursor=marzipan");
    api.get(&token, "/marzipan");
    let log = api.end();
    assert!(log.contains("/v1/memories/{id}"), "{log}");
    assert!(!log.contains("marzipan") && !log.contains(&id), "{log}");
}
