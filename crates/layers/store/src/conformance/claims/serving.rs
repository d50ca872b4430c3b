//! Cases: what was handed out comes back as what it is (I6; docs/format/claims.md 4, step 3).

use counterfoil_claims::{ActKind, Disposition};

use super::super::support::{draft, opened, put};
use super::super::{Factory, Outcome};
use super::rig::{Rig, START_US, fact};
use crate::{AsOf, CapsuleLog, ClaimRequest, ClaimStore, LedgerEntry};

/// The twin of the next one.
pub(super) async fn corroborated<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let told = rig.user_says("Ada", "lives in", "Lisbon").await?;
    let seen = fact(&rig.channels.first_hand(), "Ada", "lives in", "Lisbon")?;
    for (size, written) in [(2, true), (2, false)] {
        let again = rig.tell(ClaimRequest::Submit(seen.clone())).await?;
        ensure!(again.disposition == Disposition::Corroborated, "{again:?}");
        ensure!(again.reference == told.reference, "of another claim");
        ensure_eq!(again.written.is_some(), written);
        ensure_eq!(store.size().await?, size);
    }
    let units = store.units(rig.line("Ada", "lives in")?, None).await?;
    let kinds: Vec<_> = units.iter().map(|unit| unit.act().kind()).collect();
    ensure!(kinds == [ActKind::Claim, ActKind::Corroborate], "{kinds:?}");
    let belief = rig.believe("Ada", "lives in", AsOf::default()).await?;
    let count: Vec<_> = belief
        .sides
        .iter()
        .map(|side| side.corroborations)
        .collect();
    ensure!(count == [1], "{count:?} corroborations");
    Ok(())
}

pub(super) async fn re_entered<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let told = rig.user_says("Ada", "lives in", "Lisbon").await?;
    put(&store, &setup, draft("letter", "from Lisbon")?).await?;
    rig.serve(("Ada", "lives in", "Lisbon"), &told.reference)
        .await?;
    for channel in [
        rig.channels.first_hand(),
        rig.channels.user(),
        rig.channels.model(),
    ] {
        let echo = fact(&channel, "Ada", "lives in", "Lisbon")?;
        let echo = rig.tell(ClaimRequest::Submit(echo)).await?;
        let nothing = echo.disposition == Disposition::Corroborated && echo.written.is_none();
        ensure!(nothing && echo.because.re_entry, "an echo: {echo:?}");
    }
    ensure!(store.size().await? == 2, "an echo is in the log");
    // What brings evidence is no echo.
    let letter = counterfoil_types::WorldId::new("letter")?;
    let evidence = fact(&rig.channels.first_hand(), "Ada", "lives in", "Lisbon")?;
    let evidence = ClaimRequest::Submit(evidence.citing(vec![letter])?);
    let told = rig.tell(evidence).await?;
    ensure!(told.written.is_some());
    Ok(())
}

pub(super) async fn of_one_agent<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let (rig, other) = (Rig::new(&store, &setup, 1), Rig::new(&store, &setup, 2));
    let mine = rig.user_says("Ada", "lives in", "Lisbon").await?;
    other.user_says("Ada", "lives in", "Lisbon").await?;
    rig.serve(("Ada", "lives in", "Lisbon"), &mine.reference)
        .await?;
    rig.serve(("Ada", "lives in", "Porto"), &mine.reference)
        .await?;
    let seen = fact(&other.channels.first_hand(), "Ada", "lives in", "Lisbon")?;
    let hers = other.tell(ClaimRequest::Submit(seen)).await?;
    ensure!(hers.written.is_some());
    // Another value of the line, and another line.
    let seen = fact(&rig.channels.first_hand(), "Bob", "lives in", "Lisbon")?;
    let told = rig.tell(ClaimRequest::Submit(seen)).await?;
    ensure_eq!(told.disposition, Disposition::Committed);
    Ok(())
}

pub(super) async fn burst<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let told = rig.user_says("Ada", "lives in", "Lisbon").await?;
    rig.serve(("Ada", "lives in", "Lisbon"), &told.reference)
        .await?;
    let echo = ClaimRequest::Submit(fact(&rig.channels.user(), "Ada", "lives in", "Lisbon")?);
    // Some in one transaction, some in their own.
    let mut answers = rig.submit(vec![echo.clone(); 60]).await?;
    for _ in 0..8 {
        answers.push(rig.ask(echo.clone()).await?);
    }
    let kept_apart = |answer: &Result<counterfoil_claims::ClaimOutcome, _>| {
        answer.as_ref().is_ok_and(|one| {
            one.disposition == Disposition::Quarantined
                && one.because.burst
                && one.written.is_none()
        })
    };
    let first = answers.iter().position(kept_apart);
    ensure!(first == Some(64), "the burst begins after {first:?}");
    ensure!(answers.iter().skip(64).all(kept_apart));
    ensure!(store.size().await? == 1, "a burst is in the log");
    setup.set_clock(START_US + 61_000_000);
    let later = rig.tell(echo).await?;
    ensure_eq!(later.disposition, Disposition::Corroborated);
    Ok(())
}

pub(super) async fn in_the_ledger<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let told = rig.user_says("Ada", "lives in", "Lisbon").await?;
    rig.user_says("Bob", "lives in", "Porto").await?;
    setup.set_clock(START_US + 5_000_000);
    for _ in 0..3 {
        rig.serve(("Ada", "lives in", "Lisbon"), &told.reference)
            .await?;
    }
    let entries = store.ledger(rig.agent(), None, None, 10).await?;
    let [
        LedgerEntry::Unit(_),
        LedgerEntry::Unit(_),
        LedgerEntry::Served {
            claim,
            first_us,
            times,
        },
    ] = entries.as_slice()
    else {
        return Err(format!("{entries:?}").into());
    };
    let seconds = first_us.saturating_sub(START_US) / 1_000_000;
    ensure!(*claim == told.reference && seconds == 5, "{entries:?}");
    ensure!((1..=3).contains(times), "handed out {times} times");
    Ok(())
}
