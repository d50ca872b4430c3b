//! `vouch import`: takes in vouches and revocations, of whomever; bad lines are told, and the others kept.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use counterfoil_exchange::documents::DocumentError;
use counterfoil_exchange::trust::{LocalRecord, MAX_RECORD_BYTES, Record, RecordBody};
use counterfoil_types::DidKey;
use serde::Serialize;

use crate::args::VouchImportArgs;
use crate::context::Context;
use crate::exchange::peers::{Desk, called};
use crate::failure::Failure;
use crate::output::notice;
use crate::output::{count, pairs};
use crate::when;
use counterfoil::internal::{Line, Lines};

/// The most documents that are taken in at once.
const MOST: u64 = 10_000;
/// Maximum number of refused lines that are listed; all are counted.
const LISTED: usize = 1000;

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    read: u64,
    vouches: u64,
    revocations: u64,
    already_there: u64,
    refused_count: u64,
    refused: Vec<Refused>,
    /// The voucher that was asked what it takes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<String>,
    /// More stood in the file than are taken in at once.
    more: bool,
}

/// The longest file that is read.
const MAX_FILE_BYTES: u64 = 64 << 20;

#[derive(Debug, Serialize)]
struct Refused {
    line: u64,
    why: String,
}

pub(super) async fn run(context: &Context, args: VouchImportArgs) -> Result<(), Failure> {
    context.home.must_exist()?;
    let (mut report, records) = if args.file.as_os_str() == "-" {
        read(io::stdin().lock(), &args.file)?
    } else {
        read(BufReader::new(open(&args.file)?), &args.file)?
    };
    if report.read == 0 {
        return Err(Failure::input(
            "the file holds no vouches",
            "name a file with vouches in it",
        ));
    }
    let vouchers: BTreeSet<DidKey> = records.iter().filter_map(voucher).collect();
    let mut desk = Desk::open(&context.home).await?;
    let found = u64::try_from(records.len()).unwrap_or(u64::MAX);
    let new = u64::try_from(desk.take(records).await?).unwrap_or(u64::MAX);
    report.already_there = found.saturating_sub(new);
    if args.from_voucher {
        report.asked = asked(&mut desk, &vouchers).await?;
    }
    let name = report.asked.as_ref().and_then(|key| key.parse().ok());
    let name = name.map(|key| called(&desk.records, &key));
    context.out.answer(&report, |out| report.human(out, name))?;
    report.finish(args.from_voucher)
}

/// Reads the documents of a file, one a line.
fn read(reader: impl BufRead, path: &Path) -> Result<(Report, Vec<Record>), Failure> {
    let (mut report, mut records) = (Report::default(), Vec::new());
    let received_us = when::stamp()?.micros();
    let mut lines = Lines::limited(reader, MAX_RECORD_BYTES);
    while let Some((number, line)) = lines
        .next_line()
        .map_err(|error| unreadable(path, &error))?
    {
        let bytes = match line {
            Line::Whole(bytes) if bytes.is_empty() => continue,
            _ if report.read == MOST => {
                report.more = true;
                break;
            }
            Line::Whole(bytes) => bytes,
            Line::TooLong { bytes, .. } => {
                let why =
                    format!("{bytes} bytes are no vouch; at most {MAX_RECORD_BYTES} are read");
                report.read = report.read.saturating_add(1);
                report.refuse(number, why);
                continue;
            }
        };
        report.read = report.read.saturating_add(1);
        match Record::receive(&bytes, &[], received_us) {
            Ok(record) => {
                match record.body() {
                    RecordBody::Vouch(_) => report.vouches += 1,
                    _ => report.revocations += 1,
                }
                records.push(record);
            }
            Err(DocumentError::Foreign { .. }) => report.refuse(
                number,
                "this is an agent's record for itself; only vouches and vouch_revocations are taken in"
                    .to_owned(),
            ),
            Err(error) => report.refuse(number, error.to_string()),
        }
    }
    Ok((report, records))
}

/// Records the request to the one voucher of these documents. With several, it is unknown which one was asked.
async fn asked(desk: &mut Desk, vouchers: &BTreeSet<DidKey>) -> Result<Option<String>, Failure> {
    let mut all = vouchers.iter();
    let (Some(key), None) = (all.next(), all.next()) else {
        return Ok(None);
    };
    desk.keep(LocalRecord::Contact { key: *key }).await?;
    Ok(Some(key.to_string()))
}

fn voucher(record: &Record) -> Option<DidKey> {
    match record.body() {
        RecordBody::Vouch(vouch) => Some(vouch.parts().voucher.public_key),
        RecordBody::Revocation(revocation) => Some(revocation.parts().voucher.public_key),
        RecordBody::Local(_) => None,
    }
}

impl Report {
    fn refuse(&mut self, line: u64, why: String) {
        self.refused_count = self.refused_count.saturating_add(1);
        if self.refused.len() < LISTED {
            self.refused.push(Refused { line, why });
        }
    }

    fn human(&self, out: &mut dyn Write, asked: Option<String>) -> io::Result<()> {
        let mut lines = vec![
            ("read", self.read.to_string()),
            ("vouches", self.vouches.to_string()),
            ("taken back", self.revocations.to_string()),
            ("already there", self.already_there.to_string()),
            ("refused", self.refused_count.to_string()),
        ];
        lines.extend(asked.map(|name| ("asked", name)));
        pairs(out, &lines)
    }

    fn finish(&self, from_voucher: bool) -> Result<(), Failure> {
        for refused in &self.refused {
            notice(format_args!("line {}: {}", refused.line, refused.why));
        }
        if self.more {
            return Err(Failure::input(
                format_args!("at most {MOST} vouches are taken in at once"),
                "those were; put the rest into another file",
            ));
        }
        if self.refused_count > 0 {
            return Err(Failure::input(
                format_args!(
                    "{} refused, as listed",
                    count(self.refused_count, "line was", "lines were")
                ),
                "all others are kept; mend the file and import it again",
            ));
        }
        if from_voucher && self.asked.is_none() {
            return Err(Failure::input(
                "--from-voucher is for the documents of one voucher, and these are of several",
                "they are kept; import those of each voucher by themselves",
            ));
        }
        Ok(())
    }
}

/// The file, if it is one and not too long. What has no end is not begun.
fn open(path: &Path) -> Result<File, Failure> {
    let found = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if !found.is_file() || found.len() > MAX_FILE_BYTES {
        return Err(Failure::input(
            format_args!("{} is no file of at most 64 MiB", path.display()),
            "name one, or pass it on standard input as `-`",
        ));
    }
    File::open(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::input(
        format_args!("{} cannot be read ({error})", path.display()),
        "check the path and your rights",
    )
}
