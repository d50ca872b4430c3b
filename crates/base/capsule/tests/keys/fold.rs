//! The history of keys is a function of the key chain, and of nothing else (C12).

use counterfoil_capsule::integrity::{Binding, sign, verify};
use counterfoil_capsule::keys::{KeyDocument, KeyError, KeyHistory};
use counterfoil_capsule::{Extensions, Position, Signer, Stamp};
use proptest::prelude::*;

use crate::chain::{Chain, announcing, at, header, id, inception, public, seed, signer, since};

#[test]
fn keys_are_numbered_from_the_name_of_the_agent() {
    let chain = Chain::of(1).rotated().rotated();
    let history = &chain.history;
    assert_eq!(history.agent(), public(1, 0));
    assert_eq!(history.keys(), [public(1, 0), public(1, 1), public(1, 2)]);
    assert_eq!(history.key_at(1), Some(public(1, 1)));
    assert_eq!(history.key_at(3), None);
    assert_eq!(
        (history.current(), history.current_number()),
        (public(1, 2), 2)
    );
    assert_eq!(history.seq(), 2);
    assert_eq!(history.head(), chain.records[2].0.hash());
}

fn state(error: &KeyError) -> (&'static str, bool) {
    (error.code(), error.is_indeterminate())
}

/// Adversarial case B25: after a rotation the old key signs nothing new, and a key that is not
/// known yet leaves things open.
#[test]
fn the_current_key_alone_signs_what_comes() {
    let history = Chain::of(1).rotated().history;
    assert_eq!(history.authorise(1), Ok(public(1, 1)));
    let old = history.authorise(0).unwrap_err();
    assert_eq!(state(&old), ("E_KEY_NOT_AUTHORISED", false));
    let later = history.authorise(2).unwrap_err();
    assert_eq!(state(&later), ("E_MISSING_KEY", true));
}

/// Adversarial case B25: a revocation that is signed by the old key after the rotation.
#[test]
fn a_document_of_today_needs_the_current_key() {
    let history = Chain::of(1).rotated().history;
    let (agent, current) = (history.agent(), history.current());
    let revocation = serde_json::json!({"type": "vouch_revocation", "voucher": agent});
    let signed_by = |signer: &dyn Signer| {
        let signed = sign(revocation.clone(), signer, at(), &Binding::ASSERTION);
        let checked = verify(&signed.unwrap(), agent, &[current], &Binding::ASSERTION);
        checked.map(drop).map_err(|error| error.code())
    };
    assert_eq!(signed_by(&signer(1, 0)), Err("E_KEY_NOT_AUTHORISED"));
    assert_eq!(signed_by(&signer(1, 1)), Ok(()));
}

#[test]
fn a_record_of_the_key_chain_is_signed_with_the_current_key() {
    let mut chain = Chain::of(1).rotated();
    let rotation = chain.rotation();
    let stale = chain.header_by(&rotation, &signer(1, 0));
    let error = chain.history.extend(&stale, &rotation).unwrap_err();
    assert_eq!(error.code(), "E_KEY_NOT_AUTHORISED");
    let early = chain.header_by(&rotation, &signer(1, 2));
    let error = chain.history.extend(&early, &rotation).unwrap_err();
    assert_eq!(error.code(), "E_MISSING_KEY");
    chain.offer(rotation).unwrap();
}

#[test]
fn a_key_chain_begins_with_its_inception_and_has_one() {
    let mut chain = Chain::of(1);
    let again = KeyDocument::Inception(inception(1));
    assert_eq!(chain.offer(again.clone()), Err(KeyError::Inception));
    let another = seed(1, &again, 77);
    assert_eq!(chain.history.extend(&another, &again), Err(KeyError::Chain));
    let rotation = chain.rotation();
    let header = seed(1, &rotation, 1);
    assert_eq!(
        KeyHistory::of([(&header, &rotation)]),
        Err(KeyError::Inception)
    );
    assert_eq!(KeyHistory::of([]), Ok(None));
}

#[test]
fn an_inception_is_by_the_agent_itself() {
    let KeyDocument::Inception(mine) = &Chain::of(1).records[0].1 else {
        unreachable!()
    };
    let document = KeyDocument::Inception(mine.clone());
    let stamp = Stamp::next(1_770_681_600_123_456, None).unwrap();
    let others = header(&document, Position::seed(id(1), stamp), &signer(2, 0));
    let error = KeyHistory::begin(&others, mine).unwrap_err();
    assert_eq!(error.code(), "E_AGENT");
}

