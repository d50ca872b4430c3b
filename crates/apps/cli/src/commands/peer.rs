//! `peer` and `trust`: other agents, and how far each is trusted.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use counterfoil::{DistrustOptions, Domain, Mark, PeerOptions, Timestamp, text};
use counterfoil_exchange::trust::ONE_PPM;
use serde_json::Value;

use crate::context::Context;
use crate::dates;
use crate::failure::Failure;
use crate::input::{Choice, one_of};
use crate::output::{self, filled, items, joined, lines_of, number, pairs, rows, texts};

#[derive(Debug, Subcommand)]
pub(crate) enum PeerCommand {
    /// Give an agent a name: its key, where it is asked, its log
    Add(PeerAddArgs),
    /// List the agents that are known, and how far each is trusted
    List {
        /// Domain of the trust [default: about anything, where only trust in all domains counts]
        #[arg(long, value_name = "D")]
        domain: Option<Domain>,
    },
    /// Say that a key signs all that it sends, or show by its key chain that it took another's place
    Pin {
        /// The agent, by name or key
        agent: String,
        /// It need not sign
        #[arg(long)]
        unsigned_ok: bool,
        /// Its key chain, as capsules: the key that it signs with now takes the place of the one that is known
        #[arg(long, value_name = "FILE")]
        succession: Option<PathBuf>,
    },
    /// Trust an agent directly: level 3
    Trust {
        /// The agent, by name or key
        agent: String,
        /// Only in this domain
        #[arg(long, value_name = "D")]
        domain: Option<Domain>,
        /// Until then
        #[arg(long, value_name = "T")]
        until: Option<String>,
    },
    /// Set the lowest level of trust at which claims of other agents decide a belief
    Minimum {
        /// The level
        #[arg(value_parser = clap::value_parser!(u8).range(1..=3))]
        level: u8,
        /// Only in this domain
        #[arg(long, value_name = "D")]
        domain: Option<Domain>,
    },
    /// Trust an agent no more: level 0; or say what lowers it
    Distrust(PeerDistrustArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PeerAddArgs {
    /// Name of the agent here
    pub(crate) name: String,
    /// Its key; or its URL, whose agent card says it
    #[arg(value_name = "DID|URL")]
    pub(crate) agent: String,
    /// Address of the agent: a URL or a folder; can be repeated
    #[arg(long = "at", value_name = "URL|DIR")]
    pub(crate) at: Vec<String>,
    /// The verifier key of its log
    #[arg(long, value_name = "KEY")]
    pub(crate) log: Option<String>,
    /// Domain of the agent's knowledge; can be repeated
    #[arg(long = "domain", value_name = "D")]
    pub(crate) domains: Vec<Domain>,
    /// Ask plain HTTP elsewhere than on this machine
    #[arg(long)]
    pub(crate) plain_http: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PeerDistrustArgs {
    /// The agent, by name or key
    pub(crate) agent: String,
    /// Only in this domain
    #[arg(long, value_name = "D")]
    pub(crate) domain: Option<Domain>,
    /// Reason
    #[arg(long)]
    pub(crate) reason: Option<String>,
    /// Record an observation of the agent, in place of distrust
    #[arg(long, value_parser = one_of(&MARKS), conflicts_with = "domain")]
    pub(crate) mark: Option<Mark>,
    /// Note that another agent says so, in place of doing it oneself
    #[arg(long, value_name = "AGENT", conflicts_with_all = ["mark", "clear"])]
    pub(crate) by: Option<String>,
    /// Take a mark back
    #[arg(long, value_parser = one_of(&MARKS), conflicts_with_all = ["mark", "domain"])]
    pub(crate) clear: Option<Mark>,
}

const MARKS: [Choice<Mark>; 3] = [
    (
        "equivocation",
        "Two answers to one question",
        Mark::Equivocation,
    ),
    ("framing", "It blamed somebody falsely", Mark::Framing),
    ("compromise", "Its key is in other hands", Mark::Compromise),
];

#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// Explain the trust in an agent: the paths and the arithmetic
    Explain {
        /// The agent, by name or key
        agent: String,
        /// About this domain
        #[arg(long, value_name = "D")]
        domain: Option<Domain>,
    },
}

/// Lines that several answers have.
const AGENT: (&str, &str) = ("agent", "{:agent}");
const KEY: (&str, &str) = ("key", "key");
/// `3 direct`.
const LEVEL: (&str, &str) = ("level", "{level} {levelName}");
/// `in cooking`, or in all.
const IN_DOMAIN: &str = "in {domain|all domains}";

pub(crate) async fn run(context: &Context, command: PeerCommand) -> Result<(), Failure> {
    match command {
        PeerCommand::Add(args) => add(context, args).await,
        PeerCommand::List { domain } => list(context, domain).await,
        PeerCommand::Pin {
            agent,
            unsigned_ok,
            succession,
        } => {
            // A key chain alone says nothing of what is sent.
            let signs = (succession.is_none() || unsigned_ok).then_some(!unsigned_ok);
            let pinned = context
                .memory
                .pin_peer(&agent, signs, succession.as_deref());
            let pinned = pinned.await?;
            context.out.report(&pinned, |out, peer| {
                let signs = ("signs", "{signs?all that it sends:what it likes}");
                let mut lines = lines_of(peer, &[AGENT, KEY, signs]);
                let succeeded = texts(peer, "succeeded");
                lines.extend(succeeded.map(|key| ("took the place of", key)));
                pairs(out, &lines)
            })
        }
        PeerCommand::Trust {
            agent,
            domain,
            until: end,
        } => {
            let until = end.as_deref().map(until).transpose()?;
            let trusted = context.memory.trust_peer(&agent, domain, until);
            let lines = [
                AGENT,
                KEY,
                ("trusted", IN_DOMAIN),
                ("until", "?until"),
                LEVEL,
            ];
            context.out.lines(&trusted.await?, &lines)
        }
        PeerCommand::Minimum { level, domain } => {
            let set = context.memory.set_peer_minimum(level, domain).await?;
            context
                .out
                .lines(&set, &[("decides from", LEVEL.1), ("about", IN_DOMAIN)])
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
    context.out.report(&added, |out, peer| {
        let mut lines = lines_of(peer, &[("added", "{:agent}"), KEY]);
        let addresses = texts(peer, "addresses");
        lines.extend(addresses.map(|at| ("asked at", text::name(at))));
        let known = [
            (
                "its log",
                "{log:60|not known: receipts from it cannot be checked (--log)}",
            ),
            ("knows of", "?{domains:list}"),
            ("signs", "?{signs?all that it sends}"),
        ];
        lines.extend(lines_of(peer, &known));
        pairs(out, &lines)
    })
}

async fn list(context: &Context, domain: Option<Domain>) -> Result<(), Failure> {
    let peers = context.memory.peers(domain.as_ref()).await?;
    let nothing = "No agent is known here; `counterfoil peer add NAME DID|URL` adds one.";
    let columns = [
        ("name", "{:agent}"),
        LEVEL,
        ("signs", "{signs?all}"),
        ("asked at", "{/addresses/0:60}"),
        KEY,
    ];
    context.out.list(&peers, ("peers", nothing), &columns)
}

async fn distrust(context: &Context, args: PeerDistrustArgs) -> Result<(), Failure> {
    let options = DistrustOptions {
        domain: args.domain,
        reason: args.reason,
        by: args.by,
        mark: args.mark,
        clear: args.clear,
    };
    let distrusted = context.memory.distrust_peer(&args.agent, options).await?;
    context.out.report(&distrusted, |out, peer| {
        let about = match peer.get("mark") {
            Some(_) => ("mark", "mark"),
            None => ("about", IN_DOMAIN),
        };
        let mut lines = lines_of(peer, &[AGENT, KEY, ("recorded", "recorded"), about]);
        let by = distrusted.detail("by").as_str();
        lines.extend(by.map(|by| ("said by", by.to_owned())));
        lines.extend(lines_of(peer, &[LEVEL]));
        pairs(out, &lines)
    })
}

/// `trust explain`: the paths of vouches, and their arithmetic (docs/format/trust.md).
pub(crate) async fn explain(context: &Context, command: TrustCommand) -> Result<(), Failure> {
    let TrustCommand::Explain { agent, domain } = command;
    let explained = context.memory.explain_trust(&agent, domain.as_ref());
    let explained = explained.await?;
    let decay_ppm = number(explained.detail("decayPpm"), "");
    context.out.report(&explained, |out, trust| {
        let shown = [AGENT, KEY, ("about", IN_DOMAIN), LEVEL, ("because", "why")];
        let mut lines = lines_of(trust, &shown);
        let caps = texts(explained.detail("caps"), "");
        lines.extend(caps.map(|cap| ("capped", cap)));
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
        let row = |path: &Value| {
            // The first hop, then each further one with the share that a hop leaves: `1.0 x 0.6 x 0.8`.
            let edges = items(path, "edgesPpm").iter().filter_map(Value::as_u64);
            let hops = edges.enumerate().map(|(at, edge)| match at {
                0 => decimal(edge),
                _ => format!("{} x {}", decimal(edge), decimal(decay_ppm)),
            });
            [
                joined(path, "called", " > "),
                hops.collect::<Vec<_>>().join(" x "),
                output::text(path, "weightPpm"),
            ]
        };
        let [needed, score] = ["{thresholdPpm} needed", "scorePpm"].map(|it| filled(trust, it));
        let sum = ["sum".to_owned(), needed, score];
        let listed = paths.iter().map(row).chain([sum]);
        rows(out, &["path", "arithmetic", "ppm"], listed)
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
