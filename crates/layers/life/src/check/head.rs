//! The end of the log: size, root, checkpoint, the log's key, and the proofs made from it.

use counterfoil_store::StoreError;
use counterfoil_store::log::{NodeReader, consistency, inclusion, root};
use counterfoil_verifier::Checkpoint;
use counterfoil_verifier::dangerous::{root_from_inclusion_proof, verify_consistency};
use counterfoil_verifier::note::VerifierKey;

use super::pass::PassState;
use crate::map;
use crate::port::Txn;
use crate::read_check::signed_by;
use crate::report::AuditReport;

pub(super) fn examine(
    txn: &dyn Txn,
    log_key: Option<&str>,
    state: &PassState,
    report: &mut AuditReport,
) -> Result<(), StoreError> {
    let mut key = None;
    if let Some(stored) = report.damage(txn.verifier_key())? {
        if log_key.is_some_and(|key| key != stored) {
            report.add("origin", None, "the verifier key is not the log's");
        }
        match stored.parse::<VerifierKey>() {
            Ok(stored) => key = Some(stored),
            Err(error) => report.add("origin", None, error.to_string()),
        }
    }
    let Some((stored, checkpoint)) = report.damage(txn.head())? else {
        return Ok(());
    };
    let (size, root) = (state.frontier.size(), state.frontier.root());
    if stored != size {
        let detail = format!("the size is {stored}, the log has {size}");
        report.add("head", None, detail);
    }
    let signed = key.map(|key| signed_by(&key, &checkpoint));
    let detail = match signed {
        Some(None) => "the checkpoint is not signed by the log's key",
        Some(Some(signed)) if (signed.size(), signed.root()) != (size, root) => {
            "the checkpoint is of another log than the capsules make"
        }
        // The rows are compared with the log elsewhere.
        Some(Some(signed)) if binds_another_map(txn, &signed, report)? => {
            "the checkpoint is of another map than the index has"
        }
        _ => return Ok(()),
    };
    report.add("head", None, detail);
    Ok(())
}

fn binds_another_map(
    txn: &dyn Txn,
    signed: &Checkpoint,
    report: &mut AuditReport,
) -> Result<bool, StoreError> {
    let Some(bound) = signed.map_root() else {
        return Ok(false);
    };
    Ok(report
        .damage(map::stored_root(txn))?
        .is_some_and(|it| it != bound))
}

/// Returns the first difference between the log and its entries.
pub(super) fn first_difference(
    txn: &dyn Txn,
    log_key: Option<&str>,
    state: &PassState,
) -> Result<Option<String>, StoreError> {
    let mut report = AuditReport::default();
    examine(txn, log_key, state, &mut report)?;
    Ok(report.first())
}

/// Makes the proofs from the stored nodes and verifies them against the root that follows from the
/// capsules.
pub(super) fn prove_all(
    txn: &dyn Txn,
    state: &PassState,
    report: &mut AuditReport,
) -> Result<(), StoreError> {
    let (log, size): (&dyn NodeReader, u64) = (txn, state.frontier.size());
    let expected = state.frontier.root();
    for (index, leaf) in (0..).zip(&state.leaves) {
        let path = report.damage(inclusion(log, index, size))?;
        let root = path.map(|path| root_from_inclusion_proof(index, size, leaf, &path));
        if root.is_some_and(|root| root.ok() != Some(expected)) {
            let detail = "the entry cannot be proven from the stored nodes";
            report.add("log", Some(index), detail);
        }
    }
    let powers = (0..u64::BITS).map_while(|bits| 1_u64.checked_shl(bits));
    for from in powers.take_while(|from| *from < size) {
        let made = root(log, from).and_then(|before| Ok((before, consistency(log, from, size)?)));
        if let Some((before, hashes)) = report.damage(made)?
            && verify_consistency((from, before), (size, expected), &hashes).is_err()
        {
            let detail = format!("no consistency can be proven from size {from}");
            report.add("log", None, detail);
        }
    }
    Ok(())
}
