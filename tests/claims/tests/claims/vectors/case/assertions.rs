//! The operations of a vector that assert something of a claim.

use counterfoil_claims_tests::answer::{Answer, Past};
use counterfoil_claims_tests::calendar::Granule;
use counterfoil_claims_tests::request::{Asserted, Cited, Target, Who};
use serde_json::Value;

use super::{Case, agent, who};
use crate::backend::Asked;

impl Case<'_> {
    pub(super) fn end_fact(&mut self, operation: &Value) {
        let at = operation["at"].as_str().unwrap();
        let relative = at.starts_with('T');
        if relative {
            self.backend.clock(self.instant(at));
        }
        let target = Target::Line(self.line.0.clone(), self.line.1.clone());
        let ended = Asserted::End((!relative).then(|| at.to_owned()));
        let answer = self.judge(target, ended, who(operation), Vec::new());
        self.expect(&answer, operation["expect"].as_str().unwrap());
    }

    pub(super) fn assert_bound(&mut self, operation: &Value) {
        if let Some(at) = operation["asserted_at"].as_str() {
            self.backend.clock(self.instant(at));
        }
        let target = self.named(operation, "target");
        let at = operation["at"].as_str().unwrap().to_owned();
        let asker = self.agent;
        self.agent = operation["agent"]
            .as_str()
            .map_or(asker, |_| agent(operation));
        let answer = self.assert(target, Asserted::End(Some(at)), Who::User);
        self.agent = asker;
        if let Some(expected) = operation["expect"].as_str() {
            let (expected, effective) =
                expected.split_once(" effective ").unwrap_or((expected, ""));
            self.expect(&answer, expected);
            if let Some(until) = Granule::read(effective) {
                let [Past { window, .. }] = self.history(Asked::default())[..] else {
                    panic!("{}: one claim", self.what);
                };
                assert_eq!(window.unwrap().1, Some(until.end), "{}", self.what);
            }
        }
        self.backend.clock(self.now);
    }

    /// Another value takes its place.
    pub(super) fn supersede(&mut self, operation: &Value) {
        let target = self.named(operation, "target");
        let current = std::mem::replace(&mut self.line, ("s".into(), "p".into()));
        let mut said = self.statement("another");
        said.supersedes = vec![target];
        let answer = self.state(Who::User, said, None);
        self.expect(&answer, "CommittedCheap");
        self.line = current;
    }

    pub(super) fn adjudicate(&mut self, operation: &Value) {
        let verdict = match operation["verdict"].as_str().unwrap() {
            "Affirm" => Asserted::Affirm,
            "Deny" => Asserted::Deny,
            _ => Asserted::Undecided,
        };
        let evidence = match operation["evidence"].as_str().unwrap() {
            "model" => {
                let mut said = self.statement("a rumour");
                said.subject = "elsewhere".into();
                let Answer::Done(done) = self.state(Who::Model, said, None) else {
                    panic!("{}: a model may speak", self.what);
                };
                Cited::Unit(done.reference)
            }
            _ => {
                self.backend.remember(self.agent, self.worlds);
                self.worlds += 1;
                Cited::World(self.worlds - 1)
            }
        };
        // The newest handle first; a handle that was used stays the last one.
        let handle = if self.handles.len() > 1 {
            self.handles.pop().unwrap()
        } else {
            self.handles[0]
        };
        let answer = self.judge(
            Target::Claim(handle),
            verdict,
            Who::FirstHand,
            vec![evidence],
        );
        self.expect(&answer, operation["expect_disposition"].as_str().unwrap());
    }
}
