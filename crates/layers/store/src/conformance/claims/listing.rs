//! Cases: lists of lines, in their order and page by page (I7; docs/format/claims.md 7).

use counterfoil_claims::Line;
use counterfoil_claims::belief::{Belief, BeliefStatus};
use counterfoil_types::Scope;

use super::super::support::opened;
use super::super::{Factory, Outcome};
use super::rig::{DAY_US, Rig, START_US, as_of, dated, subject_of};
use crate::{AsOf, ClaimRequest, ClaimStore};

pub(super) async fn subject<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    for predicate in ["works at", "born in", "lives in", "Élan", "a"] {
        rig.user_says("Ada", predicate, "x").await?;
        rig.user_says("Ad", predicate, "y").await?;
        rig.user_says("Adam", predicate, "z").await?;
    }
    let names = |beliefs: &[Belief]| -> Vec<String> {
        let lines = beliefs.iter().map(|belief| &belief.line);
        lines
            .map(|line| format!("{} {}", line.subject, line.predicate))
            .collect()
    };
    let beliefs = rig.of_ada(AsOf::default()).await?;
    // The order is that of bytes.
    let order = [
        "Ada a",
        "Ada born in",
        "Ada lives in",
        "Ada works at",
        "Ada Élan",
    ];
    ensure_eq!(names(&beliefs), order);
    for belief in &beliefs {
        let predicate = belief.line.predicate.as_str();
        let alone = rig
            .believe("Ada", predicate, as_of(belief.question.as_of_us))
            .await?;
        ensure_eq!(&alone, belief);
    }
    let (after, settings) = (Some(rig.line("Ada", "born in")?), rig.settings.clone());
    let (ada, asked) = (subject_of("Ada")?, AsOf::default());
    let rest = store.believe_subject(rig.agent(), ada, Scope::new(), after, asked, settings);
    ensure_eq!(
        names(&rest.await?),
        ["Ada lives in", "Ada works at", "Ada Élan"]
    );
    scopes(factory).await
}

/// I10: later units do not show in the answer of an earlier time.
pub(super) async fn later_lines<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    rig.user_says("Ada", "lives in", "Lisbon").await?;
    let then = as_of(START_US + DAY_US);
    setup.set_clock(START_US + 2 * DAY_US);
    rig.user_says("Ada", "works at", "sea").await?;
    rig.user_says("Ada", "lives in", "Porto").await?;
    ensure_eq!(rig.of_ada(then).await?.len(), 1);
    ensure!(rig.contested(then).await?.is_empty());
    ensure_eq!(rig.contested(AsOf::default()).await?.len(), 1);
    Ok(())
}

/// I7.
pub(super) async fn contests<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    for name in ["f", "b", "d", "a", "e", "c"] {
        rig.user_says(name, "lives in", "Lisbon").await?;
        rig.user_says(name, "born in", "Lisbon").await?;
        rig.user_says(name, "lives in", "Porto").await?;
    }
    rig.user_says("a", "zodiac", "lion").await?;
    rig.user_says("a", "zodiac", "fish").await?;
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let (asked, settings) = (AsOf::default(), rig.settings.clone());
        let page = store
            .contested(rig.agent(), Scope::new(), asked, after.take(), 2, settings)
            .await?;
        ensure!(page.len() <= 2, "a page of {}", page.len());
        ensure!(page.iter().all(|one| one.status == BeliefStatus::Contested));
        let Some(last) = page.last() else { break };
        after = Some(last.line.clone());
        ensure!(found.len() < 20, "the pages never end");
        found.extend(
            page.into_iter()
                .map(|belief| format!("{} {}", belief.line.subject, belief.line.predicate)),
        );
    }
    let expected =
        "a lives in, a zodiac, b lives in, c lives in, d lives in, e lives in, f lives in";
    ensure_eq!(found.join(", "), expected);
    Ok(())
}

