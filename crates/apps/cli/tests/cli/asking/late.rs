//! Interrupted, given up, and answered too late.

use std::process::{Child, Command};
use std::time::Duration;

use super::pair::{Pair, ended};

/// Ctrl-C.
fn interrupt(child: &Child) {
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
}

/// Waits until the question is in the folder.
fn until_asked(pair: &Pair) {
    let inbox = pair.folder().join("inbox");
    for _ in 0..200 {
        if std::fs::read_dir(&inbox).is_ok_and(|mut files| files.next().is_some()) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("nothing was asked");
}

/// MRP-48: Ctrl-C loses nothing; resumed, the exchange goes on with the same request.
#[test]
fn an_interrupted_exchange_is_resumed() {
    let pair = Pair::new();
    pair.bob_shares("Pruning is identity.");
    let asking = pair.asks("what do you know about pruning?", &["--timeout", "60"]);
    until_asked(&pair);
    interrupt(&asking);
    let ran = asking.wait_with_output().unwrap();
    let complaint = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(130), "{complaint}");
    let listed = pair.ann.json(["exchange", "list"]);
    let exchange = &listed["exchanges"][0];
    assert_eq!(exchange["state"], "sent");
    let id = exchange["exchange"].as_str().unwrap();
    assert!(
        complaint.contains(&format!("exchange resume {id}")),
        "{complaint}"
    );
    pair.bob_answers();
    let shown = pair.ann.json(["exchange", "resume", id]);
    assert_eq!(
        (&shown["exchange"], &shown["state"]),
        (&id.into(), &"stored".into()),
        "{shown}"
    );
    let size = pair.ann.size();
    assert_eq!(
        pair.ann.json(["exchange", "resume", id])["memories"],
        shown["memories"]
    );
    assert_eq!(pair.ann.size(), size);
}

/// MRP-15: what was given up stays so.
#[test]
fn a_cancelled_exchange_is_not_resumed() {
    let pair = Pair::new();
    let asking = pair.asks("what do you know about pruning?", &["--timeout", "60"]);
    until_asked(&pair);
    interrupt(&asking);
    asking.wait_with_output().unwrap();
    let listed = pair.ann.json(["exchange", "list"]);
    let id = listed["exchanges"][0]["exchange"].as_str().unwrap();
    assert_eq!(
        pair.ann.json(["exchange", "cancel", id])["state"],
        "cancelled"
    );
    let shown = pair.ann.run(["--json", "exchange", "resume", id]);
    assert_eq!(shown.code(2).json()["state"], "cancelled");
    pair.ann
        .run(["exchange", "cancel", id])
        .refused(1, "has ended (cancelled)");
}

/// Adversarial case F74: what comes too late is found when somebody looks, and stored by hand alone.
#[test]
fn f74_a_late_answer_is_adopted_by_hand() {
    let pair = Pair::new();
    pair.bob_shares("Pruning is identity.");
    let asking = pair.asks("what do you know about pruning?", &["--timeout", "1"]);
    let shown = ended(asking, 2);
    assert_eq!(shown["state"], "timed_out");
    let id = shown["exchange"].as_str().unwrap();
    pair.bob_answers();
    let size = pair.ann.size();
    let late = pair
        .ann
        .run(["--json", "exchange", "resume", id])
        .code(2)
        .json();
    assert_eq!(
        (&late["state"], &late["notices"]["late"]),
        (&"timed_out".into(), &1.into()),
        "{late}"
    );
    assert!(late["next"][0].as_str().unwrap().contains("exchange adopt"));
    assert_eq!(pair.ann.size(), size);
    let adopted = pair.ann.json(["exchange", "adopt", id]);
    assert_eq!(adopted["state"], "stored", "{adopted}");
    assert_eq!(pair.ann.size(), size + 1);
    let twice = pair.ann.run(["--json", "exchange", "adopt", id]);
    assert_eq!(twice.ok().json()["notices"]["cannotAdopt"], 1);
}
