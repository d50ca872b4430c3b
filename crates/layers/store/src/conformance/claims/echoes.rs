//! Cases: what corroborates, what is an echo, and that reads write nothing (I4, I6, I10; docs/format/claims.md 4).

use std::sync::Arc;

use counterfoil_claims::time::Boundary;
use counterfoil_claims::{ActKind, Assertion, Channel, Channels, ClaimRef, Disposition, Target};
use counterfoil_types::{DidKey, Scope, WorldId};

use super::super::support::{Fault, draft, opened, put};
use super::super::{Factory, Outcome, seeded_entropy};
use super::rig::{Rig, START_US, as_of, fact, since, subject_of};
use crate::{AsOf, CapsuleLog, ClaimRequest, ClaimStore, Entropy};

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

pub(super) async fn echoed<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    let told = rig.user_says("Ada", "lives in", "Lisbon").await?;
    put(&store, &setup, draft("letter", "from Lisbon")?).await?;
    for channel in [rig.channels.recall(), rig.channels.model()] {
        let echo = fact(&channel, "Ada", "lives in", "Lisbon")?;
        let echo = rig.tell(ClaimRequest::Submit(echo)).await?;
        let nothing = echo.disposition == Disposition::Corroborated && echo.written.is_none();
        ensure!(nothing && echo.because.re_entry, "an echo: {echo:?}");
        ensure_eq!(&echo.reference, &told.reference);
    }
    ensure!(store.size().await? == 2, "an echo is in the log");
    // What brings evidence is no echo.
    let letter = WorldId::new("letter")?;
    let evidence = fact(&rig.channels.model(), "Ada", "lives in", "Lisbon")?;
    let evidence = ClaimRequest::Submit(evidence.citing(vec![letter])?);
    let told = rig.tell(evidence).await?;
    ensure!(told.written.is_some());
    Ok(())
}

/// Number of random scripts, each about a subject of its own, and of writes in each.
const SCRIPTS: u64 = 100;
const WRITES: u64 = 8;

/// Two stores, of which one is read between all writes: the same requests have the same answers, and the units and
/// beliefs are the same. Erasures are among the writes where the backend erases.
pub(super) async fn unread<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let stores = [opened(factory), opened(factory)];
    let (dice, reading) = (Dice(seeded_entropy(7)), Dice(seeded_entropy(8)));
    let mut now_us = START_US;
    for (setup, store) in &stores {
        setup.set_clock(now_us);
        put(store, setup, draft("letter", "from Lisbon")?).await?;
    }
    for script in 0..SCRIPTS {
        let subject = format!("Ada {script}");
        let mut claims: Vec<ClaimRef> = Vec::new();
        for _ in 0..WRITES {
            now_us = now_us.saturating_add(1_000_000);
            let erased = dice
                .one_of(&claims)?
                .filter(|_| dice.below(8).is_ok_and(|it| it == 0));
            let request = request(&dice, &subject, &claims)?;
            let mut answers = Vec::new();
            for (number, (setup, store)) in stores.iter().enumerate() {
                let rig = Rig::new(store, setup, 1);
                if number > 0 {
                    read(&rig, &reading, &subject, &claims).await?;
                }
                setup.set_clock(now_us);
                answers.push(match &erased {
                    Some(claim) => Err(factory.erase(setup, store, claim)),
                    None => Ok(rig.ask(request.clone()).await?),
                });
            }
            ensure!(
                answers.first() == answers.last(),
                "{request:?}: {answers:?}"
            );
            let written = answers.into_iter().flatten().flatten().next();
            claims.extend(written.map(|it| it.reference));
        }
        let mut found = Vec::new();
        for (setup, store) in &stores {
            let rig = Rig::new(store, setup, 1);
            let line = rig.line(&subject, "lives in")?;
            let units = store.units(line, None).await?;
            found.push((
                units,
                rig.believe(&subject, "lives in", as_of(now_us)).await?,
            ));
        }
        ensure!(found.first() == found.last(), "after reads: {found:?}");
    }
    Ok(())
}

