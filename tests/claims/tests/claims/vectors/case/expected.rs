//! What the peer's words mean here: dispositions, statuses and states.

use counterfoil_claims_tests::answer::{
    Answer, Belief, Currency, Disposition, Marker, Refused, State, Status,
};
use serde_json::Value;

use super::Case;
use crate::backend::Asked;

/// The answers of the peer that are ended beliefs of ours: the vector, and the place of the question among its operations.
const ENDED: &[(&str, usize)] = &[("vS03", 2), ("vS15", 1), ("vB11", 4), ("vR02", 3)];

impl Case<'_> {
    /// Fails unless the answer is what the peer's words mean here.
    pub(super) fn expect(&self, answer: &Answer, expected: &str) {
        let holds = match (answer, expected) {
            (Answer::Done(done), _) => matches!(
                (done.disposition, expected),
                (
                    Disposition::Committed | Disposition::Affirmed,
                    "CommittedCheap"
                ) | (Disposition::CommittedInferred, "CommittedInferred")
                    | (Disposition::Corroborated, "corroborates")
                    | (Disposition::Contested, "Contested")
                    | (
                        Disposition::QueuedForAdjudication,
                        "QueuedForAdjudication" | "error_and_nothing_committed_or_ok_with_flag"
                    )
                    | (Disposition::Quarantined, "Quarantined")
                    | (Disposition::Bounded | Disposition::Denied, "Superseded")
                    | (Disposition::Affirmed, "reject_or_supersede")
                    | (Disposition::Reinstated, "Reinstated")
                    | (
                        Disposition::NoChange,
                        "no_op" | "no_op effective 2022-01-01"
                    )
            ),
            (Answer::Refused(why), _) => match (why.as_slice(), expected) {
                ([Refused::IncoherentWindow], "IncoherentTemporalWindow")
                | ([Refused::InsufficientProvenance], "InsufficientProvenance")
                | ([Refused::ClaimNotFound], "ClaimNotFound")
                | ([Refused::Ambiguous(2)], "Ambiguous(2)")
                | ([Refused::HandleNotFound], "HandleNotFound" | "reject_or_supersede") => true,
                (why, "rejected") => why.contains(&Refused::InadmissibleEvidence),
                _ => false,
            },
        };
        assert!(holds, "{}: expected {expected}, not {answer:?}", self.what);
    }

    pub(super) fn check(&self, number: usize, belief: &Belief, expected: &Value) {
        let what = format!("{}, operation {number}: {belief:?}", self.what);
        let id = self.what.trim_start_matches('"').split('"').next().unwrap();
        let status = match expected["status"].as_str().unwrap() {
            "Resolved" => Status::Resolved,
            "TimingUncertain" => Status::TimingUncertain,
            "Contested" => Status::Contested,
            "NoBelief" if ENDED.contains(&(id, number)) => Status::Ended,
            "NoBelief" => Status::NoBelief,
            other => panic!("{what}: status {other}"),
        };
        assert_eq!(belief.status, status, "{what}");
        if let Some(value) = expected["value"].as_str() {
            assert_eq!(values(belief), [Value::from(value).to_string()], "{what}");
        }
        if let Some(expected) = expected["values"].as_array() {
            let expected: Vec<String> = expected.iter().map(Value::to_string).collect();
            assert_eq!(values(belief), expected, "{what}");
        }
        for marker in expected["markers"].as_array().into_iter().flatten() {
            let marker = match marker.as_str().unwrap() {
                "model dissent" => Marker::ModelDissent,
                "PendingReview" => Marker::PendingReview,
                other => panic!("{what}: marker {other}"),
            };
            assert!(belief.markers.contains(&marker), "{what}");
        }
        if let Some(corroborations) = expected["corroboration"].as_u64() {
            let found: usize = belief.sides.iter().map(|side| side.corroborations).sum();
            assert_eq!(u64::try_from(found).unwrap(), corroborations, "{what}");
        }
        match expected["currency"].as_str() {
            None => {}
            Some("Fresh") => assert_eq!(belief.sides[0].currency, Currency::Fresh, "{what}"),
            Some("refreshed") => assert!(belief.sides[0].confirmed > self.now, "{what}"),
            Some(other) => panic!("{what}: currency {other}"),
        }
    }

    pub(super) fn check_history(&mut self, expected: &Value) {
        if expected == &serde_json::json!([["A only"]]) {
            self.agent = 0;
            let belief = self
                .backend
                .believe(0, &self.line.clone(), Asked::default());
            assert_eq!(values(&belief), ["\"A-value\""], "{}", self.what);
            assert_eq!(self.history(Asked::default()).len(), 1, "{}", self.what);
            return;
        }
        let history = self.history(Asked::default());
        let expected = expected.as_array().unwrap();
        assert_eq!(history.len(), expected.len(), "{}: {history:?}", self.what);
        for (past, expected) in history.iter().zip(expected) {
            let state = match expected[1].as_str().unwrap() {
                "Ended" => State::Ended,
                "Current" => State::Current,
                "Superseded" => State::Superseded,
                other => panic!("{}: state {other}", self.what),
            };
            let end = expected[2].as_str().map(|text| self.instant(text));
            assert_eq!(
                past.claim,
                self.refs[expected[0].as_str().unwrap()],
                "{}",
                self.what
            );
            assert_eq!(past.state, state, "{}: {past:?}", self.what);
            assert_eq!(past.window.unwrap().1, end, "{}: {past:?}", self.what);
        }
    }
}

pub(super) fn values(belief: &Belief) -> Vec<&str> {
    belief
        .sides
        .iter()
        .map(|side| side.value.as_str())
        .collect()
}
