//! Cases: what the gate lets in is a unit of the log, whole or not at all, and once (I1, I2, I5, I6, I9).

use std::sync::Arc;

use counterfoil_capsule::{AgentSigner, Kind, SecretKey};
use counterfoil_claims::{Assertion, ClaimError, Disposition, Target};
use counterfoil_types::{Blake3Hash, Scope, WorldId};
use counterfoil_verifier::Checkpoint;
use counterfoil_verifier::map::LineStanding;

use super::super::support::{Fault, draft, opened, put, verify};
use super::super::{Factory, Outcome};
use super::rig::{Rig, START_US, dated, disposition, fact, predicate_of, subject_of};
use crate::{CapsuleLog, ClaimRequest, ClaimStore, MAX_LEAP_MICROS, MAX_REQUESTS, StoreError};

pub(super) async fn proven<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    put(&store, &setup, draft("w", "a memory")?).await?;
    let told = rig.user_says("Ada", "lives in", "Lisbon").await?;
    ensure!(told.disposition == Disposition::Committed, "{told:?}");
    let (reference, index, stamp) = told.written.ok_or("nothing was written")?;
    ensure!(reference == told.reference && index == 1);
    let stored = store.capsule(index).await?.ok_or("there is no capsule")?;
    ensure_eq!(stored.header.kind(), Kind::Claim);
    ensure_eq!(stored.header.timestamp().micros(), stamp.micros());
    verify(&store, &setup, &reference.to_string()).await?;
    let unit = store.unit_of(&reference).await?.ok_or("there is no unit")?;
    let place = (unit.index(), unit.stamp(), unit.number());
    ensure_eq!(place, (1, stamp, 0));
    ensure!(unit.line() == &rig.line("Ada", "lives in")?, "another line");
    ensure!(store.unit_of(&WorldId::new("w")?).await?.is_none());
    ensure!(store.unit_of(&WorldId::new("no")?).await?.is_none());
    Ok(())
}

/// Units of one line have one tag, those of another line another one; a store that binds no map, or gives no tags, counts none.
pub(super) async fn counted<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    put(&store, &setup, draft("w", "a memory")?).await?;
    let mut tags: Vec<Option<Blake3Hash>> = Vec::new();
    for (predicate, value) in [
        ("lives in", "Lisbon"),
        ("likes", "tea"),
        ("lives in", "Porto"),
    ] {
        let told = rig.user_says("Ada", predicate, value).await?;
        let (reference, index, _) = told.written.ok_or("nothing was written")?;
        let stored = store.capsule(index).await?.ok_or("there is no capsule")?;
        let tag = stored.header.extensions().line;
        tags.push(tag);
        let worlds = [reference, WorldId::new("w")?];
        let Some(found) = store.standings(&worlds).await? else {
            continue;
        };
        let [Some(unit), Some(memory)] = &found.of[..] else {
            return Err("other memories than were asked for".into());
        };
        ensure!(
            memory.line.is_none(),
            "a memory that is no claim has a line"
        );
        let Some(tag) = tag else {
            ensure!(unit.line.is_none(), "a claim without a tag has a line");
            continue;
        };
        let root = Checkpoint::from_note(&found.checkpoint)?.map_root();
        let lookup = unit.line.as_ref().ok_or("a unit with a tag has no line")?;
        let root = root.ok_or("a standing without a map")?;
        let line = LineStanding::check(&root, &rig.agent(), &tag, lookup)?;
        let expected = LineStanding {
            count: if value == "Porto" { 2 } else { 1 },
            last: index,
            capsule: stored.header.hash(),
        };
        ensure!(line == Some(expected), "{line:?} is not {expected:?}");
    }
    let [first, other, second] = tags[..] else {
        return Err("not a unit for each claim".into());
    };
    ensure!(first == second, "one line has two tags");
    ensure!(first.is_none() || first != other, "two lines have one tag");
    Ok(())
}

