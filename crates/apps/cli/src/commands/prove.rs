//! `prove`: a proof of a belief, for whoever has to rely on it (docs/format/belief.md).

use counterfoil_actor::claims::prove_belief;
use counterfoil_actor::{ActError, ProveBeliefError};
use counterfoil_claims::belief::BeliefStatus;
use counterfoil_store::AsOf;

use crate::args::ProveArgs;
use crate::claims::desk::Desk;
use crate::claims::refusals::refused;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::files::write_file;
use crate::floor;
use crate::output::json_text;
use crate::output::notice;
use crate::recall;

pub(crate) async fn run(context: &Context, args: ProveArgs) -> Result<(), Failure> {
    let home = &context.home;
    let desk = Desk::reading(home, None)?;
    let floor = floor::asked(home, args.floor)?;
    if let Some(floor) = floor {
        floor.must_lie_in(desk.store.as_ref()).await?;
    }
    let line = desk.line(&args.subject, &args.predicate)?;
    let proof = prove_belief(
        desk.store.as_ref(),
        line,
        AsOf::from(args.when),
        std::sync::Arc::clone(&desk.settings),
        floor.map(floor::Asked::size),
    );
    let proof = proof.await.map_err(failure)?;
    desk.hand_out([&proof.belief]).await;
    if proof.belief.status == BeliefStatus::Contested {
        notice("the belief is contested: the proof shows all sides");
    }
    let text = json_text(&proof.document)?;
    match &args.output {
        Some(path) => {
            write_file(path, &text)?;
            context.out.written(path)
        }
        None => context.out.text(&text),
    }
}

/// Who has to act when there is no proof.
fn failure(error: ActError) -> Failure {
    match error {
        ActError::Refused(refusal) => refused(refusal).into(),
        ActError::Prove(error @ ProveBeliefError::NoUnits) => {
            Failure::input(error, "ask about something that was stated")
        }
        ActError::Prove(
            error @ (ProveBeliefError::TooMany { .. } | ProveBeliefError::TooLarge { .. }),
        ) => Failure::new(ErrorKind::Input, error.to_string()),
        ActError::Prove(error @ ProveBeliefError::Apart { .. }) => Failure::unproven(
            error,
            "`counterfoil history SUBJECT PREDICATE` shows what was written",
        ),
        ActError::Prove(error @ ProveBeliefError::UnitGone { .. }) => Failure::unproven(
            error,
            "bring it back with `counterfoil restore`, or ask as of a time before it",
        ),
        other => recall::failure(other).into(),
    }
}
