//! Reconciling: a restored backup gets back the entries that were signed after it (capsules 4.5 (3), C42).

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use counterfoil_sqlite::{ReconcileReport, reconcile};
use serde::Serialize;

use crate::error::Error;
use crate::import::capsule_lines;
use crate::memory::Memory;
use crate::report::Report;

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

impl Memory {
    /// Gives a restored backup the entries back that were signed after it, from an export of the whole log.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when the file cannot be read or does not continue the log.
    pub async fn reconcile(&self, export: &Path) -> Result<Report, Error> {
        self.must_exist()?;
        let file = File::open(export).map_err(|error| {
            Error::input(
                format_args!("{} cannot be read ({error})", export.display()),
                "check the path and your rights",
            )
        })?;
        let lines = capsule_lines(BufReader::new(file)).map(|line| {
            let line = line?;
            line.bytes
                .map_err(|bytes| io::Error::other(format!("it is {bytes} bytes long")))
        });
        let home = self.home();
        let done = reconcile(&home.writable()?, home.agent_public()?, lines)?;
        Report::new(&Shown::from(done))
    }
}
