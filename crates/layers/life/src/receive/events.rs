//! Contradictions that refusals and forks are, with their evidence (capsules 4.8, C11). The agent that one blames is
//! found when it is written down.

use std::collections::BTreeMap;

use counterfoil_capsule::documents::{
    CapsuleName, Contradiction, ContradictionKind, Evidence, Observation, Observed, Source, Suspect,
};
use counterfoil_capsule::{CapsuleDocument, Check, Code};

use super::judgement::Refusal;
use crate::entries::Slot;

/// A document that is refused. `against` is the accepted capsule that it does not fit.
pub(crate) fn refused(
    document: &CapsuleDocument,
    refusal: &Refusal,
    against: Option<&CapsuleDocument>,
    source: &Source,
) -> Observation {
    let pieces = [Some(document), against];
    // Under a bad signature anyone may have written the header: it is not shown.
    let evidence = match refusal.signed {
        true => pieces.into_iter().flatten().map(Evidence::of).collect(),
        false => vec![Evidence::hash_of(document.to_text().as_bytes())],
    };
    Observation {
        kind: ContradictionKind::of(refusal.check),
        code: refusal.code.clone(),
        subject: Suspect::of(document.header()),
        source: source.clone(),
        expected: against.map(place),
        actual: Some(place(document)),
        evidence,
    }
}

/// A document for a place or a name that another one has here. Either may be the right one, so it
/// names no agent.
pub(crate) fn taken(document: &CapsuleDocument, code: &str, source: &Source) -> Observation {
    let evidence = Evidence::hash_of(document.to_text().as_bytes());
    of_bytes(evidence, Check::Policy, code, source)
}

/// A capsule whose agent signed another `mutation` than that of its predecessor and delta; `None` for other bytes. One that is
/// signed after a rotation has waited for the key and comes as bytes.
pub(crate) fn mislinked(bytes: &[u8], source: &Source) -> Option<Observation> {
    let (named, evidence) = Evidence::of_mutation(bytes, &BTreeMap::new())?;
    Some(Observation {
        kind: ContradictionKind::of(Check::Mutation),
        code: Code::Mutation.to_string(),
        subject: Suspect::Capsule(named),
        source: source.clone(),
        expected: None,
        actual: None,
        evidence: vec![evidence],
    })
}

/// Bytes that are no capsule at all; `None` for a contradiction that was passed on.
pub(crate) fn unreadable(
    bytes: &[u8],
    check: Check,
    code: &str,
    source: &Source,
) -> Option<Observation> {
    Evidence::of_bytes(bytes)?;
    Some(of_bytes(Evidence::hash_of(bytes), check, code, source))
}

fn of_bytes(evidence: Evidence, check: Check, code: &str, source: &Source) -> Observation {
    Observation {
        kind: ContradictionKind::of(check),
        code: code.to_owned(),
        subject: Suspect::Bytes {
            hash: evidence.hash(),
        },
        source: source.clone(),
        expected: None,
        actual: None,
        evidence: vec![evidence],
    }
}

/// Two capsules of one agent for one place. The accepted one may be in an archive.
pub(crate) fn fork(
    slot: &Slot,
    accepted: Option<&CapsuleDocument>,
    other: &CapsuleDocument,
    source: &Source,
) -> Observation {
    let hash = slot.hash;
    Observation {
        kind: ContradictionKind::Equivocation,
        code: Contradiction::FORK.to_owned(),
        subject: Suspect::Capsule(CapsuleName::of(other.header())),
        source: source.clone(),
        expected: Some(accepted.map_or(Observed::Hash(hash), place)),
        actual: Some(place(other)),
        evidence: vec![
            accepted.map_or(Evidence::Hash(hash), Evidence::of),
            Evidence::of(other),
        ],
    }
}

const fn place(document: &CapsuleDocument) -> Observed {
    Observed::place(document.header())
}
