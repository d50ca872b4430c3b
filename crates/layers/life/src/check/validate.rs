//! `MemoryPool.validate()`: the verdict on every capsule (CAP "Validation"; C16, 4.5).

use counterfoil_store::StoreError;
use counterfoil_store::pool::{EachItem, PoolReport, Validation};

use super::pass::run;
use super::tally::Tally;
use super::{head, journal, segments};
use crate::port::Txn;
use crate::report::AuditReport;

/// Judges every capsule. `each` takes each capsule and each chain. `log_key` is the verifier key of the log's signer, if
/// there is one.
pub(crate) fn validate(
    txn: &dyn Txn,
    log_key: Option<&str>,
    how: &Validation,
    each: EachItem,
) -> Result<PoolReport, StoreError> {
    let mut tally = Tally::new(how, each);
    let pass = |tally: &mut Tally, each_signature| {
        run(txn, each_signature, &mut |judged| tally.capsule(judged))
    };
    let mut state = pass(&mut tally, how.each_signature)?;
    let log_fault = head::first_difference(txn, log_key, &state)?;
    if !how.each_signature && log_fault.is_some() {
        // The log does not vouch for its entries, so each signature is checked. A capsule that was reported as valid is
        // reported again only where it is not.
        tally = tally.again(how);
        state = pass(&mut tally, true)?;
    }
    if let Some(folder) = &how.segments {
        segments::validate(txn, folder, &state, &mut tally)?;
    }
    let mut beside = AuditReport::default();
    journal::examine(txn, &mut beside)?;
    tally.finish(txn, &state, log_fault.or_else(|| beside.first()))
}
