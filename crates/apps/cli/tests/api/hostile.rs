//! Hostile input: hosts, origins, heads, bodies, sizes, depth and types. Nothing of it ends the server or is a fault of it.

use serde_json::{Value, json};

use crate::client::{Api, MOST};

/// API-4.
#[test]
fn a_request_has_one_host_and_it_is_this_server() {
    let api = Api::start();
    let token = api.key("", MOST, "model");
    let send = |head: &str| {
        let head = format!("{head}authorization: Bearer {token}\r\nconnection: close\r\n\r\n");
        api.raw(head.as_bytes()).status
    };
    assert_eq!(
        send("GET /v1/memories HTTP/1.1\r\nhost: 127.0.0.1:9\r\n"),
        200
    );
    for head in [
        "GET /v1/memories HTTP/1.1\r\n",
        "GET /v1/memories HTTP/1.0\r\n",
        "GET /v1/memories HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n",
    ] {
        assert_eq!(send(head), 400, "{head}");
    }
    for head in [
        "GET /v1/memories HTTP/1.1\r\nhost: evil.example\r\n",
        "GET /healthz HTTP/1.1\r\nhost: evil.example\r\n",
        "GET http://evil.example/v1/memories HTTP/1.1\r\nhost: localhost\r\n",
        "GET /v1/memories HTTP/1.1\r\nhost: localhost\r\norigin: http://evil.example\r\n",
        "GET /v1/memories HTTP/1.1\r\nhost: localhost\r\norigin: null\r\n",
    ] {
        assert_eq!(send(head), 403, "{head}");
    }
    // A browser gets no leave for other origins.
    let preflight =
        "OPTIONS /v1/memories HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost:1\r\n";
    let preflight = api.raw(format!("{preflight}connection: close\r\n\r\n").as_bytes());
    assert_eq!(preflight.status, 405);
    assert!(preflight.header("access-control-allow-origin").is_none());
}

fn refused(api: &Api, token: &str, path: &str, body: &str) {
    let answer = api.send(token, &format!("POST {path}"), "", body);
    let shown: String = body.chars().take(80).collect();
    assert_eq!(answer.status, 400, "{path} {shown} {answer:?}");
    let media_type = answer.header("content-type");
    assert_eq!(media_type, Some("application/problem+json"));
    assert_eq!(answer.json()["type"], "counterfoil/error");
    let next = answer.json()["next"].as_str().map(str::len);
    assert!(next.is_some_and(|it| it > 0), "{answer:?}");
}

#[test]
fn memories_that_do_not_fit_are_problems() {
    let api = Api::start();
    let token = api.key("", MOST, "model");
    for body in [
        String::new(),
        "{".to_owned(),
        "\u{0}".to_owned(),
        "[".repeat(100_000),
        r#"{"text":"a","text":"b"}"#.to_owned(),
        r#"{"text":"\ud800"}"#.to_owned(),
    ] {
        refused(&api, &token, "/v1/memories", &body);
    }
    for document in [
        json!({}),
        json!({"text": ""}),
        json!({"text": "a\u{0}b"}),
        json!({"text": 7}),
        json!({"text": "a", "unknown": 1}),
        json!({"text": "a".repeat(1_100_000)}),
        json!({"text": "a", "when": "tomorrow"}),
        json!({"text": "a", "source": "nowhere"}),
        json!({"text": "a", "scope": {"": ""}}),
        json!({"text": "a", "tags": vec!["a"; 17]}),
    ] {
        refused(&api, &token, "/v1/memories", &document.to_string());
    }
}

