//! Cases: many at once on one store: one winner for each pair, no failed read, nothing lost (I5, I7, I9).

use std::collections::BTreeMap;
use std::sync::Arc;

use counterfoil_claims::belief::BeliefStatus;
use counterfoil_claims::{ClaimRef, Disposition, Settings};

use super::super::support::{Fault, all, opened};
use super::super::{Factory, Outcome};
use super::rig::{Rig, dated};
use crate::{AsOf, CapsuleLog, ClaimStore};

/// Number of tasks; two of them contradict each other on each line.
const TASKS: usize = 8;
/// Number of lines that each pair of tasks contradicts itself on.
const LINES: usize = 12;

/// Answer to a task: the line, the disposition, and the unit.
type Told = (String, Disposition, ClaimRef);

pub(super) async fn race<F: Factory<Store: ClaimStore>>(
    factory: &F,
    oracle_days: Option<u32>,
) -> Outcome {
    let (setup, store) = opened(factory);
    let mut rig = Rig::new(&store, &setup, 1);
    rig.settings = Arc::new(Settings {
        oracle_days,
        ..Settings::default()
    });
    let told = all((0..TASKS).map(|number| task(&rig, number))).await;
    let mut by_line: BTreeMap<String, Vec<Disposition>> = BTreeMap::new();
    for answers in told {
        for (line, disposition, unit) in answers? {
            let kept = store.unit_of(&unit).await?;
            ensure!(kept.is_some(), "an acknowledged claim of {line} is lost");
            by_line.entry(line).or_default().push(disposition);
        }
    }
    let second = match oracle_days {
        None => Disposition::Contested,
        Some(_) => Disposition::QueuedForAdjudication,
    };
    ensure_eq!(by_line.len(), LINES * TASKS / 2);
    for (line, mut dispositions) in by_line {
        dispositions.sort_unstable();
        ensure_eq!(dispositions, [Disposition::Committed, second]);
        let belief = rig.believe(&line, "lives in", AsOf::default()).await?;
        ensure!(
            belief.status == BeliefStatus::Contested,
            "{line} is {:?}",
            belief.status
        );
        ensure!(
            belief.sides.len() == 2,
            "{line} has {} sides",
            belief.sides.len()
        );
    }
    let entries = u64::try_from(LINES * TASKS)?;
    ensure!(store.size().await? == entries, "the log holds more or less");
    Ok(())
}

/// Claims a value of its own on each line that it has in common with its rival, and reads in between.
async fn task<S: ClaimStore>(rig: &Rig<'_, S>, number: usize) -> Result<Vec<Told>, Fault> {
    let (user, pair) = (rig.channels.user(), number / 2);
    let mut told = Vec::new();
    for line in 0..LINES {
        let subject = format!("resident {pair}-{line}");
        let claim = dated(&user, &subject, "lives in", &format!("town {number}"))?;
        let outcome = rig.tell(claim).await?;
        let (unit, _, _) = outcome.written.ok_or("nothing was written")?;
        let belief = rig.believe(&subject, "lives in", AsOf::default()).await?;
        ensure!(
            matches!(
                belief.status,
                BeliefStatus::Resolved | BeliefStatus::Contested
            ),
            "{subject} is {:?} for who has claimed it",
            belief.status
        );
        told.push((subject, outcome.disposition, unit));
    }
    Ok(told)
}
