//! Shared by the cases of claims: one agent with its channels, on one store.

use std::sync::Arc;

use counterfoil_capsule::Signer;
use counterfoil_claims::belief::{Belief, HistoryEntry};
use counterfoil_claims::time::{Boundary, Micros, ValidTime, Window};
use counterfoil_claims::{
    Channel, Channels, ClaimError, ClaimInView, ClaimOutcome, ClaimRef, Disposition, FactValue,
    Identifier, Line, LineName, LineState, LineView, Settings, Submission, Unit,
};
use counterfoil_types::{Confidence, DidKey, Scope, WorldId};
use serde_json::Value;

use super::super::Setup;
use super::super::support::Fault;
use crate::claims::ClaimTxn;
use crate::{AsOf, ClaimRequest, ClaimStore, StoreError};

/// 2026-03-01T00:00:00Z, where the clock of a [`Setup`] begins, and a day, in microseconds.
pub(super) const START_US: u64 = 1_772_323_200_000_000;
pub(super) const DAY_US: u64 = 86_400_000_000;

/// An agent on a store.
pub(super) struct Rig<'s, S> {
    pub(super) store: &'s S,
    pub(super) signer: Arc<dyn Signer>,
    pub(super) settings: Arc<Settings>,
    pub(super) channels: Channels,
}

impl<'s, S: ClaimStore> Rig<'s, S> {
    /// Agent `number`, without an oracle.
    pub(super) fn new(store: &'s S, setup: &Setup, number: u8) -> Self {
        Self {
            store,
            signer: setup.agent(number),
            settings: Arc::new(Settings::default()),
            channels: Channels::of_host(),
        }
    }

    /// The same with an oracle that settles contested claims within 30 days.
    pub(super) fn with_oracle(mut self) -> Self {
        self.settings = Arc::new(Settings {
            oracle_days: Some(30),
            ..Settings::default()
        });
        self
    }

    pub(super) fn agent(&self) -> DidKey {
        self.signer.agent()
    }

    pub(super) fn line(&self, subject: &str, predicate: &str) -> Result<Line, Fault> {
        Ok(Line {
            agent: self.agent(),
            subject: subject_of(subject)?,
            predicate: predicate_of(predicate)?,
            scope: Scope::new(),
        })
    }

    pub(super) async fn submit(
        &self,
        requests: Vec<ClaimRequest>,
    ) -> Result<Vec<Result<ClaimOutcome, ClaimError>>, Fault> {
        let (signer, settings) = (self.signer.clone(), self.settings.clone());
        let count = requests.len();
        let answers = self.store.submit(signer, settings, requests).await?;
        ensure_eq!(answers.len(), count);
        Ok(answers)
    }

    /// The answer to one request.
    pub(super) async fn ask(
        &self,
        request: ClaimRequest,
    ) -> Result<Result<ClaimOutcome, ClaimError>, Fault> {
        let mut answers = self.submit(vec![request]).await?;
        Ok(answers.pop().ok_or("no answer")?)
    }

    /// The answer to one request that must not be refused.
    pub(super) async fn tell(&self, request: ClaimRequest) -> Result<ClaimOutcome, Fault> {
        Ok(self.ask(request).await??)
    }

    /// Submits a claim of the user, from the begin of 2020 on.
    pub(super) async fn user_says(
        &self,
        subject: &str,
        predicate: &str,
        value: &str,
    ) -> Result<ClaimOutcome, Fault> {
        let user = self.channels.user();
        self.tell(dated(&user, subject, predicate, value)?).await
    }

    pub(super) async fn believe(
        &self,
        subject: &str,
        predicate: &str,
        asked: AsOf,
    ) -> Result<Belief, Fault> {
        let line = self.line(subject, predicate)?;
        let settings = self.settings.clone();
        Ok(self.store.believe(line, asked, settings).await?)
    }

    /// The beliefs of `Ada`.
    pub(super) async fn of_ada(&self, asked: AsOf) -> Result<Vec<Belief>, Fault> {
        let (subject, settings) = (subject_of("Ada")?, self.settings.clone());
        let beliefs =
            self.store
                .believe_subject(self.agent(), subject, Scope::new(), None, asked, settings);
        Ok(beliefs.await?)
    }

    pub(super) async fn history(
        &self,
        predicate: &str,
        asked: AsOf,
    ) -> Result<Vec<HistoryEntry>, Fault> {
        let (line, settings) = (self.line("Ada", predicate)?, self.settings.clone());
        Ok(self.store.claim_history(line, asked, settings).await?)
    }

