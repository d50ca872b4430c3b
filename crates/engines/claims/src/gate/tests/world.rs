//! An agent's lines in a vector, answered by looking at everything: straightforward and slow.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::{Confidence, DidKey, Scope, WorldId};

use crate::belief::testing;
pub(super) use crate::belief::testing::{DAY_US, value};
use crate::effective::Effective;
use crate::gate;
use crate::ports::OracleVerdict;
use crate::time::{Boundary, Micros, ValidTime, Window};
use crate::{
    Act, Assertion, Cardinality, Channel, Channels, ClaimBody, ClaimError, ClaimInView,
    ClaimOutcome, ClaimRef, Disposition, FactValue, GateDecision, Identifier, LineName, LineState,
    LineView, Settings, Submission, Target, Unit, Vocabulary,
};

/// 2026-01-01.
const BEGIN_US: u64 = 1_767_225_600_000_000;

pub(super) struct World {
    pub(super) units: Vec<Unit>,
    pub(super) chains: BTreeMap<WorldId, String>,
    pub(super) settings: Settings,
    pub(super) now_us: u64,
    /// Lists are given the wrong way round wherever the page promises no order.
    pub(super) shuffles: bool,
}

pub(super) fn name(text: &str) -> Identifier {
    Identifier::new("subject", text).unwrap()
}

pub(super) fn id(text: &str) -> WorldId {
    WorldId::new(text).unwrap()
}

pub(super) fn user() -> Channel {
    Channels::of_host().user()
}

pub(super) fn first_hand() -> Channel {
    Channels::of_host().first_hand()
}

pub(super) fn model() -> Channel {
    Channels::of_host().model()
}

pub(super) fn recall() -> Channel {
    Channels::of_host().recall()
}

pub(super) fn peer(who: u8, level: u8) -> Channel {
    let agent = DidKey::from_public_key([who; 32]);
    Channels::of_host().peer(agent, level).unwrap()
}

pub(super) fn valid(from: &str, until: &str, confidence: f64) -> ValidTime {
    let date = |text: &str| (!text.is_empty()).then(|| Boundary::parse(text).unwrap());
    ValidTime {
        from: date(from),
        until: date(until),
        confidence: Confidence::new(confidence).unwrap(),
    }
}

pub(super) fn says(channel: &Channel, text: &str) -> Submission {
    Submission::new(channel, name("alice"), name("city"), value(text))
}

pub(super) fn dated(channel: &Channel, text: &str, from: &str, until: &str) -> Submission {
    says(channel, text).valid(valid(from, until, 0.9)).unwrap()
}

/// The line that everything here is about.
pub(super) fn line() -> Target {
    Target::Line {
        subject: name("alice"),
        predicate: name("city"),
    }
}

/// A verdict that cites `m2`.
pub(super) fn verdict(channel: &Channel, claim: &ClaimRef, verdict: OracleVerdict) -> Assertion {
    Assertion::verdict(channel, claim.clone(), verdict, [id("m2")].into()).unwrap()
}

impl World {
    pub(super) fn new() -> Self {
        let chains = ["m1", "m2", "m3", "m4"].map(|world| (id(world), format!("chain-{world}")));
        let mut chains = BTreeMap::from(chains);
        chains.insert(id("m1-again"), "chain-m1".to_string());
        Self {
            units: Vec::new(),
            chains,
            settings: Settings::default(),
            now_us: BEGIN_US,
            shuffles: false,
        }
    }

    pub(super) fn with_oracle() -> Self {
        let mut world = Self::new();
        world.settings.oracle_days = Some(30);
        world
    }

    pub(super) fn register(&mut self, cardinality: Cardinality) {
        let decided = [(name("city"), 0, cardinality)];
        self.settings.vocabulary = Vocabulary::new(decided).into();
    }

    pub(super) fn judge(&self, submission: &Submission) -> Result<GateDecision, ClaimError> {
        gate::judge(self, submission, &self.settings, self.now_us)
    }

