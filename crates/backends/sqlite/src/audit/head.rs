//! Audits the end of the log: size, root, checkpoint, the log's key, and the proofs made from it.

use counterfoil_store::StoreError;
use counterfoil_store::log::{consistency, inclusion, root};
use counterfoil_types::Sha256Hash;
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::dangerous::{
    log_key_signed, root_from_inclusion_proof, verify_consistency,
};
use counterfoil_verifier::note::{SignedNote, VerifierKey, signature_line, signed_note};
use rusqlite::Connection;

use super::report::Findings;
use crate::options::{Access, Options};
use crate::rows::{self, LogHead, LogRows};
use crate::validate::PassState;

pub(super) fn examine(
    connection: &Connection,
    options: &Options,
    outcome: &PassState,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let key = examine_origin(connection, options, findings)?;
    let Some(head) = findings.damage(rows::log_head(connection))? else {
        return Ok(());
    };
    for detail in differences(&head, key.as_ref(), outcome) {
        findings.add("head", None, detail);
    }
    Ok(())
}

/// In what the log does not stand for the entries; `None` when it does.
pub(crate) fn log_state(
    connection: &Connection,
    options: &Options,
    outcome: &PassState,
) -> Result<Option<String>, StoreError> {
    let mut findings = Findings::default();
    examine(connection, options, outcome, &mut findings)?;
    let first = findings.into_report(0).differences.into_iter().next();
    Ok(first.map(|difference| difference.to_string()))
}

fn differences(head: &LogHead, key: Option<&VerifierKey>, outcome: &PassState) -> Vec<String> {
    let size = outcome.frontier.size();
    let mut differences = Vec::new();
    if head.size != size {
        differences.push(format!("the size is {}, the log has {size}", head.size));
    }
    let Some(key) = key else {
        return differences;
    };
    match signed_by(key, &head.checkpoint) {
        None => differences.push("the checkpoint is not signed by the log's key".to_owned()),
        Some(signed) if (signed.size(), signed.root()) != (size, outcome.frontier.root()) => {
            differences.push("the checkpoint is of another log than the capsules make".to_owned());
        }
        Some(_) => {}
    }
    differences
}

/// The log's key, as it is stored and, where the caller has it, as it should be.
fn examine_origin(
    connection: &Connection,
    options: &Options,
    findings: &mut Findings,
) -> Result<Option<VerifierKey>, StoreError> {
    let Some(stored) = findings.damage(rows::origin(connection))? else {
        return Ok(None);
    };
    if let Access::ReadWrite { signer, .. } = &options.access
        && signer.verifier_key().to_string() != stored
    {
        findings.add("origin", None, "the verifier key is not the log's");
    }
    let key = stored.parse::<VerifierKey>();
    if let Err(error) = &key {
        findings.add("origin", None, error.to_string());
    }
    Ok(key.ok())
}

/// The checkpoint of a note that has exactly the log's own signature, in its one spelling.
fn signed_by(key: &VerifierKey, note: &str) -> Option<Checkpoint> {
    let parsed = SignedNote::parse(note).ok()?;
    let [line] = parsed.signatures() else {
        return None;
    };
    let signature: &[u8; 64] = line.signature().try_into().ok()?;
    let own = signed_note(parsed.text(), &[signature_line(key, signature)]);
    let checkpoint = Checkpoint::parse(parsed.text()).ok()?;
    (own == note
        && checkpoint.origin() == key.name()
        && log_key_signed(key, parsed.text(), signature))
    .then_some(checkpoint)
}

/// Makes the proofs from the stored nodes and verifies them against the root that follows from the
/// capsules.
pub(super) fn prove_all(
    connection: &Connection,
    outcome: &PassState,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let (log, size) = (LogRows(connection), outcome.frontier.size());
    let expected = outcome.frontier.root();
    for (index, leaf) in (0..).zip(&outcome.leaves) {
        let path = findings.damage(inclusion(&log, index, size))?;
        if path.is_some_and(|path| !includes((index, size), leaf, &path, expected)) {
            findings.add(
                "log",
                Some(index),
                "the entry cannot be proven from the stored nodes",
            );
        }
    }
    let powers = (0..u64::BITS).map_while(|bits| 1_u64.checked_shl(bits));
    for from in powers.take_while(|from| *from < size) {
        let made = root(&log, from).and_then(|before| Ok((before, consistency(&log, from, size)?)));
        let Some((before, hashes)) = findings.damage(made)? else {
            continue;
        };
        if verify_consistency((from, before), (size, expected), &hashes).is_err() {
            findings.add(
                "log",
                None,
                format!("no consistency can be proven from size {from}"),
            );
        }
    }
    Ok(())
}

fn includes(
    (index, size): (u64, u64),
    leaf: &Sha256Hash,
    path: &[Sha256Hash],
    expected: Sha256Hash,
) -> bool {
    root_from_inclusion_proof(index, size, leaf, path).is_ok_and(|root| root == expected)
}
