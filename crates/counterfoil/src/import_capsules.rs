//! Import of capsules: chains that were sealed elsewhere, judged line by line (capsules 4.5, 4.6, 4.8).

mod ending;
mod feed;

use counterfoil_life::Life as _;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use counterfoil_life::{LineReport, ReceiveReport};
use counterfoil_sqlite::SqliteStore;
use counterfoil_types::{Blake3Hash, DidKey};
use serde::Serialize;

use crate::error::{Error, ErrorKind};
use crate::files::unreadable;
use crate::import::turns::{ImportOptions, Watch};
use crate::import::{Meter, Source, capsule_lines};
use crate::memory::Memory;
use crate::report::Report;
use crate::words::count;
pub(crate) use ending::read_note;
use ending::{End, Ending};
use feed::{Feed, Finding, Listing};

/// Number of lines in one transaction and one checkpoint.
const BATCH: usize = 512;
/// Most bytes of lines in one transaction.
const BATCH_BYTES: usize = 16 << 20;
/// Most refused and open lines in the report; all are counted.
const LISTED: usize = 1000;

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tally {
    format: &'static str,
    source: String,
    read: u64,
    accepted: u64,
    already_there: u64,
    /// Capsules that had waited, from this file or an earlier one, and are accepted now.
    settled: u64,
    forked: u64,
    of_branches: u64,
    no_room: u64,
    pending_count: u64,
    pending: Vec<Open>,
    refused_count: u64,
    refused: Vec<Refused>,
    /// The rest of the file was not looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    interrupted: bool,
    end: End,
    /// The feed that the file claims to show completely.
    #[serde(skip_serializing_if = "Option::is_none")]
    feed: Option<Feed>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Open {
    line: u64,
    capsule: Option<String>,
    waits_for: &'static str,
}

#[derive(Debug, Serialize)]
struct Refused {
    line: u64,
    capsule: Option<String>,
    check: String,
    code: String,
}

impl Memory {
    pub(crate) async fn import_capsules(
        &self,
        (file, path): (Source, &Path),
        options: ImportOptions,
        mut watch: Option<&mut Watch<'_>>,
    ) -> Result<Report, Error> {
        let home = self.home();
        let end = Ending::expected(home, &options)?;
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let source = options.source.or(name).unwrap_or_else(|| "file".to_owned());
        let mut import = Import {
            store: self.writer()?,
            detector: home.agent_public()?,
            report: Tally {
                format: "capsules",
                source: source.clone(),
                ..Tally::default()
            },
            source: format!("import {source}"),
            waiting: BTreeMap::new(),
            end,
            listing: Listing::default(),
        };
        import.settle().await?;
        let mut lines = Vec::new();
        let mut bytes = 0;
        let mut look = |import: &Import| {
            let part = file.meter.as_ref().map(Meter::part);
            let is_left = match &mut watch {
                Some(watch) => watch(&import.so_far()?, part).is_break(),
                None => false,
            };
            Ok::<_, Error>(is_left || self.interruption().load(Ordering::Relaxed))
        };
        import.report.interrupted = look(&import)?;
        for line in capsule_lines(file.reader) {
            if import.report.interrupted {
                break;
            }
            let (number, line) = line.map_err(|error| unreadable(path, &error))?;
            let Ok(line) = line else {
                import.report.read += 1;
                import.refuse(number, None, "limits".to_owned(), "E_LIMIT".to_owned());
                continue;
            };
            if import.listing.take(&line) {
                continue;
            }
            import.report.read += 1;
            import.end.take(&line);
            bytes += line.len();
            lines.push((number, line));
            if lines.len() == BATCH || bytes > BATCH_BYTES {
                bytes = 0;
                import.take(std::mem::take(&mut lines)).await?;
                import.report.interrupted = look(&import)?;
            }
        }
        import.take(lines).await?;
        import.settle().await?;
        let listing = std::mem::take(&mut import.listing);
        // What was not read is not missing.
        if !import.report.interrupted {
            let found = listing.found(&import.store, import.detector, &import.source);
            import.report.feed = found.await?;
        }
        self.record_forks().await?;
        import.finish()
    }
}

struct Import {
    store: Arc<SqliteStore>,
    detector: DidKey,
    source: String,
    report: Tally,
    /// Waiting capsules: the line of each, and its missing part.
    waiting: BTreeMap<Blake3Hash, (u64, &'static str)>,
    end: Ending,
    listing: Listing,
}

impl Import {
    async fn take(&mut self, lines: Vec<(u64, Vec<u8>)>) -> Result<(), Error> {
        if lines.is_empty() {
            return Ok(());
        }
        let batch = self
            .store
            .import_capsules(self.detector, &self.source, lines)
            .await?;
        let more = batch.more;
        self.count(batch);
        if more { self.settle().await } else { Ok(()) }
    }

    async fn settle(&mut self) -> Result<(), Error> {
        loop {
            let batch = self.store.settle(self.detector, &self.source).await?;
            let more = batch.more;
            self.count(batch);
            if !more {
                return Ok(());
            }
        }
    }

    fn count(&mut self, batch: ReceiveReport) {
        for (line, outcome, capsule) in batch.outcomes {
            match outcome {
                LineReport::Accepted => self.report.accepted += 1,
                LineReport::AlreadyThere => self.report.already_there += 1,
                LineReport::Forked => self.report.forked += 1,
                LineReport::Branch => self.report.of_branches += 1,
                LineReport::Pending { code } => match capsule {
                    Some(capsule) => drop(self.waiting.insert(capsule, (line, code))),
                    None => self.open(line, None, code),
                },
                LineReport::Refused { check, code } => self.refuse(line, capsule, check, code),
                _ => self.report.no_room += 1,
            }
        }
        for capsule in batch.settled {
            self.waiting.remove(&capsule);
            self.report.settled += 1;
        }
        for (capsule, code) in batch.refused {
            let line = self.waiting.remove(&capsule).map_or(0, |(line, _)| line);
            self.refuse(line, Some(capsule), "later".to_owned(), code);
        }
    }

    fn refuse(&mut self, line: u64, capsule: Option<Blake3Hash>, check: String, code: String) {
        self.report.refused_count += 1;
        if self.report.refused.len() < LISTED {
            self.report.refused.push(Refused {
                line,
                capsule: capsule.map(|hash| hash.to_string()),
                check,
                code,
            });
        }
    }

    fn open(&mut self, line: u64, capsule: Option<Blake3Hash>, waits_for: &'static str) {
        self.report.pending_count += 1;
        if self.report.pending.len() < LISTED {
            self.report.pending.push(Open {
                line,
                capsule: capsule.map(|hash| hash.to_string()),
                waits_for,
            });
        }
    }

    /// The report so far, without its lists.
    fn so_far(&self) -> Result<Report, Error> {
        Report::new(&Tally {
            source: self.report.source.clone(),
            pending: Vec::new(),
            refused: Vec::new(),
            end: End::Unknown,
            feed: None,
            ..self.report
        })
    }

    fn finish(mut self) -> Result<Report, Error> {
        if self.report.read == 0 && !self.report.interrupted {
            return Err(Error::input(
                "the file holds no capsules",
                "name one that `counterfoil export` has written",
            ));
        }
        for (capsule, (line, code)) in std::mem::take(&mut self.waiting) {
            self.open(line, Some(capsule), code);
        }
        if !self.report.interrupted {
            self.report.end = self.end.found();
        }
        let refused = self.report.refused.iter().map(|refused| {
            format!(
                "line {}: {} ({})",
                refused.line, refused.code, refused.check
            )
        });
        let findings = self.report.feed.iter().flat_map(Feed::findings);
        let refused = refused.chain(findings.map(Finding::text));
        let problem = match self.report.interrupted {
            true => Some(Error::new(
                ErrorKind::Interrupted,
                format_args!(
                    "interrupted after {}; run the same import again to take the rest",
                    count(self.report.read, "capsule", "capsules")
                ),
            )),
            false => verdict(&self.report).err(),
        };
        Ok(Report::new(&self.report)?.noticed(refused).but(problem))
    }
}

/// Returns the worst problem that keeps the import from being complete.
fn verdict(report: &Tally) -> Result<(), Error> {
    match &report.end {
        End::OtherHistory { size } => {
            return Err(Error::refused(
                format_args!("the file is not the log of {size} entries that the checkpoint is of"),
                "ask whoever gave you the file for the right one",
            ));
        }
        End::Unknown | End::Complete { .. } | End::Truncated { .. } => {}
    }
    if report.refused_count > 0 {
        return Err(Error::refused(
            format_args!(
                "{} of {} refused, and kept apart",
                count(report.refused_count, "capsule was", "capsules were"),
                report.read
            ),
            "see `counterfoil events`; all others were taken",
        ));
    }
    let findings = report.feed.as_ref().map_or(&[][..], Feed::findings);
    if !findings.is_empty() {
        return Err(Error::refused(
            format_args!(
                "what its agent shows as complete is not: {}",
                count(
                    u64::try_from(findings.len()).unwrap_or(u64::MAX),
                    "finding",
                    "findings"
                )
            ),
            "the capsules themselves were taken; ask the agent for those that are missing, and see `counterfoil events`",
        ));
    }
    if report.forked > 0 {
        return Err(Error::refused(
            "a chain has forked: its agent signed two capsules for one place",
            "see `counterfoil fork list`, and decide with `counterfoil fork resolve`",
        ));
    }
    if report.no_room > 0 {
        return Err(Error::place(
            format_args!(
                "there was no room to hold {}",
                count(report.no_room, "capsule", "capsules")
            ),
            "import the capsules that they follow first, then this file again",
        ));
    }
    if let End::Truncated { size, found } = report.end {
        return Err(Error::unproven(
            format_args!("the file ends after {found} of {size} entries: heads are unknown"),
            "ask for the rest of the export",
        ));
    }
    if report.pending_count > 0 {
        return Err(Error::unproven(
            format_args!(
                "{} for something that is not here",
                count(report.pending_count, "capsule waits", "capsules wait")
            ),
            "import what they follow; they are judged again then",
        ));
    }
    Ok(())
}
