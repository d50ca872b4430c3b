//! `extract` and `claim import`: claims out of memories and out of files, which the gate judges.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use counterfoil::{ExtractOptions, Memory, text};
use counterfoil_claims::FactValue;
use counterfoil_types::json::Value;

use crate::context::Context;
use crate::failure::Failure;
use crate::input::{ChannelName, Choice, one_of};
use crate::output::{
    self, count, each, filled, items, lines_of, number, pairs, rows, texts, under,
};

#[derive(Debug, Args)]
pub(crate) struct ExtractArgs {
    /// The memory to read
    #[arg(
        value_name = "MEMORY",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    pub(crate) world_id: Option<String>,
    /// Read every memory that is current, in the order of recording
    #[arg(long)]
    pub(crate) all: bool,
    /// Reader of the text
    #[arg(long = "with", value_name = "READER", action = ArgAction::Set, default_value = "rules", value_parser = one_of(&READERS))]
    pub(crate) with_model: bool,
    /// Show what would be proposed, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// With --all: only the memories recorded last, so many
    #[arg(long, value_name = "N", requires = "all")]
    pub(crate) max: Option<usize>,
}

/// Readers of claims in a text, and whether they ask a model. A reader only proposes.
const READERS: [Choice<bool>; 2] = [
    ("rules", "Sentence patterns, on this machine", false),
    ("endpoint", "The model that extract.toml names", true),
];

#[derive(Debug, Args)]
pub(crate) struct ClaimImportArgs {
    /// The file to import: one claim a line as JSON, {"subject":"Ada","predicate":"lives_in",
    /// "value":"Porto","from":"2021-03"}, or a mempill database
    pub(crate) file: PathBuf,
    /// Channel of the claims, unless a line says less: a file never raises its own weight
    #[arg(long, value_enum, value_name = "C", default_value_t = ChannelName::User)]
    pub(crate) channel: ChannelName,
    /// A mempill database of several agents: whose claims
    #[arg(long, value_name = "NAME")]
    pub(crate) from_agent: Option<String>,
}

/// Line of a hint.
const HINT: (&str, &str) = (
    "hints",
    "hint: \"{predicate:60}\" is new; \"{inUse:60}\" is in use and may be the same",
);

pub(crate) async fn run(context: &Context, args: ExtractArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    context.watch_for_interruption()?;
    let options = ExtractOptions {
        with_model: args.with_model,
        dry_run: args.dry_run,
        max: args.max,
    };
    let extracted = context.memory.extract(args.world_id.as_deref(), &options);
    let extracted = extracted.await?;
    context.out.report(&extracted, |out, document| {
        let listed = items(document, "listed");
        if !listed.is_empty() {
            let headings = ["subject", "predicate", "value", "when", "became", "read in"];
            let when = texts(extracted.detail("when"), "");
            let row = |(proposal, when): (&Value, String)| {
                let name = |member: &str| text::name(output::text(proposal, member));
                let value = FactValue::new(&proposal["value"]);
                let end = match output::text(proposal, "became").as_str() {
                    "proposed" | "refused" => "",
                    _ => "{new?: (nothing new)}",
                };
                [
                    name("subject"),
                    name("predicate"),
                    value.as_ref().map(text::value).unwrap_or_default(),
                    when,
                    filled(proposal, &format!("{{became:words}}{end}")),
                    name("memory"),
                ]
            };
            rows(out, &headings, listed.iter().zip(when).map(row))?;
            writeln!(out)?;
        }
        let read = count(number(document, "read"), "memory", "memories");
        let proposals = number(document, "proposals");
        write!(
            out,
            "{read} read, {}",
            count(proposals, "proposal", "proposals")
        )?;
        if !args.dry_run && proposals > 0 {
            write!(
                out,
                ": {}; {} new",
                became(document),
                number(document, "written")
            )?;
        }
        writeln!(out)?;
        let skipped = ("skipped", "skipped in {memory}: {why:60}");
        each(document, &[HINT, skipped]).try_for_each(|line| writeln!(out, "{line}"))
    })
}

pub(crate) async fn import(context: &Context, args: ClaimImportArgs) -> Result<(), Failure> {
    let (channel, from_agent) = (args.channel.channel(), args.from_agent.as_deref());
    let check = |memory: &Memory| memory.can_import_claims(&args.file, &channel, from_agent);
    context.begin_with(&args.file, check).await?;
    context.watch_for_interruption()?;
    let imported = context
        .memory
        .import_claims(&args.file, &channel, from_agent);
    let imported = imported.await?;
    context.out.report(&imported, |out, document| {
        let counts = [
            ("format", "format"),
            ("read", "read"),
            ("written", "written"),
            ("nothing new", "unchanged"),
            ("refused", "refusedCount"),
        ];
        let mut lines = lines_of(document, &counts);
        lines.insert(2, ("became", became(document)));
        let lost = document["notCarried"].as_object().into_iter().flatten();
        let lost = lost.map(|(what, number)| format!("{number} {what}"));
        lines.extend(under("not carried over", lost));
        pairs(out, &lines)?;
        each(document, &[HINT]).try_for_each(|line| writeln!(out, "{line}"))
    })
}

/// `3 committed, 1 corroborated`.
fn became(document: &Value) -> String {
    let became = document["became"].as_object().into_iter().flatten();
    let parts = became.map(|(name, number)| format!("{number} {}", name.replace('_', " ")));
    parts.collect::<Vec<_>>().join(", ")
}
