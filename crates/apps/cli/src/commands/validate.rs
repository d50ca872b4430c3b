//! `validate`: every capsule against its header, its chain and the log, told as it goes (CAP "Validation"; C16).

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;
use std::thread;

use clap::{ArgAction, Args};
use counterfoil::{Report, Validating};
use counterfoil_types::json::Value;
use counterfoil_verify::{Form, terminal};

use crate::context::Context;
use crate::failure::Failure;
use crate::input::{Choice, one_of};
use crate::output::{count, items, notice, number, text};

/// The most characters of a line for a person.
const LIMIT: usize = 400;
/// Maximum number of lines that wait to be written.
const WAITING: usize = 4096;

/// Sources of trust for the signatures of agents, and whether each is checked.
const SIGNATURES: [Choice<bool>; 2] = [
    ("each", "Every one of them is checked", true),
    (
        "checkpoint",
        "The log's signed checkpoint: trusts the holder of the log's key",
        false,
    ),
];

#[derive(Debug, Args)]
#[command(after_help = "\
With --json each capsule, each chain and at last the summary is one JSON object on a line of its own, \
written as it is found.

Exit codes: 0 when all is valid, 1 when something is invalid, 2 when something cannot be decided: what is \
archived, not known yet, or erased. What was erased lawfully stays open for ever; --erased-ok makes \
that alone exit 0.")]
pub(crate) struct ValidateArgs {
    /// Exit 0 when all that is open was erased by redactions that the log records
    #[arg(long)]
    erased_ok: bool,
    /// Also what lies in archive segments
    #[arg(long)]
    deep: bool,
    /// Source of trust for the signatures of agents
    #[arg(long = "signatures", value_name = "WHICH", action = ArgAction::Set, default_value = "checkpoint", value_parser = one_of(&SIGNATURES))]
    each_signature: bool,
    /// Tell all findings of a capsule, not the first alone
    #[arg(long)]
    all: bool,
    /// The folder of the segments [default: archive in the store's folder]
    #[arg(long, value_name = "DIR", requires = "deep")]
    archive: Option<PathBuf>,
}

pub(crate) async fn run(context: &Context, args: ValidateArgs) -> Result<(), Failure> {
    let how = Validating {
        each_signature: args.each_signature,
        all_findings: args.all,
        erased_ok: args.erased_ok,
        deep: args.deep,
        archive: args.archive,
    };
    let form = context.out.form();
    let (sender, lines) = sync_channel::<String>(WAITING);
    let writing = thread::spawn(move || -> io::Result<()> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        for line in lines {
            writeln!(out, "{line}")?;
        }
        out.flush()
    });
    // With `--json` each capsule and each chain is a line; a person sees what is not valid.
    let each = move |document: &Value, line: Option<String>| {
        let line = match form {
            Form::Json => Some(terminal::plain_json(&document.to_string())),
            Form::Human => line.map(|line| terminal::plain(&line, LIMIT)),
        };
        // After a closed pipe the summary fails.
        let _ = line.map(|line| sender.send(line));
    };
    let report = context.memory.validate(how, each).await;
    match writing.join() {
        Ok(written) => written?,
        Err(_) => return Err(Failure::bug("the thread that writes ended")),
    }
    let report = report?;
    report.notices().iter().for_each(notice);
    let mut out = io::stdout().lock();
    match form {
        Form::Json => {
            let line = terminal::plain_json(&report.value().to_string());
            writeln!(out, "{line}")?;
        }
        Form::Human => for_a_person(&mut out, &report)?,
    }
    out.flush()?;
    report
        .problem()
        .map_or(Ok(()), |error| Err(error.clone().into()))
}

fn for_a_person(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    let summary = report.value();
    let it = |name| text(summary, name);
    let capsules = count(number(summary, "entries"), "capsule", "capsules");
    let chains = count(number(summary, "chains"), "chain", "chains");
    writeln!(
        out,
        "{capsules} in {chains}: {} valid, {} invalid, {} indeterminate.",
        it("valid"),
        it("invalid"),
        it("indeterminate")
    )?;
    for open in items(summary, "open") {
        let (number, reason) = (text(open, "count"), text(open, "reason"));
        writeln!(out, "  {number} indeterminate: {reason}")?;
    }
    if report.detail("openByErasureAlone") == &Value::Bool(true) {
        writeln!(
            out,
            "All that is open was erased, and the log records each erasure."
        )?;
    }
    if let Some(beside) = report.detail("beside").as_str() {
        writeln!(out, "Beside the chains: {beside}.")?;
    }
    if let Some(detail) = report.text("/logDiffers") {
        writeln!(
            out,
            "The log does not stand for them: {}",
            terminal::plain(detail, LIMIT)
        )?;
    }
    match number(summary, "signaturesChecked") {
        0 => writeln!(
            out,
            "The log's signed checkpoint stands for the signatures."
        ),
        checked => writeln!(
            out,
            "{} checked.",
            count(checked, "signature", "signatures")
        ),
    }
}
