//! Cases: what a reader is told beside a belief: doubt about its sources, and its age (I10, I11).

use std::sync::Arc;

use counterfoil_claims::belief::{Currency, Marker, Support};
use counterfoil_claims::{Assertion, CurrencyLimits, Disposition, Settings, Target};

use super::super::support::{draft, opened, put};
use super::super::{Factory, Outcome};
use super::rig::{DAY_US, Rig, START_US, as_of, fact, predicate_of};
use crate::{AsOf, ClaimRequest, ClaimStore};

/// A claim, what a model derived from it, and what it derived from that.
pub(super) async fn shaken<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let rig = Rig::new(&store, &setup, 1);
    put(&store, &setup, draft("letter", "from Lisbon")?).await?;
    let (user, model) = (rig.channels.user(), rig.channels.model());
    let root = rig.user_says("Ada", "lives in", "Lisbon").await?.reference;
    let guess = fact(&model, "Ada", "speaks", "Portuguese")?.derived_from(vec![root.clone()])?;
    let guess = rig.tell(ClaimRequest::Submit(guess)).await?;
    ensure_eq!(guess.disposition, Disposition::CommittedInferred);
    let further = fact(&model, "Ada", "reads", "Pessoa")?.derived_from(vec![guess.reference])?;
    rig.tell(ClaimRequest::Submit(further)).await?;
    let then = START_US + DAY_US;
    setup.set_clock(then + DAY_US);
    let before = rig.believe("Ada", "reads", as_of(then)).await?;
    ensure_eq!(before.support, Some(Support::Inferred));
    ensure!(!before.markers.contains(&Marker::PendingReview));
    let moved = fact(&user, "Ada", "lives in", "Porto")?.superseding(vec![root.clone()])?;
    rig.tell(ClaimRequest::Submit(moved)).await?;
    for predicate in ["speaks", "reads"] {
        let belief = rig.believe("Ada", predicate, AsOf::default()).await?;
        ensure!(
            belief.markers.contains(&Marker::PendingReview),
            "`{predicate}` rests on what was superseded: {:?}",
            belief.markers
        );
    }
    let again = rig.believe("Ada", "reads", as_of(then)).await?;
    ensure!(again == before, "another answer of the past");
    let ended = Assertion::end(&user, Target::Claim(root), None);
    let told = rig.ask(ClaimRequest::Assert(ended)).await?;
    ensure!(told.is_ok(), "{told:?}");
    Ok(())
}

pub(super) async fn aging<F: Factory<Store: ClaimStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let mut rig = Rig::new(&store, &setup, 1);
    let slow = CurrencyLimits {
        fresh_days: 365,
        aging_days: 1_000,
    };
    rig.settings = Arc::new(Settings {
        currency_of: [(predicate_of("born in")?, slow)].into_iter().collect(),
        ..Settings::default()
    });
    rig.user_says("Ada", "lives in", "Lisbon").await?;
    rig.user_says("Ada", "born in", "Faro").await?;
    for (days, expected) in [
        (1, Currency::Fresh),
        (40, Currency::AgingUnconfirmed),
        (100, Currency::Decayed),
    ] {
        let asked = as_of(START_US + days * DAY_US);
        let found = rig.believe("Ada", "lives in", asked).await?;
        let found: Vec<_> = found.sides.iter().map(|side| side.currency).collect();
        ensure!(found == [expected], "{found:?} after {days} days");
        let slow = rig.believe("Ada", "born in", asked).await?;
        let slow: Vec<_> = slow.sides.iter().map(|side| side.currency).collect();
        ensure!(slow == [Currency::Fresh], "{slow:?} after {days} days");
    }
    Ok(())
}
