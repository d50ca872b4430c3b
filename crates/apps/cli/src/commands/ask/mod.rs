//! `ask`: asks another agent, checks what it answers, and keeps what may be kept.

mod document;
mod more;
mod telling;
mod way;

use std::sync::Arc;
use std::time::{Duration, Instant};

use counterfoil_exchange::conversation::render_request;
use counterfoil_exchange::documents::{Filters, Format, MemoryQuery, Text};
use counterfoil_exchange::machine::ExchangeState;
use counterfoil_exchange::trust::Records;
use counterfoil_fetch::Fetcher;
use counterfoil_peer::asking::{CONVERSATION, StorePolicy};
use counterfoil_peer::{Asking, ExchangeQuestion, ExchangeReport, Host};
use counterfoil_verify::Verdict;

use crate::args::{AskArgs, FormatName};
use crate::context::Context;
use crate::exchange::settings::ExchangeSettings;
use crate::exchange::{host, peers, settings};
use crate::failure::{ErrorKind, Failure};
use crate::interrupt::unless_interrupted;

pub(super) use document::document;
use document::transitions;
pub(super) use telling::human;
pub(super) use way::{Net, Way};

/// Time limit of a question for a conversation, in microseconds: somebody has to carry it there.
const CONVERSED_US: u64 = 300_000_000;

pub(crate) async fn run(context: &Context, args: AskArgs) -> Result<(), Failure> {
    context.home.must_exist()?;
    let settings = settings::read(&context.home)?;
    let query = query(&args)?;
    let host = host::open(&context.home, &settings).await?;
    let records = peers::records(&context.home, host.store.as_ref()).await?;
    let net = Net::new(args.plain_http, args.ca.as_deref())?;
    let asking = asking(host, &settings, &args);
    if args.as_text {
        return as_text(context, &asking, &args, query, &records);
    }
    let (begun, whole) = (Instant::now(), Duration::from_secs(args.timeout.into()));
    let mut way = Way::find(&records, &args.target, &net, whole / 2).await?;
    let question = ExchangeQuestion {
        query,
        format: format(args.format),
        max_results: args.max,
        cursor: cursor(&args)?,
        peer: way.peer,
        address: way.address.clone(),
        timeout_us: u64::try_from(whole.saturating_sub(begun.elapsed()).as_micros())
            .unwrap_or(u64::MAX),
        store_policy: store_policy(&args),
    };
    let id = asking.draw()?;
    let asked = asking.ask_under(id.clone(), question, way.transport.as_mut());
    let Some(report) = unless_interrupted(asked).await? else {
        return Err(interrupted(id.as_str()));
    };
    let store = &asking.host().store;
    tell(context, store, &report?, &records, Shown::Outcome).await
}

/// Extent of the view of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// The state.
    Outcome,
    /// Each state that it was in, too.
    States,
}

/// Shows how an exchange went, and ends as it went.
pub(super) async fn tell(
    context: &Context,
    store: &Arc<dyn counterfoil_peer::Store>,
    report: &ExchangeReport,
    records: &Records,
    extent: Shown,
) -> Result<(), Failure> {
    let stored = store.exchange(&report.id).await?;
    let begun = stored.as_ref().map(|stored| &stored.begun);
    let mut shown = document(report, begun, records);
    let rows = match (extent, &stored) {
        (Shown::States, Some(stored)) => stored.transitions.as_slice(),
        _ => &[],
    };
    if let (Shown::States, Some(members)) = (extent, shown.as_object_mut()) {
        members.insert("transitions".into(), transitions(rows));
    }
    context.out.answer(&shown, |out| {
        human(out, report, &shown)?;
        telling::states(out, rows)
    })?;
    match report.state {
        ExchangeState::Rejected | ExchangeState::Declined => {
            Err(Failure::NotApproved(Verdict::Rejected))
        }
        ExchangeState::NoMatch
        | ExchangeState::Verified
        | ExchangeState::PartiallyVerified
        | ExchangeState::Stored
        | ExchangeState::Discarded => Ok(()),
        _ => Err(Failure::NotApproved(Verdict::Indeterminate)),
    }
}

/// Failure after Ctrl-C, with the command that resumes the exchange.
pub(super) fn interrupted(id: &str) -> Failure {
    Failure::new(
        ErrorKind::Interrupted,
        format!(
            "interrupted; nothing is lost: `counterfoil exchange resume {id}` goes on with it, `counterfoil exchange cancel {id}` \
         gives it up"
        ),
    )
}

fn asking(host: Host, settings: &ExchangeSettings, args: &AskArgs) -> Asking {
    let asking = checking(host, settings, args.fetch_evidence);
    if args.anonymous {
        asking.anonymous()
    } else {
        asking
    }
}

/// Asks with the settings of this store; evidence is fetched if they or the caller say so.
pub(super) fn checking(host: Host, settings: &ExchangeSettings, fetch: bool) -> Asking {
    let asking = Asking::new(host).fresh_for(settings.freshness);
    if fetch || settings.fetch_evidence {
        return asking.fetching(Arc::new(Fetcher::default()));
    }
    asking
}

fn query(args: &AskArgs) -> Result<MemoryQuery, Failure> {
    let natural = Text::new(args.question.as_str()).map_err(|error| {
        Failure::input(format_args!("the question: {error}"), "write another one")
    })?;
    Ok(MemoryQuery {
        natural,
        domain: args.domain.clone(),
        keywords: Vec::new(),
        time_range: None,
        filters: Filters {
            min_trust_level: args.min_level.filter(|level| *level > 0),
            require_evidence: args.require_evidence,
            require_vouches: args.require_vouches,
        },
    })
}

fn cursor(args: &AskArgs) -> Result<Option<Text<1024>>, Failure> {
    let cursor = args.cursor.as_deref().map(Text::new).transpose();
    cursor.map_err(|error| {
        Failure::input(
            format_args!("--cursor is none ({error})"),
            "give the one of the answer before, whole",
        )
    })
}

/// Prints the question for a conversation. It is anonymous there, and nothing is recorded of it.
fn as_text(
    context: &Context,
    asking: &Asking,
    args: &AskArgs,
    query: MemoryQuery,
    records: &Records,
) -> Result<(), Failure> {
    let named = records.named(&args.target).and_then(|known| known.name);
    let to = named.map_or_else(|| args.target.clone(), |name| name.to_string());
    let question = ExchangeQuestion {
        query,
        format: format(args.format),
        max_results: args.max,
        cursor: None,
        peer: None,
        address: CONVERSATION.to_owned(),
        timeout_us: CONVERSED_US,
        store_policy: store_policy(args),
    };
    let request = asking.clone().anonymous().request(question)?;
    let text = render_request(&to, &request).unwrap_or_else(|| {
        format!(
            "```json\n{}\n```\n",
            String::from_utf8_lossy(request.bytes())
        )
    });
    context.out.text(&text)
}

const fn format(name: FormatName) -> Format {
    match name {
        FormatName::Attestation => Format::Attestation,
        FormatName::Raw => Format::Raw,
        FormatName::Summary => Format::Summary,
    }
}

const fn store_policy(args: &AskArgs) -> StorePolicy {
    match (args.dry_run, args.keep_raw) {
        (true, _) => StorePolicy::None,
        (false, true) => StorePolicy::All,
        (false, false) => StorePolicy::Attested,
    }
}
