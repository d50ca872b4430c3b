//! What others put into `inbox` (case 113). None of it is followed, waited for, or removed.

use std::fs::{self, File};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use counterfoil_exchange::answering::Refusal;
use tokio::time::timeout;

use super::rig::{Echo, LONG, Rig, id, is_idle, request};
use crate::folders::{ANSWERED, NAME, NOT_A_FILE, TOO_LARGE};
use crate::name::Name;
use crate::transport;

const SOON: Duration = Duration::from_secs(10);

/// One round, in which nobody was asked.
async fn left(rig: &Rig) -> Vec<(String, &'static str)> {
    let echo = Arc::new(Echo::default());
    let responder = rig.responder(echo.clone(), LONG);
    let round = timeout(SOON, responder.once())
        .await
        .expect("nothing is waited for")
        .unwrap();
    assert!(is_idle(&round), "{round:?}");
    assert_eq!(echo.asked.load(Ordering::Relaxed), 0);
    round.left
}

/// Adversarial case H113
#[tokio::test]
async fn a_link_is_not_followed() {
    let rig = Rig::new();
    fs::write(rig.path("secret"), request(1).bytes()).unwrap();
    for target in [rig.path("secret"), "/etc/shadow".into(), "/nowhere".into()] {
        std::os::unix::fs::symlink(target, rig.inbox(1)).unwrap();
        assert_eq!(left(&rig).await, [(Name::request(&id(1)), NOT_A_FILE)]);
        fs::remove_file(rig.inbox(1)).unwrap();
    }
    assert!(rig.path("secret").exists());
}

/// Adversarial case H113
#[tokio::test]
async fn a_pipe_is_not_waited_for() {
    let rig = Rig::new();
    if !Command::new("mkfifo")
        .arg(rig.inbox(1))
        .status()
        .is_ok_and(|status| status.success())
    {
        println!("skipped: this system has no mkfifo");
        return;
    }
    assert_eq!(left(&rig).await, [(Name::request(&id(1)), NOT_A_FILE)]);
}

/// Adversarial case H113
#[tokio::test]
async fn a_device_is_not_read() {
    let rig = Rig::new();
    let made = Command::new("mknod")
        .arg(rig.inbox(1))
        .args(["c", "1", "5"])
        .output();
    if !made.is_ok_and(|made| made.status.success()) {
        println!("skipped: devices can be made by root alone");
        return;
    }
    assert_eq!(left(&rig).await, [(Name::request(&id(1)), NOT_A_FILE)]);
}

/// Adversarial case H113
#[tokio::test]
async fn a_folder_is_no_request() {
    let rig = Rig::new();
    fs::create_dir(rig.inbox(1)).unwrap();
    assert_eq!(left(&rig).await, [(Name::request(&id(1)), NOT_A_FILE)]);
}

/// Adversarial case H113
#[tokio::test]
async fn five_gibibytes_are_not_read() {
    let rig = Rig::new();
    let sparse = File::create(rig.inbox(1)).unwrap().set_len(5 << 30);
    if let Err(error) = sparse {
        println!("skipped: no sparse files here ({error})");
        return;
    }
    assert_eq!(left(&rig).await, [(Name::request(&id(1)), TOO_LARGE)]);
}

/// Adversarial case H113
#[tokio::test]
async fn names_are_ours_to_the_letter_or_are_left() {
    let rig = Rig::new();
    let upper = format!("request-{}.json", "0198C0DE-0000-7000-8000-000000000000");
    for name in [
        upper.as_str(),
        "request-..%2F..%2Fx.json",
        "request-.json",
        "notes.txt",
    ] {
        fs::write(rig.path("inbox").join(name), request(1).bytes()).unwrap();
    }
    let left = left(&rig).await;
    assert_eq!(left.len(), 4);
    assert!(left.iter().all(|(_, why)| *why == NAME));
    assert_eq!(rig.names("inbox").len(), 4, "they stay where they are");
}

/// Adversarial case H113: half of a document is none, and is not guessed at.
#[tokio::test]
async fn what_is_half_written_is_refused() {
    let rig = Rig::new();
    let whole = request(1);
    fs::write(
        rig.inbox(1),
        whole.bytes().split_at(whole.bytes().len() / 2).0,
    )
    .unwrap();
    let round = rig.echo().once().await.unwrap();
    assert!(
        matches!(round.refused.as_slice(), [(of, Refusal::Malformed(_))] if *of == id(1)),
        "{round:?}"
    );
    assert_eq!(rig.names("done"), [Name::request(&id(1))]);
    assert!(rig.names("outbox").is_empty());
}

/// Adversarial case H113: what stands in a file decides who is answered, and its name has to say the same.
#[tokio::test]
async fn a_request_under_the_name_of_another_is_not_answered() {
    let rig = Rig::new();
    fs::write(rig.inbox(1), request(2).bytes()).unwrap();
    let round = rig.echo().once().await.unwrap();
    assert_eq!(round.misnamed, [Name::request(&id(1))]);
    assert!(rig.names("outbox").is_empty());
}

/// Adversarial case H113: what is written into the inbox after the claim is another request of that name, and is not answered.
#[tokio::test]
async fn what_is_rewritten_after_the_claim_is_not_read() {
    let rig = Rig::new();
    rig.put(1);
    let round = rig.echo().once().await.unwrap();
    assert_eq!(round.answered.len(), 1);
    rig.put(1);
    assert_eq!(left(&rig).await, [(Name::request(&id(1)), ANSWERED)]);
    let answer = rig.path("outbox").join(format!("response-{}.json", id(1)));
    assert_eq!(fs::read(answer).unwrap(), request(1).bytes());
}

/// Adversarial case H113: a link in the place of one of the four folders is not followed.
#[tokio::test]
async fn a_folder_that_is_a_link_is_refused() {
    let rig = Rig::new();
    fs::remove_dir(rig.path("outbox")).unwrap();
    std::os::unix::fs::symlink(rig.path("inbox"), rig.path("outbox")).unwrap();
    let refused = transport(rig.root(), None).err().unwrap();
    assert!(refused.to_string().contains("outbox"), "{refused}");
}
