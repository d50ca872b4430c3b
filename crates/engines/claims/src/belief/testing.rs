//! Lines for the tests of this folder: units as the gate would have written them.

use alloc::format;
use alloc::vec::Vec;

use counterfoil_types::json::Value;
use counterfoil_types::{Confidence, DidKey, Scope};

use crate::belief::{Belief, ClaimState, HistoryEntry, Question, believe, history};
use crate::effective::instant_of;
use crate::time::{Boundary, Micros, ValidTime};
use crate::{
    Act, Cardinality, ClaimBody, ClaimInView, ClaimRef, Disposition, FactValue, Identifier, Line,
    Provenance, ProvenanceClass, Reasons, Settings, SourceKey, TransactionTime, Unit,
};

pub(crate) const DAY_US: u64 = 86_400_000_000;

/// 2022-01-01.
pub(crate) const EPOCH_US: u64 = 1_640_995_200_000_000;

pub(crate) const USER: ProvenanceClass = ProvenanceClass::UserAsserted;
pub(crate) const FIRST_HAND: ProvenanceClass = ProvenanceClass::FirstHand;
pub(crate) const MODEL: ProvenanceClass = ProvenanceClass::ModelDerived;

pub(crate) fn peer() -> ProvenanceClass {
    ProvenanceClass::Peer {
        inferred: false,
        agent: DidKey::from_public_key([9; 32]),
        level: 2,
    }
}

pub(crate) fn line() -> Line {
    Line {
        agent: DidKey::from_public_key([7; 32]),
        subject: Identifier::new("subject", "alice").unwrap(),
        predicate: Identifier::new("predicate", "lives in").unwrap(),
        scope: Scope::new(),
    }
}

pub(crate) fn at(text: &str) -> Micros {
    Boundary::parse(text).unwrap().begin()
}

/// `from..until` with either side empty for open.
pub(crate) fn valid(text: &str) -> ValidTime {
    let (from, until) = text.split_once("..").unwrap();
    let boundary = |text: &str| (!text.is_empty()).then(|| Boundary::parse(text).unwrap());
    ValidTime {
        from: boundary(from),
        until: boundary(until),
        confidence: Confidence::new(0.9).unwrap(),
    }
}

pub(crate) fn value(text: &str) -> FactValue {
    FactValue::new(&Value::String(text.into())).unwrap()
}

/// A line that grows: one unit a day from 2022-01-02 on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    pub(crate) units: Vec<Unit>,
}

impl Log {
    /// Adds a unit; to be changed before the next one.
    pub(crate) fn put(&mut self, who: ProvenanceClass, act: Act) -> &mut Unit {
        let number = u64::try_from(self.units.len()).unwrap();
        let disposition = match act {
            Act::Claim(_) if who == MODEL => Disposition::CommittedInferred,
            _ => Disposition::Committed,
        };
        self.units.push(Unit {
            reference: ClaimRef::new(format!("u-{number:06}")).unwrap(),
            index: number,
            line: line(),
            stamp: TransactionTime::recorded(EPOCH_US + (number + 1) * DAY_US),
            number,
            previous: None,
            act,
            provenance: Provenance::assigned(who),
            via: Vec::new(),
            disposition,
            row: 5,
            because: Reasons::default(),
            anchors: Vec::new(),
            derived_from: Vec::new(),
            key: None,
        });
        self.units.last_mut().unwrap()
    }

    pub(crate) fn add(&mut self, who: ProvenanceClass, act: Act) -> ClaimRef {
        self.put(who, act).reference.clone()
    }

    pub(crate) fn undated(&mut self, who: ProvenanceClass, text: &str) -> ClaimRef {
        self.add(who, Act::Claim(body(text, None)))
    }

    pub(crate) fn dated(&mut self, who: ProvenanceClass, text: &str, when: &str) -> ClaimRef {
        self.add(who, Act::Claim(body(text, Some(valid(when)))))
    }

