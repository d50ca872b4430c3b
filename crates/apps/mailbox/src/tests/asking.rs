//! One asks, the other answers; and what an injector puts there first (case 71).

use std::fs;
use std::time::Duration;

use counterfoil_exchange::machine::MAX_NOISE;
use counterfoil_peer::{PeerError, Transport};
use tokio::time::timeout;

use super::rig::{Rig, id, is_idle, key, request};
use crate::name::{Name, key_digits};
use crate::transport;

const SOON: Duration = Duration::from_secs(10);
const SHORT: Duration = Duration::from_millis(400);

/// The next arrival, which is soon.
async fn next(asker: &mut Box<dyn Transport>) -> Vec<u8> {
    timeout(SOON, asker.receive()).await.unwrap().unwrap()
}

#[tokio::test]
async fn what_is_asked_is_answered_and_put_away() {
    let rig = Rig::new();
    let mut asker = transport(rig.root(), None).unwrap();
    asker.send(request(1).bytes()).await.unwrap();
    assert_eq!(rig.names("inbox"), [Name::request(&id(1))]);

    let round = rig.echo().once().await.unwrap();
    assert_eq!(
        round.answered,
        [(id(1), format!("response-{}.json", id(1)))]
    );
    assert!(rig.names("inbox").is_empty() && rig.names("processing").is_empty());
    assert_eq!(rig.names("done"), [Name::request(&id(1))]);

    let arrival = next(&mut asker).await;
    assert_eq!(arrival, request(1).bytes());
    assert!(
        timeout(SHORT, asker.receive()).await.is_err(),
        "each answer comes once"
    );
}

/// MRP-32: an attempt more puts no second request there, wherever the first one is by now.
#[tokio::test]
async fn a_further_attempt_asks_no_second_time() {
    let rig = Rig::new();
    let mut asker = transport(rig.root(), None).unwrap();
    asker.send(request(1).bytes()).await.unwrap();
    asker.send(request(1).bytes()).await.unwrap();
    rig.echo().once().await.unwrap();
    asker.send(request(1).bytes()).await.unwrap();
    assert!(rig.names("inbox").is_empty());
    assert!(is_idle(&rig.echo().once().await.unwrap()));
}

/// Adversarial case F71: garbage under the name of the answer comes first; the true answer comes as well, and all of it reaches the machine.
#[tokio::test]
async fn an_injector_who_is_first_does_not_hide_the_true_answer() {
    let rig = Rig::new();
    let mut asker = transport(rig.root(), None).unwrap();
    asker.send(request(1).bytes()).await.unwrap();
    let forged = rig.path("outbox").join(format!("response-{}.json", id(1)));
    fs::write(&forged, "garbage").unwrap();
    let first = next(&mut asker).await;
    assert_eq!(first, b"garbage");

    let round = rig.echo().once().await.unwrap();
    let further = format!("response-{}.{}.json", id(1), key_digits(&key(1)));
    assert_eq!(round.answered, [(id(1), further.clone())]);
    let second = next(&mut asker).await;
    assert_eq!(second, request(1).bytes());
    assert_eq!(
        fs::read(&forged).unwrap(),
        b"garbage",
        "what is not ours stays"
    );

    // A third name, and the first one with other bytes.
    fs::write(
        rig.path("outbox")
            .join(format!("response-{}.{}.json", id(1), "0".repeat(16))),
        "more",
    )
    .unwrap();
    assert_eq!(next(&mut asker).await, b"more");
    fs::write(&forged, "garbage again").unwrap();
    assert_eq!(next(&mut asker).await, b"garbage again");
}

/// Adversarial case F73: a second answer that is there with the first is handed over without a wait, so that whoever reads
/// on for what tells two answers apart finds it.
#[tokio::test]
async fn what_came_together_is_handed_over_together() {
    let rig = Rig::new();
    let mut asker = transport(rig.root(), None).unwrap();
    asker.send(request(1).bytes()).await.unwrap();
    let (of, digits) = (id(1), key_digits(&key(1)));
    for (name, text) in Name::responses(&of, &digits).zip(["one", "two", "three"]) {
        fs::write(rig.path("outbox").join(name), text).unwrap();
    }
    let mut came = vec![next(&mut asker).await];
    for _ in 0..2 {
        // To be ready at the first look means that nothing was waited for.
        let next = timeout(Duration::ZERO, asker.receive()).await;
        came.push(next.unwrap().unwrap());
    }
    came.sort();
    assert_eq!(came, [&b"one"[..], b"three", b"two"]);
}

