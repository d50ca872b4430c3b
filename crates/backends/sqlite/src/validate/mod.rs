//! `MemoryPool.validate()`: every capsule of the store, in one pass over the ground (CAP "Validation"; C16, 4.5).
//!
//! ```text
//! this thread   reads rows in log order
//! workers       parse headers, make entries and leaves, hash bodies, check signatures
//! one thread    links chains, makes the tree, applies deltas (chains in parallel), tells
//! ```
//! An audit uses the same pass; what it compares beside it stands in `audit/`.

mod contents;
mod examine;
mod known;
mod links;
mod pass;
mod row;
mod segments;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use counterfoil_capsule::{IndeterminateReason, Verdict};
use counterfoil_store::StoreError;
use counterfoil_store::pool::{EachItem, PoolReport, Validation};
use counterfoil_types::DidKey;
use rusqlite::Connection;

use crate::SqliteStore;
use crate::options::Options;
use tally::Tally;

pub(crate) use examine::Judgement;
pub(crate) use pass::{PassState, run};

impl SqliteStore {
    /// Validates every capsule: header, signature or log, place in its chain, contents and deltas (CAP "Validation").
    /// `each` is called once for each capsule and each chain.
    ///
    /// It says nothing about capsules that are missing at the end of the log (C44): that takes a checkpoint from elsewhere,
    /// such as the floor of an authority.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read at all; damage is in the report.
    pub async fn validate(
        &self,
        how: Validation,
        each: EachItem,
    ) -> Result<PoolReport, StoreError> {
        let options = self.options().clone();
        self.read(move |connection| validate(connection, &options, &how, each))
            .await
    }
}

/// On one connection, inside of a read transaction.
fn validate(
    connection: &Connection,
    options: &Options,
    how: &Validation,
    each: EachItem,
) -> Result<PoolReport, StoreError> {
    let deep = how.segments.is_some();
    let mut tally = Tally::new(how.all_findings, deep, each);
    let mut outcome = run(connection, options, how.each_signature, &mut |judged| {
        tally.capsule(judged);
    })?;
    let mut log = crate::audit::log_state(connection, options, &outcome)?;
    if !how.each_signature && log.is_some() {
        // Nobody vouches for the entries, so each of them has to speak for itself. What was told
        // to be valid is told again only where it is not.
        tally.begin_again();
        outcome = run(connection, options, true, &mut |judged| {
            tally.capsule(judged);
        })?;
        log = crate::audit::log_state(connection, options, &outcome)?;
    }
    if let Some(folder) = &how.segments {
        segments::validate(connection, folder, &outcome, &mut tally)?;
    }
    tally.finish(connection, &outcome, log)
}

/// The keys of all agents that ever rotated, by number, as far as this log has them.
pub(crate) fn agent_keys(
    connection: &Connection,
) -> Result<BTreeMap<DidKey, Vec<DidKey>>, StoreError> {
    Ok(known::RecordIndex::read(connection)?.keys)
}

/// Tests whether a finding says no more than that a record in the log erased a content.
const fn is_erased(verdict: &Verdict) -> bool {
    use IndeterminateReason::{BodyErased, DeltaErased, RestoredErased};
    matches!(
        verdict,
        Verdict::Indeterminate {
            reason: BodyErased | DeltaErased | RestoredErased
        }
    )
}

/// Tests whether a finding is intended: a content that was erased, or that lies in a segment.
pub(crate) const fn is_meant(verdict: &Verdict) -> bool {
    is_erased(verdict)
        || matches!(
            verdict,
            Verdict::Valid
                | Verdict::Indeterminate {
                    reason: IndeterminateReason::BodyArchived
                }
        )
}
