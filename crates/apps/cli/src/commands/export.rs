//! `export`: chains as they travel, one exported capsule a line, in log order (capsules, C34-C44).

use std::io::{self, Write};

use crate::args::ExportCapsulesArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::members;

pub(crate) async fn run(context: &Context, args: ExportCapsulesArgs) -> Result<(), Failure> {
    let chain = args.chain.as_deref();
    if let Some(path) = &args.output {
        context.watch_for_interruption()?;
        let exported = context.memory.export_to(chain, args.agent, path).await?;
        return context.out.report(&exported, |out| {
            let lines = [
                ("written to", "file"),
                ("capsules", "capsules"),
                ("of other branches", "branches"),
                ("archived, left out", "archived"),
            ];
            members(out, exported.value(), &lines)
        });
    }
    let mut out = Pipe { failed: None };
    let exported = context.memory.export(chain, args.agent, &mut out).await;
    if let Some(error) = out.failed {
        return Err(error.into());
    }
    exported?
        .problem()
        .map_or(Ok(()), |error| Err(error.clone().into()))
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
