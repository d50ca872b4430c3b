//! `peer`: other agents, and how far they are trusted.

mod add;
mod card;
mod chain;
mod distrust;
mod list;
mod pin;
mod trust;

use counterfoil_exchange::trust::KnownAgent;

use crate::args::PeerCommand;
use crate::context::Context;
use crate::failure::Failure;

pub(crate) async fn run(context: &Context, command: PeerCommand) -> Result<(), Failure> {
    match command {
        PeerCommand::Add(args) => add::run(context, args).await,
        PeerCommand::List(args) => list::run(context, args).await,
        PeerCommand::Pin(args) => pin::run(context, args).await,
        PeerCommand::Trust(args) => trust::run(context, args).await,
        PeerCommand::Distrust(args) => distrust::run(context, args).await,
    }
}

fn name(known: &KnownAgent) -> Option<String> {
    known.name.as_ref().map(ToString::to_string)
}
