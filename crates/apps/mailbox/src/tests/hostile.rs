//! What others put into `inbox` (case 113). None of it is followed, waited for, or removed.

use std::fs::{self, File};
use std::path::Path;
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

/// Adversarial case H113: a link is not followed, a pipe is not waited for, a device and a file of 5 GiB are not read.
#[tokio::test]
async fn what_is_no_request_is_left_unread() {
    type Making = fn(&Path) -> bool;
    let link = |to: &str, at: &Path| std::os::unix::fs::symlink(to, at).is_ok();
    let secret = Rig::new();
    let target = secret.path("secret");
    fs::write(&target, request(1).bytes()).unwrap();
    for target in [target.to_str().unwrap(), "/etc/shadow", "/nowhere"] {
        let rig = Rig::new();
        assert!(link(target, &rig.inbox(1)));
        assert_eq!(left(&rig).await, [(Name::request(&id(1)), NOT_A_FILE)]);
    }
    assert!(target.exists());
    let others: [(&str, Making, &str); 4] = [
        (
            "mkfifo",
            |at| run(Command::new("mkfifo").arg(at)),
            NOT_A_FILE,
        ),
        (
            "mknod",
            |at| run(Command::new("mknod").arg(at).args(["c", "1", "5"])),
            NOT_A_FILE,
        ),
        ("mkdir", |at| fs::create_dir(at).is_ok(), NOT_A_FILE),
        (
            "truncate",
            |at| File::create(at).unwrap().set_len(5 << 30).is_ok(),
            TOO_LARGE,
        ),
    ];
    for (name, make, why) in others {
        let rig = Rig::new();
        if make(&rig.inbox(1)) {
            assert_eq!(left(&rig).await, [(Name::request(&id(1)), why)], "{name}");
        } else {
            println!("skipped: this user cannot {name} here");
        }
    }
}

fn run(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
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
    let (half, _) = whole.bytes().split_at(whole.bytes().len() / 2);
    fs::write(rig.inbox(1), half).unwrap();
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
