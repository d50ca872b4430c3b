//! Many requests at once: written batch by batch, and counted by disposition.

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_claims::{ClaimError, ClaimOutcome, Identifier};
use counterfoil_extract::similar;
use counterfoil_store::ClaimRequest;
use serde::Serialize;

use super::access::ClaimWriter;
use crate::error::Error;

/// Number of requests in one transaction.
pub(super) const BATCH: usize = 256;
/// Most predicates checked for a hint: each is compared with all that are in use.
const LOOKED_AT: usize = 1000;

/// Outcome of a request, and true if this request wrote it and not an earlier one under the same key.
pub(super) type Judged = (ClaimOutcome, bool);

/// Submits a batch to the gate.
pub(super) async fn submit(
    writer: &ClaimWriter,
    requests: Vec<ClaimRequest>,
) -> Result<Vec<Result<Judged, ClaimError>>, Error> {
    let before = writer.store.size().await?;
    let answers = writer.submit_all(requests).await?;
    let judged = |outcome: ClaimOutcome| {
        let written = outcome.written.as_ref();
        let new = written.is_some_and(|(_, index, _)| *index >= before);
        (outcome, new)
    };
    Ok(answers
        .into_iter()
        .map(|answer| answer.map(judged))
        .collect())
}

/// Counts of outcomes.
#[derive(Default, Serialize)]
pub(super) struct Tally {
    /// Units that were written.
    written: u64,
    /// Requests that wrote nothing: the unit was there, or the gate dismissed the claim.
    unchanged: u64,
    /// Outcomes by disposition, those of earlier requests included.
    became: BTreeMap<&'static str, u64>,
}

impl Tally {
    pub(super) fn count(&mut self, (outcome, new): &Judged) {
        if *new {
            self.written += 1;
        } else {
            self.unchanged += 1;
        }
        *self.became.entry(outcome.disposition.name()).or_default() += 1;
    }
}

/// A predicate that was not in use, and one that is and looks almost the same.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hint {
    predicate: String,
    in_use: String,
}

/// Compares predicates with those that the agent used before.
pub(super) struct Hints {
    in_use: Vec<Identifier>,
    seen: BTreeSet<Identifier>,
    pub(super) given: Vec<Hint>,
}

impl Hints {
    pub(super) const fn over(in_use: Vec<Identifier>) -> Self {
        Self {
            in_use,
            seen: BTreeSet::new(),
            given: Vec::new(),
        }
    }

    /// Adds a hint if `predicate` resembles one in use. Hints are advice and change nothing.
    pub(super) fn look(&mut self, predicate: &Identifier) {
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
