//! Recall: memories with proof, now or as recorded by a time, as a table or as the recall document.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{ArgAction, Args};
use counterfoil::text::brief;
use counterfoil::{
    Confidence, Detail, Hit, Method, RecallOptions, Recalled, Timestamp, UnixMillis,
};
use counterfoil_types::DidKey;
use counterfoil_types::json::Value;
use counterfoil_verify::{Form, terminal, time};

use crate::context::Context;
use crate::failure::Failure;
use crate::input::{Choice, confidence, one_of};
use crate::output::{columns, count, filled, items, members, notice, number, one_line, rows, text};

/// The most characters of a text in the table.
const EXCERPT: usize = 160;
const NAME: usize = 24;
/// The most memories unless a number is given.
const MAX: usize = 10;
/// The same with a token budget, which bounds them as well.
const MAX_IN_BUDGET: usize = 100;

#[derive(Debug, Args)]
pub(crate) struct RecallArgs {
    /// Text to look for; "quoted words" have to be there, a -word must not be
    #[arg(allow_hyphen_values = true)]
    pub(crate) query: String,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) document: DocumentArgs,
}

/// Form of the document that `--json` prints.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct DocumentArgs {
    /// With --json: detail of the document
    #[arg(long, value_name = "D", default_value = "text", value_parser = one_of(&DETAILS))]
    pub(crate) detail: Detail,
    /// With --json: add the proof of each memory
    #[arg(long)]
    pub(crate) proofs: bool,
}

/// Details of a document.
const DETAILS: [Choice<Detail>; 3] = [
    ("index", "One line a memory, with its id", Detail::Index),
    ("text", "The texts", Detail::Text),
    (
        "full",
        "The rest of the content and the proofs too",
        Detail::Full,
    ),
];

/// Conditions on the selected memories, and the method of their proofs.
#[derive(Debug, Clone, Args)]
pub(crate) struct SelectArgs {
    /// At most so many memories [default: 10, with a token budget 100]
    #[arg(long, value_name = "N")]
    pub(crate) max: Option<usize>,
    /// The best memories of at most so many tokens together, by a careful estimate: near duplicates once, and smaller ones
    /// where a memory does not fit
    #[arg(long, value_name = "N")]
    pub(crate) token_budget: Option<usize>,
    /// Order of the memories
    #[arg(long, value_name = "O", default_value = "relevance", action = ArgAction::Set, value_parser = one_of(&ORDERS))]
    pub(crate) order: bool,
    /// Only memories of at least this confidence, 0 to 1
    #[arg(long, value_name = "C", value_parser = confidence)]
    pub(crate) min_confidence: Option<Confidence>,
    /// Only memories whose proof was checked
    #[arg(long)]
    pub(crate) require_verified: bool,
    /// Only memories with evidence
    #[arg(long)]
    pub(crate) require_evidence: bool,
    /// Only memories from after this time: a date, an RFC 3339 time, or milliseconds since 1970
    #[arg(long, value_name = "T", value_parser = time::parse)]
    pub(crate) after: Option<UnixMillis>,
    /// Only memories from before this time
    #[arg(long, value_name = "T", value_parser = time::parse)]
    pub(crate) before: Option<UnixMillis>,
    /// List each version of a memory that brought a word, and not each memory once
    #[arg(long)]
    pub(crate) all_versions: bool,
    /// Method of the proofs
    #[arg(long, value_name = "M", default_value = "merkle", value_parser = one_of(&METHODS))]
    pub(crate) method: Method,
    /// Let receipts prove that the log continues the one of this size, 0 for none
    /// [default: the floor in the anchors that were given out]
    #[arg(long, value_name = "SIZE")]
    pub(crate) floor: Option<u64>,
}

impl From<&SelectArgs> for RecallOptions {
    fn from(args: &SelectArgs) -> Self {
        Self {
            max: args.max.unwrap_or(match args.token_budget {
                Some(_) => MAX_IN_BUDGET,
                None => MAX,
            }),
            token_budget: args.token_budget,
            oldest_first: args.order,
            min_confidence: args.min_confidence,
            require_verified: args.require_verified,
            require_evidence: args.require_evidence,
            after: args.after,
            before: args.before,
            all_versions: args.all_versions,
            method: args.method,
            floor: args.floor,
            ..Self::default()
        }
    }
}

/// Orders; true for the oldest first.
const ORDERS: [Choice<bool>; 2] = [
    ("relevance", "The best first", false),
    ("time", "The oldest first", true),
];

/// The verification methods of the specification.
const METHODS: [Choice<Method>; 5] = [
    (
        "merkle",
        "In the log, under a signed checkpoint",
        Method::Merkle,
    ),
    ("signature", "Signed by the agent", Method::Signature),
    ("hash", "Unchanged since it was sealed", Method::Hash),
    ("existence", "In the store", Method::Existence),
    ("none", "Nothing", Method::None),
];

