//! Whatever is declared can be met: the real binary on real stores gives each disposition, status, marker, state, currency,
//! support, act, provenance, cardinality and row, refuses for each reason, and obeys each setting.
//!
//! What is met is compared with all that the engine declares, so that a name which nothing gives fails here. Peers and
//! recall have no door on the command line: a host speaks for them, a program beside it on the same store.

mod exchange;
mod host;
mod refusals;
mod settings;
mod views;

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_claims::belief::{BeliefStatus, ClaimState, Currency, Marker, Support};
use counterfoil_claims::{ActKind, Cardinality, Disposition, ProvenanceClass};
use jiff::{Span, Timestamp, tz::TimeZone};
use serde_json::Value;

use crate::place::Place;

/// The names that were met, by the member of the JSON that gave them.
#[derive(Default)]
struct Met(BTreeMap<String, BTreeSet<String>>);

/// CLM-46, CLM-17: every name that an answer can have is in some answer of the binary.
#[test]
fn every_declared_name_is_given_by_the_binary() {
    let mut met = Met::default();
    stating(&mut met);
    inferring(&mut met);
    asserting(&mut met);
    contradicting(&mut met);
    settling(&mut met);
    ageing(&mut met);
    host::speaking(&mut met);
    met.is_all("disposition", Disposition::ALL.map(Disposition::name));
    met.is_all("status", BeliefStatus::ALL.map(BeliefStatus::name));
    met.is_all("markers", Marker::ALL.map(Marker::name));
    met.is_all("state", ClaimState::ALL.map(ClaimState::name));
    met.is_all("currency", Currency::ALL.map(Currency::name));
    met.is_all("support", Support::ALL.map(Support::name));
    met.is_all("act", ActKind::ALL.map(ActKind::name));
    met.is_all("provenance", ProvenanceClass::NAMES);
    met.is_all("cardinality", Cardinality::ALL.map(Cardinality::name));
    met.is_all("row", ["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
}

impl Met {
    /// Runs the binary, and keeps what it says.
    #[track_caller]
    fn ask(&mut self, place: &Place, args: &[&str]) -> Value {
        let told = place.json(args);
        self.read(&told);
        told
    }

    /// Runs the binary, and gives the claim that it answers with.
    #[track_caller]
    fn add(&mut self, place: &Place, args: &[&str]) -> String {
        let told = self.ask(place, &[&["claim", "add"], args].concat());
        told["ref"].as_str().unwrap().to_owned()
    }

    fn read(&mut self, told: &Value) {
        match told {
            Value::Array(items) => items.iter().for_each(|item| self.read(item)),
            Value::Object(members) => members.iter().for_each(|(name, told)| {
                self.note(name, told);
                self.read(told);
            }),
            _ => {}
        }
    }

    /// A name, several of them, a number, or the class in an object.
    fn note(&mut self, member: &str, told: &Value) {
        let named = match told {
            Value::Object(members) => members.get("class").into_iter().collect(),
            Value::Array(items) => items.iter().collect(),
            one => vec![one],
        };
        for name in named {
            let name = name
                .as_str()
                .map_or_else(|| name.to_string(), str::to_owned);
            self.0.entry(member.to_owned()).or_default().insert(name);
        }
    }

    /// Whether nothing that was declared is missing, and nothing else was met.
    fn is_all<const N: usize>(&self, member: &str, declared: [&str; N]) {
        let all: BTreeSet<String> = declared.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(all.len(), N, "no name of a {member} stands for two");
        assert_eq!(self.0.get(member), Some(&all), "{member}");
    }
}

fn set(place: &Place, settings: &str) {
    std::fs::write(place.dir().join("claims.toml"), settings).unwrap();
}

fn remember(place: &Place, text: &str) -> String {
    let made = place.json(["remember", text]);
    made["id"].as_str().unwrap().to_owned()
}

/// Midnight after so many days.
fn days_from_now(days: i64) -> String {
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    today.saturating_add(Span::new().days(days)).to_string()
}

/// What users say, and the host: a statement, the same again, another source, nothing at all.
fn stating(met: &mut Met) {
    let place = Place::new();
    let note = remember(
        &place,
        "Mira was born in Lagos on the third of February 1990.",
    );
    met.add(
        &place,
        &[
            "mira",
            "born_in",
            "Lagos",
            "--from",
            "1990-02-03",
            "--cardinality",
            "one",
        ],
    );
    met.add(&place, &["mira", "born_in", "Lagos", "--source", &note]);
    met.add(
        &place,
        &["mira", "lives_in", "Faro", "--channel", "first-hand"],
    );
    met.add(&place, &["mira", "moves_to", "Porto", "--from", "2100"]);
    met.ask(&place, &["believe", "mira", "born_in"]);
    met.ask(&place, &["believe", "mira", "lives_in"]);
    met.ask(&place, &["believe", "mira", "owns"]);
    met.ask(&place, &["history", "mira", "moves_to"]);
    met.ask(&place, &["claim", "ledger"]);
}

/// What models say: alone, against the user, too far from evidence, and wrongly dated.
fn inferring(met: &mut Met) {
    let place = Place::new();
    met.add(&place, &["mira", "drinks", "tea"]);
    met.add(&place, &["mira", "drinks", "gin", "--channel", "model"]);
    met.ask(&place, &["believe", "mira", "drinks"]);
    let mut last = met.add(&place, &["mira", "likes", "cats", "--channel", "model"]);
    met.ask(&place, &["believe", "mira", "likes"]);
    for predicate in ["feeds", "shelters"] {
        let from = ["--channel", "model", "--derived-from", &last];
        last = met.add(&place, &[&["mira", predicate, "cats"], &from[..]].concat());
    }
    met.ask(&place, &["history", "mira", "shelters"]);
    met.ask(&place, &["claim", "release", &last]);
    let said = "I lived in Rome from 2021 to 2018.";
    let note = remember(&place, said);
    let read = met.ask(&place, &["extract", &note]);
    assert!(read.to_string().contains("quarantined"), "{read:#}");
    met.ask(&place, &["claim", "ledger"]);
}

/// What is said of claims: an end, another end, that it was none, that it was said wrongly, another claim in its place.
fn asserting(met: &mut Met) {
    let place = Place::new();
    let tea = met.add(&place, &["mira", "drinks", "tea"]);
    let rum = met.add(
        &place,
        &["mira", "drinks", "rum", "--channel", "first-hand"],
    );
    met.ask(&place, &["claim", "supersede", &tea, "--by", &rum]);
    met.ask(&place, &["history", "mira", "drinks"]);
    let bread = met.add(&place, &["mira", "eats", "bread", "--from", "2020"]);
    met.ask(&place, &["claim", "end", &bread, "--at", "2021"]);
    met.ask(&place, &["claim", "end", &bread, "--at", "2022"]);
    met.ask(&place, &["believe", "mira", "eats"]);
    met.ask(&place, &["history", "mira", "eats"]);
    met.ask(&place, &["claim", "reopen", &bread]);
    met.ask(&place, &["claim", "retract", &bread]);
    met.ask(&place, &["history", "mira", "eats"]);
    met.ask(&place, &["claim", "ledger"]);
    let old = met.add(&place, &["mira", "lives_in", "Faro", "--from", "2020"]);
    met.add(
        &place,
        &[
            "mira",
            "lives_in",
            "Porto",
            "--from",
            "2022",
            "--supersedes",
            &old,
        ],
    );
}

/// Contradictions that nobody settles, and what was derived from one side.
fn contradicting(met: &mut Met) {
    let place = Place::new();
    let tea = met.add(&place, &["mira", "drinks", "tea"]);
    met.add(&place, &["mira", "buys", "tea", "--derived-from", &tea]);
    met.add(
        &place,
        &["mira", "drinks", "rum", "--channel", "first-hand"],
    );
    met.ask(&place, &["believe", "mira", "drinks"]);
    met.ask(&place, &["history", "mira", "drinks"]);
    met.ask(&place, &["believe", "mira", "buys"]);
}

/// Contradictions that wait, each verdict, and what was denied said again.
fn settling(met: &mut Met) {
    let place = Place::new();
    set(&place, "[oracle]\npresent = true\n");
    let note = remember(&place, "what settles it");
    for verdict in ["affirm", "deny", "unknown"] {
        met.add(&place, &["mira", verdict, "one"]);
        let two = ["mira", verdict, "two", "--channel", "first-hand"];
        let handle = met.add(&place, &two);
        met.ask(
            &place,
            &["adjudicate", &handle, verdict, "--evidence", &note],
        );
    }
    met.add(&place, &["mira", "deny", "two"]);
    met.ask(&place, &["history", "mira", "deny"]);
    met.ask(&place, &["claim", "ledger"]);
}

/// What nobody has confirmed for long: a value, and the members of a set.
fn ageing(met: &mut Met) {
    let place = Place::new();
    met.add(&place, &["mira", "lives_in", "Faro"]);
    for language in ["Portuguese", "English"] {
        met.add(
            &place,
            &["mira", "speaks", language, "--cardinality", "many"],
        );
    }
    for days in [45, 120] {
        let then = days_from_now(days);
        met.ask(&place, &["believe", "mira", "lives_in", "--as-of", &then]);
        met.ask(&place, &["believe", "mira", "speaks", "--as-of", &then]);
    }
    met.ask(&place, &["history", "mira", "speaks"]);
}
