//! Nobody answers, and nobody is there.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use crate::place::Place;

/// An address of this machine at which nobody listens.
fn nowhere() -> String {
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    format!("http://{free}")
}

/// MRP-8: a refused connection is tried again and ends in a report; nothing is stored, and the exchange is there.
#[test]
fn a_refused_connection_ends_in_a_report() {
    let place = Place::new();
    let state = place.state();
    let url = nowhere();
    let ran = place.run([
        "--json",
        "ask",
        &url,
        "what do you know about pruning?",
        "--timeout",
        "2",
    ]);
    let shown = ran.code(2).json();
    assert_eq!(shown["state"], "timed_out", "{shown}");
    assert!(
        shown["failure"].as_str().unwrap().contains("reached"),
        "{shown}"
    );
    assert_eq!(ran.stderr(), "");
    assert_eq!(place.state(), state);
    let listed = place.json(["exchange", "list"]);
    assert_eq!(listed["exchanges"][0]["exchange"], shown["exchange"]);
    assert_eq!(listed["exchanges"][0]["address"], url.as_str());
    let told = place.run([
        "ask",
        &url,
        "what do you know about pruning?",
        "--timeout",
        "1",
    ]);
    assert!(
        told.code(2).stdout().contains("timed out"),
        "{}",
        told.stdout()
    );
}

/// Adversarial case F79: who takes connections and says nothing, not even who they are, is waited for no longer than was said.
#[test]
fn who_is_silent_about_itself_is_not_waited_for_beyond_the_deadline() {
    let place = Place::new();
    // The system takes the connections; nobody ever reads from them.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let begun = Instant::now();
    let ran = place.run(["--json", "ask", &url, "what?", "--timeout", "2"]);
    assert!(begun.elapsed() < Duration::from_secs(8), "{begun:?}");
    let shown = ran.code(2).json();
    assert_eq!(shown["state"], "timed_out", "{shown}");
}