pub(super) async fn in_turn<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let (user, line) = (
        rig.channels.user(),
        Target::Line {
            subject: subject_of("Ada")?,
            predicate: predicate_of("lives in")?,
        },
    );
    let answers = rig
        .submit(vec![
            dated(&user, "Ada", "lives in", "Lisbon")?,
            dated(&user, "Ada", "lives in", "Lisbon")?,
            ClaimRequest::Assert(Assertion::end(&user, line, None)),
            ClaimRequest::Submit(fact(&user, "Ada", "lives in", "Porto")?),
        ])
        .await?;
    let found: Vec<_> = answers.iter().map(disposition).collect();
    let expected = [
        Disposition::Committed,
        Disposition::Corroborated,
        Disposition::Bounded,
        Disposition::Committed,
    ];
    ensure!(found == expected.map(Ok), "{found:?}");
    ensure_eq!(rig.numbers("lives in").await?, [0, 1, 2]);
    let units = store.units(rig.line("Ada", "lives in")?, None).await?;
    for pair in units.windows(2) {
        if let [before, after] = pair {
            let linked = after.previous() == Some(before.reference())
                && after.stamp() > before.stamp()
                && after.index() == before.index() + 1;
            ensure!(linked, "unit {} does not follow", after.number());
        }
    }
    Ok(())
}

pub(super) async fn refusal<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let user = rig.channels.user();
    let unknown = fact(&user, "Ada", "lives in", "Faro")?.superseding(vec![WorldId::new("no")?])?;
    let answers = rig
        .submit(vec![
            dated(&user, "Ada", "lives in", "Lisbon")?,
            ClaimRequest::Submit(unknown),
            dated(&user, "Bob", "lives in", "Porto")?,
        ])
        .await?;
    let found: Vec<_> = answers.iter().map(disposition).collect();
    let refused = matches!(answers.get(1), Some(Err(ClaimError::ClaimNotFound(_))));
    ensure!(refused, "an unknown claim was answered with {found:?}");
    ensure_eq!(found.iter().filter(|one| one.is_ok()).count(), 2);
    ensure_eq!(store.size().await?, 2);
    Ok(())
}

/// I9: what fails after the gate has seen it leaves nothing behind: no unit, no key, no number.
pub(super) async fn whole<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let mut rig = Rig::new(&store, &setup, 1);
    let user = rig.channels.user();
    let requests = || -> Result<Vec<ClaimRequest>, Fault> {
        let keyed = fact(&user, "Ada", "lives in", "Lisbon")?.keyed("first")?;
        let other = dated(&user, "Bob", "lives in", "Porto")?;
        Ok(vec![ClaimRequest::Submit(keyed), other])
    };
    // A key that this log does not know: the gate has judged when it is found out.
    let rotated = AgentSigner::rotated(rig.agent(), 1, SecretKey::from_seed([0x77; 32]));
    let (settings, not_current) = (rig.settings.clone(), Arc::new(rotated));
    let failed = store.submit(not_current, settings, requests()?).await;
    ensure_matches!(failed, Err(StoreError::KeyNotCurrent { .. }));
    setup.set_clock(0);
    let failed = store
        .submit(rig.signer.clone(), rig.settings.clone(), requests()?)
        .await;
    ensure_matches!(failed, Err(StoreError::ClockImplausible(_)));
    setup.set_clock(START_US);
    put(&store, &setup, draft("w", "a memory")?).await?;
    setup.set_clock(START_US + 2 * MAX_LEAP_MICROS);
    let failed = store
        .submit(rig.signer.clone(), rig.settings.clone(), requests()?)
        .await;
    ensure_matches!(failed, Err(StoreError::ClockLeap { .. }));
    setup.set_clock(START_US);
    ensure_eq!(store.size().await?, 1);
    ensure!(
        store
            .committed(rig.agent(), "first", &Scope::new())
            .await?
            .is_none()
    );
    ensure!(
        store
            .units(rig.line("Ada", "lives in")?, None)
            .await?
            .is_empty(),
        "its units are"
    );
    ensure!(
        store
            .predicates(rig.agent(), None, Scope::new())
            .await?
            .is_empty()
    );
    rig.signer = setup.agent(1);
    let answers = rig.submit(requests()?).await?;
    let first = answers
        .first()
        .and_then(|one| one.as_ref().ok())
        .ok_or("refused")?;
    ensure!(first.disposition == Disposition::Committed, "{first:?}");
    let unit = store.unit_of(&first.reference).await?.ok_or("no unit")?;
    ensure!(unit.number() == 0 && unit.index() == 1);
    Ok(())
}

