//! One of the two processes ends in the middle, or is slow.

use std::io::Write;
use std::net::TcpListener;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::between::Between;
use super::server::Served;
use super::told::Two;

const QUESTION: &str = "what do you know about pruning?";

/// Adversarial case F75: who asks is killed while they wait, and goes on with the same request: stored once.
#[cfg(unix)]
#[test]
fn who_asks_is_killed_and_goes_on() {
    let two = Two::new();
    let served = Served::new(&two.bob);
    let between = Between::before(&served.address, false);
    two.knows_bob_at(&between.url);
    let mut asking = two
        .ann
        .command()
        .args(["--json", "ask", "bob", QUESTION, "--timeout", "120"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    between.wait_for_a_request();
    asking.kill().unwrap();
    asking.wait().unwrap();
    between.pass();
    let listed = two.ann.json(["exchange", "list"]);
    let id = listed["exchanges"][0]["exchange"]
        .as_str()
        .unwrap()
        .to_owned();
    let shown = two.ann.json(["exchange", "resume", &id]);
    assert_eq!(shown["state"], "stored", "{shown}");
    let asked = between.asked();
    assert!(
        asked.len() >= 2 && asked.iter().all(|request| *request == asked[0]),
        "the same bytes again"
    );
    assert_eq!(two.ann.size(), 1);
    two.ann.run(["audit"]).ok();
}

/// The responder is killed while it answers, and another process takes its place: the same request is answered.
#[cfg(unix)]
#[test]
fn who_answers_is_killed_and_comes_back() {
    let two = Two::new();
    let served = Served::new(&two.bob);
    two.knows_bob_at(&served.url);
    served.signal("-STOP");
    let asking = two
        .ann
        .command()
        .args(["--json", "ask", "bob", QUESTION, "--timeout", "60"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(500));
    let address = served.address.clone();
    drop(served);
    let _again = Served::at(&two.bob, &address, &[]);
    let ran = asking.wait_with_output().unwrap();
    let shown: Value = serde_json::from_slice(&ran.stdout).unwrap();
    assert_eq!(shown["state"], "stored", "{shown}");
    assert_eq!(two.ann.size(), 1);
}

/// Adversarial case F79: an answer that drips ends in time, and leaves nothing.
#[test]
fn an_answer_that_drips_is_given_up() {
    let two = Two::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    two.knows_bob_at(&format!("http://{}", listener.local_addr().unwrap()));
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || {
                let Ok(mut stream) = stream else { return };
                let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n";
                let _ = stream.write_all(head);
                while stream.write_all(b" ").is_ok() {
                    thread::sleep(Duration::from_millis(50));
                }
            });
        }
    });
    let ran = two
        .ann
        .run(["--json", "ask", "bob", QUESTION, "--timeout", "2"]);
    let shown = ran.code(2).json();
    assert_eq!(shown["state"], "timed_out", "{shown}");
    assert_eq!(two.ann.size(), 0);
}
