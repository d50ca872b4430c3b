//! Each word of a problem is produced, and nothing else than problems.

use std::sync::Arc;

use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::Request;
use counterfoil_http::server::{Server, ServerSettings};

use crate::rig::{Log, Rig, Scripted, Step, post};

fn refusing(refusal: &Refusal) -> Arc<Scripted> {
    let refusal = refusal.clone();
    Scripted::new(move |_| Step::Refuse(refusal.clone()))
}

fn document_error(bytes: &[u8]) -> Refusal {
    Request::parse(bytes).unwrap_err().into()
}

/// The words of the responder, as it says them.
#[tokio::test]
async fn each_refusal_is_a_problem_with_its_status() {
    let retry_after_s = 7;
    let detail = "secret".to_owned();
    let refusals = [
        (document_error(b"{}"), 400),
        (
            document_error(br#"{"type":"memory_request","version":"2"}"#),
            400,
        ),
        (Refusal::BadProof, 401),
        (Refusal::WrongAudience, 403),
        (Refusal::NotInTime("it has expired; ask again"), 400),
        (Refusal::Replayed, 409),
        (Refusal::IdConflict, 409),
        (Refusal::BadCursor, 400),
        (Refusal::TooMany { retry_after_s }, 429),
        (Refusal::SeenFull { retry_after_s }, 503),
        (Refusal::Busy { retry_after_s }, 503),
        (Refusal::Internal { detail }, 500),
    ];
    for (refusal, status) in refusals {
        let rig = Rig::new(refusing(&refusal)).await;
        let reply = rig.post("", b"{}").await;
        let problem = reply.is_problem(refusal.word());
        assert_eq!(reply.status, status, "{refusal}");
        assert!(!problem.to_string().contains("secret"));
        if let Refusal::TooMany { .. } | Refusal::SeenFull { .. } | Refusal::Busy { .. } = refusal {
            assert_eq!(reply.header("retry-after"), Some("7"));
        }
    }
}

/// Adversarial case F83: another version is refused with those that are read; another type is no document of this one.
#[tokio::test]
async fn a_version_that_is_not_read_is_answered_with_those_that_are() {
    for version in [r#""0.0""#, r#""2""#, "1"] {
        let body = format!(r#"{{"type":"memory_request","version":{version}}}"#);
        let refusal = document_error(body.as_bytes());
        let rig = Rig::new(refusing(&refusal)).await;
        let problem = rig
            .post("", body.as_bytes())
            .await
            .is_problem("unsupported-version");
        assert_eq!(problem["supported"][0], "1", "{version}");
    }
    for body in [
        r#"{"type":"memory_request"}"#,
        r#"{"type":"memory_response","version":"1"}"#,
    ] {
        let rig = Rig::new(refusing(&document_error(body.as_bytes()))).await;
        let reply = rig.post("", body.as_bytes()).await;
        assert_eq!(reply.status, 400, "{body}");
    }
}

/// Adversarial case F86: whatever a question holds is data here: it reaches the responder as it is, and comes back in no error.
#[tokio::test]
async fn what_looks_like_syntax_is_carried_and_never_repeated() {
    let scripted = Scripted::new(|_| Step::Refuse(Refusal::BadProof));
    let rig = Rig::new(Arc::clone(&scripted)).await;
    for text in [
        "\" OR 1=1",
        "NEAR(",
        "*",
        "(a+)+$",
        "%00",
        "{{7*7}}",
        "${jndi:ldap://x}",
    ] {
        let body = serde_json::json!({ "query": { "natural": text } }).to_string();
        let reply = rig.post("", body.as_bytes()).await;
        reply.is_problem("bad-proof");
        assert!(!reply.text().contains(text) || text == "*", "{text}");
    }
    assert_eq!(scripted.count(), 7);
    let long = serde_json::json!({ "query": { "natural": "x".repeat(1 << 20) } }).to_string();
    rig.post("", long.as_bytes()).await.is_problem("too-large");
    assert_eq!(scripted.count(), 7, "what is too large reaches nobody");
}

/// The words of HTTP itself: there is no answer in plain text.
#[tokio::test]
async fn what_no_responder_sees_is_a_problem_too() {
    let scripted = Scripted::always();
    let rig = Rig::new(Arc::clone(&scripted)).await;
    let other = |content_type: &str| {
        let text = String::from_utf8(post("/mrp/v1/request", "", b"{}")).unwrap();
        text.replace("application/json", content_type).into_bytes()
    };
    for content_type in [
        "text/plain",
        "application/jsonp",
        "",
        "application/problem+json",
    ] {
        let reply = rig.send(&other(content_type)).await;
        reply.is_problem("unsupported-type");
    }
    rig.post("content-encoding: gzip\r\n", b"{}")
        .await
        .is_problem("unsupported-type");
    rig.post("content-encoding: identity\r\n", b"{}")
        .await
        .is_problem("unsupported-type");
    rig.post("content-digest: sha-256=:AAAA:\r\n", b"{}")
        .await
        .is_problem("digest-mismatch");
    rig.post("content-digest: nonsense\r\n", b"{}")
        .await
        .is_problem("digest-mismatch");
    for path in [
        "/",
        "/mrp/v1",
        "/mrp/v2/request",
        "/healthz/",
        "/log",
        "/log/tile/",
        "/log/tile/9/000",
        "/..%2f..%2fetc/passwd",
    ] {
        assert_eq!(
            rig.get(path).await.is_problem("not-found")["status"],
            404,
            "{path}"
        );
    }
    let reply = rig.get("/mrp/v1/request").await;
    reply.is_problem("method-not-allowed");
    assert_eq!((reply.status, reply.header("allow")), (405, Some("POST")));
    let reply = rig.send(&post("/healthz", "", b"{}")).await;
    reply.is_problem("method-not-allowed");
    assert_eq!(reply.header("allow"), Some("GET,HEAD"));
    assert_eq!(scripted.count(), 0);
    rig.send(&other("Application/JSON; charset=utf-8")).await;
    assert_eq!(scripted.count(), 1);
}

/// A bug in a request is that request's alone, and what it was stays here.
#[tokio::test]
async fn a_panic_is_an_internal_problem_of_one_request() {
    let rig = Rig::new(Scripted::new(|request| match request {
        b"{}" => Step::Panic,
        _ => Step::Say("{}"),
    }))
    .await;
    let reply = rig.post("", b"{}").await;
    reply.is_problem("internal");
    assert!(!reply.text().contains("script"));
    assert_eq!(rig.post("", b"{ }").await.status, 200);
}

#[tokio::test]
async fn a_store_that_fails_says_nothing_of_itself() {
    let settings = ServerSettings::at("127.0.0.1:0".parse().unwrap());
    let log = Arc::new(Log { broken: true });
    let rig = Rig::running(
        Server::bind(settings, Scripted::always(), log)
            .await
            .unwrap(),
    );
    for path in ["/healthz", "/log/checkpoint"] {
        let reply = rig.get(path).await;
        reply.is_problem("internal");
        assert!(!reply.text().contains("secret"));
    }
}
