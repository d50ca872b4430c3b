//! Facts of a bound memory: what was said in another scope is not there for it (MR-03, decision 0075).

use std::collections::BTreeSet;

use counterfoil_claims::belief::BeliefStatus;
use counterfoil_claims::{Assertion, Channels, FactValue, Identifier, Submission, Target};
use counterfoil_types::WorldId;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::*;
use crate::scoped::tests::{scope, stores};
use crate::{BeliefQuery, Detail, ExtractOptions, Note, RecallOptions, blocking};

/// A fact of the user.
fn fact(predicate: &str, value: &str) -> Submission {
    let name = |text: &str| Identifier::new("name", text).unwrap();
    let value = FactValue::new(&json!(value)).unwrap();
    let channel = Channels::of_host().user();
    Submission::new(&channel, name("user"), name(predicate), value)
}

fn reference(report: &crate::Report) -> WorldId {
    WorldId::new(report.text("/ref").unwrap()).unwrap()
}

/// Law (f); mutant `lines-of-all-scopes`: claims of one scope neither contest nor support those of another. Without a
/// scope each belief is given by itself.
#[test]
fn a_fact_is_believed_in_its_scope() {
    let (stores, ..) = stores();
    let (whole, kit) = (&stores.whole, &stores.kit);
    let asked = BeliefQuery::default();
    let of_bo = fact("lives in", "Lyon").in_scope(scope("user=bo"));
    whole.claim(of_bo, &[]).unwrap();
    let said = kit.claim(fact("lives in", "Porto"), &[]).unwrap();
    assert_eq!(said.text("/disposition"), Some("committed"));
    let belief = kit.believe("user", "lives in", &asked).unwrap();
    assert_eq!(belief.status, BeliefStatus::TimingUncertain);
    assert_eq!(belief.sides.len(), 1);
    let none = whole.believe("user", "lives in", &asked).unwrap();
    assert_eq!(none.status, BeliefStatus::NoBelief);
    let within = |memory: &blocking::Memory| {
        let beliefs = memory.believe_within("user", "lives in", &asked).unwrap();
        let all = memory.believe_all("user", &asked).unwrap();
        let shown = |it: &crate::Beliefs| {
            let beliefs = it.beliefs.iter();
            let shown = beliefs.map(|it| format!("{} {}", it.line.scope, it.sides[0].value));
            shown.collect::<Vec<_>>()
        };
        assert_eq!(shown(&beliefs), shown(&all));
        shown(&beliefs)
    };
    assert_eq!(within(whole), ["user=bo \"Lyon\"", "user=kit \"Porto\""]);
    assert_eq!(within(kit), ["user=kit \"Porto\""]);
    let narrow = fact("lives in", "Faro").in_scope(scope("session=1"));
    kit.claim(narrow, &[]).unwrap();
    let both = ["user=kit \"Porto\"", "session=1,user=kit \"Faro\""];
    assert_eq!(
        BTreeSet::from_iter(within(kit)),
        BTreeSet::from(both.map(str::to_owned))
    );
    assert!(kit.contested(&asked, 9).unwrap().beliefs.is_empty());
    // The second value of one scope contests the first there alone.
    let other = Submission::new(
        &Channels::of_host().first_hand(),
        fact("lives in", "x").subject().clone(),
        fact("lives in", "x").predicate().clone(),
        FactValue::new(&json!("Braga")).unwrap(),
    );
    let other = kit.claim(other, &[]).unwrap();
    assert_eq!(other.text("/disposition"), Some("contested"));
    let contested = whole.contested(&asked, 9).unwrap().beliefs;
    assert_eq!(contested.len(), 1);
    assert_eq!(contested[0].line.scope, scope("user=kit"));
    let lines = kit.timeline("user", None, None, None).unwrap().lines;
    assert_eq!(lines.len(), 2);
    assert_eq!(
        kit.line_history("user", "lives in", &asked, 9)
            .unwrap()
            .count,
        2
    );
}

