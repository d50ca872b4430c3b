//! The units of a line by the claims that they name: sorted once, borrowed throughout.

use alloc::vec::Vec;

use super::digest::digest;
use super::trust::TrustContext;
use crate::effective::Effective;
use crate::{Act, Cardinality, ClaimRef, Disposition, Unit};

/// A unit under a reference, behind the digest of that: of one that it names, or of its own.
type Filed<'a> = (u64, &'a ClaimRef, &'a Unit);

/// The units of a line that count, by claim.
pub(super) struct Partition<'a> {
    /// The claims, in their order.
    claims: Vec<&'a Unit>,
    /// Units by the claims that they name, sorted.
    named: Vec<Filed<'a>>,
    /// Claims that take the place of others, by their own references, sorted.
    takers: Vec<Filed<'a>>,
}

impl<'a> Partition<'a> {
    /// Of the units of the lines that were recorded by then; units of another line are left out.
    pub(super) fn new(trust: &TrustContext<'_>, units: &'a [Unit]) -> Self {
        let mut claims = Vec::new();
        let mut named: Vec<Filed<'a>> = Vec::new();
        let mut wanted = Vec::new();
        let digest_of = |reference: &ClaimRef| digest(reference.opaque_bytes());
        for unit in units.iter().filter(|unit| trust.knows(unit)) {
            let mut file = |target: &'a ClaimRef| named.push((digest_of(target), target, unit));
            match unit.act() {
                Act::Claim(body) => {
                    claims.push(unit);
                    body.supersedes.iter().for_each(file);
                }
                Act::Affirm { target, rivals } => {
                    wanted.push(digest_of(target));
                    file(target);
                    rivals.iter().for_each(file);
                }
                Act::Retract { target, frees, .. } => {
                    file(target);
                    frees.iter().for_each(file);
                }
                Act::Supersede { target, by } => {
                    wanted.push(digest_of(by));
                    file(target);
                }
                act => act.target().into_iter().for_each(file),
            }
        }
        claims.sort_unstable_by_key(|unit| trust.order(unit));
        wanted.sort_unstable();
        let taking = claims.iter().filter(|_| !wanted.is_empty()).map(|unit| {
            let reference = unit.reference();
            (digest_of(reference), reference, *unit)
        });
        let mut takers: Vec<Filed<'a>> = taking
            .filter(|(digest, ..)| wanted.binary_search(digest).is_ok())
            .collect();
        for filed in [&mut named, &mut takers] {
            filed.sort_unstable_by_key(|(digest, of, unit)| (*digest, *of, unit.order()));
        }
        Self {
            claims,
            named,
            takers,
        }
    }

    /// Every claim under the units that name it, in their order.
    pub(super) fn effective(&self) -> impl Iterator<Item = Effective<'a>> {
        self.claims.iter().filter_map(|claim| {
            // A unit says nothing of claims of another line.
            let of_line = |unit: &&'a Unit| unit.line() == claim.line();
            let naming = filed_under(&self.named, claim.reference()).filter(of_line);
            Effective::of(claim, naming, |reference| {
                filed_under(&self.takers, reference).find(of_line)
            })
        })
    }

    /// The cardinality of the line.
    pub(super) fn cardinality(&self) -> Cardinality {
        cardinality_of(self.claims.iter().copied())
    }
}

/// Returns the cardinality of a line whose units these are, in their order (docs/format/claims.md 5).
pub fn cardinality_of<'a>(units: impl IntoIterator<Item = &'a Unit>) -> Cardinality {
    let (mut registered, mut said_one, mut said_many) = (None, false, false);
    for unit in units {
        let Act::Claim(body) = unit.act() else {
            continue;
        };
        registered = body.registered.or(registered);
        if unit.provenance().is_external() && unit.disposition() != Disposition::Quarantined {
            said_one |= body.cardinality == Cardinality::One;
            said_many |= body.cardinality == Cardinality::Many;
        }
    }
    Cardinality::of_line(registered, said_one, said_many)
}

/// The units that are filed under `reference`.
fn filed_under<'p, 'a>(
    filed: &'p [Filed<'a>],
    reference: &ClaimRef,
) -> impl Iterator<Item = &'a Unit> + Clone + use<'p, 'a> {
    let hash = if filed.is_empty() {
        0
    } else {
        digest(reference.opaque_bytes())
    };
    let is_before = |(digest, of, _): &Filed<'_>| (*digest, *of) < (hash, reference);
    let from = filed.partition_point(is_before);
    let rest = filed.get(from..).unwrap_or_default().iter();
    let alike = rest.take_while(|(digest, of, _)| (*digest, *of) == (hash, reference));
    let found = filed.get(from..from + alike.count()).unwrap_or_default();
    found.iter().map(|(.., unit)| *unit)
}