#[test]
fn other_documents_that_do_not_fit_are_problems() {
    let api = Api::start();
    let token = api.key("", MOST, "model");
    let mut deep = json!(1);
    for _ in 0..60 {
        deep = json!([deep]);
    }
    let fact = |name: &str, value: &Value| {
        let mut fact = json!({"subject": "a", "predicate": "b", "value": 1});
        fact[name] = value.clone();
        ("/v1/facts", fact)
    };
    for (path, document) in [
        ("/v1/recall", json!({"query": ""})),
        ("/v1/recall", json!({"query": "a", "max": 0})),
        ("/v1/recall", json!({"query": "a", "max": 101})),
        ("/v1/recall", json!({"query": "a", "max": -1})),
        ("/v1/recall", json!({"query": "a", "max": 1e300})),
        ("/v1/recall", json!({"query": "a", "tokenBudget": 0})),
        ("/v1/recall", json!({"query": "a", "asOf": "99999"})),
        ("/v1/recall", json!({"query": "a", "after": "-1"})),
        fact("value", &deep),
        fact("subject", &json!("")),
        fact("from", &json!("x")),
        fact("supersedes", &json!(["x"])),
        ("/v1/proposals", json!({"summary": "a"})),
        ("/v1/proposals", json!({"summary": "", "queries": ["a"]})),
        ("/v1/verify", json!({"proof": {}})),
        ("/v1/verify", json!({"proof": 1})),
    ] {
        refused(&api, &token, path, &document.to_string());
    }
}

#[test]
fn paths_and_queries_that_do_not_fit_are_problems() {
    let api = Api::start();
    let token = api.key("", MOST, "model");
    for path in [
        "/v1/memories?limit=0",
        "/v1/memories?limit=201",
        "/v1/memories?limit=1&limit=2",
        "/v1/memories?offset=1",
        "/v1/memories?cursor=x",
        "/v1/memories?cursor=ffffffffffffffff-1",
        "/v1/memories?cursor=%ff",
        "/v1/beliefs/a/b?at=x",
        "/v1/contested?limit=0",
    ] {
        assert_eq!(api.get(&token, path).status, 400, "{path}");
    }
    for path in [
        "/v1/memories/..%2f..%2fetc",
        "/v1/memories/%00",
        "/v1/memories/mem_",
        "/v1/memories/genesis",
        "/v1/memories/x/versions",
        "/v1/memories/rcpt_0_00000000/receipt",
        "/v1/nothing",
    ] {
        assert_eq!(api.get(&token, path).status, 404, "{path}");
    }
}

#[test]
fn heads_that_do_not_fit_are_problems_and_the_server_goes_on() {
    let api = Api::start();
    let token = api.key("", MOST, "model");
    let large = json!({"text": "a".repeat(3 << 20)}).to_string();
    let answer = api.send(&token, "POST /v1/memories", "", &large);
    assert!(
        answer.status == 413 || answer.status == 0,
        "{}",
        answer.status
    );
    let typed = "content-type: text/plain\r\ncontent-length: 2\r\n";
    let head = format!(
        "POST /v1/recall HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n{typed}"
    );
    assert_eq!(
        api.raw(format!("{head}connection: close\r\n\r\n{{}}").as_bytes())
            .status,
        415
    );
    let line = "POST /v1/memories";
    let body = r#"{"text":"Kit likes tea"}"#;
    for more in [
        format!("idempotency-key: {}\r\n", "a".repeat(129)),
        "idempotency-key: \r\n".to_owned(),
        "idempotency-key: a\r\nidempotency-key: b\r\n".to_owned(),
    ] {
        assert_eq!(api.send(&token, line, &more, body).status, 400, "{more}");
    }
    assert_eq!(api.send(&token, line, "", body).status, 201);
    assert!(!api.end().contains("panic"));
}

#[test]
fn bytes_that_are_no_request_leave_the_server_as_it_is() {
    let api = Api::start();
    for bytes in [
        b"\x16\x03\x01\x02\x00".as_slice(),
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v1/memories HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}",
        b"POST /v1/recall HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        &[b"GET / HTTP/1.1\r\nx: ".as_slice(), &[b'a'; 70_000]].concat(),
    ] {
        assert_ne!(api.raw(bytes).status, 200);
    }
    assert_eq!(api.get("", "/healthz").status, 200);
}