pub(super) async fn predicates<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    for (subject, predicate) in [
        ("Ada", "works at"),
        ("Bob", "lives in"),
        ("Ada", "lives in"),
        ("Bob", "lives in"),
        ("Cem", "born in"),
    ] {
        rig.user_says(subject, predicate, "x").await?;
    }
    for (subject, expected) in [
        (None, "born in, lives in, works at"),
        (Some("Ada"), "lives in, works at"),
        (Some("Dan"), ""),
    ] {
        let subject = subject.map(subject_of).transpose()?;
        let found = store.predicates(rig.agent(), subject, Scope::new()).await?;
        let names: Vec<_> = found.iter().map(ToString::to_string).collect();
        ensure_eq!(names.join(", "), expected);
    }
    Ok(())
}

pub(super) async fn units<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    for day in 0..4_u64 {
        setup.set_clock(START_US + day * DAY_US);
        rig.user_says("Ada", "lives in", &format!("town {day}"))
            .await?;
    }
    let line = rig.line("Ada", "lives in")?;
    for (days, expected) in [(0, 1), (2, 3), (9, 4)] {
        let until = START_US + days * DAY_US + DAY_US / 2;
        let units = store.units(line.clone(), Some(until)).await?;
        ensure!(
            units.len() == expected,
            "{} units after {days} days",
            units.len()
        );
        ensure!(
            units
                .iter()
                .zip(0..)
                .all(|(unit, number)| unit.number() == number)
        );
    }
    ensure!(store.units(line, Some(START_US - 1)).await?.is_empty());
    Ok(())
}

/// A claim of one scope neither matches nor contests one of another; lists have those of the asked scope and of narrower ones.
async fn scopes<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let scope = |text: &str| Scope::from_pairs(text.split(',').filter_map(|it| it.split_once('=')));
    for (of, value) in [
        ("", "Lisbon"),
        ("user=kit", "Porto"),
        ("user=kit,session=1", "Faro"),
        ("user=bo", "Porto"),
        ("user=bo", "Lyon"),
    ] {
        let said = dated(&rig.channels.user(), "Ada", "lives in", value)?;
        let ClaimRequest::Submit(said) = said else {
            continue;
        };
        rig.tell(ClaimRequest::Submit(said.in_scope(scope(of)?)))
            .await?;
    }
    let values = |beliefs: Vec<Belief>| -> Vec<String> {
        let values = beliefs.iter().map(|it| {
            let sides = it.sides.iter().map(|side| side.value.to_string());
            sides.collect::<Vec<_>>().join(" or ")
        });
        values.collect()
    };
    let all = [
        "\"Lisbon\"",
        "\"Faro\"",
        "\"Porto\" or \"Lyon\"",
        "\"Porto\"",
    ];
    for (of, expected) in [("", &all[..]), ("user=kit", &["\"Faro\"", "\"Porto\""])] {
        let (line, settings) = (rig.line("Ada", "lives in")?, rig.settings.clone());
        let line = Line {
            scope: scope(of)?,
            ..line
        };
        let within = store.believe_within(line, AsOf::default(), settings.clone());
        ensure_eq!(values(within.await?), expected);
        let (ada, agent) = (subject_of("Ada")?, rig.agent());
        let asked = AsOf::default();
        let page = store.believe_subject(
            agent,
            ada.clone(),
            scope(of)?,
            None,
            asked,
            settings.clone(),
        );
        let page = page.await?;
        let after = page.first().map(|first| first.line.clone());
        ensure_eq!(values(page), expected);
        let rest = store.believe_subject(agent, ada, scope(of)?, after, asked, settings);
        ensure_eq!(values(rest.await?), expected.get(1..).unwrap_or_default());
    }
    let contested = rig.contested(AsOf::default()).await?;
    ensure_eq!(contested.len(), 1);
    ensure!(
        contested
            .iter()
            .all(|it| it.line.scope.value("user") == Some("bo"))
    );
    Ok(())
}
