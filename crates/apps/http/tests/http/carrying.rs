//! The client: what it sends, what it takes, and what it refuses.

use std::time::Duration;

use counterfoil_http::client::{Client, ClientSettings};
use counterfoil_peer::{PeerError, Transport};
use tokio::time::{sleep, timeout};

use crate::rig::{ANSWER, Rig, Scripted};
use crate::scripted::{Answer, Peer};

fn transport(url: &str) -> impl Transport + use<> {
    Client::new(url, &ClientSettings::default())
        .unwrap()
        .transport()
}

async fn asked(peer: &Peer) -> Result<Vec<u8>, PeerError> {
    let mut transport = transport(&peer.url());
    transport.send(b"{}").await?;
    transport.receive().await
}

async fn refused(answer: Answer) -> (String, Option<String>) {
    match asked(&Peer::answering(vec![answer.clone()]).await).await {
        Err(PeerError::Refused { detail, problem }) => (detail, problem),
        other => panic!("{answer:?}: {other:?}"),
    }
}

async fn failed(answer: Answer) -> (String, Option<u64>) {
    match asked(&Peer::answering(vec![answer.clone()]).await).await {
        Err(PeerError::Failed {
            detail,
            retry_after_us,
        }) => (detail, retry_after_us),
        other => panic!("{answer:?}: {other:?}"),
    }
}

#[tokio::test]
async fn a_request_is_carried_as_it_is_and_so_is_its_answer() {
    let rig = Rig::new(Scripted::always()).await;
    let mut transport = transport(&rig.url());
    transport.send(b"{}").await.unwrap();
    let arrival = transport.receive().await.unwrap();
    assert_eq!(arrival, ANSWER.as_bytes());
    assert!(
        timeout(Duration::from_millis(50), transport.receive())
            .await
            .is_err(),
        "nothing comes twice"
    );
}

#[tokio::test]
async fn what_is_sent_has_its_digest_and_nothing_about_who_asks() {
    let peer = Peer::answering(vec![Answer::json(200, "{}")]).await;
    asked(&peer).await.unwrap();
    let sent = peer.asked().remove(0).to_lowercase();
    assert!(
        sent.starts_with("post /mrp/v1/request http/1.1\r\n"),
        "{sent}"
    );
    assert!(sent.contains("content-digest: sha-256=:"));
    for header in [
        "cookie",
        "authorization",
        "referer",
        "signature",
        "accept-encoding: gzip",
    ] {
        assert!(!sent.contains(header), "{header}: {sent}");
    }
}

/// What waits may be dropped, and what comes meanwhile is not lost.
#[tokio::test]
async fn to_stop_waiting_loses_nothing() {
    let rig = Rig::new(Scripted::new(|_| {
        crate::rig::Step::Wait(Duration::from_millis(200))
    }))
    .await;
    let mut transport = transport(&rig.url());
    transport.send(b"{}").await.unwrap();
    for _ in 0..3 {
        assert!(
            timeout(Duration::from_millis(20), transport.receive())
                .await
                .is_err()
        );
    }
    sleep(Duration::from_millis(300)).await;
    assert_eq!(transport.receive().await.unwrap(), ANSWER.as_bytes());
}

/// Adversarial case F78: a redirect is refused, whichever and wherever to; the other place is not asked.
#[tokio::test]
async fn a_redirect_is_refused() {
    let elsewhere = Peer::answering(vec![Answer::json(200, "{}")]).await;
    for status in [301, 302, 303, 307, 308] {
        for target in [
            elsewhere.url(),
            "http://example.org/".to_owned(),
            "//evil".to_owned(),
        ] {
            let answer = Answer::with(status, &format!("location: {target}\r\n"), b"");
            let (detail, _) = refused(answer).await;
            assert!(detail.contains("points elsewhere"), "{detail}");
        }
    }
    assert!(elsewhere.asked().is_empty());
}

/// Adversarial case F78: how long another side wants to be left alone is told, and not waited for here.
#[tokio::test]
async fn a_wait_is_told() {
    let body = r#"{"type":"https://counterfoil.dev/problems/too-many","title":"t","status":429,"detail":"wait"}"#;
    let headers = "content-type: application/problem+json\r\nretry-after: 86400\r\n";
    let (detail, wait) = failed(Answer::with(429, headers, body.as_bytes())).await;
    assert_eq!(wait, Some(86_400_000_000));
    assert!(detail.contains("too-many"), "{detail}");
    for status in [408, 500, 502, 503] {
        assert_eq!(
            failed(Answer::with(status, "", b"<html>")).await.1,
            None,
            "{status}"
        );
    }
}

