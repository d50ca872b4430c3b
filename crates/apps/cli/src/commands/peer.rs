//! `peer` and `trust`: other agents, and how far each is trusted.

use counterfoil::{DistrustOptions, PeerOptions, Timestamp, text};
use counterfoil_exchange::trust::ONE_PPM;
use serde_json::Value;

use crate::args::{
    PeerAddArgs, PeerCommand, PeerDistrustArgs, PeerListArgs, TrustCommand, TrustExplainArgs, named,
};
use crate::context::Context;
use crate::dates;
use crate::failure::Failure;
use crate::output::{self, called, items, number, pairs, table, write_table};

pub(crate) async fn run(context: &Context, command: PeerCommand) -> Result<(), Failure> {
    match command {
        PeerCommand::Add(args) => add(context, args).await,
        PeerCommand::List(args) => list(context, args).await,
        PeerCommand::Pin(args) => {
            // A key chain alone says nothing of what is sent.
            let signs =
                (args.succession.is_none() || args.unsigned_ok).then_some(!args.unsigned_ok);
            let pinned = context
                .memory
                .pin_peer(&args.agent, signs, args.succession.as_deref());
            let pinned = pinned.await?;
            let peer = pinned.value();
            context.out.report(&pinned, |out| {
                let signs = match peer["signs"] == true {
                    true => "all that it sends",
                    false => "what it likes",
                };
                let mut lines = agent(peer);
                lines.push(("signs", signs.to_owned()));
                let succeeded = items(peer, "succeeded").iter();
                lines.extend(succeeded.map(|key| ("took the place of", output::text(key, ""))));
                pairs(out, &lines)
            })
        }
        PeerCommand::Trust(args) => {
            let until = args.until.as_deref().map(until).transpose()?;
            let trusted = context
                .memory
                .trust_peer(&args.agent, args.domain, until)
                .await?;
            let peer = trusted.value();
            context.out.report(&trusted, |out| {
                let mut lines = agent(peer);
                lines.push(("trusted", in_domain(peer)));
                lines.extend(
                    peer.get("until")
                        .map(|until| ("until", output::text(until, ""))),
                );
                lines.push(("level", level(peer)));
                pairs(out, &lines)
            })
        }
        PeerCommand::Distrust(args) => distrust(context, args).await,
    }
}

async fn add(context: &Context, args: PeerAddArgs) -> Result<(), Failure> {
    let options = PeerOptions {
        addresses: args.at,
        log: args.log,
        domains: args.domains,
        plain_http: args.plain_http,
    };
    let added = context.memory.add_peer(&args.name, &args.agent, options);
    let added = added.await?;
    let peer = added.value();
    context.out.report(&added, |out| {
        let mut lines = vec![("added", called(peer)), ("key", output::text(peer, "key"))];
        let addresses = items(peer, "addresses").iter();
        lines.extend(addresses.map(|at| ("asked at", text::name(output::text(at, "")))));
        lines.push(match peer.get("log") {
            Some(log) => ("its log", text::name(output::text(log, ""))),
            None => (
                "its log",
                "not known: receipts from it cannot be checked (--log)".to_owned(),
            ),
        });
        let domains: Vec<_> = items(peer, "domains")
            .iter()
            .map(|it| output::text(it, ""))
            .collect();
        if !domains.is_empty() {
            lines.push(("knows of", domains.join(", ")));
        }
        if peer["signs"] == true {
            lines.push(("signs", "all that it sends".to_owned()));
        }
        pairs(out, &lines)
    })
}

async fn list(context: &Context, args: PeerListArgs) -> Result<(), Failure> {
    let peers = context.memory.peers(args.domain.as_ref()).await?;
    context.out.report(&peers, |out| {
        let peers = items(peers.value(), "peers");
        if peers.is_empty() {
            return writeln!(
                out,
                "No agent is known here; `counterfoil peer add NAME DID|URL` adds one."
            );
        }
        let mut rows = table(&["name", "level", "signs", "asked at", "key"]);
        for peer in peers {
            let signs = if peer["signs"] == true { "all" } else { "" };
            rows.add_row([
                called(peer),
                level(peer),
                signs.to_owned(),
                text::name(output::text(peer, "/addresses/0")),
                output::text(peer, "key"),
            ]);
        }
        write_table(out, &rows)
    })
}

