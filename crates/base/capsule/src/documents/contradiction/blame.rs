//! Whether evidence shows by itself that its agent is to blame (capsules 4.8; adversarial cases E61, E62).

use super::{ContradictionKind, Evidence, Observation, Suspect};
use crate::agent_keys::AgentKeys;
use crate::equivocation::{Equivocation, signed};
use crate::exported::CapsuleDocument;
use crate::header::Header;

/// Whether every item is a capsule that the accused agent signed, and together they show the fault.
pub(super) fn shows(seen: &Observation, keys: &dyn AgentKeys) -> bool {
    let capsules = seen.evidence.iter().map(|item| match item {
        Evidence::Capsule(capsule) => Some(&**capsule),
        Evidence::Hash(_) => None,
    });
    let Some(capsules) = capsules.collect::<Option<alloc::vec::Vec<&CapsuleDocument>>>() else {
        return false;
    };
    let Suspect::Capsule {
        agent,
        capsule_hash,
        ..
    } = &seen.subject
    else {
        return false;
    };
    let accused = |capsule: &&CapsuleDocument| {
        capsule.header().agent() == *agent && signed(capsule, keys).is_ok()
    };
    let named = |capsule: &&CapsuleDocument| capsule.header().hash() == *capsule_hash;
    capsules.iter().all(accused)
        && capsules.iter().any(named)
        && fault(seen.kind, capsules.as_slice())
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
        (ContradictionKind::Sequence, [one, other]) => {
            let (earlier, later) = ordered(one, other);
            earlier.chain() == later.chain()
                && earlier.seq().checked_add(1) == Some(later.seq())
                && later.previous() != Some(earlier.hash())
        }
        // The body is not shown; whoever has it sees that it does not follow.
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
