//! Through whose hands a memory came: what holds, and how far (docs/format/exchange.md §5; R16).

use alloc::vec::Vec;

use counterfoil_capsule::Signer as _;

use super::arbitrary::signer;
use super::samples::{said, time};
use crate::documents::hop::Hop;
use crate::documents::{
    Attestation, Chain, ClaimHash, DocumentError, MemoryProvenance, ProvenanceSource, Signature,
};

fn claim() -> ClaimHash {
    said("pruning is identity", 1).claim_hash()
}

/// Handed on by agents 1, 2, 3 and 4.
fn chain() -> Chain {
    let at = time("2026-02-09T00:00:00.000000Z");
    (1..=4).fold(Chain::default(), |chain, seed| {
        chain.handed_on(claim(), None, at, &signer(seed)).unwrap()
    })
}

#[track_caller]
fn assert_trusted_to(hops: Vec<Hop>, seed: Option<u8>) {
    let trusted_to = seed.map(|seed| signer(seed).key());
    assert_eq!(Chain { hops }.verify(&claim(), None), Err(trusted_to));
}

#[test]
fn a_whole_chain_holds() {
    assert_eq!(chain().verify(&claim(), None), Ok(()));
    assert_eq!(chain().hops.len(), 4);
}

/// Adversarial case G100: without a hop the chain is broken, and holds as far as it is contiguous from its end.
#[test]
fn a_removed_hop_breaks_the_chain() {
    for (at, trusted) in [(0, 2), (1, 3), (2, 4)] {
        let mut hops = chain().hops;
        hops.remove(at);
        assert_trusted_to(hops, Some(trusted));
    }
    // What is left without the last hop is the chain as agent 3 had it: whole.
    let mut hops = chain().hops;
    hops.pop();
    assert_eq!(Chain { hops }.verify(&claim(), None), Ok(()));
}

/// Adversarial case G100: in another order it is broken.
#[test]
fn reordered_hops_break_the_chain() {
    for (one, other, trusted) in [(0, 1, 3), (1, 2, 4), (2, 3, 3), (0, 3, 1)] {
        let mut hops = chain().hops;
        hops.swap(one, other);
        assert_trusted_to(hops, Some(trusted));
    }
}

/// Adversarial case G100: an inserted hop is not the one that the next names.
#[test]
fn an_inserted_hop_breaks_the_chain() {
    let at = time("2026-02-09T00:00:00.000000Z");
    for (place, trusted) in [(0, 1), (1, 2), (2, 3), (3, 4)] {
        let before = Chain {
            hops: chain().hops.into_iter().take(place).collect(),
        };
        let forged = before
            .handed_on(claim(), None, at, &signer(7))
            .unwrap()
            .hops
            .pop()
            .unwrap();
        let mut hops = chain().hops;
        hops.insert(place, forged);
        assert_trusted_to(hops, Some(trusted));
    }
}

/// Adversarial case G100: a hop whose signature does not hold is not trusted, nor is anything before it.
#[test]
fn a_forged_hop_is_trusted_to_nobody() {
    // The hop after a forged one names another hash: who trusts it trusts nothing before it.
    for (place, trusted) in [(0, Some(2)), (2, Some(4)), (3, None)] {
        let mut hops = chain().hops;
        hops[place].signature[7] ^= 1;
        assert_trusted_to(hops, trusted);
    }
    let mut hops = chain().hops;
    hops[3].agent = signer(9).key();
    assert_trusted_to(hops, None);
    let mut hops = chain().hops;
    hops[3].at = time("2026-02-09T00:00:00.000001Z");
    assert_trusted_to(hops, None);
}

/// R16: a chain is about one claim.
#[test]
fn a_chain_of_another_claim_is_trusted_to_nobody() {
    let other = said("something else", 1).claim_hash();
    assert_eq!(chain().verify(&other, None), Err(None));
    let at = time("2026-02-09T00:00:00.000000Z");
    let turned = chain().handed_on(other, None, at, &signer(5)).unwrap();
    let trusted_to = Some(signer(5).key());
    assert_eq!(turned.verify(&other, None), Err(trusted_to));
    assert_eq!(turned.verify(&claim(), None), Err(None));
}

#[test]
fn a_chain_has_at_most_sixteen_hops() {
    let at = time("2026-02-09T00:00:00.000000Z");
    let long = (0..16).fold(Chain::default(), |chain, _| {
        chain.handed_on(claim(), None, at, &signer(1)).unwrap()
    });
    assert!(matches!(
        long.handed_on(claim(), None, at, &signer(1)),
        Err(DocumentError::Incoherent(_))
    ));
    let mut parts = said("pruning is identity", 1).parts().clone();
    let provenance = |chain| MemoryProvenance {
        chain: Some(chain),
        ..MemoryProvenance::of_source(ProvenanceSource::Received)
    };
    parts.provenance = Some(provenance(long.clone()));
    let signed = Attestation::sign(parts.clone(), &signer(1)).unwrap();
    assert_eq!(signed.signature(), Signature::Holds(signer(1).key()));
    assert_eq!(signed.parts().chain(), Some(&long));
    let mut hops = long.hops;
    hops.push(hops[0].clone());
    parts.provenance = Some(provenance(Chain { hops }));
    assert!(matches!(
        Attestation::sign(parts, &signer(1)),
        Err(DocumentError::Member(_))
    ));
}
