//! The operations of a vector that write what they need themselves.

use counterfoil_claims_tests::answer::{Answer, Refused};
use counterfoil_claims_tests::request::{Id, Who};
use serde_json::Value;

use super::Case;

impl Case<'_> {
    /// The same requests against lines that are alike: the same answers.
    pub(super) fn purity(&mut self, runs: usize) {
        let mut answers = Vec::new();
        for run in 0..runs {
            self.line.0 = format!("s{run}");
            for (who, value) in [(Who::User, "x"), (Who::Model, "y"), (Who::User, "z")] {
                let said = self.statement(value);
                let Answer::Done(done) = self.state(who, said, None) else {
                    panic!("{}: nothing here is refused", self.what);
                };
                answers.push((done.disposition, done.row, done.rivals.len(), done.depth));
            }
        }
        let mut runs = answers.chunks(3);
        let first = runs.next().unwrap();
        assert!(runs.all(|run| run == first), "{}", self.what);
    }

    pub(super) fn retry(&mut self, times: usize) {
        let said = self.statement("once");
        let first = self.state(Who::User, said.clone(), Some("request-1"));
        for _ in 1..times {
            let again = self.state(Who::User, said.clone(), Some("request-1"));
            assert_eq!(again, first, "{}", self.what);
        }
        let other = self.statement("another");
        let reused = self.state(Who::User, other, Some("request-1"));
        assert_eq!(
            reused,
            Answer::Refused(vec![Refused::KeyReused]),
            "{}",
            self.what
        );
    }

    pub(super) fn audit(&mut self, operation: &Value) {
        let limit = operation["limit"].as_u64().unwrap_or(100);
        let limit = usize::try_from(limit).unwrap();
        match operation["expect"].as_str().unwrap() {
            "A entries only" => {
                let ledger = self.backend.ledger(0, None, limit);
                assert_eq!(ledger, [0], "{}", self.what);
            }
            "chronological, newest page or cursor" => {
                let newest: Vec<Id> = (15..20).collect();
                assert_eq!(self.backend.ledger(0, None, limit), newest, "{}", self.what);
            }
            "1 entry" => {
                let ledger = self.backend.ledger(0, Some(19), limit);
                assert_eq!(ledger, [19], "{}", self.what);
            }
            "nothing of the read" => {
                let said = self.statement("x");
                self.state(Who::User, said, None);
                self.query(0, &serde_json::json!({}));
                assert_eq!(self.backend.ledger(0, None, limit), [0], "{}", self.what);
            }
            other => panic!("{}: {other}", self.what),
        }
    }
}
