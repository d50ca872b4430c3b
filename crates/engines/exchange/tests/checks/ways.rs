//! Through whose hands a memory came (R16; case 100).

use counterfoil_capsule::integrity::{Binding, sign};
use counterfoil_exchange::checks::{CheckResult, Disposition, FailCode, Flag, JudgedMemory};
use counterfoil_exchange::documents::{
    Attestation, AttestationParts, Chain, Claim, MemoryProvenance, ProvenanceSource,
};
use counterfoil_exchange::trust::Level;
use counterfoil_types::json::canonical;
use serde_json::Value;

use crate::support::log::agent;
use crate::support::scene::{ME, PEER, Scene};
use crate::support::words::{DAY, NOW, SECOND, attestation_parts, text, time};

/// What somebody does to the hops of a chain.
type Edit = Box<dyn FnOnce(&mut Vec<Value>)>;

fn claim() -> Claim {
    Claim::of_text(text("pruning is identity"))
}

/// Handed on by each of these in turn.
fn chain(agents: &[u8]) -> Chain {
    let hash = claim().hash();
    let numbered = agents.iter().zip(0_u64..);
    numbered.fold(Chain::default(), |chain, (number, at)| {
        let at = time(NOW - DAY + at * SECOND);
        chain.handed_on(hash, None, at, &agent(*number)).unwrap()
    })
}

/// What the peer attests, with the hops of a chain changed.
fn attested(chain: Chain, edit: impl FnOnce(&mut Vec<Value>)) -> Attestation {
    let parts = AttestationParts {
        provenance: Some(MemoryProvenance {
            chain: Some(chain),
            ..MemoryProvenance::of_source(ProvenanceSource::Received)
        }),
        ..attestation_parts("a", claim(), PEER)
    };
    let signed = Attestation::sign(parts, &agent(PEER)).unwrap();
    let mut value = signed.to_value().unwrap();
    edit(value["provenance"]["chain"].as_array_mut().unwrap());
    value.as_object_mut().unwrap().remove("proof");
    let value = sign(value, &agent(PEER), time(NOW - DAY), &Binding::ASSERTION).unwrap();
    Attestation::parse(canonical(&value).unwrap().as_bytes()).unwrap()
}

fn judged(trusted: &[u8], attestation: Attestation) -> JudgedMemory {
    Scene::trusting(trusted).judged(attestation)
}

/// Hops of agents that I do not trust lower nothing while the way is whole.
#[test]
fn a_whole_way_leaves_what_its_ends_are_worth() {
    let memory = judged(&[PEER], attested(chain(&[3, 4, PEER]), |_| ()));
    assert_eq!(memory.disposition, Disposition::StoredHigh);
    assert_eq!(memory.flags, []);
}

/// Adversarial case G100: a hop removed, two exchanged, one inserted: broken, and worth the word of the last contiguous signed hop.
#[test]
fn a_broken_way_is_worth_the_last_hop_that_is_reached() {
    let whole = || chain(&[3, 4, 5, PEER]);
    let other = attested(chain(&[6, PEER]), |_| ()).to_value().unwrap();
    let foreign = other["provenance"]["chain"][0].clone();
    let edits: [(&str, Edit); 3] = [
        ("removed", Box::new(|hops| drop(hops.remove(1)))),
        ("exchanged", Box::new(|hops| hops.swap(0, 1))),
        ("inserted", Box::new(move |hops| hops.insert(2, foreign))),
    ];
    for (what, edit) in edits {
        let attestation = attested(whole(), edit);
        for (trusted, level) in [
            (&[PEER][..], Level::Identified),
            (&[PEER, 3, 4, 5, 6], Level::Direct),
        ] {
            let memory = judged(trusted, attestation.clone());
            assert_eq!(memory.flags, [Flag::ChainBroken], "{what}");
            assert_eq!(memory.level(), level, "{what}");
        }
    }
}

/// Adversarial case G100: a way that does not end at whom we have it from had its end removed.
#[test]
fn a_way_that_ends_elsewhere_is_broken() {
    for (trusted, level) in [
        (&[PEER][..], Level::Identified),
        (&[PEER, 3], Level::Direct),
    ] {
        let cut = attested(chain(&[3, PEER]), |hops| drop(hops.pop()));
        let memory = judged(trusted, cut);
        assert_eq!(memory.flags, [Flag::ChainBroken]);
        assert_eq!(memory.level(), level);
    }
}

/// A last hop that somebody else has signed is a forgery of the one who hands it on.
#[test]
fn a_last_hop_that_does_not_hold_is_rejected() {
    let forged = attested(chain(&[3, PEER]), |hops| {
        hops[1]["signature"] = hops[0]["signature"].clone()
    });
    let memory = judged(&[PEER], forged);
    assert_eq!(memory.checks.signature, CheckResult::Fail(FailCode::BadHop));
    assert_eq!(memory.disposition, Disposition::Reject);
}

/// Adversarial case H101, R16: my own claim that comes back through others is my own.
#[test]
fn a_way_that_begins_at_me_brings_back_my_own() {
    let memory = judged(&[PEER], attested(chain(&[ME, 3, PEER]), |_| ()));
    assert_eq!(memory.flags, [Flag::Own]);
}
