//! `claim alias` and `claim aliases`: names that mean one subject.

use clap::Subcommand;

use crate::context::Context;
use crate::failure::Failure;

/// Commands about the names of subjects.
#[derive(Debug, Subcommand)]
pub(crate) enum AliasCommand {
    /// Say that a name is another name of a subject: what is said of either is believed of both
    Alias {
        /// The other name
        name: String,
        /// Main name of the subject, under which you write from now on
        #[arg(required_unless_present = "none")]
        subject: Option<String>,
        /// Take it back: both are subjects of their own again
        #[arg(long, conflicts_with = "subject")]
        none: bool,
    },
    /// List the names that are other names of a subject
    Aliases,
}

pub(crate) async fn run(context: &Context, command: AliasCommand) -> Result<(), Failure> {
    let memory = &context.memory;
    match command {
        AliasCommand::Alias { name, subject, .. } => {
            let set = memory.set_alias(&name, subject.as_deref()).await?;
            let lines = [
                ("name", "name"),
                ("of", "{of|none: it is a subject of its own}"),
            ];
            context.out.lines(&set, &lines)
        }
        AliasCommand::Aliases => {
            let columns = [("name", "name"), ("of", "of"), ("since", "{since:minute}")];
            let aliases = memory.aliases().await?;
            context.out.list(&aliases, ("aliases", "None."), &columns)
        }
    }
}
