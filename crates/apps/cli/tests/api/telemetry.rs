//! Telemetry of the real server, as a collector gets it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::json;

use crate::client::{ALL, Api};
use crate::mcp::{ACCEPT, open};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PART: &str = "00f067aa0ba902b7";

/// A collector: its address, and what it is sent, as path and body.
fn collector() -> (String, Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sent, received) = channel();
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let mut reader = BufReader::new(stream);
            let (mut head, mut length) = (Vec::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                let given = line.trim().to_ascii_lowercase();
                if let Some(value) = given.strip_prefix("content-length: ") {
                    length = value.parse().unwrap();
                }
                if given.is_empty() {
                    break;
                }
                head.push(given);
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            reader.get_mut().write_all(answer).unwrap();
            if sent.send((head.swap_remove(0), body)).is_err() {
                break;
            }
        }
    });
    (address, received)
}

fn holds(body: &[u8], part: &[u8]) -> bool {
    body.windows(part.len()).any(|window| window == part)
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|it| u8::from_str_radix(str::from_utf8(it).unwrap(), 16).unwrap())
        .collect()
}

/// API-1, API-4: a collector learns what was done, when and in which trace, and no word of a memory or a question, no id and no token.
#[test]
fn a_collector_gets_spans_and_metrics_without_a_word_of_a_memory() {
    let (address, received) = collector();
    let mut api = Api::start_with(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &address),
        ("OTEL_SERVICE_NAME", "memory-of-kit"),
    ]);
    let token = api.key("", ALL, "user");
    let memory = json!({"text": "Kit must not eat sesame"});
    let made = api.post(&token, "/v1/memories", &memory).json();
    let header = format!("traceparent: 00-{TRACE}-{PART}-01\r\n");
    let question = r#"{"query":"what must Kit not eat"}"#;
    let answer = api.send(&token, "POST /v1/recall", &header, question);
    assert_eq!(answer.status, 200, "{answer:?}");
    let session = open(&api, &token).unwrap();
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "recall", "arguments": {"query": "what must Kit not eat"},
        "_meta": {"traceparent": format!("00-{}-{PART}-01", TRACE.replace('4', "5"))}}});
    let more = format!("{ACCEPT}mcp-session-id: {session}\r\n");
    let answer = api.send(&token, "POST /mcp", &more, &call.to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    api.terminate();
    assert_eq!(api.ended(), Some(0));
    let (mut spans, mut metrics) = (Vec::new(), Vec::new());
    while let Ok((line, body)) = received.recv_timeout(Duration::from_secs(1)) {
        match line.as_str() {
            "post /v1/traces http/1.1" => spans.extend(body),
            "post /v1/metrics http/1.1" => metrics.extend(body),
            line => panic!("{line}"),
        }
    }
    for part in [
        "memory-of-kit",
        "POST /v1/memories",
        "create_memory",
        "POST /v1/recall",
        "search_memory",
        "tools/call recall",
        "gen_ai.memory.store.id",
    ] {
        assert!(holds(&spans, part.as_bytes()), "{part}");
    }
    for id in [TRACE, &TRACE.replace('4', "5"), PART] {
        assert!(holds(&spans, &bytes(id)), "{id}");
    }
    for part in [
        "http.server.request.duration",
        "mcp.server.operation.duration",
        "/v1/recall",
    ] {
        assert!(holds(&metrics, part.as_bytes()), "{part}");
    }
    let id = made["id"].as_str().unwrap();
    for word in ["sesame", "must Kit", id, &id[..8], &token, &session] {
        assert!(!holds(&spans, word.as_bytes()), "{word}");
        assert!(!holds(&metrics, word.as_bytes()), "{word}");
    }
}

/// A collector that does not answer holds no request up and is a line of the log.
#[test]
fn a_server_whose_collector_is_gone_serves_and_says_so() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    let mut api = Api::start_with(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &address)]);
    let token = api.key("", ALL, "user");
    assert_eq!(api.get(&token, "/v1/memories").status, 200);
    api.terminate();
    assert_eq!(api.ended(), Some(0));
    let said = api.end();
    assert!(
        said.contains("telemetry data will be lost") && !said.contains("panic"),
        "{said}"
    );
}
