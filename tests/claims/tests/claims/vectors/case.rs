//! One vector on one backend.

mod assertions;
mod expected;
mod trials;

use std::collections::HashMap;

use counterfoil_claims_tests::answer::{Answer, Disposition, Past, Refused};
use counterfoil_claims_tests::calendar::{DAY, Granule, Micros};
use counterfoil_claims_tests::request::{
    Asserted, Cardinality, Cited, Id, Request, Statement, Target, Valid, Who, Wish,
};
use serde_json::Value;

use super::door;
use crate::backend::{Asked, Backend, LineName};
use expected::values;

type Fresh<'a> = &'a dyn Fn() -> Box<dyn Backend>;

pub(super) struct Case<'a> {
    /// Which vector on which backend.
    what: String,
    now: Micros,
    fresh: Fresh<'a>,
    backend: Box<dyn Backend>,
    /// Names that the vector gives to claims, and the values of claims.
    refs: HashMap<String, Id>,
    /// The claims that were queued, the oldest first.
    handles: Vec<Id>,
    line: LineName,
    agent: u8,
    /// Worlds that were remembered.
    worlds: usize,
}

impl<'a> Case<'a> {
    pub(super) fn new(what: String, now: Micros, fresh: Fresh<'a>) -> Self {
        Self {
            what,
            now,
            fresh,
            backend: fresh(),
            refs: HashMap::new(),
            handles: Vec::new(),
            line: ("s".into(), "p".into()),
            agent: 0,
            worlds: 0,
        }
    }

    pub(super) fn run(mut self, operations: &[Value]) {
        for (number, operation) in operations.iter().enumerate() {
            self.operation(number, operation);
        }
    }

    fn operation(&mut self, number: usize, operation: &Value) {
        match operation["op"].as_str().unwrap() {
            "ingest" => drop(self.ingest(operation)),
            "query" => self.query(number, operation),
            "repeat" => self.repeat(operation),
            "count_claims" => {
                let claims = self.history(Asked::default()).len();
                assert_eq!(claims, number_in(operation, "expect"), "{}", self.what);
            }
            "end_fact" => self.end_fact(operation),
            "assert_bound" => self.assert_bound(operation),
            "reopen" => {
                let answer =
                    self.assert(self.named(operation, "target"), Asserted::Reopen, Who::User);
                self.expect(&answer, "Reinstated");
            }
            "supersede" => self.supersede(operation),
            "adjudicate" => self.adjudicate(operation),
            "reopen_process" => self.backend.reopen(),
            "history" => self.check_history(&operation["expect"]),
            // The port is asked after the claim is on disk: that it fails changes nothing of the answer.
            "oracle_fails" => {}
            "gate_purity" => self.purity(number_in(operation, "runs")),
            "request_id_retry" => self.retry(number_in(operation, "n")),
            "query_subject" => {
                let subject = self.backend.subject(0, "s", Asked::default());
                let [(predicate, belief)] = subject.as_slice() else {
                    panic!("{}: {subject:?}", self.what);
                };
                assert_eq!(
                    (predicate.as_str(), values(belief)),
                    ("p", vec!["\"A-value\""])
                );
            }
            "audit" => self.audit(operation),
            "reconcile" => {
                let before = self.backend.ledger(1, None, 100);
                self.backend.reopen();
                self.check_history(&serde_json::json!([["A only"]]));
                assert_eq!(self.backend.ledger(1, None, 100), before, "{}", self.what);
            }
            "ingest20" => {
                for number in 0..20 {
                    let said = self.statement(&format!("v{number}"));
                    self.state(Who::User, said, None);
                }
            }
            // Files and processes: held at length by the backend's own tests and those of the command line.
            "kill9_during_ingest"
            | "reads_during_writes"
            | "commit_io_error_then_retry"
            | "sql" => {}
            "ingest_value" => door::check(operation, (self.fresh)().as_mut()),
            "parse_date" => door::parse_date(operation),
            other => panic!("{}: nobody knows the operation {other}", self.what),
        }
    }

    fn ingest(&mut self, operation: &Value) -> Answer {
        if let Some(line) = operation["line"].as_str() {
            let (subject, predicate) = line.split_once('.').unwrap();
            self.line = (subject.into(), predicate.into());
        }
        self.agent = agent(operation);
        self.backend.clock(
            operation["tx"]
                .as_str()
                .map_or(self.now, |text| self.instant(text)),
        );
        let expected = operation["expect_disposition"].as_str();
        let mut said = self.statement(operation["value"].as_str().unwrap());
        said.said = match operation["card"].as_str() {
            Some("functional") => Cardinality::One,
            Some("set") => Cardinality::Many,
            other => panic!("{}: cardinality {other:?}", self.what),
        };
        said.valid = self.valid(&operation["valid"]);
        let sources = operation["derived_from"].as_array().into_iter().flatten();
        said.derived_from = sources
            .map(|name| self.refs[name.as_str().unwrap()])
            .collect();
        let who = who(operation);
        if expected == Some("Quarantined") {
            let refused = self.state(who, said.clone(), None);
            assert_eq!(
                refused,
                Answer::Refused(vec![Refused::IncoherentWindow]),
                "{}",
                self.what
            );
            said.extracted = true;
        }
        let answer = self.state(who, said, None);
        if let Some(expected) = expected {
            self.expect(&answer, expected);
        }
        if let Answer::Done(done) = &answer {
            let names = [&operation["ref"], &operation["value"]];
            for name in names.into_iter().filter_map(Value::as_str) {
                self.refs.entry(name.to_owned()).or_insert(done.reference);
            }
            if done.disposition == Disposition::QueuedForAdjudication {
                self.handles.push(done.reference);
            }
        }
        answer
    }