pub(super) async fn limit<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let one = dated(&rig.channels.user(), "Ada", "lives in", "Lisbon")?;
    let (signer, settings) = (rig.signer.clone(), rig.settings.clone());
    let refused = store
        .submit(signer, settings, vec![one; MAX_REQUESTS + 1])
        .await;
    ensure_matches!(refused, Err(StoreError::TooManyRequests { .. }));
    ensure_eq!(store.size().await?, 0);
    ensure!(rig.submit(Vec::new()).await?.is_empty());
    Ok(())
}

/// I6: after an outcome that is not known, the key tells.
pub(super) async fn keyed<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let (rig, other) = (Rig::new(&store, &setup, 1), Rig::new(&store, &setup, 2));
    let user = rig.channels.user();
    let says = |value: &str| -> Result<ClaimRequest, Fault> {
        Ok(ClaimRequest::Submit(
            fact(&user, "Ada", "lives in", value)?.keyed("k")?,
        ))
    };
    ensure!(
        store
            .committed(rig.agent(), "k", &Scope::new())
            .await?
            .is_none()
    );
    let answers = rig.submit(vec![says("Lisbon")?, says("Lisbon")?]).await?;
    let first = rig.tell(says("Lisbon")?).await?;
    ensure!(first.written.is_some());
    ensure_eq!(answers, [Ok(first.clone()), Ok(first.clone())]);
    ensure_eq!(
        store.committed(rig.agent(), "k", &Scope::new()).await?,
        Some(first.clone())
    );
    let reused = rig.ask(says("Porto")?).await?;
    ensure_matches!(reused, Err(ClaimError::KeyReused { .. }));
    let again = rig.tell(says("Lisbon")?).await?;
    ensure!(again == first && store.size().await? == 1, "{again:?}");
    ensure!(
        store
            .committed(other.agent(), "k", &Scope::new())
            .await?
            .is_none()
    );
    let hers = other.tell(says("Porto")?).await?;
    ensure!(hers.disposition == Disposition::Committed, "{hers:?}");
    // What wrote nothing leaves its key unused.
    let echo = |value: &str| -> Result<ClaimRequest, Fault> {
        let fact = fact(&user, "Ada", "lives in", value)?.keyed("echo")?;
        Ok(ClaimRequest::Submit(fact))
    };
    let nothing = rig.tell(echo("Lisbon")?).await?;
    ensure!(nothing.written.is_none(), "{nothing:?}");
    let committed = store.committed(rig.agent(), "echo", &Scope::new()).await?;
    ensure!(committed.is_none());
    let told = rig.tell(echo("Faro")?).await?;
    ensure!(told.written.is_some(), "{told:?}");
    Ok(())
}

/// I2: transaction time strictly increases, whatever the clock does.
pub(super) async fn in_time<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    ensure!(store.last_recorded(rig.agent()).await?.is_none());
    let mut last = 0;
    for (number, back_us) in [0, 0, 86_400_000_000, 1, 0].into_iter().enumerate() {
        setup.set_clock(START_US - back_us);
        let told = rig
            .user_says("Ada", "lives in", &format!("town {number}"))
            .await?;
        let (_, _, stamp) = told.written.ok_or("nothing was written")?;
        ensure!(stamp.micros() > last);
        last = stamp.micros();
        let recorded = store.last_recorded(rig.agent()).await?;
        ensure_eq!(recorded, Some(last));
    }
    Ok(())
}
