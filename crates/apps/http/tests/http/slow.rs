//! F79: bodies and heads that are slow, endless, compressed or other than they say.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use crate::rig::{Reply, Rig, Scripted};

const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(20);

async fn hasty(scripted: &Arc<Scripted>) -> Rig {
    Rig::with(Arc::clone(scripted), |settings| {
        settings.head = SHORT;
        settings.body = SHORT;
    })
    .await
}

/// Adversarial case F79: a head that drips is cut off in time, however lively it drips.
#[tokio::test]
async fn a_slow_head_ends_its_connection() {
    let scripted = Scripted::always();
    let rig = hasty(&scripted).await;
    let began = Instant::now();
    let head = b"POST /mrp/v1/request HTTP/1.1\r\nhost: x\r\n";
    let mut stream = rig.begin(head).await;
    let mut read = [0; 1024];
    let cut_off = timeout(LONG, async {
        loop {
            tokio::select! {
                read = stream.read(&mut read) => if matches!(read, Ok(0) | Err(_)) { return },
                () = sleep(Duration::from_millis(20)) => {
                    if stream.write_all(b"x-a: b\r\n").await.is_err() { return }
                }
            }
        }
    });
    cut_off.await.unwrap();
    assert!(began.elapsed() < SHORT * 10, "{:?}", began.elapsed());
    assert_eq!(scripted.count(), 0);
}

/// Adversarial case F79: a body that drips is answered with `too-slow`, and its connection ends.
#[tokio::test]
async fn a_slow_body_is_a_problem() {
    let scripted = Scripted::always();
    let rig = hasty(&scripted).await;
    let head = b"POST /mrp/v1/request HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n";
    let stream = rig.begin(head).await;
    let (mut reading, mut writing) = stream.into_split();
    let dripping = tokio::spawn(async move {
        while writing.write_all(b" ").await.is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
    });
    let mut read = Vec::new();
    let _ = timeout(LONG, reading.read_to_end(&mut read)).await.unwrap();
    let reply = Reply::of(&read);
    assert_eq!(reply.is_problem("too-slow")["status"], 408);
    assert_eq!(reply.header("connection"), Some("close"));
    drop(reading);
    timeout(LONG, dripping).await.unwrap().unwrap();
    assert_eq!(scripted.count(), 0);
}

/// Adversarial case F79: of a body without end only the first MiB is ever read.
#[tokio::test]
async fn an_endless_body_is_too_large_after_a_mebibyte() {
    let scripted = Scripted::always();
    let rig = Rig::new(Arc::clone(&scripted)).await;
    let head = b"POST /mrp/v1/request HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let stream = rig.begin(head).await;
    let (mut reading, mut writing) = stream.into_split();
    let sending = tokio::spawn(async move {
        let chunk = [b"10000\r\n".as_slice(), &[b' '; 0x10000], b"\r\n"].concat();
        let mut sent = 0_u64;
        while sent < 10 << 30 && writing.write_all(&chunk).await.is_ok() {
            sent += 0x10000;
        }
        sent
    });
    let mut read = vec![0; 4096];
    let n = timeout(LONG, reading.read(&mut read))
        .await
        .unwrap()
        .unwrap();
    Reply::of(&read[..n]).is_problem("too-large");
    drop(reading);
    let sent = timeout(LONG, sending).await.unwrap().unwrap();
    assert!(
        sent < 64 << 20,
        "what waits in buffers, and no more: {sent}"
    );
    assert_eq!(scripted.count(), 0);
}

/// Adversarial case F79: a body that says that it is too large is refused before it comes.
#[tokio::test]
async fn ten_gibibytes_are_refused_by_their_header() {
    let rig = Rig::new(Scripted::always()).await;
    let head = "POST /mrp/v1/request HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 10737418240\r\n\r\n";
    let reply = timeout(LONG, rig.send(head.as_bytes())).await.unwrap();
    assert_eq!(reply.is_problem("too-large")["status"], 413);
}

/// Adversarial case F79: what is compressed is not unpacked.
#[tokio::test]
async fn a_bomb_is_not_unpacked() {
    let scripted = Scripted::always();
    let rig = Rig::new(Arc::clone(&scripted)).await;
    let bomb = [0x1f_u8, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3];
    for encoding in ["gzip", "deflate", "br", "zstd", "identity, gzip"] {
        let reply = rig
            .post(&format!("content-encoding: {encoding}\r\n"), &bomb)
            .await;
        assert_eq!(reply.is_problem("unsupported-type")["status"], 415);
    }
    assert_eq!(scripted.count(), 0);
}

/// Adversarial case F79: more than the length that was said is another request, which is none; less never comes.
#[tokio::test]
async fn a_wrong_length_is_found() {
    let scripted = Scripted::always();
    let rig = hasty(&scripted).await;
    let with_length = |length: &str| {
        format!(
            "POST /mrp/v1/request HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n{length}\r\n\r\n{{\"a\":1}}"
        )
    };
    let more = rig.send(with_length("content-length: 2").as_bytes()).await;
    assert_eq!(more.status, 200);
    assert_eq!(scripted.count(), 1, "the rest is no second request");
    let less = timeout(LONG, rig.send(with_length("content-length: 70").as_bytes()))
        .await
        .unwrap();
    less.is_problem("too-slow");
    for length in [
        "content-length: -1",
        "content-length: 7\r\ncontent-length: 8",
        "content-length: 7x",
        "transfer-encoding: gzip",
    ] {
        let reply = rig.send(with_length(length).as_bytes()).await;
        assert_eq!(reply.status, 400, "{length}");
    }
    assert_eq!(scripted.count(), 1);
}

/// Adversarial case F79: a body that was changed on its way, and one that breaks off.
#[tokio::test]
async fn a_body_that_is_not_the_one_that_was_sent_reaches_nobody() {
    let scripted = Scripted::always();
    let rig = Rig::new(Arc::clone(&scripted)).await;
    let digest = "content-digest: sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:\r\n";
    assert_eq!(rig.post(digest, b"{}").await.status, 200);
    rig.post(digest, b"{ }").await.is_problem("digest-mismatch");
    let head = b"POST /mrp/v1/request HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{}";
    let mut stream = rig.begin(head).await;
    stream.shutdown().await.unwrap();
    let mut read = Vec::new();
    let _ = timeout(LONG, stream.read_to_end(&mut read)).await.unwrap();
    assert_eq!(scripted.count(), 1);
}

/// A head that is too long, or has too many lines.
#[tokio::test]
async fn a_head_has_its_limits() {
    let rig = Rig::new(Scripted::always()).await;
    let long = format!(
        "GET /healthz HTTP/1.1\r\nhost: x\r\nx: {}\r\n\r\n",
        "x".repeat(64 << 10)
    );
    let many = format!(
        "GET /healthz HTTP/1.1\r\nhost: x\r\n{}\r\n",
        "x: y\r\n".repeat(100)
    );
    for head in [long, many] {
        assert_eq!(rig.send(head.as_bytes()).await.status, 431);
    }
}