    pub(crate) fn bound(&mut self, target: &ClaimRef, when: &str) -> ClaimRef {
        let (target, at) = (target.clone(), Boundary::parse(when).unwrap());
        self.add(USER, Act::Bound { target, at })
    }

    pub(crate) fn reopen(&mut self, target: ClaimRef, undoes: Vec<ClaimRef>) -> ClaimRef {
        self.add(USER, Act::Reopen { target, undoes })
    }

    pub(crate) fn supersede(&mut self, target: ClaimRef, by: ClaimRef) -> ClaimRef {
        self.add(USER, Act::Supersede { target, by })
    }

    pub(crate) fn affirm(
        &mut self,
        who: ProvenanceClass,
        target: ClaimRef,
        rivals: Vec<ClaimRef>,
    ) -> ClaimRef {
        self.add(who, Act::Affirm { target, rivals })
    }

    pub(crate) fn corroborate(&mut self, target: &ClaimRef, source: &str) -> ClaimRef {
        let act = Act::Corroborate {
            target: target.clone(),
            sources: [SourceKey::parse(source).unwrap()].into(),
        };
        self.add(FIRST_HAND, act)
    }

    pub(crate) fn now(&self) -> u64 {
        self.units
            .last()
            .map_or(EPOCH_US, |unit| unit.stamp.micros())
    }

    pub(crate) fn belief(&self, valid_at: Micros) -> Belief {
        self.belief_as_of(valid_at, self.now())
    }

    pub(crate) fn belief_as_of(&self, valid_at: Micros, as_of_us: u64) -> Belief {
        let question = Question { valid_at, as_of_us };
        believe(&line(), &self.units, question, &Settings::default(), None)
    }

    pub(crate) fn present(&self) -> Belief {
        self.belief(instant_of(self.now()))
    }

    pub(crate) fn history(&self, valid_at: Micros) -> Vec<HistoryEntry> {
        let question = Question {
            valid_at,
            as_of_us: self.now(),
        };
        history(&line(), &self.units, question, &Settings::default())
    }

    /// The claim as a store would show it.
    pub(crate) fn view(&self, claim: &Unit) -> ClaimInView {
        view(&self.units, claim)
    }
}

/// A claim among all units, as a store would show it.
pub(crate) fn view(units: &[Unit], claim: &Unit) -> ClaimInView {
    let own = claim.reference();
    let names = |unit: &&Unit| match unit.act() {
        Act::Claim(body) => body.supersedes.contains(own),
        Act::Affirm { target, rivals } => target == own || rivals.contains(own),
        Act::Retract { target, frees, .. } => target == own || frees.contains(own),
        act => act.target() == Some(own),
    };
    let assertions: Vec<Unit> = units.iter().filter(names).cloned().collect();
    let wanted = |unit: &&Unit| {
        assertions.iter().any(|assertion| match assertion.act() {
            Act::Supersede { by, .. } => by == unit.reference(),
            Act::Affirm { target, .. } => target == unit.reference(),
            _ => false,
        })
    };
    let takers = units.iter().filter(wanted).cloned().collect();
    ClaimInView {
        claim: claim.clone(),
        assertions,
        takers,
    }
}

pub(crate) fn body(text: &str, valid: Option<ValidTime>) -> ClaimBody {
    ClaimBody {
        value: value(text),
        valid,
        cardinality: Cardinality::Unknown,
        registered: None,
        domain: None,
        supersedes: Vec::new(),
    }
}

pub(crate) fn values(belief: &Belief) -> Vec<&str> {
    let sides = belief.sides.iter();
    sides
        .map(|side| side.value.canonical().trim_matches('"'))
        .collect()
}

/// The state of the claim, and the unit that brought it about.
#[track_caller]
pub(crate) fn became(entry: &HistoryEntry, state: ClaimState, because_of: Option<ClaimRef>) {
    assert_eq!((entry.state, entry.because_of.clone()), (state, because_of));
}
