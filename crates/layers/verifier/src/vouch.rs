//! Signatures on a checkpoint: of its log (steps 4 and 5) and of its witnesses (step 6 of `proof.md` §3).

use alloc::string::String;
use alloc::vec::Vec;

use crate::anchors::{Anchors, LogAnchor};
use crate::checkpoint::Checkpoint;
use crate::limits::{MAX_COSIGNED_NOTES, quoted};
use crate::note::{NoteSignature, SignedNote, VerifierKey, cosigned_message};
use crate::refusal::Refusal;

/// Length of a cosignature behind the key id: a time and an Ed25519 signature.
const COSIGNATURE: usize = 8 + 64;

/// Reads the note of a proof: signed by the anchored key of its origin, without cosignatures.
pub(crate) fn by_log(anchors: &Anchors, note: &str) -> Result<Checkpoint, Refusal> {
    let note = SignedNote::parse(note)?;
    let checkpoint = Checkpoint::parse(note.text)?;
    let log = anchors.log_of(&checkpoint)?;
    // A line of an anchored witness, or of any key if it has the form: either way it carries a time.
    let is_cosignature = |line: &&NoteSignature<'_>| {
        let mut witnesses = anchors.witnesses().iter();
        line.signature.len() == COSIGNATURE || witnesses.any(|witness| names(line, witness))
    };
    if let Some(line) = note.signatures.iter().find(is_cosignature) {
        return Err(Refusal::CosignatureInProof {
            name: quoted(line.name),
        });
    }
    log_signed(log, &note)?;
    Ok(checkpoint)
}

/// A cosigned note beside the proofs, with its verdict.
#[derive(Debug, Clone)]
pub(crate) struct Cosigned {
    text: String,
    verdict: Result<(), Refusal>,
}

/// Verdict on each cosigned note. A text that is no signed note refuses them all.
pub(crate) fn judge_cosigned(
    anchors: &Anchors,
    notes: &[String],
) -> Result<Vec<Cosigned>, Refusal> {
    if notes.len() > MAX_COSIGNED_NOTES {
        return Err(Refusal::too_much("cosigned notes", MAX_COSIGNED_NOTES));
    }
    let judge = |note: &String| {
        let note = SignedNote::parse(note)?;
        let verdict = Checkpoint::parse(note.text)
            .and_then(|checkpoint| log_signed(anchors.log_of(&checkpoint)?, &note))
            .and_then(|()| quorum_signed(anchors, &note));
        Ok(Cosigned {
            text: note.text.into(),
            verdict,
        })
    };
    notes.iter().map(judge).collect()
}

/// Requires a cosigned note of the same checkpoint that reaches the quorum. If none does, the error is that of the last.
pub(crate) fn by_witnesses(
    anchors: &Anchors,
    checkpoint: &Checkpoint,
    notes: &[Cosigned],
) -> Result<(), Refusal> {
    let need = anchors.quorum();
    let text = checkpoint.to_text();
    let same = notes.iter().filter(|note| note.text == text);
    same.map(|note| note.verdict.clone())
        .reduce(|first, next| first.or(next))
        .unwrap_or(Err(Refusal::CosignedMissing { need }))
}

fn names(line: &NoteSignature<'_>, key: &VerifierKey) -> bool {
    line.key_id == key.key_id() && line.name == key.name()
}

fn log_signed(log: &LogAnchor, note: &SignedNote<'_>) -> Result<(), Refusal> {
    let line = line_of(note, log.key())?.ok_or_else(|| Refusal::LogSignatureMissing {
        origin: log.origin().into(),
    })?;
    let signature = <&[u8; 64]>::try_from(line.signature.as_slice()).ok();
    let valid = signature.is_some_and(|bytes| log.key().signed(note.text.as_bytes(), bytes));
    valid.then_some(()).ok_or_else(|| invalid(log.key()))
}

fn quorum_signed(anchors: &Anchors, note: &SignedNote<'_>) -> Result<(), Refusal> {
    let mut have = 0_usize;
    for witness in anchors.witnesses() {
        if let Some(line) = line_of(note, witness)? {
            witness_signed(witness, note.text, line)?;
            have = have.saturating_add(1);
        }
    }
    let need = anchors.quorum();
    if have < need {
        return Err(Refusal::QuorumMissed { have, need });
    }
    Ok(())
}

fn witness_signed(
    witness: &VerifierKey,
    text: &str,
    line: &NoteSignature<'_>,
) -> Result<(), Refusal> {
    let parts = line.signature.split_first_chunk::<8>();
    let (time, signature) = parts.ok_or_else(|| invalid(witness))?;
    let time_s = u64::from_be_bytes(*time);
    let message = cosigned_message(time_s, text);
    let signature = <&[u8; 64]>::try_from(signature).ok();
    // C2SP tlog-cosignature: a time never exceeds 2^63 - 1.
    let timely = i64::try_from(time_s).is_ok();
    let valid = signature.is_some_and(|bytes| witness.signed(message.as_bytes(), bytes));
    (timely && valid)
        .then_some(())
        .ok_or_else(|| invalid(witness))
}

/// The one line of a key; a second one refuses the note.
fn line_of<'n>(
    note: &'n SignedNote<'_>,
    key: &VerifierKey,
) -> Result<Option<&'n NoteSignature<'n>>, Refusal> {
    let mut lines = note.signatures.iter().filter(|line| names(line, key));
    let line = lines.next();
    if lines.next().is_some() {
        return Err(Refusal::SignatureTwice {
            name: key.name().into(),
        });
    }
    Ok(line)
}

fn invalid(key: &VerifierKey) -> Refusal {
    Refusal::SignatureInvalid {
        name: key.name().into(),
    }
}