pub(crate) async fn recall(context: &Context, args: RecallArgs) -> Result<(), Failure> {
    let recalled = context
        .memory
        .recall(&args.query, &(&args.select).into())
        .await?;
    answer(
        context,
        &recalled,
        (args.select.all_versions, args.document),
    )
    .await?;
    if context.out.form() == Form::Human {
        let archived = context.memory.archived().await?;
        if archived > 0 {
            notice(format_args!(
                "{} archived and not searched; `counterfoil restore --all` brings them back",
                count(archived, "memory is", "memories are")
            ));
        }
    }
    Ok(())
}

/// The recall document, or a table with the writer of each memory that is another agent's.
async fn answer(
    context: &Context,
    recalled: &Recalled,
    (each_version, form): (bool, DocumentArgs),
) -> Result<(), Failure> {
    let (mut writers, mut short) = (Vec::new(), BTreeMap::new());
    if context.out.form() == Form::Human {
        for hit in recalled.hits() {
            writers.push(context.memory.writer_of(&hit.id).await?);
        }
        let hits = recalled.hits().iter().map(|hit| hit.id.clone());
        short = context.out.short_ids(hits.collect());
    }
    let mut document = recalled.document(form.detail);
    if form.proofs {
        document.proofs = Some(recalled.proofs());
    }
    context.out.recalled(&document, |out| {
        if recalled.hits().is_empty() {
            let left_out = recalled.budget().map(|budget| budget.left_out.len());
            let nothing = match left_out.unwrap_or_default() {
                0 => "Nothing found.",
                _ => "Nothing fits.",
            };
            writeln!(out, "{nothing}")?;
            return budget(out, recalled);
        }
        if !each_version && !recalled.is_likely() {
            writeln!(out, "Perhaps nothing here answers this. The nearest:")?;
        }
        let row = |(rank, hit): (usize, &Hit)| {
            // Remarks of the selector that a reader must not miss.
            let believed = hit.belief.filter(|belief| *belief == "believed");
            let remarks: Vec<&str> = believed
                .into_iter()
                .chain(hit.caveats.iter().map(String::as_str))
                .collect();
            let caveats = terminal::plain(&remarks.join("; "), EXCERPT);
            let caveats = match caveats.is_empty() {
                true => caveats,
                false => format!("[{caveats}] "),
            };
            [
                short
                    .get(&hit.id)
                    .cloned()
                    .unwrap_or_else(|| hit.id.to_string()),
                format!("{:.2}", hit.confidence.value()),
                counterfoil::text::to_minute(hit.when),
                who(hit, writers.get(rank).and_then(Option::as_ref)),
                format!("{caveats}{}", excerpt(&hit.text)),
                mark(hit),
            ]
        };
        let headings = ["id", "conf", "when", "who", "text", "proof"];
        rows(out, &headings, recalled.hits().iter().enumerate().map(row))?;
        budget(out, recalled)
    })
}

/// Use of the token budget, and the memories left out for it.
fn budget(out: &mut dyn Write, recalled: &Recalled) -> io::Result<()> {
    let Some(budget) = recalled.budget() else {
        return Ok(());
    };
    let (tokens, most) = (budget.tokens, budget.token_budget);
    writeln!(out, "\nAbout {tokens} of {most} tokens.")?;
    let counted =
        |number: usize, one, many| count(u64::try_from(number).unwrap_or(u64::MAX), one, many);
    if !budget.similar.is_empty() {
        let similar = counted(
            budget.similar.len(),
            "memory that says",
            "memories that say",
        );
        writeln!(out, "Left out: {similar} the same as one above")?;
    }
    if let Some(least) = budget.left_out.iter().map(|(_, tokens)| tokens).min() {
        let long = counted(
            budget.left_out.len(),
            "memory that does",
            "memories that do",
        );
        writeln!(
            out,
            "Left out: {long} not fit; the shortest takes {least} tokens"
        )?;
    }
    Ok(())
}

/// Author, and in brief the owner of the memory when it is another agent's.
fn who(hit: &Hit, writer: Option<&DidKey>) -> String {
    let speaker = hit.who.as_ref().map(|who| terminal::plain(who, NAME));
    match (speaker, writer.map(brief)) {
        (Some(speaker), Some(writer)) => format!("{speaker} (by {writer})"),
        (None, Some(writer)) => writer,
        (speaker, None) => speaker.unwrap_or_else(|| "-".to_owned()),
    }
}

/// The method, and whether the proof was checked here.
pub(crate) fn mark(hit: &Hit) -> String {
    match &hit.method {
        Some(method) if hit.verified => format!("{method} ok"),
        Some(method) => format!("{method} unverified"),
        None => "none".to_owned(),
    }
}

/// Beginning of a memory, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    one_line(text, EXCERPT)
}

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// Questions, one JSON object a line: {"question": "...", "memories": ["world-..."]} or {"question": "...", "none": true}
    file: PathBuf,
}