async fn distrust(context: &Context, args: PeerDistrustArgs) -> Result<(), Failure> {
    let options = DistrustOptions {
        domain: args.domain,
        reason: args.reason,
        by: args.by,
        mark: args.mark.map(named).transpose()?,
        clear: args.clear.map(named).transpose()?,
    };
    let distrusted = context.memory.distrust_peer(&args.agent, options).await?;
    let peer = distrusted.value();
    context.out.report(&distrusted, |out| {
        let mut lines = agent(peer);
        lines.push(("recorded", output::text(peer, "recorded")));
        lines.push(match peer.get("mark") {
            Some(mark) => ("mark", output::text(mark, "")),
            None => ("about", in_domain(peer)),
        });
        let by = distrusted.detail("by").as_str();
        lines.extend(by.map(|by| ("said by", by.to_owned())));
        lines.push(("level", level(peer)));
        pairs(out, &lines)
    })
}

/// `trust explain`: the paths of vouches, and their arithmetic (docs/format/trust.md).
pub(crate) async fn explain(context: &Context, command: TrustCommand) -> Result<(), Failure> {
    let TrustCommand::Explain(TrustExplainArgs {
        agent: named,
        domain,
    }) = command;
    let explained = context
        .memory
        .explain_trust(&named, domain.as_ref())
        .await?;
    let trust = explained.value();
    let decay_ppm = number(explained.detail("decayPpm"), "");
    context.out.report(&explained, |out| {
        let mut lines = agent(trust);
        lines.push(("about", in_domain(trust)));
        lines.push(("level", level(trust)));
        lines.push(("because", output::text(trust, "why")));
        let caps = explained.detail("caps").as_array().into_iter().flatten();
        lines.extend(caps.map(|cap| ("capped", output::text(cap, ""))));
        let left_out = number(trust, "leftOut");
        if left_out > 0 {
            lines.push((
                "left out",
                format!("{left_out} vouches: there are too many"),
            ));
        }
        pairs(out, &lines)?;
        let paths = items(trust, "paths");
        if paths.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let mut rows = table(&["path", "arithmetic", "ppm"]);
        for path in paths {
            let called = items(path, "called")
                .iter()
                .map(|name| output::text(name, ""));
            // The first hop, then each further one with the share that a hop leaves: `1.0 x 0.6 x 0.8`.
            let edges = items(path, "edgesPpm").iter().filter_map(Value::as_u64);
            let hops = edges.enumerate().map(|(at, edge)| match at {
                0 => decimal(edge),
                _ => format!("{} x {}", decimal(edge), decimal(decay_ppm)),
            });
            rows.add_row([
                called.collect::<Vec<_>>().join(" > "),
                hops.collect::<Vec<_>>().join(" x "),
                output::text(path, "weightPpm"),
            ]);
        }
        let needed = format!("{} needed", number(trust, "thresholdPpm"));
        rows.add_row(["sum".to_owned(), needed, output::text(trust, "scorePpm")]);
        write_table(out, &rows)
    })
}

/// Parses the first moment of a future date.
pub(super) fn until(date: &str) -> Result<Timestamp, Failure> {
    let wrong = |why: &str| {
        Failure::input(
            format_args!("--until {date:?}: {why}"),
            "write a later date",
        )
    };
    let micros = dates::recorded(date).map_err(|why| wrong(&why))?;
    let until = Timestamp::from_micros(micros).map_err(|error| wrong(&error.to_string()))?;
    let now = jiff::Timestamp::now().as_microsecond();
    if i64::try_from(micros).is_ok_and(|until| until <= now) {
        return Err(wrong("this is past"));
    }
    Ok(until)
}

fn agent(peer: &Value) -> Vec<(&'static str, String)> {
    vec![("agent", called(peer)), ("key", output::text(peer, "key"))]
}

/// `3 direct`.
fn level(peer: &Value) -> String {
    format!(
        "{} {}",
        number(peer, "level"),
        output::text(peer, "levelName")
    )
}

/// `in cooking`, or in all.
fn in_domain(peer: &Value) -> String {
    match peer["domain"].as_str() {
        Some(domain) => format!("in {domain}"),
        None => "in all domains".to_owned(),
    }
}

/// Parts per million as a decimal number, without trailing zeros.
fn decimal(ppm: u64) -> String {
    let digits = format!("{:06}", ppm % ONE_PPM);
    let digits = digits.trim_end_matches('0');
    format!(
        "{}.{}",
        ppm / ONE_PPM,
        if digits.is_empty() { "0" } else { digits }
    )
}
