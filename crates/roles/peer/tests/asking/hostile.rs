//! What a hostile peer sends in order to leave an exchange without an end, to put another in the wrong, or to be believed
//! twice.

use counterfoil_exchange::checks::{Disposition, Flag};
use counterfoil_exchange::documents::{EvidenceLink, Text};
use counterfoil_exchange::machine::ExchangeState;
use counterfoil_exchange::trust::{Level, LocalRecord};
use counterfoil_peer::ExchangeQuestion;
use counterfoil_peer::asking::StorePolicy;
use counterfoil_store::AsOf;

use crate::answers::{agent, answer_of, attested, fact, key, memory, parts, text, two};
use crate::kept::ask;
use crate::rig::{Rig, Scripted, question, values};

fn marked(rig: &Rig) -> Vec<LocalRecord> {
    let records = rig.recorded().into_iter();
    records
        .filter(|record| matches!(record, LocalRecord::Mark { .. }))
        .collect()
}

/// Adversarial cases F73 and F81: of two who answer what everyone was asked, neither has given two answers, and the second
/// adds nothing to the log.
#[test]
fn whoever_else_answers_what_everyone_was_asked_is_not_put_in_the_wrong() {
    let rig = Rig::new();
    let mut way = Scripted::saying(&rig, |request| {
        let one = answer_of(&agent(8), request, vec![memory("m1", text("one"))]);
        let two = answer_of(&agent(9), request, vec![memory("m2", text("two"))]);
        vec![one, two]
    });
    let report = rig.ask(question(None), &mut way);
    assert_eq!(report.responder, Some(key(8)));
    let (key, signs) = (key(8), true);
    assert_eq!(rig.recorded(), [LocalRecord::Pin { key, signs }]);
}

/// Adversarial cases F66 and F73: who is asked by nobody, or with everyone, remembers no request. Somebody who takes such
/// a request to them a second time gets a second answer, and with it nobody is put in the wrong.
#[test]
fn to_be_asked_twice_by_nobody_is_no_equivocation() {
    let rig = Rig::new();
    let mut way = Scripted::saying(&rig, two);
    for (is_anonymous, peer) in [(true, Some(key(9))), (false, None)] {
        let question = ExchangeQuestion {
            is_anonymous,
            ..question(peer)
        };
        rig.ask(question, &mut way);
        assert_eq!(marked(&rig), [], "{peer:?}");
    }
}

/// R7, R17: a memory that is larger than what can be kept with its attestation is kept without, and keeps nothing else
/// from being stored: each of these characters takes six bytes in JSON.
#[test]
fn an_attestation_longer_than_a_world_is_left_out() {
    let rig = Rig::new();
    let report = ask(&rig, || {
        let mut long = parts("m1", text(&"\u{1}".repeat(65_536)));
        let url = Text::new("\u{1}".repeat(2048)).unwrap();
        let link = EvidenceLink {
            url,
            media_type: None,
            hash: None,
        };
        long.evidence = vec![link; 16];
        long.claim.references = vec![Text::new("\u{1}".repeat(1024)).unwrap(); 16];
        vec![attested(&agent(9), long), memory("m2", text("short"))]
    });
    assert_eq!(report.state, ExchangeState::Stored, "{report:?}");
    assert_eq!(rig.size(), 2);
    let stored = report.memories.iter().map(|it| it.stored.as_ref().unwrap());
    let is_whole = |world| rig.data(world).get("attestation").is_some();
    assert_eq!(stored.map(is_whole).collect::<Vec<_>>(), [false, true]);
    assert_eq!(report.memories[0].judged.flags, [Flag::SuspiciousText]);
}

/// MRP-28: as many and as long values as there may be contradict a claim, and the report of it still fits.
#[test]
fn sides_that_are_long_leave_an_exchange_with_an_end() {
    let rig = Rig::new();
    for round in 0..16_u8 {
        let value = format!("{}{round}", "\"".repeat(32_700));
        let claim = fact("ann", "says", &value);
        let who = 40 + round;
        rig.trust(key(who));
        let mut way = Scripted::answering(&rig, move |request| {
            let said = attested(&agent(who), parts("m", claim.clone()));
            answer_of(&agent(who), request, vec![said])
        });
        let report = rig.ask(question(Some(key(who))), &mut way);
        assert_eq!(report.state, ExchangeState::Stored, "{round}: {report:?}");
        let sides = &report.memories[0].sides;
        assert_eq!(
            sides.len(),
            usize::from(round.min(4)),
            "{round} {:?}",
            report.memories[0].gate
        );
        rig.clocks.pass(1_000_000);
    }
}

/// Adversarial case H101: my own claim comes back from whom I trust, under another name and without the way that it went.
/// It corroborates nothing, as whoever handed it on may have left out where they have it from (I6).
#[test]
fn my_own_claim_without_the_way_that_it_went_corroborates_nothing() {
    let rig = Rig::new();
    rig.trust(key(9));
    let mine = rig.user_says("ann", "lives in", "Lisbon");
    let before = rig.size();
    let report = ask(&rig, || {
        vec![memory("theirs", fact("ann", "lives in", "Lisbon"))]
    });
    let memory = &report.memories[0];
    assert_eq!(memory.judged.disposition, Disposition::StoredHigh);
    assert_eq!(memory.judged.flags, [Flag::Known]);
    assert_eq!(memory.stored.as_ref(), Some(&mine));
    assert_eq!(rig.size(), before);
    let belief = rig.believe_at("ann", "lives in", AsOf::default());
    assert_eq!(values(&belief), ["\"Lisbon\""]);
    assert_eq!(belief.sides[0].corroborations, 0);
}

/// R10, MRP-46: what nobody stands up for is heard first, and kept as a text. It takes nothing from whoever attests the
/// same later.
#[test]
fn a_rumour_does_not_keep_out_the_claim_that_somebody_attests() {
    let rig = Rig::new();
    rig.trust(key(9));
    let claim = fact("ann", "lives in", "Porto");
    let rumour = ExchangeQuestion {
        store_policy: StorePolicy::All,
        ..question(None)
    };
    for heard in 1..3 {
        let said = claim.clone();
        let mut way = Scripted::answering(&rig, move |request| {
            let said = attested(&agent(7), parts("r", said.clone()));
            answer_of(&agent(7), request, vec![said])
        });
        let report = rig.ask(rumour.clone(), &mut way);
        assert_eq!(report.memories[0].judged.disposition, Disposition::RawOnly);
        assert_eq!(
            (report.memories[0].heard, rig.size()),
            (heard, 1),
            "{report:?}"
        );
    }
    let report = ask(&rig, move || vec![memory("m1", claim.clone())]);
    let memory = &report.memories[0];
    assert_eq!(memory.judged.level(), Level::Direct);
    assert_eq!(memory.gate.as_deref(), Some("committed"), "{memory:?}");
    assert_eq!(values(&rig.believe("ann", "lives in")), ["\"Porto\""]);
}
