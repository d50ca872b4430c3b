//! Claims enter the log only as the gate judged them, in the transaction in which it did (I5, I9).

use counterfoil_capsule::{Header, Kind};

use super::{AppendContext, AppendTxn};
use crate::capsule_log::{AppendReport, Draft};
use crate::claims::JudgedDrafts;
use crate::log::Frontier;
use crate::{Clock, StoreError, Subject};

impl Frontier {
    /// Appends what the gate let in, at the instant at which it judged, and holds it to the places that it foretold. `txn` is of the same transaction.
    ///
    /// # Errors
    /// Those of [`append_drafts`](Self::append_drafts), and [`StoreError::Bug`] when a unit comes to stand elsewhere; the backend then
    /// undoes the whole transaction.
    pub fn append_judged(
        &mut self,
        txn: &mut dyn AppendTxn,
        context: AppendContext<'_>,
        judged: &JudgedDrafts,
    ) -> Result<Vec<AppendReport>, StoreError> {
        if context.signer.agent() != judged.agent {
            return Err(StoreError::Bug("claims that another agent signs"));
        }
        let before = self.clone();
        let held = AppendContext {
            clock: &Held(judged.now_us),
            ..context
        };
        let appended = self.seal_drafts(txn, held, &judged.drafts)?;
        judged
            .stands_at(&appended)
            .inspect_err(|_| *self = before)?;
        Ok(appended)
    }
}

/// Clock that returns one instant, so that each unit gets the time that the gate has seen.
struct Held(u64);

impl Clock for Held {
    fn now_micros(&self) -> u64 {
        self.0
    }

    /// The gate has compared it with the last entry.
    fn max_leap_micros(&self) -> u64 {
        u64::MAX
    }
}

/// That no draft is a claim: the line may have changed since the gate saw it.
pub(super) fn none_unjudged(drafts: &[Draft]) -> Result<(), StoreError> {
    let claim = drafts.iter().find_map(|draft| match &draft.subject {
        Subject::Claim(claim) => Some(claim),
        _ => None,
    });
    match claim {
        Some(claim) => Err(StoreError::NotSubmitted {
            claim: claim.world().world_id().clone(),
        }),
        None => Ok(()),
    }
}

/// That nothing is put behind a claim unit, which ends its chain (docs/format/claims.md 2).
pub(crate) fn none_before(before: &Header) -> Result<(), StoreError> {
    match before.kind() {
        Kind::Claim => Err(StoreError::IsClaim {
            chain: before.chain(),
        }),
        _ => Ok(()),
    }
}
