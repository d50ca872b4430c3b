//! What was heard before, and what is one's own come back (R16; cases 101, 102).

use counterfoil_exchange::checks::Flag;
use counterfoil_exchange::documents::{
    Attestation, Chain, MemoryProvenance, ProvenanceSource, Text,
};

use crate::answers::{agent, answer_of, attested, fact, key, memory, parts, stamp, text};
use crate::kept::{ask, only};
use crate::rig::{NOW_US, Rig, Scripted, question};

/// Adversarial case H101, R16, MRP-46: my own claim comes back through two agents, and corroborates nothing.
#[test]
fn h101_my_own_claim_coming_back_corroborates_nothing() {
    let rig = Rig::new();
    rig.trust(key(9));
    let mine = rig.user_says("ann", "lives in", "Lisbon");
    let before = rig.size();
    let claim = fact("ann", "lives in", "Lisbon");

    let by_name = {
        let (mine, claim) = (mine.clone(), claim.clone());
        move || vec![memory(&mine.to_string(), claim.clone())]
    };
    let hopped = {
        let made = Attestation::sign(parts("x", claim.clone()), &agent(9)).unwrap();
        let at = stamp(NOW_US - 1);
        let chain = Chain::default()
            .handed_on(made.claim_hash(), None, at, rig.signer.as_ref())
            .unwrap()
            .handed_on(made.claim_hash(), None, at, &agent(9))
            .unwrap();
        let mut with = parts("elsewhere", claim);
        with.provenance = Some(MemoryProvenance {
            chain: Some(chain),
            ..MemoryProvenance::of_source(ProvenanceSource::Received)
        });
        move || vec![attested(&agent(9), with.clone())]
    };
    for report in [ask(&rig, by_name), ask(&rig, hopped)] {
        let memory = only(&report);
        assert!(memory.judged.flags.contains(&Flag::Own), "{memory:?}");
        assert_eq!(memory.stored.as_ref(), Some(&mine));
    }
    assert_eq!(rig.size(), before);
    assert_eq!(rig.believe("ann", "lives in").sides[0].corroborations, 0);
}

/// Adversarial case H101: a text of one's own, by its name.
#[test]
fn h101_my_own_text_coming_back_is_not_stored_again() {
    let rig = Rig::new();
    let report = ask(&rig, || vec![memory("m1", text("decay beats deletion"))]);
    let there = only(&report).stored.clone().unwrap();
    let (named, before) = (there.clone(), rig.size());
    let mut said = parts(&named.to_string(), text("decay beats deletion"));
    said.claim.context = Some(Text::new("said otherwise").unwrap());
    let back = ask(&rig, move || vec![attested(&agent(9), said.clone())]);
    assert_eq!(only(&back).stored.as_ref(), Some(&there));
    assert_eq!(rig.size(), before);
    // A name of mine on other words is no more than a name.
    let named = there.clone();
    let other = ask(&rig, move || {
        vec![memory(&named.to_string(), text("something else"))]
    });
    assert_ne!(only(&other).stored.as_ref(), Some(&there));
    assert_eq!(rig.size(), before + 1);
}

/// Adversarial case H102, MRP-46: the same claim from 808 answers is one claim.
#[test]
fn h102_the_same_claim_from_808_answers_is_one_claim() {
    let rig = Rig::new();
    let mut first = None;
    for number in 0..808_u32 {
        let who = u8::try_from(number % 8 + 40).unwrap();
        let mut way = Scripted::answering(&rig, move |request| {
            let said = attested(
                &agent(who),
                parts(&format!("m{number}"), fact("ann", "lives in", "Porto")),
            );
            answer_of(&agent(who), request, vec![said])
        });
        let report = rig.ask(question(Some(key(who))), &mut way);
        let memory = only(&report);
        let stored = memory.stored.clone().unwrap();
        assert_eq!(*first.get_or_insert_with(|| stored.clone()), stored);
        assert_eq!(memory.judged.flags.contains(&Flag::Known), number > 0);
        assert_eq!(memory.heard, u64::from(number) + 1);
    }
    assert_eq!(rig.size(), 1);
    for who in 40..48 {
        rig.trust(key(who));
    }
    let belief = rig.believe("ann", "lives in");
    assert_eq!(
        (
            belief.sides.len(),
            belief.sides[0].claim_count,
            belief.sides[0].corroborations
        ),
        (1, 1, 0)
    );
}

/// I6: agents at level 3 that say the same in the same words corroborate, each once.
#[test]
fn independent_agents_corroborate_the_same_words() {
    let rig = Rig::new();
    for (who, corroborations) in [(40, 0), (41, 1), (42, 2), (41, 2), (40, 2)] {
        rig.trust(key(who));
        let mut way = Scripted::answering(&rig, move |request| {
            let claim = parts("m", fact("ann", "lives in", "Porto"));
            answer_of(&agent(who), request, vec![attested(&agent(who), claim)])
        });
        let report = rig.ask(question(Some(key(who))), &mut way);
        assert!(only(&report).stored.is_some());
        let belief = rig.believe("ann", "lives in");
        assert_eq!(belief.sides[0].corroborations, corroborations, "{who}");
        assert_eq!(belief.sides[0].claim_count, 1);
    }
}
