//! Audits the end of the log: size, root, checkpoint, the log's key, and the proofs made from it.

use counterfoil_store::StoreError;
use counterfoil_store::log::{consistency, inclusion, root};
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::dangerous::{
    checkpoint_signed_by, root_from_inclusion_proof, verify_consistency,
};
use counterfoil_verifier::note::VerifierKey;
use rusqlite::Connection;

use super::AuditReport;
use crate::options::{Access, Options};
use crate::rows::{self, LogRows};
use crate::validate::PassState;

pub(super) fn examine(
    connection: &Connection,
    options: &Options,
    outcome: &PassState,
    report: &mut AuditReport,
) -> Result<(), StoreError> {
    let mut key = None;
    if let Some(stored) = report.damage(rows::origin(connection))? {
        if let Access::ReadWrite { signer, .. } = &options.access
            && signer.verifier_key().to_string() != stored
        {
            report.add("origin", None, "the verifier key is not the log's");
        }
        match stored.parse::<VerifierKey>() {
            Ok(stored) => key = Some(stored),
            Err(error) => report.add("origin", None, error.to_string()),
        }
    }
    let Some(head) = report.damage(rows::log_head(connection))? else {
        return Ok(());
    };
    let (size, root) = (outcome.frontier.size(), outcome.frontier.root());
    if head.size != size {
        let detail = format!("the size is {}, the log has {size}", head.size);
        report.add("head", None, detail);
    }
    let signed = key.map(|key| signed_by(&key, &head.checkpoint));
    let detail = match signed {
        Some(None) => "the checkpoint is not signed by the log's key",
        Some(Some(signed)) if (signed.size(), signed.root()) != (size, root) => {
            "the checkpoint is of another log than the capsules make"
        }
        _ => return Ok(()),
    };
    report.add("head", None, detail);
    Ok(())
}

/// The first difference between the log and its entries.
pub(crate) fn log_state(
    connection: &Connection,
    options: &Options,
    outcome: &PassState,
) -> Result<Option<String>, StoreError> {
    let mut report = AuditReport::default();
    examine(connection, options, outcome, &mut report)?;
    let first = report.differences.first();
    Ok(first.map(|(place, detail)| format!("{place}: {detail}")))
}

/// The checkpoint of a note that has exactly the log's own signature, in its one spelling.
fn signed_by(key: &VerifierKey, note: &str) -> Option<Checkpoint> {
    let signed = checkpoint_signed_by(key, note)?;
    let signatures = note.strip_prefix(&signed.to_text())?.trim().lines();
    (signatures.count() == 1 && signed.origin() == key.name()).then_some(signed)
}

/// Makes the proofs from the stored nodes and verifies them against the root that follows from the
/// capsules.
pub(super) fn prove_all(
    connection: &Connection,
    outcome: &PassState,
    report: &mut AuditReport,
) -> Result<(), StoreError> {
    let (log, size) = (LogRows(connection), outcome.frontier.size());
    let expected = outcome.frontier.root();
    for (index, leaf) in (0..).zip(&outcome.leaves) {
        let path = report.damage(inclusion(&log, index, size))?;
        let root = path.map(|path| root_from_inclusion_proof(index, size, leaf, &path));
        if root.is_some_and(|root| root.ok() != Some(expected)) {
            let detail = "the entry cannot be proven from the stored nodes";
            report.add("log", Some(index), detail);
        }
    }
    let powers = (0..u64::BITS).map_while(|bits| 1_u64.checked_shl(bits));
    for from in powers.take_while(|from| *from < size) {
        let made = root(&log, from).and_then(|before| Ok((before, consistency(&log, from, size)?)));
        if let Some((before, hashes)) = report.damage(made)?
            && verify_consistency((from, before), (size, expected), &hashes).is_err()
        {
            let detail = format!("no consistency can be proven from size {from}");
            report.add("log", None, detail);
        }
    }
    Ok(())
}