/// Random numbers that repeat.
struct Dice(Arc<dyn Entropy>);

impl Dice {
    fn below(&self, end: usize) -> Result<usize, Fault> {
        let mut number = [0; 2];
        self.0.fill(&mut number)?;
        Ok(usize::from(u16::from_le_bytes(number))
            .checked_rem(end)
            .unwrap_or(0))
    }

    fn one_of<T: Clone>(&self, all: &[T]) -> Result<Option<T>, Fault> {
        Ok(all.get(self.below(all.len())?).cloned())
    }
}

/// A claim or an assertion about the subject through any channel.
fn request(dice: &Dice, subject: &str, claims: &[ClaimRef]) -> Result<ClaimRequest, Fault> {
    let channels = Channels::of_host();
    let of_peer = channels.peer(DidKey::from_public_key([9; 32]), 3);
    let own = [
        channels.user(),
        channels.first_hand(),
        channels.model(),
        channels.recall(),
    ];
    let all: Vec<Channel> = own.into_iter().chain(of_peer).collect();
    let channel = dice.one_of(&all)?.ok_or("no channel")?;
    let claim = dice.one_of(claims)?;
    if let Some(claim) = claim
        .clone()
        .filter(|_| dice.below(4).is_ok_and(|it| it == 0))
    {
        let end = dice
            .one_of(&[None, Some("2025-01-01"), Some("2026-06-01")])?
            .flatten();
        let at = end.map(Boundary::parse).transpose()?;
        return Ok(ClaimRequest::Assert(match dice.below(2)? {
            0 => Assertion::end(&channel, Target::Claim(claim), at),
            _ => Assertion::reopen(&channel, claim),
        }));
    }
    let value = dice.one_of(&["Lisbon", "Porto"])?.unwrap_or_default();
    let mut said = fact(&channel, subject, "lives in", value)?;
    if let Some(from) = dice
        .one_of(&[None, None, Some("2020-01-01"), Some("2024-01-01")])?
        .flatten()
    {
        said = said.valid(since(from)?)?;
    }
    if dice.below(4)? == 0 {
        said = said.citing(vec![WorldId::new("letter")?])?;
    }
    let superseded = claim.filter(|_| dice.below(2).is_ok_and(|it| it == 0));
    Ok(ClaimRequest::Submit(
        said.superseding(superseded.into_iter().collect())?,
    ))
}

/// Up to three reads of each kind.
async fn read<S: ClaimStore>(
    rig: &Rig<'_, S>,
    dice: &Dice,
    subject: &str,
    claims: &[ClaimRef],
) -> Outcome {
    let (agent, line, asked) = (rig.agent(), rig.line(subject, "lives in")?, AsOf::default());
    let settings = || rig.settings.clone();
    for _ in 0..3 {
        match dice.below(8)? {
            0 => drop(rig.store.believe(line.clone(), asked, settings()).await?),
            1 => {
                let of = subject_of(subject)?;
                let found =
                    rig.store
                        .believe_subject(agent, of, Scope::new(), None, asked, settings());
                drop(found.await?);
            }
            2 => drop(
                rig.store
                    .claim_history(line.clone(), asked, settings())
                    .await?,
            ),
            3 => drop(
                rig.store
                    .contested(agent, Scope::new(), asked, None, 10, settings())
                    .await?,
            ),
            4 => drop(
                rig.store
                    .ledger(agent, Scope::new(), dice.one_of(claims)?, None, 10)
                    .await?,
            ),
            5 => drop(rig.store.pending(agent, settings()).await?),
            6 => drop(rig.store.units(line.clone(), None).await?),
            _ => {
                for claim in claims {
                    rig.store.unit_of(claim).await?;
                }
            }
        }
    }
    Ok(())
}