/// Adversarial cases F71 and H114: others may use any further name, and have filled the folder before the answer comes. What
/// is handed over of it is less than the machine reads noise, and the answer is read when it is there, whichever of its names
/// was left to it.
#[tokio::test]
async fn a_folder_full_of_junk_does_not_hide_the_true_answer() {
    let (of, digits) = (id(1), key_digits(&key(1)));
    let all = Name::responses(&of, &digits).count();
    for taken in [0, 1, all - 1] {
        let rig = Rig::new();
        let junk = |name: String| fs::write(rig.path("outbox").join(name), "junk").unwrap();
        (0..100).for_each(|number| junk(format!("response-{of}.{number:016x}.json")));
        Name::responses(&of, &digits).take(taken).for_each(junk);

        let mut asker = transport(rig.root(), None).unwrap();
        asker.send(request(1).bytes()).await.unwrap();
        let mut noise = 0;
        while let Ok(arrival) = timeout(SHORT, asker.receive()).await {
            assert_eq!(arrival.unwrap(), b"junk");
            noise += 1;
        }
        assert!(noise < MAX_NOISE, "{noise} with {taken} of its names");
        rig.echo().once().await.unwrap();
        let came = next(&mut asker).await;
        assert_eq!(came, request(1).bytes(), "{taken} of its names");
    }
}

/// Adversarial case F71: what the agent that was asked may have written is read first, after a restart too; of nobody in
/// particular every name is read.
#[tokio::test]
async fn the_names_of_whoever_was_asked_are_read_first() {
    let (of, digits) = (id(1), key_digits(&key(1)));
    let rig = Rig::new();
    let write = |name: &str, text: &str| fs::write(rig.path("outbox").join(name), text).unwrap();
    for number in 0..100 {
        write(&format!("response-{of}.{number:016x}.json"), "junk");
    }
    let names: Vec<String> = Name::responses(&of, &digits).take(3).collect();
    for (name, text) in names.iter().zip(["one", "two", "three"]) {
        write(name, text);
    }
    let sent = |peer| transport(rig.root(), Some((id(1), peer))).unwrap();
    let mut asker = transport(rig.root(), None).unwrap();
    asker.send(request(1).bytes()).await.unwrap();
    for mut asker in [asker, sent(Some(key(1)))] {
        for text in ["one", "two", "three", "junk"] {
            let came = next(&mut asker).await;
            assert_eq!(came, text.as_bytes());
        }
    }
    let mut asker = sent(None);
    for number in 0..103 {
        let came = next(&mut asker).await;
        assert_eq!(came == b"one", number == 0);
    }
}

/// Adversarial case H113: what lies in the way of an answer is passed over, and the answer comes.
#[tokio::test]
async fn what_is_no_file_is_passed_over_in_the_outbox() {
    let rig = Rig::new();
    let mut asker = transport(rig.root(), None).unwrap();
    asker.send(request(1).bytes()).await.unwrap();
    let outbox = rig.path("outbox");
    std::os::unix::fs::symlink(
        "/etc/hostname",
        outbox.join(format!("response-{}.json", id(1))),
    )
    .unwrap();
    fs::create_dir(outbox.join(format!("response-{}.{}.json", id(1), "0".repeat(16)))).unwrap();
    fs::write(
        outbox.join(format!("response-{}.json", id(2))),
        "for another",
    )
    .unwrap();
    assert!(timeout(SHORT, asker.receive()).await.is_err());
    rig.echo().once().await.unwrap();
    assert_eq!(next(&mut asker).await, request(1).bytes());
}

#[tokio::test]
async fn a_name_that_another_file_has_is_not_taken_from_it() {
    let rig = Rig::new();
    fs::write(rig.inbox(1), "another").unwrap();
    let mut asker = transport(rig.root(), None).unwrap();
    let refused = asker.send(request(1).bytes()).await.unwrap_err();
    assert!(matches!(refused, PeerError::Refused { .. }), "{refused}");
    assert_eq!(fs::read(rig.inbox(1)).unwrap(), b"another");
    assert_eq!(rig.names("inbox").len(), 1, "no part is left");
}

/// To stop waiting, and to wait again, loses nothing.
#[tokio::test]
async fn waiting_can_be_broken_off_at_any_time() {
    let rig = Rig::new();
    let mut asker = transport(rig.root(), None).unwrap();
    asker.send(request(1).bytes()).await.unwrap();
    rig.echo().once().await.unwrap();
    for micros in (0..2_000).step_by(50) {
        if let Ok(arrival) = timeout(Duration::from_micros(micros), asker.receive()).await {
            assert_eq!(arrival.unwrap(), request(1).bytes());
            return;
        }
    }
    assert_eq!(next(&mut asker).await, request(1).bytes());
}
