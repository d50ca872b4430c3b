//! `claim`: stating facts, and assertions about them.

mod add;
mod assertions;
mod did;
mod ledger;
mod show;

pub(crate) use assertions::assert;

use crate::args::ClaimCommand;
use crate::commands::extract;
use crate::context::Context;
use crate::failure::Failure;

pub(crate) async fn run(context: &Context, command: ClaimCommand) -> Result<(), Failure> {
    match command {
        ClaimCommand::Add(args) => add::run(context, args).await,
        ClaimCommand::End(args) => assertions::end(context, args).await,
        ClaimCommand::Reopen(args) => assertions::reopen(context, args).await,
        ClaimCommand::Release(args) => assertions::release(context, args).await,
        ClaimCommand::Supersede(args) => assertions::supersede(context, args).await,
        ClaimCommand::Show(args) => show::run(context, args).await,
        ClaimCommand::Ledger(args) => ledger::run(context, args).await,
        ClaimCommand::Did(args) => did::run(context, args).await,
        ClaimCommand::Import(args) => extract::import(context, args).await,
    }
}
