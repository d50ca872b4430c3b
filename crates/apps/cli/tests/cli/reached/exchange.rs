//! Whatever is declared of exchanges can be met: the real binary gives each state, level, disposition, flag, finding of a check,
//! status, notice, form and refusal.
//!
//! What is met is compared with all that the engine declares. The other agent is written by hand, with a real key: it
//! says what no honest one would.

mod answers;
mod findings;
mod refusals;
mod stage;

use std::collections::BTreeSet;

use counterfoil_exchange::checks::{CheckKind, Disposition, FailCode, Flag, SkipReason};
use counterfoil_exchange::documents::{ClaimKind, Format, RequestedCheck, StatusCode};
use counterfoil_exchange::machine::{ExchangeState, ItemState, Notice};
use counterfoil_exchange::trust::Level;
use serde::Serialize;

use super::Met;
use stage::Stage;

/// R7, MRP-10, MRP-11, MRP-12, MRP-13, MRP-14, MRP-15, MRP-16, MRP-22, MRP-24, MRP-27, MRP-37: every name that an exchange can
/// give is in some answer of the binary, or in what it has written down.
#[test]
fn every_state_and_every_finding_is_given_by_the_binary() {
    let scenes: [fn(&mut Met); 10] = [
        answers::in_a_crowd,
        answers::of_many_kinds,
        answers::with_receipts,
        answers::by_nobody,
        answers::by_others,
        answers::of_each_status,
        answers::at_each_level,
        answers::too_late,
        answers::given_up,
        findings::at_urls,
    ];
    // Most of a scene is waiting.
    let met = std::thread::scope(|scope| {
        let begun = scenes.map(|scene| {
            scope.spawn(move || {
                let mut met = Met::default();
                scene(&mut met);
                met.0
            })
        });
        let mut all = Met::default();
        for (member, names) in begun.into_iter().flat_map(|scene| scene.join().unwrap()) {
            all.0.entry(member).or_default().extend(names);
        }
        all
    });
    all(
        &met,
        "exchange",
        ExchangeState::ALL.map(ExchangeState::name),
    );
    // What was not examined yet has no row.
    let rows = ItemState::ALL
        .into_iter()
        .filter(|state| *state != ItemState::Received);
    all(&met, "item", rows.map(ItemState::name));
    let numbers = Level::ALL.map(|level| level.number().to_string());
    all(&met, "level", numbers);
    all(&met, "type", ClaimKind::ALL.map(|kind| word(&kind)));
    all(&met, "disposition", Disposition::ALL.map(Disposition::name));
    all(&met, "flags", Flag::ALL.map(Flag::name));
    all(&met, "check", CheckKind::ALL.map(CheckKind::name));
    all(&met, "fail", FailCode::ALL.map(FailCode::name));
    all(&met, "skip", SkipReason::ALL.map(SkipReason::name));
    all(&met, "status", StatusCode::ALL.map(|code| word(&code)));
    let notices = Notice::ALL.map(|notice| {
        let name = format!("{notice:?}");
        name[..1].to_lowercase() + &name[1..]
    });
    all(&met, "notice", notices);
}

/// MRP-38, MRP-40: every form that can be asked for, every check that can be asked for, and every refusal.
#[test]
fn every_form_and_every_refusal_is_given_by_the_binary() {
    let mut met = Met::default();
    refusals::forms(&mut met);
    refusals::checks(&mut met);
    refusals::words(&mut met);
    // So many at once as it takes to be busy are not asked here, but in the tests of the server.
    met.note("refusal", &"busy".into());
    all(&met, "format", Format::ALL.map(|form| word(&form)));
    all(&met, "asked", RequestedCheck::ALL.map(|check| word(&check)));
    all(
        &met,
        "refusal",
        counterfoil_exchange::answering::Refusal::CODES,
    );
}

/// R11, MRP-45: a memory that points somewhere is not followed there.
#[test]
fn nothing_is_fetched_unless_it_is_asked_for() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    nobody.set_nonblocking(true).unwrap();
    let url = format!("https://{}/beacon", nobody.local_addr().unwrap());
    let stage = Stage::new();
    let shown = stage.ask(&mut Met::default(), &[], 0, |request| {
        let memory = stage.says("m", |memory| {
            memory["evidence"] = serde_json::json!([{ "url": url }])
        });
        vec![stage.answer(request, vec![memory])]
    });
    let found = &shown["memories"][0]["checks"]["evidence"];
    assert_eq!(found["reason"], "not-fetched", "{shown}");
    assert!(nobody.accept().is_err(), "somebody came");
}

/// MRP-36, MRP-8: a question, an answer in the shape of the notes that nobody has signed, the checks, and a memory that says how
/// little was shown of it.
#[test]
fn the_least_that_works_asks_answers_checks_and_saves() {
    let stage = Stage::of_strangers();
    let folder = stage.folder();
    let args = ["--keep-raw"];
    let met = &mut Met::default();
    let shown = stage.ask_at(folder.to_str().unwrap(), met, &args, 0, |request| {
        vec![answers::draft(request)]
    });
    assert_eq!(shown["state"], "stored", "{shown}");
    let memory = &shown["memories"][0];
    assert_eq!(memory["checks"]["identity"]["result"], "skip");
    assert_eq!(memory["checks"]["signature"]["reason"], "draft");
    let kept = stage.ann.json(["show", memory["stored"].as_str().unwrap()]);
    let data = kept.pointer("/world/data").or(kept.get("data"));
    let data = data.unwrap_or_else(|| panic!("{kept}"));
    assert_eq!(data["kind"], "received");
    assert_eq!(data["text"], "pruning is identity");
    assert_eq!(
        (&data["level"], &data["disposition"]),
        (&0.into(), &"raw_only".into())
    );
    assert!(data.get("from").is_none() && data.get("attestation").is_none());
    let recalled = stage.ann.run(["recall", "pruning"]).ok().stdout();
    assert!(recalled.contains("pruning is identity"), "{recalled}");
}

fn word(name: &impl Serialize) -> String {
    serde_json::to_value(name)
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

/// Whether nothing that was declared is missing, and nothing else was met.
#[track_caller]
fn all<N: ToString>(met: &Met, member: &str, declared: impl IntoIterator<Item = N>) {
    let all: BTreeSet<String> = declared.into_iter().map(|name| name.to_string()).collect();
    assert_eq!(met.0.get(member), Some(&all), "{member}");
}
