//! `exchange`: what was asked, and what became of it.

mod list;

use counterfoil_exchange::documents::RequestId;
use counterfoil_peer::ExchangeReport;
use counterfoil_store::{ExchangeStore, StoredExchange};

use super::ask::{Net, Shown, Way, checking, interrupted, tell};
use crate::args::{ExchangeCommand, ExchangeIdArgs, ExchangeResumeArgs};
use crate::context::Context;
use crate::exchange::{host, peers, settings};
use crate::failure::Failure;
use crate::interrupt::unless_interrupted;

/// The most exchanges that are looked through for the beginning of an id.
const LOOKED_AT: usize = 1_000;

pub(crate) async fn run(context: &Context, command: ExchangeCommand) -> Result<(), Failure> {
    match command {
        ExchangeCommand::List(args) => list::run(context, &args).await,
        ExchangeCommand::Show(args) => on_one(context, &args, Doing::Showing).await,
        ExchangeCommand::Cancel(args) => on_one(context, &args, Doing::Cancelling).await,
        ExchangeCommand::Adopt(args) => on_one(context, &args, Doing::Adopting).await,
        ExchangeCommand::Resume(args) => resume(context, &args).await,
    }
}

#[derive(Clone, Copy)]
enum Doing {
    Showing,
    Cancelling,
    Adopting,
}

async fn on_one(context: &Context, args: &ExchangeIdArgs, doing: Doing) -> Result<(), Failure> {
    context.home.must_exist()?;
    let settings = settings::read(&context.home)?;
    let host = host::open(&context.home, &settings).await?;
    let records = peers::records(&context.home, host.store.as_ref()).await?;
    let id = named(host.store.as_ref(), &args.id).await?.begun.id;
    let asking = checking(host, &settings, false);
    if let Doing::Cancelling = doing {
        must_go_on(&asking.report(&id).await?)?;
    }
    let report = match doing {
        Doing::Showing => asking.report(&id).await,
        Doing::Cancelling => asking.cancel(&id).await,
        Doing::Adopting => asking.adopt(&id).await,
    };
    let extent = match doing {
        Doing::Showing => Shown::States,
        Doing::Cancelling | Doing::Adopting => Shown::Outcome,
    };
    let store = &asking.host().store;
    match (
        doing,
        tell(context, store, &report?, &records, extent).await,
    ) {
        // To look at what did not succeed, or to give it up, succeeds.
        (Doing::Showing | Doing::Cancelling, Err(Failure::NotApproved(_))) => Ok(()),
        (_, told) => told,
    }
}

/// Refuses to give up an exchange that has ended.
fn must_go_on(report: &ExchangeReport) -> Result<(), Failure> {
    if !report.state.is_final() {
        return Ok(());
    }
    let state = report.state.name().replace('_', " ");
    Err(Failure::refused(
        format_args!("this exchange has ended ({state}): nothing is left to give up"),
        format_args!(
            "`counterfoil exchange show {}` tells how it went",
            report.id
        ),
    ))
}

async fn resume(context: &Context, args: &ExchangeResumeArgs) -> Result<(), Failure> {
    context.home.must_exist()?;
    let settings = settings::read(&context.home)?;
    let host = host::open(&context.home, &settings).await?;
    let records = peers::records(&context.home, host.store.as_ref()).await?;
    let begun = named(host.store.as_ref(), &args.id).await?.begun;
    let net = Net::new(args.plain_http, args.ca.as_deref())?;
    let mut way = Way::expecting(begun.peer, &begun.address, &net, &begun.id)?;
    let asking = checking(host, &settings, false);
    let resumed = asking.resume(&begun.id, way.transport.as_mut());
    let Some(report) = unless_interrupted(resumed).await? else {
        return Err(interrupted(begun.id.as_str()));
    };
    let store = &asking.host().store;
    tell(context, store, &report?, &records, Shown::Outcome).await
}

/// The exchange of that id, or of an id that begins so.
async fn named(store: &(impl ExchangeStore + ?Sized), id: &str) -> Result<StoredExchange, Failure> {
    let unknown = || {
        Failure::input(
            format_args!("there is no exchange {id}"),
            "`counterfoil exchange list` shows those there are",
        )
    };
    if let Ok(whole) = id.parse::<RequestId>() {
        return store.exchange(&whole).await?.ok_or_else(unknown);
    }
    let newest = store.exchanges(None, LOOKED_AT).await?;
    let mut fitting = newest
        .into_iter()
        .filter(|stored| !id.is_empty() && stored.begun.id.as_str().starts_with(id));
    match (fitting.next(), fitting.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(unknown()),
        (Some(_), Some(_)) => Err(Failure::input(
            format_args!("more than one exchange begins with {id}"),
            "write more of its id",
        )),
    }
}
