//! Several responders at one folder, and one that ended in the middle (case 114).

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::rig::{Echo, LONG, Rig, id, is_idle};
use crate::folders::TAKEN;
use crate::name::Name;
use crate::responder::{Answers, FolderResponder};
use async_trait::async_trait;
use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::Request;

/// Adversarial case H114: of two responders, one claims a request.
#[test]
fn of_many_who_race_each_request_is_answered_by_one() {
    let rig = Rig::new();
    for number in 0..40 {
        rig.put(number);
    }
    let echo = Arc::new(Echo::default());
    let responders = [(); 4].map(|()| rig.responder(echo.clone(), LONG));
    let answered: usize = thread::scope(|scope| {
        let racing = responders
            .each_ref()
            .map(|responder| scope.spawn(|| all(responder)));
        racing.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!((answered, echo.asked.load(Ordering::Relaxed)), (40, 40));
    assert_eq!(
        (rig.names("outbox").len(), rig.names("done").len()),
        (40, 40)
    );
    assert!(rig.names("inbox").is_empty() && rig.names("processing").is_empty());
}

/// How many one responder answered, in a process of its own as it were.
fn all(responder: &FolderResponder) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(responder.once()).unwrap().answered.len()
}

/// Adversarial case H114: whoever claimed it has ended; after its time it is taken back, and not before.
#[tokio::test]
async fn a_stale_claim_is_taken_back_after_its_time() {
    let rig = Rig::new();
    rig.put(1);
    fs::rename(
        rig.inbox(1),
        rig.path("processing").join(Name::request(&id(1))),
    )
    .unwrap();
    assert!(is_idle(&rig.echo().once().await.unwrap()));
    assert_eq!(rig.names("processing").len(), 1);

    tokio::time::sleep(Duration::from_millis(60)).await;
    let late = rig.responder(Arc::new(Echo::default()), Duration::from_millis(20));
    assert_eq!(late.once().await.unwrap().answered.len(), 1);
    assert!(rig.names("processing").is_empty());
}

/// Adversarial case H114: it had answered, and ended before it put the request away: the same answer is not written again.
#[tokio::test]
async fn an_answer_that_is_there_is_not_written_twice() {
    let rig = Rig::new();
    rig.put(1);
    rig.echo().once().await.unwrap();
    let name = Name::request(&id(1));
    fs::rename(
        rig.path("done").join(&name),
        rig.path("processing").join(&name),
    )
    .unwrap();
    tokio::time::sleep(Duration::from_millis(60)).await;
    let late = rig.responder(Arc::new(Echo::default()), Duration::from_millis(20));
    assert_eq!(late.once().await.unwrap().answered.len(), 1);
    assert_eq!(rig.names("outbox"), [format!("response-{}.json", id(1))]);
    assert_eq!(rig.names("done"), [name]);
}

/// A refusal that passes leaves the request to be answered later; another puts it away without an answer.
#[tokio::test]
async fn what_is_refused_for_now_is_answered_later() {
    let rig = Rig::new();
    rig.put(1);
    let refusing = |refusal| {
        Arc::new(Echo {
            refusal: Some(refusal),
            ..Echo::default()
        })
    };
    let busy = rig.responder(refusing(|| Refusal::Busy { retry_after_s: 1 }), LONG);
    assert_eq!(busy.once().await.unwrap().refused.len(), 1);
    assert_eq!(rig.names("inbox").len(), 1);
    let never = rig.responder(refusing(|| Refusal::WrongAudience), LONG);
    assert_eq!(never.once().await.unwrap().refused.len(), 1);
    assert_eq!((rig.names("inbox").len(), rig.names("done").len()), (0, 1));
    assert!(rig.names("outbox").is_empty());
}

/// Adversarial case F84: what is refused, or lies in the way, keeps nothing from being answered that comes after it.
#[tokio::test]
async fn nobody_stands_before_others_for_good() {
    let rig = Rig::new();
    for number in 0..200 {
        fs::create_dir(rig.inbox(number)).unwrap();
    }
    for number in 0..200 {
        fs::write(rig.path("inbox").join(format!("a{number}")), "").unwrap();
    }
    rig.put(250);
    let round = rig.echo().once().await.unwrap();
    assert_eq!((round.answered.len(), round.left.len()), (1, 100));
}

/// Adversarial case F84: others have taken each name under which an answer could stand. That request is put away without
/// one, and those behind it are answered.
#[tokio::test]
async fn who_leaves_no_name_for_an_answer_keeps_nobody_else_from_theirs() {
    let rig = Rig::new();
    let digits = crate::name::key_digits(&super::rig::key(1));
    for name in Name::responses(&id(1), &digits) {
        fs::write(rig.path("outbox").join(name), "garbage").unwrap();
    }
    rig.put(1);
    rig.put(2);
    let round = rig.echo().once().await.unwrap();
    assert_eq!(round.answered.len(), 1);
    assert_eq!(round.left, [(Name::request(&id(1)), TAKEN)]);
    assert!(rig.names("inbox").is_empty() && rig.names("processing").is_empty());
}

/// Puts the request into `inbox` again, and into `done`, while it is answered.
struct Restless {
    root: PathBuf,
    refusal: Option<fn() -> Refusal>,
}

#[async_trait]
impl Answers for Restless {
    async fn answer(&self, request: &[u8]) -> Result<Arc<[u8]>, Refusal> {
        let parsed = Request::parse(request).unwrap();
        let name = Name::request(&parsed.parts().header.request_id);
        for folder in ["inbox", "done"] {
            fs::write(self.root.join(folder).join(&name), request).unwrap();
        }
        match self.refusal {
            Some(refusal) => Err(refusal()),
            None => Ok(request.into()),
        }
    }
}

/// Adversarial case F84: who puts a request where it is to be put back or away keeps nobody else from being answered.
#[tokio::test]
async fn who_asks_the_same_meanwhile_keeps_nobody_else_from_being_heard() {
    let refusals: [Option<fn() -> Refusal>; 3] = [
        None,
        Some(|| Refusal::Busy { retry_after_s: 1 }),
        Some(|| Refusal::WrongAudience),
    ];
    for refusal in refusals {
        let rig = Rig::new();
        rig.put(1);
        rig.put(2);
        let root = rig.root().to_owned();
        let responder = rig.responder(Arc::new(Restless { root, refusal }), LONG);
        let round = responder.once().await.unwrap();
        assert_eq!(round.answered.len() + round.refused.len(), 2);
    }
}
