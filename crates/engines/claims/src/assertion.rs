//! Assertions of a claim: its end, its reopening, its supersession, its release, or a verdict on it.

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::{Scope, WorldId};

use crate::ports::OracleVerdict;
use crate::time::Boundary;
use crate::{Channel, ClaimError, ClaimRef, Identifier, Provenance};

/// Claim or line that an assertion is about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// One claim.
    Claim(ClaimRef),
    /// The one claim of a line that is live.
    Line {
        /// Subject.
        subject: Identifier,
        /// Predicate.
        predicate: Identifier,
    },
}

/// Kind of an assertion, with its own members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AssertionKind {
    End { at: Option<Boundary> },
    Reopen,
    Supersede { by: ClaimRef },
    Release,
    Retract { reason: Option<String> },
    Verdict(OracleVerdict),
}

/// An assertion, with the provenance of the channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    pub(crate) provenance: Provenance,
    pub(crate) target: Target,
    pub(crate) scope: Scope,
    pub(crate) asserted: AssertionKind,
    pub(crate) anchors: Vec<WorldId>,
    pub(crate) key: Option<String>,
}

impl Assertion {
    const fn new(channel: &Channel, target: Target, asserted: AssertionKind) -> Self {
        Self {
            provenance: channel.provenance(),
            target,
            scope: Scope::new(),
            asserted,
            anchors: Vec::new(),
            key: None,
        }
    }

    /// Ends the target at `at`; `None`: at the time of recording.
    pub const fn end(channel: &Channel, target: Target, at: Option<Boundary>) -> Self {
        Self::new(channel, target, AssertionKind::End { at })
    }

    /// Reopens the target, as if nothing had cut or denied it.
    pub const fn reopen(channel: &Channel, target: ClaimRef) -> Self {
        Self::new(channel, Target::Claim(target), AssertionKind::Reopen)
    }

    /// Claim `by` has taken its place.
    pub const fn supersede(channel: &Channel, target: ClaimRef, by: ClaimRef) -> Self {
        Self::new(
            channel,
            Target::Claim(target),
            AssertionKind::Supersede { by },
        )
    }

    /// Releases the target from quarantine.
    pub const fn release(channel: &Channel, target: ClaimRef) -> Self {
        Self::new(channel, Target::Claim(target), AssertionKind::Release)
    }

    /// Takes the target back: it was said wrongly, and never held. Whose word it is takes it back, or a higher rank: another agent
    /// only its own.
    ///
    /// # Errors
    /// [`ClaimError::Reason`] for one that has not 1 to 512 bytes, or has control characters.
    pub fn retract(
        channel: &Channel,
        target: ClaimRef,
        reason: Option<String>,
    ) -> Result<Self, ClaimError> {
        let is_sound = reason.as_deref().is_none_or(crate::limits::is_reason);
        let asserted = AssertionKind::Retract { reason };
        is_sound
            .then(|| Self::new(channel, Target::Claim(target), asserted))
            .ok_or(ClaimError::Reason)
    }

    /// Verdict on a claim that is queued or contested, with the Worlds that it cites. A belief that rests on a model
    /// alone may be denied in any case.
    ///
    /// # Errors
    /// [`ClaimError::TooMany`], [`ClaimError::Twice`].
    pub fn verdict(
        channel: &Channel,
        target: ClaimRef,
        verdict: OracleVerdict,
        evidence: Vec<WorldId>,
    ) -> Result<Self, ClaimError> {
        crate::submission::distinct("evidence", &evidence)?;
        let asserted = AssertionKind::Verdict(verdict);
        Ok(Self {
            anchors: evidence,
            ..Self::new(channel, Target::Claim(target), asserted)
        })
    }

    /// Worlds that it cites, at most 16: where an end or a supersession was read.
    ///
    /// # Errors
    /// [`ClaimError::TooMany`], [`ClaimError::Twice`].
    pub fn citing(mut self, anchors: Vec<WorldId>) -> Result<Self, ClaimError> {
        crate::submission::distinct("anchors", &anchors)?;
        self.anchors = anchors;
        Ok(self)
    }

    /// Sets the scope of the line that a [`Target::Line`] names.
    #[must_use]
    pub fn in_scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// All that it names: its target, the claim that takes the place of that, and what it cites.
    pub fn references(&self) -> impl Iterator<Item = &WorldId> {
        let target = match &self.target {
            Target::Claim(reference) => Some(reference),
            Target::Line { .. } => None,
        };
        let by = match &self.asserted {
            AssertionKind::Supersede { by } => Some(by),
            _ => None,
        };
        target.into_iter().chain(by).chain(&self.anchors)
    }

    /// Sets an idempotency key, 1 to 256 bytes without control characters.
    ///
    /// # Errors
    /// [`ClaimError::Key`].
    pub fn keyed(mut self, key: &str) -> Result<Self, ClaimError> {
        if !crate::limits::is_key(key) {
            return Err(ClaimError::Key);
        }
        self.key = Some(key.into());
        Ok(self)
    }
}
