//! Verdicts on received capsules: refused, waiting, taken twice (capsules C33-C41, B25).

use std::collections::BTreeMap;

use counterfoil_capsule::documents::Evidence;
use counterfoil_capsule::{AgentSigner, CapsuleDocument, SecretKey};
use counterfoil_store::CapsuleLog;
use serde_json::{Value, json};

use crate::LifeRig;
use crate::author::{
    Author, events, has_kind, hash, import, import_batch, is_refused, pending, redaction, refused,
    seed_by, texts, waits, with,
};
use crate::support::{Rig, block_on};
use counterfoil_life::{Life as _, LineReport};

/// Adversarial case C33
/// (C6)
pub(crate) fn gaps_wait_repetitions_are_known_and_numbers_that_are_none_are_refused<F: LifeRig>(
    factory: &F,
) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let chain = Author::new(5).chain("c", 8);
    let mut lines = texts(&chain);
    let seven = lines.remove(7);
    lines.remove(6);
    import(store, &lines);
    waits(store, seven, "missing_parent");
    assert_eq!(import(store, &lines)[5], LineReport::AlreadyThere);
    for (seq, code) in [
        (json!(9_007_199_254_740_992_u64), "E_NOT_CANONICAL"),
        (json!(-1), "E_SCHEMA"),
        (json!(1.5), "E_SCHEMA"),
        (json!("6"), "E_SCHEMA"),
    ] {
        let text = chain[6]
            .to_text()
            .replace("\"seq\":6,", &format!("\"seq\":{seq},"));
        assert_eq!(refused(&import(store, &[text])[0]), code, "{seq}");
    }
    assert_eq!(block_on(store.size()).unwrap(), 6);
    let batch = import_batch(store, &texts(&chain[6..7]));
    assert_eq!(
        (batch.outcomes[0].1.clone(), batch.settled.len()),
        (LineReport::Accepted, 1)
    );
}

/// Adversarial case C34
pub(crate) fn a_second_seed_is_a_fork_and_seeds_with_a_mutation_are_refused<F: LifeRig>(
    factory: &F,
) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let chain = author.chain("c", 2);
    import(store, &texts(&chain));
    // A seed is named after its id, so a second one has the same id and other content.
    let twin = Author::new(5).seed("another", 7);
    assert_eq!(twin.header().chain(), chain[0].header().chain());
    assert_eq!(import(store, &[twin.to_text()])[0], LineReport::Forked);
    has_kind(&events(store)[0], "equivocation", true);
    let other = author.chain("d", 2);
    let mutation = Value::String(other[1].header().hash().to_string());
    let bad = with(&other[0], "/mutation", mutation);
    is_refused(store, bad, "E_SIGNATURE");
    let bad = with(&other[1], "/mutation", Value::Null);
    is_refused(store, bad, "E_SIGNATURE");
}

/// Adversarial case C35
pub(crate) fn a_capsule_that_links_forward_or_to_itself_never_enters<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let chain = author.chain("c", 3);
    let mut lines = Vec::new();
    for target in [&chain[1], &chain[2]] {
        let previous = Value::String(hash(target).to_string());
        lines.push(with(&chain[1], "/previous", previous));
    }
    lines.push(chain[0].to_text());
    let outcomes = import(store, &lines);
    assert_eq!(refused(&outcomes[0]), "E_SIGNATURE");
    assert_eq!(refused(&outcomes[1]), "E_SIGNATURE");
    assert_eq!(block_on(store.size()).unwrap(), 1);
}

/// One id names one capsule of an agent, whichever came first; each agent has ids of its own.
/// (CAP-8, CAP-27, CAP-28)
pub(crate) fn a_second_capsule_of_an_id_is_refused_and_is_its_signers<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let (chain, other) = (author.chain("c", 2), author.chain("d", 1));
    import(store, &texts(&chain));
    import(store, &texts(&other));
    let id = |of: usize| json!(chain[of].header().id().to_string());
    let of_next = author.next_with(&other[0], "next", 5, &[("id", id(1))]);
    let of_seed = author.next_with(&other[0], "seed", 5, &[("id", id(0))]);
    let named = author.seed_named(chain[1].header(), "named", 9).to_text();
    for line in [of_next, of_seed, named] {
        let known = events(store).len();
        is_refused(store, line, "E_ID");
        let event = &events(store)[known];
        has_kind(event, "sequence", true);
        assert_eq!(event["evidence"].as_array().unwrap().len(), 2);
    }
    let mut stranger = Author::new(6);
    let theirs = stranger.seed("theirs", 0);
    let twin = stranger.next_with(&theirs, "twin", 5, &[("id", id(1))]);
    let taken = import(store, &[theirs.to_text(), twin]);
    assert_eq!(taken, [LineReport::Accepted, LineReport::Accepted]);
    // The way back from an archive or a rebuild knows them as well.
    block_on(store.rebuild()).unwrap();
    let again = author.next_with(&other[0], "again", 5, &[("id", id(1))]);
    is_refused(store, again, "E_ID");
}

