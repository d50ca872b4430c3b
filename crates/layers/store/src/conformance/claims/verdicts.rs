//! Cases: what waits for a verdict, and what a verdict does (I5, I7).

use counterfoil_claims::belief::BeliefStatus;
use counterfoil_claims::ports::OracleVerdict;
use counterfoil_claims::{Assertion, ClaimError, ClaimRef, Disposition, Unit};
use counterfoil_types::{Scope, WorldId};

use super::super::support::{Fault, draft, opened};
use super::super::{Factory, Outcome};
use super::rig::{DAY_US, Rig, START_US, dated, sides};
use crate::{AsOf, CapsuleLog, ClaimRequest, ClaimStore};

/// Two values of one line, the second of which waits.
async fn queued<S: ClaimStore>(rig: &Rig<'_, S>) -> Result<(ClaimRef, ClaimRef), Fault> {
    rig.store
        .append(rig.signer.clone(), vec![draft("letter", "evidence")?])
        .await?;
    let first = rig.user_says("Ada", "born in", "Lisbon").await?;
    let second = rig.user_says("Ada", "born in", "Porto").await?;
    let queued = second.disposition == Disposition::QueuedForAdjudication;
    ensure!(queued && second.row == 8, "{second:?}");
    Ok((first.reference, second.reference))
}

async fn pending<S: ClaimStore>(rig: &Rig<'_, S>) -> Result<Vec<(Unit, Vec<Unit>, u64)>, Fault> {
    Ok(rig.store.pending(rig.agent(), rig.settings.clone()).await?)
}

async fn judged<S: ClaimStore>(
    rig: &Rig<'_, S>,
    claim: &ClaimRef,
    verdict: OracleVerdict,
) -> Result<counterfoil_claims::ClaimOutcome, Fault> {
    let (user, letter) = (rig.channels.user(), WorldId::new("letter")?);
    let verdict = Assertion::verdict(&user, claim.clone(), verdict, vec![letter])?;
    rig.tell(ClaimRequest::Assert(verdict)).await
}

pub(super) async fn waits<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1).with_oracle();
    let (first, second) = queued(&rig).await?;
    rig.user_says("Bob", "born in", "Faro").await?;
    let later = rig.user_says("Bob", "born in", "Braga").await?;
    let waiting = pending(&rig).await?;
    let [(one, rivals, expires_us), (other, ..)] = waiting.as_slice() else {
        return Err(format!("{} claims wait", waiting.len()).into());
    };
    ensure_eq!(
        (one.reference(), other.reference()),
        (&second, &later.reference)
    );
    let rivals: Vec<_> = rivals.iter().map(Unit::reference).collect();
    ensure!(rivals == [&first], "its rivals are {rivals:?}");
    let wait = expires_us.saturating_sub(one.stamp().micros());
    ensure!(wait == 30 * DAY_US, "it waits for {wait} microseconds");
    let belief = rig.believe("Ada", "born in", AsOf::default()).await?;
    ensure_eq!(belief.status, BeliefStatus::Contested);
    let other = Rig::new(&store, &setup, 2).with_oracle();
    ensure!(pending(&other).await?.is_empty(), "another agent's wait");
    Ok(())
}

