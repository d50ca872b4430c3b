//! F84: a flood is refused cheaply, and others are answered meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use counterfoil_exchange::answering::Refusal;
use counterfoil_types::DidKey;
use tokio::io::AsyncReadExt;
use tokio::time::sleep;

use crate::rig::{HEALTH, Rig, Scripted, Step, post};

fn request(key: u8) -> Vec<u8> {
    let key = DidKey::from_public_key([key; 32]);
    format!(r#"{{"requester":{{"public_key":"{key}"}}}}"#).into_bytes()
}

/// A responder to which the key 1 has asked too often.
fn flooded() -> Arc<Scripted> {
    let flooder = request(1);
    Scripted::new(move |request| {
        if request == flooder {
            Step::Refuse(Refusal::TooMany { retry_after_s: 60 })
        } else {
            Step::Say("{}")
        }
    })
}

/// Adversarial case F84: an address that asks too often is refused before anything of its request is read.
#[tokio::test]
async fn an_address_that_asks_too_often_waits() {
    let scripted = Scripted::always();
    let rig = Rig::with(Arc::clone(&scripted), |settings| {
        settings.requests_per_second = 1;
        settings.burst = 5;
    })
    .await;
    let mut refused = 0;
    for _ in 0..50 {
        let reply = rig.post("", b"{}").await;
        if reply.status == 429 {
            reply.is_problem("too-many");
            assert!(reply.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
            refused += 1;
        }
    }
    assert!(refused >= 40, "{refused}");
    assert!(scripted.count() <= 10);
}

/// Adversarial case F84: behind a proxy each caller has its own share, and what a caller writes into the header changes nothing.
#[tokio::test]
async fn behind_a_proxy_each_caller_has_its_own_share() {
    let scripted = Scripted::always();
    let rig = Rig::with(Arc::clone(&scripted), |settings| {
        settings.behind_proxy = true;
        settings.requests_per_second = 1;
        settings.burst = 3;
    })
    .await;
    let mut flood = 0;
    for n in 0..20 {
        let lie = format!("x-forwarded-for: 198.51.100.{n}, 192.0.2.66\r\n");
        flood += usize::from(rig.post(&lie, b"{}").await.status == 200);
    }
    assert!(flood <= 5, "{flood}");
    assert_eq!(
        rig.post("x-forwarded-for: 192.0.2.7\r\n", b"{}")
            .await
            .status,
        200
    );
    assert_eq!(
        scripted.from.lock().unwrap().last(),
        Some(&"192.0.2.7".parse().unwrap())
    );
}

/// Adversarial case F84: connections beyond what one address may have are closed, and there is room again when others end.
#[tokio::test]
async fn an_address_has_so_many_connections() {
    let rig = Rig::with(Scripted::always(), |settings| {
        settings.connections_per_address = 4
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..4 {
        let mut stream = rig.begin(HEALTH).await;
        let mut some = [0; 1024];
        assert!(stream.read(&mut some).await.unwrap() > 0);
        held.push(stream);
    }
    assert_eq!(
        rig.get("/healthz").await.status,
        0,
        "closed without an answer"
    );
    drop(held);
    sleep(Duration::from_millis(100)).await;
    let reply = rig.get("/metrics").await;
    assert!(
        reply
            .text()
            .contains("counterfoil_http_connections_refused_total 1"),
        "{}",
        reply.text()
    );
}

/// Adversarial case F84: a key that was refused as too many is refused without the responder for a while; another key is not.
#[tokio::test]
async fn a_key_that_was_refused_costs_nothing_more() {
    let scripted = flooded();
    let rig = Rig::new(Arc::clone(&scripted)).await;
    for _ in 0..10 {
        rig.post("", &request(1)).await.is_problem("too-many");
    }
    assert_eq!(scripted.count(), 1);
    assert_eq!(rig.post("", &request(2)).await.status, 200);
}

/// Adversarial case F84, MRP-52: while one key floods from many connections, another key is answered at once.
#[tokio::test]
async fn while_one_floods_another_is_answered() {
    let rig = Arc::new(Rig::new(flooded()).await);
    let floods: Vec<_> = (0..16)
        .map(|_| {
            let rig = Arc::clone(&rig);
            tokio::spawn(async move {
                loop {
                    rig.post("", &request(1)).await;
                }
            })
        })
        .collect();
    sleep(Duration::from_millis(200)).await;
    let mut slowest = Duration::ZERO;
    for _ in 0..50 {
        let began = Instant::now();
        assert_eq!(rig.post("", &request(2)).await.status, 200);
        slowest = slowest.max(began.elapsed());
    }
    floods.iter().for_each(tokio::task::JoinHandle::abort);
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
}

/// What cannot be worked on in its time is refused as `busy`, and the turn of others comes.
#[tokio::test]
async fn so_much_is_worked_on_at_once() {
    let scripted = Scripted::new(|request| match request {
        b"{}" => Step::Wait(Duration::from_secs(60)),
        _ => Step::Say("{}"),
    });
    let rig = Rig::with(Arc::clone(&scripted), |settings| {
        settings.answers = 2;
        settings.answer = Duration::from_millis(400);
    })
    .await;
    let question = post("/mrp/v1/request", "", b"{}");
    let mut streams = Vec::new();
    for _ in 0..3 {
        streams.push(rig.begin(&question).await);
    }
    sleep(Duration::from_millis(100)).await;
    assert_eq!(scripted.count(), 2, "the third waits");
    let waited = rig.post("", b"{\"a\":1}").await;
    assert!(
        waited.status == 200,
        "its turn comes when the others are given up: {waited:?}"
    );
    let reply = rig.post("", b"{}").await;
    reply.is_problem("busy");
    assert_eq!(reply.header("retry-after"), Some("1"));
}