/// A branch may be missing, but to name another predecessor than the accepted one is a contradiction at once, in any order.
/// (CAP-15, CAP-28)
pub(crate) fn another_previous_is_an_event_at_once<F: LifeRig>(factory: &F) {
    let mut author = Author::new(5);
    let chain = author.chain("c", 2);
    let branch = author.next(&chain[0], "branch", 3_000_000);
    let stray = author.next(&branch, "stray", 4_000_000);
    for lines in [
        [&chain[0], &chain[1], &stray],
        [&chain[0], &stray, &chain[1]],
    ] {
        let rig = Rig::new(factory);
        let store = &rig.store;
        import(store, &lines.map(CapsuleDocument::to_text));
        let seen = events(store);
        assert_eq!((seen.len(), rig.held()), (1, 1));
        has_kind(&seen[0], "sequence", true);
        assert_eq!(seen[0]["code"], "E_PREVIOUS");
        import(store, &[stray.to_text(), branch.to_text()]);
        assert_eq!(rig.held(), 0, "it continues the branch");
        has_kind(events(store).last().unwrap(), "equivocation", true);
    }
}

/// The signer of a `mutation` that is not the hash of its two halves is to blame for it, and whoever changed it on its way
/// is not the signer.
/// (CAP-23, CAP-27, CAP-28)
pub(crate) fn a_signed_wrong_mutation_is_its_signers<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let seed = author.seed("s", 0);
    import(store, &[seed.to_text()]);
    let wrong = ("mutation", json!(hash(&seed).to_string()));
    let signed = author.next_with(&seed, "t", 5, std::slice::from_ref(&wrong));
    is_refused(store, signed, "E_MUTATION");
    has_kind(&events(store)[0], "integrity", true);
    assert_eq!(
        events(store)[0]["subject"]["agent"],
        author.did().to_string()
    );
    let changed = with(&author.next(&seed, "u", 5), "/mutation", wrong.1);
    let unsigned = Evidence::of_mutation(changed.as_bytes(), &BTreeMap::new());
    assert!(unsigned.is_none(), "its agent did not sign that");
    is_refused(store, changed, "E_SIGNATURE");
    has_kind(&events(store)[1], "authorization", false);
}

/// Adversarial case C37
/// (CAP-27)
pub(crate) fn times_that_do_not_increase_are_refused_and_far_ones_wait<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let seed = author.seed("s", 10);
    import(store, &[seed.to_text()]);
    for (name, after) in [("same", 10), ("before", 9)] {
        let next = author.next(&seed, name, after);
        is_refused(store, next.to_text(), "E_CHRONOLOGY");
    }
    for event in events(store) {
        assert_eq!(event["kind"], "chronology");
        assert_eq!(event["attributable"], true, "both headers are signed");
        assert_eq!(event["evidence"].as_array().unwrap().len(), 2);
    }
    let far = author.next(&seed, "far", 400 * 31_557_600_000_000);
    waits(store, far.to_text(), "future_timestamp");
    assert_eq!(events(store).len(), 2, "to be early is no contradiction");
}

/// Adversarial case C32
/// (CAP-27)
pub(crate) fn a_capsule_of_another_agent_enters_no_chain<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let seed = Author::new(5).seed("s", 0);
    import(store, &[seed.to_text()]);
    let spliced = Author::new(6).next(&seed, "mine", 9);
    is_refused(store, spliced.to_text(), "E_AGENT");
    assert_eq!(block_on(store.size()).unwrap(), 1);
}

/// B25: a key that is not known yet leaves a capsule open.
pub(crate) fn a_capsule_of_an_unknown_key_waits_for_it<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let did = Author::new(5).did();
    let rotated = AgentSigner::rotated(did, 1, SecretKey::from_seed([77; 32]));
    let line = seed_by(&rotated, 3, "w").to_text();
    waits(store, line, "missing_key");
    assert!(events(store).is_empty());
}

/// A cut-out body does not keep another's capsule out; a redaction does let it
/// in without its body, before or after it (C20, D58).
pub(crate) fn a_capsule_without_body_waits_for_its_redaction_or_its_body<F: LifeRig>(factory: &F) {
    let mut author = Author::new(5);
    let seed = author.seed("s", 0);
    let next = author.next(&seed, "t", 5);
    let bare = seed.clone().without_bodies().to_text();
    let redaction = redaction(&mut author, &seed);

    let rig = Rig::new(factory);
    let store = &rig.store;
    assert_eq!(
        pending(&import(store, std::slice::from_ref(&bare))[0]),
        "body_erased"
    );
    assert_eq!(import(store, &[seed.to_text()])[0], LineReport::Accepted);
    assert_eq!(rig.held(), 0);

    for lines in [
        vec![bare.clone(), next.to_text(), redaction.clone()],
        vec![redaction, next.to_text(), bare],
    ] {
        let rig = Rig::new(factory);
        let store = &rig.store;
        import(store, &lines);
        assert_eq!(block_on(store.size()).unwrap(), 3, "{lines:?}");
        let capsule = |index| block_on(store.capsule(index)).unwrap().unwrap();
        let bare = (0..3).filter(|index| capsule(*index).payload.is_none());
        assert_eq!(bare.count(), 1);
    }
}

/// A copy of a capsule with a wrong body or signature does not stand in the way of the good one.
pub(crate) fn a_damaged_copy_does_not_keep_the_good_one_out<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let chain = author.chain("c", 2);
    import(store, &[chain[1].to_text()]);
    let damaged = with(&chain[1], "/payload/state/data/text", "other".into());
    is_refused(store, damaged, "E_STATE");
    has_kind(&events(store)[0], "integrity", false);
    let batch = import_batch(store, &texts(&chain[..1]));
    assert_eq!(batch.settled, [hash(&chain[1])]);
    assert_eq!(block_on(store.size()).unwrap(), 2);
}