/// Law (c) of facts: a claim or a memory of another scope can't be named, a key is of the scope, and no list has anything foreign.
#[test]
fn facts_of_another_scope_are_not_there() {
    let (stores, own_memory, foreign_memory) = stores();
    let (whole, kit) = (&stores.whole, &stores.kit);
    let of_bo = fact("lives in", "Lyon").in_scope(scope("user=bo"));
    let of_bo = of_bo.keyed("k").unwrap();
    let foreign = reference(&whole.claim(of_bo, &[]).unwrap()).to_string();
    let own = kit.claim(fact("lives in", "Porto").keyed("k").unwrap(), &[]);
    let own = reference(&own.unwrap());
    let channel = || Channels::of_host().user();
    let answers = |id: &str, memory: &str| {
        let (world, memory) = (WorldId::new(id).unwrap(), WorldId::new(memory).unwrap());
        let end = Assertion::end(&channel(), Target::Claim(world.clone()), None);
        let replaced = Assertion::supersede(&channel(), own.clone(), world.clone());
        let said = [
            kit.claim_unit(id).map(|_| ()),
            kit.claim_origin(id).map(|_| ()),
            kit.claim_ledger(Some(id), None, 9).map(|_| ()),
            kit.assert(end).map(|_| ()),
            kit.assert(replaced).map(|_| ()),
            kit.claim(
                fact("eats", "figs").citing(vec![memory.clone()]).unwrap(),
                &[],
            )
            .map(|_| ()),
            kit.claim(
                fact("eats", "figs")
                    .derived_from(vec![world.clone()])
                    .unwrap(),
                &[],
            )
            .map(|_| ()),
            kit.claim(
                fact("eats", "figs")
                    .superseding(vec![world.clone()])
                    .unwrap(),
                std::slice::from_ref(&world),
            )
            .map(|_| ()),
        ];
        let said = said.map(|it| it.unwrap_err());
        said.map(|it| {
            (
                it.kind(),
                it.to_string()
                    .replace(id, "ID")
                    .replace(&memory.to_string(), "ID"),
            )
        })
    };
    let absent = "world-00000000000000000000000000000000";
    assert_eq!(answers(&foreign, &foreign_memory), answers(absent, absent));
    assert_eq!(
        kit.committed("k").unwrap().value()["answer"]["ref"],
        own.to_string()
    );
    assert!(
        !kit.claim_ledger(None, None, 9)
            .unwrap()
            .json()
            .contains(&foreign)
    );
    let proof = kit
        .prove("user", "lives in", &BeliefQuery::default(), None)
        .unwrap();
    assert!(proof.json().contains("user") && !proof.json().contains("Lyon"));
    let cites = fact("eats", "figs").citing(vec![WorldId::new(own_memory.as_str()).unwrap()]);
    assert!(kit.claim(cites.unwrap(), &[]).is_ok());
}

/// A recall gives beliefs of its scope.
#[test]
fn a_recall_gives_beliefs_of_its_scope() {
    let (stores, ..) = stores();
    let (whole, kit) = (&stores.whole, &stores.kit);
    let of_bo = fact("lives in", "Lyon").in_scope(scope("user=bo"));
    whole.claim(of_bo, &[]).unwrap();
    kit.claim(fact("lives in", "Porto"), &[]).unwrap();
    let recalled = kit
        .recall("where does the user live in?", &RecallOptions::default())
        .unwrap();
    let document = serde_json::to_string(&recalled.document(Detail::Full)).unwrap();
    assert!(
        document.contains("Porto") && !document.contains("Lyon"),
        "{document}"
    );
}

/// Claims that are read out of a memory have its scope.
#[test]
fn what_is_extracted_is_of_the_scope_of_its_memory() {
    let (stores, ..) = stores();
    let said = Note::from("I live in Lyon.").scope(scope("user=bo"));
    stores.whole.remember(said).unwrap();
    stores.kit.remember("I live in Porto.").unwrap();
    let options = ExtractOptions::default();
    assert_eq!(
        stores
            .kit
            .extract(None, &options)
            .unwrap()
            .number("/proposals"),
        Some(1)
    );
    stores.whole.extract(None, &options).unwrap();
    let all = stores
        .whole
        .believe_all("user", &BeliefQuery::default())
        .unwrap();
    let scopes: BTreeSet<String> = all
        .beliefs
        .iter()
        .map(|it| it.line.scope.to_string())
        .collect();
    assert_eq!(
        scopes,
        BTreeSet::from(["user=bo".to_owned(), "user=kit".to_owned()])
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Law (f): the belief in a scope is that of a store that holds the scope alone.
    #[test]
    fn a_scoped_belief_is_that_of_a_store_of_the_scope_alone(
        said in vec((0..3_usize, select(vec!["a", "b"]), select(vec!["x", "y", "z"]), any::<bool>()), 1..14)
    ) {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let create = |name: &str| {
            let made = runtime.block_on(Memory::create(folder.path().join(name))).unwrap();
            let bound = made.scoped(&scope("user=kit")).unwrap();
            (blocking::Memory::over(made).unwrap(), blocking::Memory::over(bound).unwrap())
        };
        let (shared, alone) = (create("shared"), create("alone"));
        let scopes = ["user=kit", "user=bo", ""].map(|text| match text {
            "" => Scope::new(),
            text => scope(text),
        });
        let stated = |(of, predicate, value, is_users): &(usize, &str, &str, bool)| {
            let channels = Channels::of_host();
            let channel = if *is_users { channels.user() } else { channels.first_hand() };
            let name = |text: &str| Identifier::new("name", text).unwrap();
            let value = FactValue::new(&json!(value)).unwrap();
            Submission::new(&channel, name("user"), name(predicate), value).in_scope(scopes[*of].clone())
        };
        let became = |report: Result<crate::Report, Error>| match report {
            Ok(report) => report.text("/disposition").unwrap().to_owned(),
            Err(error) => format!("{:?}", error.kind()),
        };
        for one in &said {
            let here = became(shared.0.claim(stated(one), &[]));
            if one.0 == 0 {
                prop_assert_eq!(here, became(alone.0.claim(stated(one), &[])));
            }
        }
        for predicate in ["a", "b"] {
            let believed = |memory: &blocking::Memory| {
                let belief = memory.believe("user", predicate, &BeliefQuery::default()).unwrap();
                let sides = belief.sides.iter();
                let sides = sides.map(|side| (side.value.to_string(), side.claims.len(), side.corroborations));
                (belief.status, sides.collect::<Vec<_>>(), belief.markers)
            };
            prop_assert_eq!(believed(&shared.1), believed(&alone.1));
        }
    }
}
