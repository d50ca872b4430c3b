//! Whose word it is: the channel of the key decides, and no request does.

use serde_json::json;

use crate::client::{ALL, Api, MOST};

/// API-3; mutant `key-channel`.
#[test]
fn the_channel_of_the_key_decides_whose_word_it_is() {
    let api = Api::start();
    for (channel, can, subject, class) in [
        ("model", MOST, "Kit", "model_derived"),
        ("tool", MOST, "Bo", "first_hand"),
        ("user", ALL, "Ada", "user_asserted"),
    ] {
        let token = api.key("", can, channel);
        let fact =
            json!({"subject": subject, "predicate": "lives_in", "value": "Porto", "from": "2022"});
        let made = api.post(&token, "/v1/facts", &fact);
        assert_eq!(made.status, 201, "{made:?}");
        let belief = api
            .get(&token, &format!("/v1/beliefs/{subject}/lives_in"))
            .json();
        let said = &belief["sides"][0]["claims"][0]["provenance"]["class"];
        assert_eq!(said, class, "{belief}");
        let made = api.post(
            &token,
            "/v1/memories",
            &json!({"text": format!("{subject} likes tea")}),
        );
        let id = made.json()["id"].as_str().unwrap().to_owned();
        let shown = api.get(&token, &format!("/v1/memories/{id}")).json();
        let expected = (channel != "user").then(|| json!(channel));
        assert_eq!(shown["data"].get("channel"), expected.as_ref(), "{shown}");
        // No member of a request is a channel, and no patch reaches one.
        for (path, document) in [
            ("/v1/memories", json!({"text": "a", "channel": "user"})),
            (
                "/v1/facts",
                json!({"subject": "a", "predicate": "b", "value": 1, "channel": "user"}),
            ),
            (
                "/v1/facts",
                json!({"subject": "a", "predicate": "b", "value": 1, "key": "k"}),
            ),
        ] {
            assert_eq!(api.post(&token, path, &document).status, 400, "{document}");
        }
        for name in [
            "channel",
            "correction",
            "file",
            "key",
            "kind",
            "scope",
            "share",
            "source",
            "speaker",
        ] {
            let patch = json!({"patch": {name: "user"}}).to_string();
            let tag = format!("if-match: \"{id}\"\r\n");
            let line = format!("PATCH /v1/memories/{id}");
            assert_eq!(api.send(&token, &line, &tag, &patch).status, 400, "{name}");
        }
    }
}

/// API-3; a model could hide what the user had stated.
#[test]
fn a_model_takes_back_no_fact_of_others() {
    let api = Api::start();
    let (user, model) = (api.key("", ALL, "user"), api.key("", MOST, "model"));
    let fact = json!({"subject": "Kit", "predicate": "lives_in", "value": "Porto"});
    let made = api.post(&user, "/v1/facts", &fact).json();
    let line = format!("DELETE /v1/memories/{}", made["id"].as_str().unwrap());
    let refused = api.send(&model, &line, "", "");
    assert_eq!((refused.status, refused.code().as_str()), (403, "refused"));
    assert_eq!(api.send(&user, &line, "", "").status, 200);
}

#[test]
fn only_the_users_applications_erase() {
    let api = Api::start();
    let refused = api.command(&["key-for", "kitchen", "--can", "recall"]);
    assert!(refused["token"].is_string());
    let model = api.key("", MOST, "model");
    let made = api
        .post(&model, "/v1/memories", &json!({"text": "Kit likes tea"}))
        .json();
    let erasure = json!({"id": made["id"], "reason": "asked by Kit"});
    assert_eq!(api.post(&model, "/v1/erasures", &erasure).status, 403);
    // A right that was written into the file by hand gives a model nothing.
    let path = api.store.join("api-keys.json");
    let kept = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, kept.replace("\"export\"", "\"export\", \"erase\"")).unwrap();
    assert_eq!(api.get(&model, "/v1/memories").status, 200);
    assert_eq!(api.post(&model, "/v1/erasures", &erasure).status, 403);
    let user = api.key("", ALL, "user");
    assert_eq!(api.post(&user, "/v1/erasures", &erasure).status, 200);
    let id = made["id"].as_str().unwrap();
    let shown = api.get(&user, &format!("/v1/memories/{id}")).json();
    assert!(
        shown.get("text").is_none() && shown["data"].is_null(),
        "{shown}"
    );
}
