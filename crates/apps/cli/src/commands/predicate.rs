//! `claim predicate` and `claim predicates`: how many values a predicate holds.

use clap::{Args, Subcommand};
use counterfoil_claims::Cardinality;

use crate::context::Context;
use crate::failure::Failure;

/// Commands about the vocabulary of predicates.
#[derive(Debug, Subcommand)]
pub(crate) enum PredicateCommand {
    /// Say whether a predicate holds one value or many: it counts at once for all that is kept
    Predicate {
        /// The predicate; `member of`, `member_of` and `member-of` are one
        #[arg(allow_hyphen_values = true)]
        name: String,
        #[command(flatten)]
        holds: HoldsArgs,
    },
    /// List the predicates of which it is known how many values they hold
    Predicates,
}

/// Number of values that a predicate holds at a time.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct HoldsArgs {
    /// Many values at a time: a second one contradicts nothing
    #[arg(long)]
    many: bool,
    /// One value at a time
    #[arg(long)]
    one: bool,
}

pub(crate) async fn run(context: &Context, command: PredicateCommand) -> Result<(), Failure> {
    let memory = &context.memory;
    match command {
        PredicateCommand::Predicate { name, holds } => {
            let cardinality = match holds.many {
                true => Cardinality::Many,
                false => Cardinality::One,
            };
            let set = memory.set_predicate(&name, cardinality).await?;
            let lines = [("predicate", "predicate"), ("holds", "cardinality")];
            context.out.lines(&set, &lines)
        }
        PredicateCommand::Predicates => {
            let columns = [
                ("predicate", "predicate"),
                ("holds", "cardinality"),
                ("since", "{since:minute|built in}"),
            ];
            let predicates = memory.predicates().await?;
            context
                .out
                .list(&predicates, ("predicates", "None."), &columns)
        }
    }
}
