//! Cases: what is believed follows from what was recorded, and stays the answer for its instant (I2, I3, I8, I10).

use std::sync::Arc;

use counterfoil_capsule::documents::ClockCorrection;
use counterfoil_capsule::{Document, RecordKind, Timestamp};
use counterfoil_claims::belief::{BeliefStatus, ClaimState, Currency};
use counterfoil_claims::{Assertion, Cardinality, Disposition, Settings, Target, Vocabulary};

use super::super::support::{Fault, opened, verify};
use super::super::{Factory, Outcome};
use super::rig::{DAY_US, Rig, START_US, as_of, dated, fact, micros, predicate_of, sides};
use crate::{AsOf, CapsuleLog, ClaimRequest, ClaimStore, Draft};

pub(super) async fn decided<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let nothing = rig.believe("Ada", "lives in", AsOf::default()).await?;
    ensure_eq!(nothing.status, BeliefStatus::NoBelief);
    let told = rig.user_says("Ada", "lives in", "Lisbon").await?;
    let belief = rig.believe("Ada", "lives in", AsOf::default()).await?;
    ensure_eq!(belief.status, BeliefStatus::Resolved);
    ensure!(sides(&belief) == [r#""Lisbon""#], "{:?}", sides(&belief));
    let named: Vec<_> = belief.sides.iter().flat_map(|side| &side.claims).collect();
    let [claim] = named.as_slice() else {
        return Err(format!("{} claims decide", named.len()).into());
    };
    let same = claim.reference == told.reference && claim.index == 0;
    ensure!(same, "another claim decides");
    ensure_eq!(belief.line, rig.line("Ada", "lives in")?);
    Ok(())
}

pub(super) async fn contradicted<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    rig.user_says("Ada", "born in", "Lisbon").await?;
    let second = rig.user_says("Ada", "born in", "Porto").await?;
    ensure!(second.disposition == Disposition::Contested, "{second:?}");
    let belief = rig.believe("Ada", "born in", AsOf::default()).await?;
    ensure_eq!(belief.status, BeliefStatus::Contested);
    ensure!(belief.primary().is_none(), "a contest has a winner");
    ensure_eq!(sides(&belief), [r#""Lisbon""#, r#""Porto""#]);
    let history = rig.history("born in", AsOf::default()).await?;
    let states: Vec<_> = history.iter().map(|entry| entry.state).collect();
    ensure!(states == [ClaimState::Contested; 2], "{states:?}");
    Ok(())
}

/// I5: units carry the registered cardinality, and keep it; the cardinality of sources counts without one.
pub(super) async fn sets<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let mut rig = Rig::new(&store, &setup, 1);
    let many = [(predicate_of("sings")?, 0, Cardinality::Many)];
    let registered = Settings {
        vocabulary: Vocabulary::new(many).into(),
        ..Settings::default()
    };
    let unregistered = core::mem::replace(&mut rig.settings, Arc::new(registered));
    for language in ["Portuguese", "English", "German"] {
        if language == "German" {
            rig.settings = unregistered.clone();
        }
        let told = rig.user_says("Ada", "sings", language).await?;
        ensure!(told.disposition == Disposition::Committed, "{told:?}");
    }
    let belief = rig.believe("Ada", "sings", AsOf::default()).await?;
    ensure_eq!(belief.status, BeliefStatus::Resolved);
    ensure!(belief.sides.len() == 3, "{:?}", sides(&belief));
    let user = rig.channels.user();
    for (value, said, expected) in [
        ("tea", Cardinality::Many, Disposition::Committed),
        ("milk", Cardinality::Unknown, Disposition::Committed),
        ("beer", Cardinality::One, Disposition::Contested),
        ("wine", Cardinality::Many, Disposition::Contested),
    ] {
        let fact = fact(&user, "Ada", "drinks", value)?.cardinality(said);
        let told = rig.tell(ClaimRequest::Submit(fact)).await?;
        ensure!(told.disposition == expected, "{value}: {told:?}");
    }
    Ok(())
}

/// I2: the present is the later of the clock and of the last transaction time.
pub(super) async fn present<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let told = rig.user_says("Ada", "lives in", "Lisbon").await?;
    let (_, _, stamp) = told.written.ok_or("nothing was written")?;
    setup.set_clock(START_US - 10 * DAY_US);
    let belief = rig.believe("Ada", "lives in", AsOf::default()).await?;
    ensure_eq!(belief.status, BeliefStatus::Resolved);
    let asked = belief.question;
    ensure_eq!(asked.as_of_us, stamp.micros());
    ensure_eq!(asked.valid_at, micros(stamp.micros()));
    rig.user_says("Ada", "born in", "Faro").await?;
    ensure_eq!(rig.of_ada(AsOf::default()).await?.len(), 2);
    ensure_eq!(rig.numbers("born in").await?, [0]);
    Ok(())
}