    pub(super) fn weigh(&self, assertion: &Assertion) -> Result<GateDecision, ClaimError> {
        gate::assert(self, assertion, &self.settings, self.now_us)
    }

    pub(super) fn submit(&mut self, submission: &Submission) -> Result<ClaimOutcome, ClaimError> {
        let decision = self.judge(submission)?;
        Ok(self.record(&decision))
    }

    pub(super) fn assert(&mut self, assertion: &Assertion) -> Result<ClaimOutcome, ClaimError> {
        let decision = self.weigh(assertion)?;
        Ok(self.record(&decision))
    }

    /// Lets the last hour of the day go by alone.
    pub(super) const fn soon(&mut self) {
        self.now_us -= 23 * (DAY_US / 24);
    }

    /// The outcome of something that is written as a claim.
    pub(super) fn told(&mut self, submission: &Submission) -> ClaimOutcome {
        self.submit(submission).unwrap()
    }

    /// The reference of something that is written as a claim.
    pub(super) fn add(&mut self, submission: &Submission) -> ClaimRef {
        let outcome = self.told(submission);
        assert!(outcome.written.is_some(), "{outcome:?}");
        outcome.reference
    }

    pub(super) fn decided(&mut self, assertion: &Assertion) -> Disposition {
        self.assert(assertion).unwrap().disposition
    }

    #[track_caller]
    pub(super) fn decides(&mut self, assertion: &Assertion, disposition: Disposition) {
        assert_eq!(self.decided(assertion), disposition);
    }

    #[track_caller]
    pub(super) fn refuses(&mut self, assertion: &Assertion, error: ClaimError) {
        assert_eq!(self.assert(assertion), Err(error));
    }

    /// Refused for its provenance.
    #[track_caller]
    pub(super) fn entitles_not(&mut self, assertion: &Assertion) {
        let refused = self.assert(assertion).unwrap_err();
        assert!(matches!(refused, ClaimError::InsufficientProvenance { .. }));
    }

    fn record(&mut self, decision: &GateDecision) -> ClaimOutcome {
        let GateDecision::Write(approved) = decision else {
            return ClaimOutcome::of_nothing(decision).unwrap();
        };
        let (name, index) = (
            id(&format!("unit-{}", self.units.len())),
            u64::try_from(self.units.len()).unwrap(),
        );
        let unit = Unit::parse(
            name,
            testing::line().agent,
            index,
            self.now_us,
            approved.document(),
        )
        .unwrap_or_else(|error| panic!("{error}: {}", approved.document()));
        assert_eq!(unit.because(), approved.because());
        let outcome = ClaimOutcome::of_unit(&unit);
        self.units.push(unit);
        self.now_us += DAY_US;
        outcome
    }

    pub(super) fn claims(&self) -> impl Iterator<Item = &Unit> {
        let is_claim = |unit: &&Unit| matches!(unit.act(), Act::Claim(_));
        self.units.iter().filter(is_claim)
    }

    pub(super) fn unit(&self, reference: &ClaimRef) -> &Unit {
        let is_it = |unit: &&Unit| unit.reference() == reference;
        self.units.iter().find(is_it).unwrap()
    }

    pub(super) fn body(&self, reference: &ClaimRef) -> &ClaimBody {
        match self.unit(reference).act() {
            Act::Claim(body) => body,
            act => panic!("no claim: {act:?}"),
        }
    }

    /// The values that external claims say at an instant, with their claims.
    pub(super) fn sides(&self, at: Micros) -> Vec<(String, ClaimRef)> {
        self.claims()
            .filter(|claim| claim.provenance().is_external())
            .map(|claim| self.seen(claim))
            .filter_map(|seen| {
                let known = Effective::of_view(&seen, u64::MAX)?;
                let text = known.body.value.canonical().to_string();
                known
                    .is_live(at)
                    .then(|| (text, known.claim.reference().clone()))
            })
            .collect()
    }

