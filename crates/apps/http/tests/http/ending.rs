//! The server ends: what is under way is answered, what comes is refused, and it does not wait forever.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::rig::{HEALTH, Reply, Rig, Scripted, Step, post};

const LONG: Duration = Duration::from_secs(20);

async fn read(stream: &mut TcpStream) -> Reply {
    let mut read = Vec::new();
    let _ = timeout(LONG, stream.read_to_end(&mut read)).await.unwrap();
    Reply::of(&read)
}

/// Sends a request on its own connection, and waits until the responder has it.
async fn under_way(rig: &Rig, scripted: &Scripted) -> TcpStream {
    let stream = rig.begin(&post("/mrp/v1/request", "", b"{}")).await;
    while scripted.count() == 0 {
        sleep(Duration::from_millis(5)).await;
    }
    stream
}

#[tokio::test]
async fn what_is_under_way_is_answered() {
    let scripted = Scripted::new(|_| Step::Wait(Duration::from_millis(400)));
    let mut rig = Rig::new(Arc::clone(&scripted)).await;
    let mut stream = under_way(&rig, &scripted).await;
    assert_eq!(rig.ended().await, 0);
    assert_eq!(read(&mut stream).await.status, 200);
    assert!(
        TcpStream::connect(rig.address).await.is_err(),
        "nobody listens any more"
    );
}

#[tokio::test]
async fn idle_connections_do_not_hold_it_up() {
    let mut rig = Rig::new(Scripted::always()).await;
    let mut idle = rig.begin(HEALTH).await;
    let mut some = [0; 1024];
    assert!(idle.read(&mut some).await.unwrap() > 0);
    let _silent = rig.connect().await;
    sleep(Duration::from_millis(50)).await;
    let began = Instant::now();
    assert_eq!(rig.ended().await, 0);
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn what_never_ends_is_cut_off() {
    let scripted = Scripted::new(|_| Step::Wait(LONG));
    let drain = Duration::from_millis(300);
    let mut rig = Rig::with(Arc::clone(&scripted), |settings| settings.drain = drain).await;
    let _stream = under_way(&rig, &scripted).await;
    let began = Instant::now();
    rig.ended().await;
    assert!(began.elapsed() < Duration::from_secs(5));
}

/// A head that is half there when the server ends is answered with `stopping`.
#[tokio::test]
async fn what_comes_in_the_meantime_is_refused() {
    let scripted = Scripted::new(|_| Step::Wait(Duration::from_secs(1)));
    let mut rig = Rig::new(Arc::clone(&scripted)).await;
    let _stream = under_way(&rig, &scripted).await;
    let request = post("/mrp/v1/request", "", b"{}");
    let mut late = rig.begin(&request[..40]).await;
    sleep(Duration::from_millis(100)).await;
    rig.stop();
    sleep(Duration::from_millis(100)).await;
    let _ = late.write_all(&request[40..]).await;
    let reply = read(&mut late).await;
    reply.is_problem("stopping");
    assert_eq!(
        (reply.status, reply.header("retry-after")),
        (503, Some("5"))
    );
    rig.ended().await;
    assert_eq!(scripted.count(), 1);
}

/// A connection has its time, however well it behaves.
#[tokio::test]
async fn a_connection_ends_after_its_time() {
    let life = Duration::from_millis(300);
    let rig = Rig::with(Scripted::always(), |settings| settings.connection = life).await;
    let mut stream = rig.connect().await;
    let mut some = [0; 4096];
    let ended = timeout(LONG, async {
        loop {
            if stream.write_all(HEALTH).await.is_err() {
                return;
            }
            match stream.read(&mut some).await {
                Ok(0) | Err(_) => return,
                Ok(_) => sleep(Duration::from_millis(20)).await,
            }
        }
    });
    ended.await.unwrap();
}