/// CLM-7: a clock that was ahead hides and ages nothing once it is corrected, headers go on, and what was known before the
/// leap is answered as before.
pub(super) async fn corrected<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let currency = async |predicate: &str| -> Result<Currency, Fault> {
        let belief = rig.believe("Ada", predicate, AsOf::default()).await?;
        Ok(belief.sides.first().ok_or("no belief")?.currency)
    };
    let said_at = async |predicate: &str| -> Result<(u64, Timestamp), Fault> {
        let told = rig.user_says("Ada", predicate, "Lisbon").await?;
        let (_, index, stamp) = told.written.ok_or("nothing was written")?;
        let stored = store.capsule(index).await?.ok_or("no capsule")?;
        verify(&store, &setup, &told.reference.to_string()).await?;
        ensure_eq!(stored.header.recorded().micros(), stamp.micros());
        Ok((stamp.micros(), stored.header.timestamp()))
    };
    said_at("lives in").await?;
    let known = as_of(START_US + DAY_US);
    let before = rig.of_ada(known).await?;
    setup.set_clock(START_US + 300 * DAY_US);
    let (_, ahead) = said_at("born in").await?;
    let now_us = START_US + 2 * DAY_US;
    setup.set_clock(now_us);
    ensure_eq!(currency("lives in").await?, Currency::Decayed);

    let document = ClockCorrection::new("the clock was ahead")?.to_value();
    let record = Draft::record(RecordKind::ClockCorrection, document);
    let placed = store.append(setup.agent(1), vec![record]).await?;
    let corrected_us = placed.first().ok_or("no place")?.recorded_at.micros();
    ensure!(
        (now_us..now_us + DAY_US).contains(&corrected_us),
        "{corrected_us}"
    );
    for predicate in ["lives in", "born in"] {
        ensure_eq!(currency(predicate).await?, Currency::Fresh);
    }
    let units = store.units(rig.line("Ada", "born in")?, None).await?;
    ensure!(
        units
            .iter()
            .all(|unit| unit.stamp().micros() == corrected_us),
        "{units:?}"
    );
    let (stamp_us, timestamp) = said_at("works in").await?;
    ensure!(timestamp > ahead, "a header that went back");
    ensure!(
        stamp_us > corrected_us && stamp_us < now_us + DAY_US,
        "{stamp_us}"
    );
    ensure_eq!(store.last_recorded(rig.agent()).await?, Some(stamp_us));
    ensure_eq!(rig.of_ada(known).await?, before);
    setup.set_clock(now_us + 40 * DAY_US);
    ensure_eq!(currency("born in").await?, Currency::AgingUnconfirmed);
    // The clock has caught up with the headers.
    setup.set_clock(START_US + 301 * DAY_US);
    let (stamp_us, timestamp) = said_at("died in").await?;
    ensure_eq!(timestamp.micros(), stamp_us);
    Ok(())
}

/// I10: later units and the clock change no answer for an instant and a time.
pub(super) async fn replayed<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let (line, user) = (rig.line("Ada", "lives in")?, rig.channels.user());
    let views = async |question: AsOf| -> Result<_, Fault> {
        let belief = rig.believe("Ada", "lives in", question).await?;
        let history = rig.history("lives in", question).await?;
        let all = rig.of_ada(question).await?;
        ensure!(all.contains(&belief), "the subject differs from the line");
        let units = store.units(line.clone(), question.as_of_us).await?.len();
        Ok((belief, history, all, units))
    };
    let mut answers = Vec::new();
    let first = rig.user_says("Ada", "lives in", "Lisbon").await?;
    for step in 0..5_u64 {
        let now_us = START_US + (step + 1) * 20 * DAY_US;
        setup.set_clock(now_us);
        let question = as_of(now_us);
        answers.push((question, views(question).await?));
        match step {
            0 => rig.user_says("Ada", "lives in", "Porto").await?,
            1 => {
                let target = Target::Claim(first.reference.clone());
                rig.tell(ClaimRequest::Assert(Assertion::end(&user, target, None)))
                    .await?
            }
            2 => {
                rig.tell(dated(&rig.channels.model(), "Ada", "lives in", "Faro")?)
                    .await?
            }
            _ => {
                rig.user_says("Ada", &format!("remark {step}"), "yes")
                    .await?
            }
        };
    }
    setup.set_clock(START_US);
    for (question, before) in answers {
        ensure_eq!(views(question).await?, before);
    }
    Ok(())
}

pub(super) async fn windows<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let told = rig.user_says("Ada", "lives in", "Lisbon").await?;
    let at = |instant| AsOf {
        valid_at: Some(instant),
        as_of_us: None,
    };
    let before = rig.believe("Ada", "lives in", at(0)).await?;
    ensure_eq!(before.status, BeliefStatus::NoBelief);
    let target = Target::Claim(told.reference);
    let ended = Assertion::end(&rig.channels.user(), target, None);
    rig.tell(ClaimRequest::Assert(ended)).await?;
    let long_after = rig
        .believe("Ada", "lives in", at(micros(START_US + DAY_US)))
        .await?;
    ensure_eq!(long_after.status, BeliefStatus::Ended);
    let before_end = rig
        .believe("Ada", "lives in", at(micros(START_US - DAY_US)))
        .await?;
    ensure!(
        sides(&before_end) == [r#""Lisbon""#],
        "{:?} before",
        before_end.status
    );
    Ok(())
}