pub(super) async fn affirmed<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1).with_oracle();
    let (first, second) = queued(&rig).await?;
    let told = judged(&rig, &second, OracleVerdict::Affirm).await?;
    ensure!(told.disposition == Disposition::Affirmed, "{told:?}");
    ensure!(pending(&rig).await?.is_empty(), "it still waits");
    let belief = rig.believe("Ada", "born in", AsOf::default()).await?;
    ensure!(sides(&belief) == [r#""Porto""#], "{:?}", sides(&belief));
    // For the gate as well, what lost is no rival any more.
    let third = rig.user_says("Ada", "born in", "Faro").await?;
    ensure!(third.because.rivals == [second], "{third:?}");
    let about = store
        .ledger(rig.agent(), Scope::new(), Some(first), None, 10)
        .await?;
    ensure_eq!(about.len(), 2);
    Ok(())
}

pub(super) async fn superseded<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let user = rig.channels.user();
    let first = rig.user_says("Ada", "lives in", "Lisbon").await?.reference;
    let second = rig.user_says("Ada", "lives in", "Porto").await?.reference;
    let replaced = Assertion::supersede(&user, first.clone(), second.clone());
    let told = rig.tell(ClaimRequest::Assert(replaced)).await?;
    ensure!(told.disposition == Disposition::Superseded, "{told:?}");
    let belief = rig.believe("Ada", "lives in", AsOf::default()).await?;
    ensure!(sides(&belief) == [r#""Porto""#], "{:?}", sides(&belief));
    let third = rig.user_says("Ada", "lives in", "Faro").await?;
    ensure!(third.because.rivals == [second.clone()], "{third:?}");
    let undone = ClaimRequest::Assert(Assertion::reopen(&user, first));
    let told = rig.tell(undone.clone()).await?;
    ensure!(told.disposition == Disposition::Contested, "{told:?}");
    ensure!(told.because.rival_count == 2, "{:?}", told.because);
    let again = rig.tell(undone).await?;
    ensure!(again.disposition == Disposition::NoChange && again.written.is_none());
    let belief = rig.believe("Ada", "lives in", AsOf::default()).await?;
    ensure!(belief.sides.len() == 3, "{:?}", sides(&belief));
    Ok(())
}

pub(super) async fn denied<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1).with_oracle();
    let (_, second) = queued(&rig).await?;
    let told = judged(&rig, &second, OracleVerdict::Deny).await?;
    ensure!(told.disposition == Disposition::Denied, "{told:?}");
    ensure!(pending(&rig).await?.is_empty(), "it still waits");
    let belief = rig.believe("Ada", "born in", AsOf::default()).await?;
    ensure!(sides(&belief) == [r#""Lisbon""#], "{:?}", sides(&belief));
    let size = store.size().await?;
    let again = rig.user_says("Ada", "born in", "Porto").await?;
    ensure!(again.disposition == Disposition::DeniedAlready, "{again:?}");
    ensure!(again.reference == second && store.size().await? == size);
    Ok(())
}

pub(super) async fn undecided<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1).with_oracle();
    let (_, second) = queued(&rig).await?;
    let told = judged(&rig, &second, OracleVerdict::Unknown).await?;
    ensure!(told.disposition == Disposition::Contested, "{told:?}");
    ensure!(pending(&rig).await?.is_empty(), "it still waits");
    ensure_eq!(rig.contested(AsOf::default()).await?.len(), 1);
    Ok(())
}

pub(super) async fn expired<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1).with_oracle();
    queued(&rig).await?;
    setup.set_clock(START_US + 29 * DAY_US);
    ensure_eq!(pending(&rig).await?.len(), 1);
    setup.set_clock(START_US + 31 * DAY_US);
    ensure!(pending(&rig).await?.is_empty(), "it waits after 31 days");
    let belief = rig.believe("Ada", "born in", AsOf::default()).await?;
    ensure_eq!(belief.status, BeliefStatus::Contested);
    Ok(())
}

pub(super) async fn evidence<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1).with_oracle();
    let (_, second) = queued(&rig).await?;
    let model = rig.channels.model();
    let guess = Assertion::verdict(&model, second.clone(), OracleVerdict::Affirm, Vec::new())?;
    let refused = rig.ask(ClaimRequest::Assert(guess)).await?;
    ensure!(refused.is_err(), "a model has judged: {refused:?}");
    let cited = Assertion::verdict(
        &rig.channels.user(),
        second.clone(),
        OracleVerdict::Affirm,
        vec![WorldId::new("nowhere")?],
    )?;
    let refused = rig.ask(ClaimRequest::Assert(cited)).await?;
    ensure_matches!(refused, Err(ClaimError::AnchorNotFound(_)));
    let said = dated(&rig.channels.model(), "Bob", "born in", "Faro")?;
    let said = rig.tell(said).await?.reference;
    let user = rig.channels.user();
    let cited = Assertion::verdict(&user, second, OracleVerdict::Affirm, vec![said])?;
    let refused = rig.ask(ClaimRequest::Assert(cited)).await?;
    ensure_matches!(refused, Err(ClaimError::InadmissibleEvidence));
    ensure_eq!(pending(&rig).await?.len(), 1);
    Ok(())
}
