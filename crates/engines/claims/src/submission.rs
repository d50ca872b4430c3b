//! Submissions of claims; their shape is checked when they are made (docs/format/claims.md 4).

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use counterfoil_types::{Confidence, DidKey, Scope, WorldId};

use crate::effective::{dates, instant_of};
use crate::limits::{MAX_REFS, is_key};
use crate::time::{Boundary, ValidTime};
use crate::{
    Act, Aliases, Cardinality, Channel, ClaimError, ClaimRef, FactValue, Identifier, LineName,
    Provenance, ProvenanceClass, Settings, Unit,
};

/// Through which door a submission comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Submitter {
    /// A caller states it: an error is refused.
    #[default]
    Caller,
    /// An extractor proposes it: an incoherent window is quarantined.
    Extractor,
}

/// A claim that somebody wants to be remembered. `Ok` of its builders means that its shape is right; the gate decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
    pub(crate) provenance: Provenance,
    /// It is about a claim that is kept, under the name that this was said of.
    pub(crate) is_of_claim: bool,
    pub(crate) via: Vec<DidKey>,
    pub(crate) door: Submitter,
    pub(crate) subject: Identifier,
    pub(crate) predicate: Identifier,
    pub(crate) scope: Scope,
    pub(crate) value: FactValue,
    pub(crate) valid: Option<ValidTime>,
    pub(crate) cardinality: Cardinality,
    pub(crate) supersedes: Vec<ClaimRef>,
    pub(crate) replaces: bool,
    pub(crate) asks: bool,
    pub(crate) anchors: Vec<WorldId>,
    pub(crate) derived_from: Vec<ClaimRef>,
    pub(crate) key: Option<String>,
    pub(crate) domain: Option<Identifier>,
}

impl Submission {
    /// A fact, with the provenance of the channel.
    pub fn new(
        channel: &Channel,
        subject: Identifier,
        predicate: Identifier,
        value: FactValue,
    ) -> Self {
        Self {
            provenance: channel.provenance(),
            is_of_claim: false,
            via: channel.via().to_vec(),
            door: Submitter::Caller,
            subject,
            predicate,
            scope: Scope::new(),
            value,
            valid: None,
            cardinality: Cardinality::Unknown,
            supersedes: Vec::new(),
            replaces: false,
            asks: false,
            anchors: Vec::new(),
            derived_from: Vec::new(),
            key: None,
            domain: None,
        }
    }

    /// What a claim says, over the same window: said again through its own channel a day later it confirms the claim, through
    /// another one it corroborates it.
    ///
    /// # Errors
    /// [`ClaimError::ClaimNotFound`] when the unit is no claim.
    pub fn again(channel: &Channel, claim: &Unit) -> Result<Self, ClaimError> {
        let Act::Claim(body) = claim.act() else {
            return Err(ClaimError::ClaimNotFound(claim.reference().clone()));
        };
        let line = claim.line().clone();
        let value = body.value.clone();
        let mut again = Self::new(channel, line.subject, line.predicate, value);
        again.valid = body.valid;
        again.scope = line.scope;
        again.is_of_claim = true;
        Ok(again)
    }

    /// Another value in the place of a claim's, for its whole time: what the claim says never held. Of a claim without a date
    /// that is from when it was recorded.
    ///
    /// # Errors
    /// As [`Submission::again`].
    pub fn correcting(
        channel: &Channel,
        claim: &Unit,
        value: FactValue,
    ) -> Result<Self, ClaimError> {
        let mut correct = Self::again(channel, claim)?;
        correct.value = value;
        correct.supersedes = vec![claim.reference().clone()];
        if !correct.valid.as_ref().is_some_and(dates) {
            let recorded = Boundary::instant(instant_of(claim.stamp().micros()));
            correct.valid = Some(ValidTime {
                from: Some(recorded),
                until: None,
                confidence: Confidence::ONE,
            });
        }
        Ok(correct)
    }

    /// Sets the domain about which another agent was asked. Trust in that agent is looked up for it.
    #[must_use]
    pub fn about(mut self, domain: Identifier) -> Self {
        self.domain = Some(domain);
        self
    }

    /// Sets the scope in which it is said: only claims of the same one support or contest it. A repetition of a claim, and its
    /// correction, have that of the claim.
    #[must_use]
    pub fn in_scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Through the extractor's door.
    #[must_use]
    pub const fn extracted(mut self) -> Self {
        self.door = Submitter::Extractor;
        self
    }

    /// Sets the valid time. A window without a boundary counts as none.
    ///
    /// # Errors
    /// [`ClaimError::IncoherentWindow`] when it ends before it begins, unless an extractor says so; [`ClaimError::Date`] for
    /// instants outside of the years 0001 to 9999.
    pub fn valid(mut self, valid: ValidTime) -> Result<Self, ClaimError> {
        if valid.is_empty() && self.door == Submitter::Caller {
            return Err(ClaimError::IncoherentWindow);
        }
        for boundary in [valid.from, valid.until].into_iter().flatten() {
            readable(boundary)?;
        }
        self.valid = (valid.from.is_some() || valid.until.is_some()).then_some(valid);
        Ok(self)
    }