/// Payloads can be erased and headers can't: what was committed to stands in both.
#[test]
fn the_header_announces_what_the_document_commits_to() {
    let document = KeyDocument::Inception(inception(1));
    let stamp = Stamp::next(1_770_681_600_123_456, None).unwrap();
    for extensions in [
        Extensions::default(),
        Extensions {
            next_key: Some(counterfoil_capsule::keys::next_key_commitment(&public(
                1, 9,
            ))),
            ..document.extensions()
        },
    ] {
        let position = Position::seed(id(1), stamp);
        let header = announcing(&document, extensions, position, &signer(1, 0));
        let error = KeyHistory::begin(&header, &inception(1)).unwrap_err();
        assert_eq!(error, KeyError::Announced);
    }
}

#[test]
fn the_chain_is_taken_in_its_order() {
    let chain = Chain::of(1).rotated().rotated();
    let mut history = Chain::of(1).history;
    let (header, document) = &chain.records[2];
    let gap = history.extend(header, document).unwrap_err();
    assert_eq!(state(&gap), ("E_MISSING_PARENT", true));
    let (header, document) = &chain.records[1];
    history.extend(header, document).unwrap();
    let again = history.extend(header, document).unwrap_err();
    assert_eq!(again, KeyError::Sequence { found: 1 });
}

/// What a chain does next.
#[derive(Debug, Clone, Copy)]
enum Step {
    Rotate,
    Mark(u8, u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        Just(Step::Rotate),
        (any::<u8>(), 0..1000_u64).prop_map(|(key, entry)| Step::Mark(key, entry)),
    ];
    prop::collection::vec(step, 0..8)
}

fn lived(steps: &[Step]) -> Chain {
    steps.iter().fold(Chain::of(1), |mut chain, step| {
        let document = match *step {
            Step::Rotate => chain.rotation(),
            Step::Mark(key, entry) => chain.compromise(key % (chain.number() + 1), since(entry)),
        };
        chain.offer(document).unwrap();
        chain
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Folded at once, step by step, or from its own bytes: the same history.
    #[test]
    fn a_history_is_a_function_of_its_chain(steps in steps()) {
        let chain = lived(&steps);
        prop_assert_eq!(chain.fold().unwrap().unwrap(), chain.history.clone());
        let read: Vec<_> = chain.records.iter().map(|(header, document)| {
            let again = counterfoil_capsule::Header::parse(header.canonical().as_bytes()).unwrap();
            let document = KeyDocument::parse(document.kind(), document.to_value()).unwrap();
            (again, document.unwrap())
        }).collect();
        let read = KeyHistory::of(read.iter().map(|(header, document)| (header, document)));
        prop_assert_eq!(read.unwrap().unwrap(), chain.history);
    }

    /// Without one of its records, or with two of them swapped, there is no history but that of
    /// the part before.
    #[test]
    fn no_record_can_be_left_out_or_moved(steps in steps(), at: prop::sample::Index) {
        let chain = lived(&steps);
        prop_assume!(chain.records.len() > 2);
        let place = at.index(chain.records.len() - 1);
        let mut without = chain.clone();
        without.records.remove(place);
        prop_assert!(without.fold().is_err());
        let mut swapped = chain;
        swapped.records.swap(place, place + 1);
        prop_assert!(swapped.fold().is_err());
    }

    /// A refused record leaves no trace in the history.
    #[test]
    fn a_refused_record_changes_nothing(steps in steps()) {
        let chain = lived(&steps);
        let other = Chain::of(2).rotated();
        let mut history = chain.history.clone();
        for (header, document) in &other.records {
            prop_assert!(history.extend(header, document).is_err());
        }
        prop_assert_eq!(history, chain.history);
    }

    /// Of several marks on one key, in whatever order, the earliest holds.
    #[test]
    fn the_earliest_mark_holds(entries in prop::collection::vec(0..1000_u64, 1..5)) {
        let mut chain = Chain::of(1).rotated();
        for entry in &entries {
            let mark = chain.compromise(0, since(*entry));
            chain.offer(mark).unwrap();
        }
        let earliest = entries.iter().min().copied().unwrap();
        let mark = chain.history.compromise_of(0).unwrap();
        prop_assert_eq!((mark.log.as_str(), mark.from, mark.from_time), since(earliest));
        prop_assert_eq!(chain.history.compromise_of(1), None);
        let left: Vec<_> = chain.history.uncompromised().collect();
        prop_assert_eq!(left, vec![signer(1, 1).key()]);
    }
}