#[tokio::test]
async fn a_problem_is_told_by_its_word_and_its_words_steer_nothing() {
    let rig = Rig::new(Scripted::new(|_| {
        crate::rig::Step::Refuse(counterfoil_exchange::answering::Refusal::IdConflict)
    }))
    .await;
    let mut own = transport(&rig.url());
    own.send(b"{}").await.unwrap();
    let Err(PeerError::Refused { problem, .. }) = own.receive().await else {
        panic!()
    };
    assert_eq!(problem.as_deref(), Some("request-id-conflict"));

    let body = "{\"type\":\"about:blank\",\"title\":\"\\u001b[2J\\u202e\",\"status\":400}";
    let answer = Answer::with(
        400,
        "content-type: application/problem+json\r\n",
        body.as_bytes(),
    );
    let (detail, problem) = refused(answer).await;
    assert_eq!(problem, None);
    assert!(
        !detail.contains('\u{1b}') && !detail.contains('\u{202e}'),
        "{detail:?}"
    );
}

/// Adversarial case F79: what is endless, compressed or other than it says is not taken.
#[tokio::test]
async fn bodies_have_their_limits() {
    assert!(refused(Answer::Endless).await.0.contains("1048576"));
    let bomb = Answer::with(
        200,
        "content-type: application/json\r\ncontent-encoding: gzip\r\n",
        &[0x1f, 0x8b, 8, 0],
    );
    assert!(refused(bomb).await.0.contains("encoded"));
    let digest = "content-type: application/json\r\ncontent-digest: sha-256=:AAAA:\r\n";
    assert!(
        failed(Answer::with(200, digest, b"{}"))
            .await
            .0
            .contains("Content-Digest")
    );
    let short =
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{}";
    failed(Answer::Bytes(short.to_vec())).await;
    failed(Answer::Bytes(b"nonsense\r\n\r\n".to_vec())).await;
    failed(Answer::Bytes(Vec::new())).await;
    let whole = "x".repeat(1 << 20);
    let peer = Peer::answering(vec![Answer::json(200, &whole)]).await;
    assert_eq!(asked(&peer).await.unwrap().len(), 1 << 20);
    refused(Answer::json(200, &format!("{whole}x"))).await;
}

/// Adversarial case F79: a body that drips keeps nobody: who waits stops when they like.
#[tokio::test]
async fn a_slow_body_is_given_up_by_who_waits() {
    for answer in [Answer::Drips, Answer::Silent] {
        let peer = Peer::answering(vec![answer]).await;
        assert!(
            timeout(Duration::from_millis(200), asked(&peer))
                .await
                .is_err()
        );
    }
}

/// Adversarial case H120: an answer that bears a signature of HTTP is refused.
#[tokio::test]
async fn a_signed_answer_is_refused() {
    for header in [
        "signature: sig1=:AAAA:\r\n",
        "signature-input: sig1=(\"@method\";req)\r\n",
    ] {
        let answer = Answer::with(
            200,
            &format!("content-type: application/json\r\n{header}"),
            b"{}",
        );
        assert!(refused(answer).await.0.contains("signatures"));
    }
}

#[tokio::test]
async fn what_is_no_agent_is_refused_and_what_is_not_there_fails() {
    assert!(
        refused(Answer::with(200, "content-type: text/html\r\n", b"<html>"))
            .await
            .0
            .contains("text/html")
    );
    refused(Answer::with(204, "", b"")).await;
    refused(Answer::with(404, "", b"")).await;
    let gone = Rig::new(Scripted::always()).await.url();
    let mut transport = transport(&gone.replace("127.0.0.1", "127.0.0.2"));
    transport.send(b"{}").await.unwrap();
    assert!(matches!(
        transport.receive().await,
        Err(PeerError::Failed { .. })
    ));
}

#[tokio::test]
async fn a_verification_goes_its_own_way() {
    let peer = Peer::answering(vec![Answer::json(200, "{}")]).await;
    let mut transport = Client::new(&peer.url(), &ClientSettings::default())
        .unwrap()
        .verify_transport();
    transport.send(b"{}").await.unwrap();
    transport.receive().await.unwrap();
    assert!(peer.asked()[0].starts_with("POST /mrp/v1/verify "));
}