    /// Sets the cardinality that the source gives.
    #[must_use]
    pub const fn cardinality(mut self, cardinality: Cardinality) -> Self {
        self.cardinality = cardinality;
        self
    }

    /// Claims whose place it takes, at most 16.
    ///
    /// # Errors
    /// [`ClaimError::TooMany`], [`ClaimError::Twice`].
    pub fn superseding(mut self, supersedes: Vec<ClaimRef>) -> Result<Self, ClaimError> {
        distinct("supersedes", &supersedes)?;
        self.supersedes = supersedes;
        Ok(self)
    }

    /// Takes the place of what its source has said of the line before, from its start on; undated, from when it is recorded.
    /// Of another source it takes no place.
    #[must_use]
    pub const fn replacing(mut self) -> Self {
        self.replaces = true;
        self
    }

    /// Asks which is meant where its source has said another value for the same time: it is refused in place of contested,
    /// [`ClaimError::SecondValue`]. Claims of other sources contest it as before.
    #[must_use]
    pub const fn asking(mut self) -> Self {
        self.asks = true;
        self
    }

    /// Worlds that it cites, at most 16.
    ///
    /// # Errors
    /// [`ClaimError::TooMany`], [`ClaimError::Twice`].
    pub fn citing(mut self, anchors: Vec<WorldId>) -> Result<Self, ClaimError> {
        distinct("anchors", &anchors)?;
        self.anchors = anchors;
        Ok(self)
    }

    /// Claims that it was derived from, at most 16.
    ///
    /// # Errors
    /// [`ClaimError::TooMany`], [`ClaimError::Twice`].
    pub fn derived_from(mut self, sources: Vec<ClaimRef>) -> Result<Self, ClaimError> {
        distinct("derivedFrom", &sources)?;
        self.derived_from = sources;
        Ok(self)
    }

    /// An idempotency key, 1 to 256 bytes: the same submission under the same key gets the first answer.
    ///
    /// # Errors
    /// [`ClaimError::Key`].
    pub fn keyed(mut self, key: &str) -> Result<Self, ClaimError> {
        if !is_key(key) {
            return Err(ClaimError::Key);
        }
        self.key = Some(key.into());
        Ok(self)
    }

    /// The submission under the main name of its subject. The words of another agent keep their name, and so does a claim that repeats one
    /// or corrects it.
    pub(crate) fn named(&self, aliases: &Aliases, at_us: u64) -> Cow<'_, Self> {
        let is_peers = matches!(self.provenance.class(), ProvenanceClass::Peer { .. });
        let main = aliases.main(&self.subject, at_us);
        if is_peers || self.is_of_claim || *main == self.subject {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self {
            subject: main.clone(),
            ..self.clone()
        })
    }

    /// The submission under each other name of its subject, the last one first; none where it takes the place of claims of its own name, and of
    /// what keeps its name.
    pub(crate) fn of_other_names(&self, settings: &Settings, at_us: u64) -> Vec<Self> {
        let is_peers = matches!(self.provenance.class(), ProvenanceClass::Peer { .. });
        if is_peers || self.is_of_claim || self.replaces || !self.supersedes.is_empty() {
            return Vec::new();
        }
        let mut names = settings.aliases.names(&self.subject, at_us);
        names.retain(|name| *name != self.subject);
        let under = |subject| Self {
            subject,
            ..self.clone()
        };
        names.into_iter().rev().map(under).collect()
    }

    /// Subject.
    pub const fn subject(&self) -> &Identifier {
        &self.subject
    }

    /// Predicate.
    pub const fn predicate(&self) -> &Identifier {
        &self.predicate
    }

    /// All that it names: what it cites, was derived from, or takes the place of.
    pub fn references(&self) -> impl Iterator<Item = &WorldId> {
        let cited = self.anchors.iter().chain(&self.derived_from);
        cited.chain(&self.supersedes)
    }

    /// The scope.
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    pub(crate) const fn line(&self) -> LineName<'_> {
        LineName {
            subject: &self.subject,
            predicate: &self.predicate,
            scope: &self.scope,
        }
    }

    /// The value.
    pub const fn value(&self) -> &FactValue {
        &self.value
    }

    /// Provenance, from the channel.
    pub const fn provenance(&self) -> Provenance {
        self.provenance
    }

    /// It takes the place of what its speaker has said before ([`replacing`](Self::replacing)).
    pub const fn is_replacing(&self) -> bool {
        self.replaces
    }
}

/// A date that can be written down and read again.
pub(crate) fn readable(boundary: Boundary) -> Result<Boundary, ClaimError> {
    if Boundary::parse(&boundary.to_string()) == Ok(boundary) {
        Ok(boundary)
    } else {
        Err(ClaimError::Date {
            must: "a date must lie in the years 0001 to 9999",
        })
    }
}

/// At most 16, none twice.
pub(crate) fn distinct(what: &'static str, refs: &[WorldId]) -> Result<(), ClaimError> {
    if refs.len() > MAX_REFS {
        return Err(ClaimError::TooMany {
            what,
            limit: MAX_REFS,
            found: refs.len(),
        });
    }
    for (at, one) in refs.iter().enumerate() {
        if refs.iter().skip(at + 1).any(|other| other == one) {
            return Err(ClaimError::Twice {
                what,
                reference: one.clone(),
            });
        }
    }
    Ok(())
}
