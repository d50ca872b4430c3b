//! Decides from evidence alone whether its agent is to blame (capsules 4.8; adversarial cases E61, E62).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use counterfoil_types::DidKey;
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::dangerous::checkpoint_signed_by;
use counterfoil_verifier::note::VerifierKey;

use super::{CapsuleName, ContradictionKind, Evidence, Observation, Suspect};
use crate::equivocation::{Equivocation, signed};
use crate::exported::CapsuleDocument;
use crate::feed::feed_commitment;
use crate::header::Header;

/// Keys of agents that ever rotated, by number.
type Keys = BTreeMap<DidKey, Vec<DidKey>>;

/// Returns whether every item is signed by the accused, and together they show the fault. The decision is made here
/// alone.
pub(super) fn shows(seen: &Observation, keys: &Keys) -> bool {
    match &seen.subject {
        Suspect::Capsule(named) => match seen.evidence.as_slice() {
            [Evidence::Mislinked(text)] => {
                seen.kind == ContradictionKind::Integrity
                    && CapsuleDocument::mislinked(text.as_bytes(), keys)
                        .is_some_and(|(signed, _)| CapsuleName::of_unlinked(&signed) == *named)
            }
            _ => shown_by_capsules(seen, named, keys),
        },
        Suspect::Log { key, size } => {
            seen.kind == ContradictionKind::Equivocation
                && shown_by_notes(&seen.evidence, key, *size)
        }
        _ => false,
    }
}

fn shown_by_capsules(seen: &Observation, named: &CapsuleName, keys: &Keys) -> bool {
    let capsules = seen.evidence.iter().map(Evidence::capsule);
    let Some(capsules) = capsules.collect::<Option<Vec<&CapsuleDocument>>>() else {
        return false;
    };
    let accused = |capsule: &&CapsuleDocument| {
        capsule.header().agent() == named.agent && signed(capsule, keys).is_ok()
    };
    let is_named = |capsule: &&CapsuleDocument| CapsuleName::of(capsule.header()) == *named;
    capsules.iter().all(accused)
        && capsules.iter().any(is_named)
        && (fault(seen.kind, capsules.as_slice()) || is_dated_back(seen))
}

/// Returns whether a capsule is not dated after the one that it stands behind in its agent's feed, whatever their chains.
fn is_dated_back(seen: &Observation) -> bool {
    let [
        Evidence::Placed {
            capsule,
            number,
            previous,
            salt,
        },
        Evidence::Capsule(before),
    ] = seen.evidence.as_slice()
    else {
        return false;
    };
    let (later, earlier) = (capsule.header(), before.header());
    let opened = feed_commitment(salt, *number, previous.as_ref());
    seen.kind == ContradictionKind::Chronology
        && later.extensions().feed == Some(opened)
        && *previous == Some(earlier.hash())
        && later.extensions().continues.is_none()
        && later.timestamp() <= earlier.timestamp()
}

/// Returns true if the log's key signed two roots, or two maps, for one size.
fn shown_by_notes(evidence: &[Evidence], key: &VerifierKey, size: u64) -> bool {
    let [Evidence::Note(one), Evidence::Note(other)] = evidence else {
        return false;
    };
    let (Some(one), Some(other)) = (
        checkpoint_signed_by(key, one),
        checkpoint_signed_by(key, other),
    ) else {
        return false;
    };
    let of_it = |it: &Checkpoint| it.origin() == key.name() && it.size() == size;
    of_it(&one) && of_it(&other) && one.contradicts(&other)
}

fn fault(kind: ContradictionKind, capsules: &[&CapsuleDocument]) -> bool {
    match (kind, capsules) {
        (ContradictionKind::Equivocation, [one, other]) => {
            Equivocation::new((*one).clone(), (*other).clone()).is_ok()
        }
        (ContradictionKind::Chronology, [one, other]) => {
            let (earlier, later) = ordered(one, other);
            earlier.chain() == later.chain()
                && earlier.seq() < later.seq()
                && later.timestamp() <= earlier.timestamp()
        }
        // One id names one capsule of an agent.
        (ContradictionKind::Sequence, [one, other]) if one.header().id() == other.header().id() => {
            one.header().hash() != other.header().hash()
        }
        (ContradictionKind::Sequence, [one, other]) => {
            let (earlier, later) = ordered(one, other);
            let follows = earlier.chain() == later.chain()
                && earlier.seq().checked_add(1) == Some(later.seq());
            let names = |one: &Header, other: &Header| one.previous() == Some(other.hash());
            // It names another one, or it names this one from another place.
            follows != names(later, earlier) || names(earlier, later)
        }
        // The body is not shown; a store that has it sees that it does not follow.
        (ContradictionKind::State, [_]) => true,
        _ => false,
    }
}

fn ordered<'a>(one: &'a CapsuleDocument, other: &'a CapsuleDocument) -> (&'a Header, &'a Header) {
    let (one, other) = (one.header(), other.header());
    if one.seq() <= other.seq() {
        (one, other)
    } else {
        (other, one)
    }
}