    fn statement(&self, value: &str) -> Statement {
        let (subject, predicate) = &self.line;
        Statement::of(subject, predicate, &Value::from(value).to_string())
    }

    fn state(&mut self, who: Who, said: Statement, key: Option<&str>) -> Answer {
        self.backend.write(&Request {
            agent: self.agent,
            who,
            key: key.map(str::to_owned),
            wish: Wish::State(said),
        })
    }

    fn assert(&mut self, claim: Id, asserted: Asserted, who: Who) -> Answer {
        self.judge(Target::Claim(claim), asserted, who, Vec::new())
    }

    fn judge(
        &mut self,
        target: Target,
        asserted: Asserted,
        who: Who,
        evidence: Vec<Cited>,
    ) -> Answer {
        self.backend.write(&Request {
            agent: self.agent,
            who,
            key: None,
            wish: Wish::Assert(target, asserted, evidence),
        })
    }

    fn named(&self, operation: &Value, member: &str) -> Id {
        self.refs[operation[member].as_str().unwrap()]
    }

    fn query(&mut self, number: usize, operation: &Value) {
        self.backend.clock(
            operation["now"]
                .as_str()
                .map_or(self.now, |text| self.instant(text)),
        );
        if let Some(line) = operation["line"].as_str() {
            let (subject, predicate) = line.split_once('.').unwrap();
            self.line = (subject.into(), predicate.into());
        }
        let asked = Asked {
            valid_at: operation["valid_at"]
                .as_str()
                .map(|text| self.instant(text)),
            as_of: operation["as_of"].as_str().map(|text| self.instant(text)),
        };
        let agent = agent(operation);
        let belief = self.backend.believe(agent, &self.line.clone(), asked);
        if operation.get("expect").is_some() {
            self.check(number, &belief, &operation["expect"]);
        }
        self.backend.clock(self.now);
    }

    fn repeat(&mut self, operation: &Value) {
        let first = operation["expect_same_ref"]
            .as_str()
            .map(|name| self.refs[name]);
        for _ in 0..number_in(operation, "n") {
            let answer = self.ingest(&operation["ingest"]);
            let Answer::Done(done) = &answer else {
                panic!("{}: {answer:?}", self.what);
            };
            assert!(
                first.is_none_or(|first| first == done.reference),
                "{}",
                self.what
            );
        }
    }

    fn valid(&self, valid: &Value) -> Option<Valid> {
        let date = |member: &str| match valid[member].as_str()? {
            "now+1y" if self.now == super::NOW => Some("2026-01-01T12:00:00Z".to_owned()),
            "now+1y" => Some("2034-01-01T12:00:00Z".to_owned()),
            text => Some(text.to_owned()),
        };
        (!valid.is_null()).then(|| Valid {
            from: date("start"),
            until: date("end"),
            confidence: valid["conf"].as_f64().unwrap(),
        })
    }

    /// Dates, the vectors' instants `T1` and `T2`, and what is said relative to them.
    fn instant(&self, text: &str) -> Micros {
        match text {
            "T1" => self.now,
            "T1.5" => self.now + DAY,
            "T2" => self.now + 2 * DAY,
            "before T2" => self.now + 2 * DAY - 1,
            "T+1d" => self.now + DAY,
            "T+100d" => self.now + 100 * DAY,
            // Beyond what dates can say, and before the end of the microseconds that fit.
            "+262142-12-31" => 8_210_266_800_000_000_000,
            date => Granule::read(date).unwrap().begin,
        }
    }

    fn history(&mut self, asked: Asked) -> Vec<Past> {
        self.backend.history(self.agent, &self.line.clone(), asked)
    }
}

fn number_in(operation: &Value, member: &str) -> usize {
    usize::try_from(operation[member].as_u64().unwrap()).unwrap()
}

fn agent(operation: &Value) -> u8 {
    match operation["agent"].as_str() {
        None | Some("ag0" | "x" | "A") => 0,
        Some("y" | "B") => 1,
        Some(other) => panic!("agent {other}"),
    }
}

fn who(operation: &Value) -> Who {
    match operation["prov"].as_str().unwrap() {
        "user" => Who::User,
        "first_hand" => Who::FirstHand,
        "model" => Who::Model,
        "recall" => Who::Recall,
        other => panic!("provenance {other}"),
    }
}
