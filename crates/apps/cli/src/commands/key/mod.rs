//! `key`: the agent's keys over its life, from the commitment to the replacement of a stolen one (capsules 4.7).

pub(crate) mod begin;
mod compromise;
mod export;
mod guard;
mod rotate;
mod show;

use crate::args::KeyCommand;
use crate::context::Context;
use crate::failure::Failure;

pub(crate) async fn run(context: &Context, command: KeyCommand) -> Result<(), Failure> {
    match command {
        KeyCommand::Show(args) => show::run(context, args).await,
        KeyCommand::Begin(args) => begin::run(context, args).await,
        KeyCommand::Rotate(args) => rotate::run(context, args).await,
        KeyCommand::Compromise(args) => compromise::run(context, args).await,
        KeyCommand::Export(args) => export::run(context, args).await,
        KeyCommand::Encrypt(args) => guard::encrypt(context, args),
        KeyCommand::Decrypt(args) => guard::decrypt(context, args),
    }
}
