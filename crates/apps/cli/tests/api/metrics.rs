//! Numbers of the server, and the trace of a request in its log.

use serde_json::json;

use crate::client::{ALL, Api};

/// API-6: numbers of the whole store, for a key of the whole store; no text, no id and no scope is among them.
#[test]
fn metrics_are_numbers_alone_and_no_key_of_a_scope_reads_them() {
    let api = Api::start();
    let (kit, scraper) = (
        api.key("user=kit", ALL, "user"),
        api.key("", "metrics", "model"),
    );
    let made = api.post(
        &kit,
        "/v1/memories",
        &json!({"text": "Kit must not eat sesame"}),
    );
    assert_eq!(made.status, 201);
    let id = made.json()["id"].as_str().unwrap().to_owned();
    for (path, status) in [
        (format!("/v1/memories/{id}"), 200),
        ("/v1/memories/sesame".to_owned(), 404),
    ] {
        assert_eq!(api.get(&kit, &path).status, status);
    }
    let metrics = api.get(&scraper, "/metrics");
    let kind = metrics.header("content-type").unwrap();
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    for line in [
        r#"counterfoil_http_requests_total{route="GET /v1/memories/{id}",status="200"} 1"#,
        r#"counterfoil_http_requests_total{route="GET /v1/memories/{id}",status="404"} 1"#,
        r#"counterfoil_http_requests_total{route="POST /v1/memories",status="201"} 1"#,
        r#"counterfoil_http_request_duration_seconds_count{route="POST /v1/memories"} 1"#,
        r#"counterfoil_http_problems_total{problem="not-found"} 1"#,
        "counterfoil_memories 1",
        "counterfoil_withheld_memories 0",
        "counterfoil_imports_running 0",
    ] {
        assert!(
            metrics.body.lines().any(|it| it == line),
            "{line}: {}",
            metrics.body
        );
    }
    let connections = metrics
        .body
        .lines()
        .find_map(|it| it.strip_prefix("counterfoil_http_connections "));
    assert!(connections.is_some_and(|it| it != "0"), "{}", metrics.body);
    for word in ["sesame", "kit", "mem_", "key_", &kit, &scraper] {
        assert!(!metrics.body.contains(word), "{word}");
    }
    assert_eq!(api.get(&scraper, "/v1/memories").status, 403);
    assert_eq!(api.get(&kit, "/metrics").status, 403);
    // No key of a scope gets the right, and one that was written into the file by hand gives it nothing.
    let refused = api.refused(&["key-for", "a", "--can", "metrics", "--scope", "user=kit"]);
    assert_eq!(refused["code"], "input", "{refused}");
    let path = api.store.join("api-keys.json");
    let kept = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, kept.replace("\"export\"", "\"export\", \"metrics\"")).unwrap();
    assert_eq!(api.get(&kit, "/metrics").status, 403);
}

/// The line of a request, and that of an import which it began, name the trace of their caller.
#[test]
fn the_log_names_the_trace_of_a_request() {
    let api = Api::start();
    let token = api.key("", ALL, "user");
    let (trace, part) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
    let header = format!("traceparent: 00-{trace}-{part}-01\r\n");
    let record = r#"{"conversation":"c","time":"2025-03-01T10:15:00Z","text":"rye"}"#;
    let began = api.send(&token, "POST /v1/imports", &header, record);
    let path = began.header("location").unwrap().to_owned();
    let _ = api.get(&token, &format!("{path}/events"));
    for header in ["traceparent: nothing\r\n", &format!("{header}{header}")] {
        assert_eq!(api.send(&token, "GET /v1/head", header, "").status, 200);
    }
    // The line of an import is written after its last event.
    std::thread::sleep(std::time::Duration::from_millis(200));
    let log = api.end();
    let named =
        |line: &&str| line.contains(&format!(r#""trace_id":"{trace}","parent_id":"{part}""#));
    let lines: Vec<&str> = log.lines().filter(named).collect();
    let of = |message: &str| {
        lines
            .iter()
            .filter(|it| it.contains(&format!(r#""message":"{message}""#)))
            .count()
    };
    assert_eq!(
        (lines.len(), of("request"), of("import")),
        (2, 1, 1),
        "{log}"
    );
}
