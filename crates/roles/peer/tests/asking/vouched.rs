//! Vouches that come with an answer (docs/format/exchange.md §8.4).

use counterfoil_exchange::checks::{CheckResult, Disposition};
use counterfoil_exchange::documents::{
    Agent, Competence, RequestId, ResultParts, Text, Vouch, VouchConfidence, VouchParts,
};
use counterfoil_exchange::trust::Level;
use counterfoil_peer::ExchangeReport;
use counterfoil_peer::asking::StorePolicy;
use counterfoil_store::ExchangeStore;
use counterfoil_store::conformance::block_on;

use crate::answers::{agent, answer, key, memory, stamp, text};
use crate::kept::only;
use crate::rig::{DAY_US, NOW_US, Rig, Scripted, question};

const DOMAIN: &str = "ops";

fn named(number: u8) -> Agent {
    Agent {
        agent_id: Text::new("somebody").unwrap(),
        public_key: key(number),
    }
}

/// A current vouch with this last digit of its id.
fn parts(voucher: u8, subject: u8, id: u8) -> VouchParts {
    VouchParts {
        id: RequestId::from_bytes([0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, id]),
        created_at: stamp(NOW_US - DAY_US),
        voucher: named(voucher),
        subject: named(subject),
        capability_id: None,
        domain: DOMAIN.parse().unwrap(),
        statement: Text::new("knows it").unwrap(),
        level: Competence::Expert,
        context: None,
        interaction_refs: Vec::new(),
        outcome: None,
        confidence: VouchConfidence::High,
        reason: None,
        valid_until: None,
        conditions: None,
    }
}

fn vouch(voucher: u8, subject: u8) -> Vouch {
    Vouch::sign(parts(voucher, subject, 1), &agent(voucher)).unwrap()
}

fn with(vouches: Vec<Vouch>) -> ResultParts {
    ResultParts {
        vouches,
        ..memory("m1", text("branches are pruned on Mondays"))
    }
}

fn ask(rig: &Rig, results: Vec<ResultParts>, store_policy: StorePolicy) -> ExchangeReport {
    let mut asked = question(Some(key(9)));
    asked.query.domain = Some(DOMAIN.parse().unwrap());
    asked.query.filters.require_vouches = true;
    asked.store_policy = store_policy;
    let mut way = Scripted::answering(rig, move |request| answer(request, results.clone()));
    rig.ask(asked, &mut way)
}

fn recorded(rig: &Rig) -> usize {
    let records = block_on(rig.store.records(0)).unwrap().unwrap_or_default();
    let is_vouch = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("\"type\":\"vouch\"");
    records.iter().filter(|(bytes, _)| is_vouch(bytes)).count()
}

/// MRP-19, MRP-25, MRP-39: the vouch of an agent that I trust is verified, recorded and counted for the answer that brings it.
#[test]
fn a_vouch_in_an_answer_counts_for_it() {
    let rig = Rig::new();
    rig.trust(key(8));
    let report = ask(&rig, vec![with(vec![vouch(8, 9)])], StorePolicy::Attested);
    let judged = &only(&report).judged;
    assert_eq!(judged.checks.vouch, CheckResult::Pass);
    assert_eq!(judged.disposition, Disposition::StoredMedium);
    assert_eq!((report.level, recorded(&rig)), (Level::Vouched, 1));
    // The next answer needs no vouch, and the same vouch is recorded once.
    for vouches in [vec![], vec![vouch(8, 9)]] {
        let report = ask(&rig, vec![with(vouches)], StorePolicy::Attested);
        assert_eq!((report.level, recorded(&rig)), (Level::Vouched, 1));
    }
}

/// A dry run counts it, and records nothing.
#[test]
fn a_dry_run_records_no_vouch() {
    let rig = Rig::new();
    rig.trust(key(8));
    let report = ask(&rig, vec![with(vec![vouch(8, 9)])], StorePolicy::None);
    assert_eq!(only(&report).judged.checks.vouch, CheckResult::Pass);
    assert_eq!(recorded(&rig), 0);
}

/// R8, cases 90, 91, 94: a vouch by a stranger, by the subject, for another agent, past its time, of another domain or changed
/// after it was signed is neither counted nor recorded.
#[test]
fn a_vouch_that_does_not_count_is_not_recorded() {
    let rig = Rig::new();
    rig.trust(key(8));
    let edited = |edit: fn(&mut VouchParts)| {
        let mut parts = parts(8, 9, 2);
        edit(&mut parts);
        Vouch::sign(parts, &agent(8)).unwrap()
    };
    let forged = vouch(8, 9);
    let forged = forged.text().replace("knows it", "knows all");
    for vouch in [
        vouch(7, 9),
        vouch(9, 9),
        vouch(8, 7),
        edited(|parts| parts.valid_until = Some(stamp(NOW_US - 1))),
        edited(|parts| parts.created_at = stamp(NOW_US - 366 * DAY_US)),
        edited(|parts| parts.created_at = stamp(NOW_US + DAY_US)),
        Vouch::parse(forged.as_bytes()).unwrap(),
    ] {
        let text = vouch.text().to_owned();
        let report = ask(&rig, vec![with(vec![vouch])], StorePolicy::Attested);
        assert_eq!(
            only(&report).judged.disposition,
            Disposition::Reject,
            "{text}"
        );
        assert_eq!(recorded(&rig), 0, "{text}");
    }
    let elsewhere = edited(|parts| parts.domain = "cooking".parse().unwrap());
    let report = ask(&rig, vec![with(vec![elsewhere])], StorePolicy::Attested);
    assert_eq!(only(&report).judged.disposition, Disposition::Reject);
}

/// At most 16 vouches of an answer are looked at, however many memories bring them; those of strangers are not among them.
#[test]
fn only_so_many_vouches_of_an_answer_are_looked_at() {
    for (past, level) in [(15, Level::Vouched), (16, Level::Identified)] {
        let rig = Rig::new();
        rig.trust(key(8));
        let expired = (0..past).map(|id| {
            let mut parts = parts(8, 9, id + 2);
            parts.valid_until = Some(stamp(NOW_US - 1));
            Vouch::sign(parts, &agent(8)).unwrap()
        });
        let strange = (20..36).map(|voucher| vouch(voucher, 9));
        let vouches: Vec<Vouch> = strange.chain(expired).chain([vouch(8, 9)]).collect();
        let results = vouches.chunks(8).map(|chunk| with(chunk.to_vec()));
        let report = ask(&rig, results.collect(), StorePolicy::Attested);
        assert_eq!(report.level, level);
    }
}
