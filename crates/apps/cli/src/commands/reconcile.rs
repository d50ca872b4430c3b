//! `reconcile`: a restored backup gets back the entries that were signed after it (capsules 4.5 (3), C42).

use std::fs::File;
use std::io::{self, BufReader};

use counterfoil_sqlite::{ReconcileReport, reconcile};
use serde::Serialize;

use crate::args::ReconcileArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::import::capsule_lines;
use crate::output::pairs;

#[derive(Debug, Serialize)]
struct Shown {
    before: u64,
    after: u64,
    added: u64,
    erased: u64,
}

impl From<ReconcileReport> for Shown {
    fn from(done: ReconcileReport) -> Self {
        Self {
            before: done.before,
            after: done.after,
            added: done.after.saturating_sub(done.before),
            erased: done.erased,
        }
    }
}

pub(crate) async fn run(context: &Context, args: &ReconcileArgs) -> Result<(), Failure> {
    let home = &context.home;
    home.must_exist()?;
    let path = &args.from;
    let file = File::open(path).map_err(|error| {
        Failure::input(
            format_args!("{} cannot be read ({error})", path.display()),
            "check the path and your rights",
        )
    })?;
    let lines = capsule_lines(BufReader::new(file)).map(|line| {
        let line = line?;
        line.bytes
            .map_err(|bytes| io::Error::other(format!("it is {bytes} bytes long")))
    });
    let done = reconcile(&home.writable()?, home.agent_public()?, lines)?;
    let shown = Shown::from(done);
    context.out.answer(&shown, |out| {
        pairs(
            out,
            &[
                ("entries before", shown.before.to_string()),
                ("entries now", shown.after.to_string()),
                ("erased again", shown.erased.to_string()),
            ],
        )?;
        match shown.added {
            0 => writeln!(out, "\nNothing was missing: the store may be written."),
            _ => writeln!(
                out,
                "\nThe log is the one that was signed last: the store may be written again."
            ),
        }
    })
}
