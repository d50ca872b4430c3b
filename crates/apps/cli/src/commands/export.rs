//! `export`: memories as they travel, or as other programs read them.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use counterfoil::{ExportFormat, write_file};
use counterfoil_types::DidKey;

use crate::context::Context;
use crate::failure::Failure;
use crate::input::{Choice, one_of};
use crate::output::{count, notice};

/// Formats of other programs.
const FORMATS: [Choice<ExportFormat>; 3] = [
    (
        "jsonl",
        "One JSON object a line, as `import` reads it",
        ExportFormat::Jsonl,
    ),
    (
        "markdown",
        "A section for each memory",
        ExportFormat::Markdown,
    ),
    (
        "memory-json",
        "`memory.json` of the MCP reference server: an entity for each memory",
        ExportFormat::MemoryJson,
    ),
];

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Only this chain, named by its id or by a memory in it, with the records that it needs
    #[arg(long, value_name = "MEMORY|CHAIN", conflicts_with = "agent")]
    chain: Option<String>,
    /// Only what this agent signed
    #[arg(long, value_name = "DID")]
    agent: Option<DidKey>,
    /// All that this store's agent sealed, with a signed list that shows that nothing is left out
    #[arg(long, conflicts_with_all = ["chain", "agent"])]
    complete: bool,
    /// Write the newest version of each memory in a format of other programs, without proofs
    #[arg(long, value_parser = one_of(&FORMATS), conflicts_with_all = ["chain", "agent", "complete"])]
    format: Option<ExportFormat>,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl ExportArgs {
    /// Returns true for capsules that go into a file.
    pub(crate) const fn is_to_file(&self) -> bool {
        self.output.is_some() && self.format.is_none()
    }
}

pub(crate) async fn run(context: &Context, args: ExportArgs) -> Result<(), Failure> {
    if let Some(format) = args.format {
        return texts(context, format, args.output.as_deref()).await;
    }
    let chain = args.chain.as_deref();
    if let Some(path) = &args.output {
        context.watch_for_interruption()?;
        let exported = match args.complete {
            true => context.memory.export_complete_to(path).await?,
            false => context.memory.export_to(chain, args.agent, path).await?,
        };
        let lines = [
            ("written to", "file"),
            ("capsules", "capsules"),
            ("of other branches", "branches"),
            ("archived, left out", "archived"),
        ];
        return context.out.lines(&exported, &lines);
    }
    let mut out = Pipe { failed: None };
    let exported = match args.complete {
        true => context.memory.export_complete(&mut out).await,
        false => context.memory.export(chain, args.agent, &mut out).await,
    };
    if let Some(error) = out.failed {
        return Err(error.into());
    }
    exported?
        .problem()
        .map_or(Ok(()), |error| Err(error.clone().into()))
}

async fn texts(
    context: &Context,
    format: ExportFormat,
    path: Option<&Path>,
) -> Result<(), Failure> {
    let Some(path) = path else {
        let mut out = Pipe { failed: None };
        let exported = context.memory.export_texts(format, &mut out).await;
        if let Some(error) = out.failed {
            return Err(error.into());
        }
        let left_out = exported?.number("/leftOut").unwrap_or_default();
        if left_out > 0 {
            notice(format_args!(
                "{} left out: facts, and what is erased or archived; `counterfoil export` without --format has all",
                count(left_out, "memory is", "memories are")
            ));
        }
        return Ok(());
    };
    let mut text = Vec::new();
    let exported = context.memory.export_texts(format, &mut text).await?;
    write_file(path, &String::from_utf8_lossy(&text))?;
    let lines = [
        ("format", "format"),
        ("memories", "memories"),
        ("left out", "leftOut"),
    ];
    context.out.lines(&exported, &lines)
}

/// Standard output, and the error that ended it.
struct Pipe {
    failed: Option<io::Error>,
}

impl Pipe {
    fn keep<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| {
            let kind = error.kind();
            self.failed = Some(error);
            kind.into()
        })
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = io::stdout().write(bytes);
        self.keep(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = io::stdout().flush();
        self.keep(flushed)
    }
}