    pub(super) fn seen(&self, claim: &Unit) -> ClaimInView {
        testing::view(&self.units, claim)
    }

    fn on<'a>(&'a self, line: LineName<'a>) -> impl DoubleEndedIterator<Item = &'a Unit> {
        let units = self.units.iter();
        units.filter(move |unit| unit.line().name() == line)
    }

    fn listed(&self, mut claims: Vec<ClaimInView>) -> Vec<ClaimInView> {
        if self.shuffles {
            claims.reverse();
        }
        claims
    }
}

fn value_of(unit: &Unit) -> Option<&FactValue> {
    match unit.act() {
        Act::Claim(body) => Some(&body.value),
        _ => None,
    }
}

impl LineView for World {
    fn line(&self, line: LineName<'_>) -> Result<LineState, ClaimError> {
        let mut state = LineState::default();
        for unit in self.on(line) {
            state.units = unit.number() + 1;
            state.last = Some(unit.reference().clone());
            let Act::Claim(body) = unit.act() else {
                continue;
            };
            state.registered = body.registered.or(state.registered);
            let counts =
                unit.provenance().is_external() && unit.disposition() != Disposition::Quarantined;
            state.said_one |= counts && body.cardinality == Cardinality::One;
            state.said_many |= counts && body.cardinality == Cardinality::Many;
        }
        Ok(state)
    }

    fn of_value(
        &self,
        line: LineName<'_>,
        value: &FactValue,
        window: Window,
        limit: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError> {
        // What may be left out is left out.
        let matters = |seen: &ClaimInView| {
            Effective::of_view(seen, u64::MAX).is_some_and(|known| {
                let touches = known.extent.window().meets(&window);
                touches || known.cut.is_some() || !known.in_force()
            })
        };
        let mut claims: Vec<ClaimInView> = self
            .on(line)
            .rev()
            .filter(|unit| value_of(unit) == Some(value))
            .take(limit)
            .map(|unit| self.seen(unit))
            .filter(matters)
            .collect();
        claims.reverse();
        Ok(self.listed(claims))
    }

    fn touching(
        &self,
        line: LineName<'_>,
        window: Window,
        but: &FactValue,
        limit: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError> {
        let claims = self
            .on(line)
            .rev()
            .filter(|unit| unit.provenance().is_external())
            .filter(|unit| value_of(unit).is_some_and(|value| value != but))
            .map(|unit| self.seen(unit))
            .filter(|seen| {
                let window_of = seen.window_in_force();
                window_of.is_some_and(|other| other.meets(&window))
            })
            .take(limit)
            .collect();
        Ok(self.listed(claims))
    }

    fn live(
        &self,
        line: LineName<'_>,
        at: Micros,
        limit: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError> {
        let claims = self
            .on(line)
            .filter(|unit| value_of(unit).is_some())
            .map(|unit| self.seen(unit))
            .filter(|seen| seen.window_in_force().is_some_and(|own| own.contains(at)))
            .take(limit)
            .collect();
        Ok(self.listed(claims))
    }

    fn claim(&self, reference: &ClaimRef) -> Result<Option<ClaimInView>, ClaimError> {
        let found = self.claims().find(|claim| claim.reference() == reference);
        Ok(found.map(|claim| self.seen(claim)))
    }

    fn anchor(&self, world: &WorldId) -> Result<Option<String>, ClaimError> {
        let is_unit = self.units.iter().any(|unit| unit.reference() == world);
        Ok(self.chains.get(world).filter(|_| !is_unit).cloned())
    }

    fn keyed(&self, key: &str, scope: &Scope) -> Result<Option<Unit>, ClaimError> {
        Ok(self
            .units
            .iter()
            .find(|unit| unit.key() == Some(key) && unit.line().scope.contains(scope))
            .cloned())
    }
}