pub(crate) async fn eval(context: &Context, args: EvalArgs) -> Result<(), Failure> {
    let measured = context.memory.eval(&args.file).await?;
    context.out.report(&measured, |out, value| {
        let counts = "{questions}, {answerable} with an answer and {unanswerable} without";
        members(out, value, &[("questions", counts)])?;
        let rows_of = items(value, "measures");
        if !rows_of.is_empty() {
            writeln!(out)?;
            let share = |row: &Value, name: &str| {
                let share = row.get(name).and_then(Value::as_f64);
                share.map(|share| format!("{share:.3}")).unwrap_or_default()
            };
            let row = |row: &Value| {
                let interval = format!("{} to {}", share(row, "low"), share(row, "high"));
                [text(row, "measure"), share(row, "mean"), interval]
            };
            rows(
                out,
                &["measure", "mean", "95 % interval"],
                rows_of.iter().map(row),
            )?;
        }
        if let Some(auc) = value.get("abstentionAuc").and_then(Value::as_f64) {
            writeln!(
                out,
                "\nConfidence tells questions with an answer from those without: AUC {auc:.3}"
            )?;
        }
        if let Some(error) = value.get("calibrationError").and_then(Value::as_f64) {
            writeln!(
                out,
                "The confidence of the first memory is off by {error:.3} on average"
            )?;
        }
        let missed = items(value, "missed");
        if missed.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nNot among the first 10:")?;
        columns(
            out,
            missed,
            &[
                ("line", "line"),
                ("rank", "{rank|above 100}"),
                ("question", "{question:line}"),
            ],
        )
    })
}

#[derive(Debug, Args)]
pub(crate) struct AsOfArgs {
    /// A time of recording: a date (its first moment in UTC), an RFC 3339 time, or milliseconds
    /// since 1970
    #[arg(value_name = "T", value_parser = parse_time)]
    pub(crate) time: Timestamp,
    /// Text to look for [default: all memories of that time are listed, the newest first]
    #[arg(allow_hyphen_values = true)]
    pub(crate) query: Option<String>,
    /// Leave out so many of a list
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "query")]
    pub(crate) skip: usize,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) document: DocumentArgs,
}

pub(crate) async fn as_of(context: &Context, args: AsOfArgs) -> Result<(), Failure> {
    let memory = &context.memory;
    let Some(query) = &args.query else {
        let answer = memory
            .as_of(args.time, args.skip, args.select.max.unwrap_or(MAX))
            .await?;
        return context.out.report(&answer, |out, value| {
            let total = number(value, "memories");
            let memories = count(total, "memory", "memories");
            writeln!(out, "As recorded by {}: {memories}", text(value, "asOf"))?;
            writeln!(out)?;
            let listed = items(value, "listed");
            let row = |(listed, detail): (&Value, &Value)| {
                let contested = listed.get("contested").and_then(|why| why.as_str());
                let contested = contested.map(|why| format!("[{why}] ")).unwrap_or_default();
                let created = UnixMillis::new(number(detail, "createdAt"));
                [
                    filled(listed, "seq"),
                    filled(listed, "{recordedAt:minute}"),
                    created
                        .map(counterfoil::text::to_minute)
                        .unwrap_or_default(),
                    filled(detail, "{who:24|-}"),
                    format!("{contested}{}", excerpt(&text(detail, "text"))),
                    filled(listed, "{id:60}"),
                ]
            };
            let headings = ["seq", "recorded", "when", "who", "text", "memory"];
            let details = items(answer.detail("listed"), "");
            rows(out, &headings, listed.iter().zip(details).map(row))?;
            let length = u64::try_from(listed.len()).unwrap_or(u64::MAX);
            let shown = number(value, "skipped").saturating_add(length);
            if shown < total {
                writeln!(out, "\n{} more: --skip {shown}", total - shown)?;
            }
            Ok(())
        });
    };
    let options = (&args.select).into();
    let recalled = memory.recall_as_of(args.time, query, &options).await?;
    answer(
        context,
        &recalled,
        (args.select.all_versions, args.document),
    )
    .await
}

/// Reads a time of recording: as `show` prints it, or as any other time, of which the whole
/// millisecond counts.
fn parse_time(text: &str) -> Result<Timestamp, String> {
    if let Ok(exact) = text.parse() {
        return Ok(exact);
    }
    let at = time::parse(text).map_err(|error| error.to_string())?;
    let micros = at.value().saturating_mul(1_000).saturating_add(999);
    Timestamp::from_micros(micros).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_counts_to_the_end_of_what_it_names() {
        let micros = |text| parse_time(text).unwrap().micros();
        assert_eq!(micros("2026-02-10T00:00:00.123456Z"), 1_770_681_600_123_456);
        assert_eq!(micros("2026-02-10T00:00:00.123Z"), 1_770_681_600_123_999);
        assert_eq!(micros("2026-02-10"), 1_770_681_600_000_999);
        assert!(parse_time("yesterday").is_err());
    }
}