    pub(super) async fn contested(&self, asked: AsOf) -> Result<Vec<Belief>, Fault> {
        let (agent, settings) = (self.agent(), self.settings.clone());
        Ok(self
            .store
            .contested(agent, Scope::new(), asked, None, 10, settings)
            .await?)
    }

    /// The numbers of the units of a line of `Ada`.
    pub(super) async fn numbers(&self, predicate: &str) -> Result<Vec<u64>, Fault> {
        let units = self.store.units(self.line("Ada", predicate)?, None).await?;
        Ok(units.iter().map(Unit::number).collect())
    }
}

pub(super) fn subject_of(text: &str) -> Result<Identifier, Fault> {
    Ok(Identifier::new("subject", text)?)
}

pub(super) fn predicate_of(text: &str) -> Result<Identifier, Fault> {
    Ok(Identifier::new("predicate", text)?)
}

pub(super) fn value_of(text: &str) -> Result<FactValue, Fault> {
    Ok(FactValue::new(&Value::from(text))?)
}

/// A fact without a window.
pub(super) fn fact(
    channel: &Channel,
    subject: &str,
    predicate: &str,
    value: &str,
) -> Result<Submission, Fault> {
    let (subject, predicate) = (subject_of(subject)?, predicate_of(predicate)?);
    Ok(Submission::new(
        channel,
        subject,
        predicate,
        value_of(value)?,
    ))
}

/// A request that something holds since the first instant of 2020.
pub(super) fn dated(
    channel: &Channel,
    subject: &str,
    predicate: &str,
    value: &str,
) -> Result<ClaimRequest, Fault> {
    let fact = fact(channel, subject, predicate, value)?.valid(since("2020-01-01")?)?;
    Ok(ClaimRequest::Submit(fact))
}

/// A window from `from` on, trusted.
pub(super) fn since(from: &str) -> Result<ValidTime, Fault> {
    Ok(ValidTime {
        from: Some(Boundary::parse(from)?),
        until: None,
        confidence: Confidence::new(0.9)?,
    })
}

/// The values of the sides that decide, in their order.
pub(super) fn sides(belief: &Belief) -> Vec<String> {
    let sides = belief.sides.iter();
    sides
        .map(|side| side.value.canonical().to_owned())
        .collect()
}

/// As known at `as_of_us`, about that instant.
pub(super) fn as_of(as_of_us: u64) -> AsOf {
    AsOf {
        valid_at: None,
        as_of_us: Some(as_of_us),
    }
}

pub(super) fn micros(us: u64) -> Micros {
    Micros::try_from(us).unwrap_or(Micros::MAX)
}

/// Returns the disposition; of a refused request, its code.
pub(super) fn disposition(
    answer: &Result<ClaimOutcome, ClaimError>,
) -> Result<Disposition, String> {
    match answer {
        Ok(outcome) => Ok(outcome.disposition),
        Err(refusal) => Err(refusal.to_string()),
    }
}

/// A ledger that knows nothing and keeps nothing.
pub(super) struct Blank;

impl LineView for Blank {
    fn line(&self, _: LineName<'_>) -> Result<LineState, ClaimError> {
        Ok(LineState::default())
    }

    fn of_value(
        &self,
        _: LineName<'_>,
        _: &FactValue,
        _: Window,
        _: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError> {
        Ok(Vec::new())
    }

    fn touching(
        &self,
        _: LineName<'_>,
        _: Window,
        _: &FactValue,
        _: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError> {
        Ok(Vec::new())
    }

    fn live(&self, _: LineName<'_>, _: Micros, _: usize) -> Result<Vec<ClaimInView>, ClaimError> {
        Ok(Vec::new())
    }

    fn claim(&self, _: &ClaimRef) -> Result<Option<ClaimInView>, ClaimError> {
        Ok(None)
    }

    fn anchor(&self, _: &WorldId) -> Result<Option<String>, ClaimError> {
        Ok(None)
    }

    fn keyed(&self, _: &str, _: &Scope) -> Result<Option<Unit>, ClaimError> {
        Ok(None)
    }
}

impl ClaimTxn for Blank {
    fn index_unit(&mut self, _: &Unit) -> Result<(), StoreError> {
        Ok(())
    }
}
