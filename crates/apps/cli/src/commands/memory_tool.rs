//! `memory-tool`: the file commands of a model, carried out on memories.

use std::io::{self, BufRead, Read};

use clap::Args;
use counterfoil::{MemoryTool, MemoryToolResult};
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_verify::{Form, terminal};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;

/// Longest command, in bytes.
const MAX_COMMAND: u64 = 2 << 20;

#[derive(Debug, Args)]
pub(crate) struct MemoryToolArgs {
    /// Read a command a line, and answer each with a JSON document on a line
    #[arg(long)]
    lines: bool,
}

pub(crate) async fn run(context: &Context, args: MemoryToolArgs) -> Result<(), Failure> {
    let tool = MemoryTool::new(context.memory.clone());
    let mut input = io::stdin().lock();
    if args.lines {
        while let Some(line) = next_line(&mut input)? {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let result = match command(&line) {
                Ok(command) => carried_out(context, &tool, &command).await?,
                Err(failure) => {
                    context
                        .out
                        .text(&line_of(true, &format!("Error: {failure}")))?;
                    continue;
                }
            };
            context.out.text(&line_of(result.is_error, &result.text))?;
        }
        return Ok(());
    }
    let mut bytes = Vec::new();
    input.take(MAX_COMMAND + 1).read_to_end(&mut bytes)?;
    let result = carried_out(context, &tool, &command(&bytes)?).await?;
    match context.out.form() {
        // A model reads the text as the contract has it.
        Form::Human => context.out.text(&format!("{}\n", result.text))?,
        Form::Json => context.out.answer(&result, |_| Ok(()))?,
    }
    match result.is_error {
        true => Err(Failure::refused(
            "the command was not carried out",
            "the answer says why",
        )),
        false => Ok(()),
    }
}

/// The answer to a command. The first one that works without any file makes the memory.
async fn carried_out(
    context: &Context,
    tool: &MemoryTool,
    command: &Value,
) -> Result<MemoryToolResult, Failure> {
    match tool.run(command).await {
        Err(_) if context.memory.must_exist().is_err() => {
            context.begin().await?;
            Ok(tool.run(command).await?)
        }
        done => Ok(done?),
    }
}

/// One line, without its end; `None` behind the last one.
fn next_line(input: &mut impl BufRead) -> Result<Option<Vec<u8>>, Failure> {
    let mut line = Vec::new();
    let read = Read::by_ref(input)
        .take(MAX_COMMAND + 1)
        .read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    if u64::try_from(line.len()).unwrap_or(u64::MAX) > MAX_COMMAND {
        return Err(too_long());
    }
    Ok(Some(line))
}

fn command(bytes: &[u8]) -> Result<Value, Failure> {
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MAX_COMMAND {
        return Err(too_long());
    }
    let limits = Limits {
        bytes: bytes.len(),
        ..Limits::CONTENT
    };
    parse(bytes, limits).map_err(|error| Failure::json("the command", &error))
}

fn too_long() -> Failure {
    Failure::input(
        format_args!("the command is above {MAX_COMMAND} bytes"),
        "write a smaller file",
    )
}

fn line_of(is_error: bool, text: &str) -> String {
    let document = json!({
        "type": "counterfoil/memory-tool", "version": "1", "isError": is_error, "text": text,
    });
    terminal::plain_json(&document.to_string()) + "\n"
}
