//! Many requests at once: written batch by batch, and counted by what became of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use counterfoil_claims::{ClaimError, ClaimOutcome, Identifier};
use counterfoil_extract::similar;
use counterfoil_store::ClaimRequest;
use counterfoil_types::DidKey;
use serde::Serialize;

use super::access::ClaimWriter;
use super::telling;
use crate::error::Error;

/// Number of requests in one transaction.
pub const BATCH: usize = 256;
/// Most predicates checked for a hint: each is compared with all that are in use.
const LOOKED_AT: usize = 1000;

/// Result of one request.
#[derive(Debug, Clone)]
pub struct Told {
    pub outcome: ClaimOutcome,
    /// True if this request wrote the claim, false if an earlier one under the same key did.
    pub new: bool,
}

/// Has the gate judge a batch.
pub async fn submit(
    pen: &ClaimWriter,
    requests: Vec<ClaimRequest>,
) -> Result<Vec<Result<Told, ClaimError>>, Error> {
    let before = pen.store.size().await?;
    let answers = pen.submit_all(requests).await?;
    let told = |outcome: ClaimOutcome| Told {
        new: outcome
            .written
            .as_ref()
            .is_some_and(|(_, index, _)| *index >= before),
        outcome,
    };
    Ok(answers.into_iter().map(|answer| answer.map(told)).collect())
}

/// Counts of results.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// Units that were written.
    pub written: u64,
    /// Requests for which nothing was: they were there already, or were refused.
    pub unchanged: u64,
    /// Results by disposition, including claims that existed before.
    pub became: BTreeMap<&'static str, u64>,
}

impl Tally {
    pub fn count(&mut self, told: &Told) {
        if told.new {
            self.written += 1;
        } else {
            self.unchanged += 1;
        }
        *self
            .became
            .entry(told.outcome.disposition.name())
            .or_default() += 1;
    }

    /// `3 committed, 1 corroborated`.
    pub fn in_words(&self) -> String {
        let parts = self.became.iter();
        let parts: Vec<String> = parts
            .map(|(name, number)| format!("{number} {}", name.replace('_', " ")))
            .collect();
        parts.join(", ")
    }
}

/// A predicate that was not in use, and one that is and looks almost the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hint {
    pub predicate: String,
    pub in_use: String,
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, in_use) = (telling::name(&self.predicate), telling::name(&self.in_use));
        write!(
            f,
            "hint: \"{name}\" is new; \"{in_use}\" is in use and may be the same"
        )
    }
}

/// Looks at names of predicates against those that the agent used before.
pub struct Hints {
    in_use: Vec<Identifier>,
    seen: BTreeSet<Identifier>,
    pub given: Vec<Hint>,
}

impl Hints {
    /// Starts from the predicates the agent has used until now.
    pub async fn of(pen: &ClaimWriter, agent: DidKey) -> Result<Self, Error> {
        Ok(Self::over(pen.store.predicates(agent, None).await?))
    }

    pub const fn over(in_use: Vec<Identifier>) -> Self {
        Self {
            in_use,
            seen: BTreeSet::new(),
            given: Vec::new(),
        }
    }

    /// Adds a hint if `predicate` resembles one in use. Hints are advice and change nothing.
    pub fn look(&mut self, predicate: &Identifier) {
        if self.seen.len() >= LOOKED_AT || !self.seen.insert(predicate.clone()) {
            return;
        }
        if let Some(found) = similar(predicate, &self.in_use) {
            self.given.push(Hint {
                predicate: predicate.to_string(),
                in_use: found.to_string(),
            });
        }
    }
}
