//! What became of each claim of a file, and what of the file could not be carried over.

use std::collections::BTreeMap;
use std::fmt;

use counterfoil_claims::Identifier;
use serde::Serialize;

use super::Ended;
use crate::claims::bulk::{Hint, Hints, Tally, Told};
use crate::claims::telling;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::output::{count, notice, pairs};

/// Maximum number of refused claims that are listed; all are counted.
const LISTED: usize = 1000;

/// Position of a claim in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Place {
    /// The number of a line, from 1.
    Line(u64),
    /// The id of a claim in a database.
    Claim(String),
    /// The id of an assertion in a database.
    Assertion(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Claim(id) => write!(f, "claim {}", telling::name(id)),
            Self::Assertion(id) => write!(f, "assertion {}", telling::name(id)),
        }
    }
}

pub(super) struct Report {
    hints: Hints,
    summary: Summary,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    format: &'static str,
    read: u64,
    #[serde(flatten)]
    tally: Tally,
    refused_count: u64,
    refused: Vec<Refused>,
    /// Number of items that this store does not carry, by kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    not_carried: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<Hint>,
    interrupted: bool,
}

#[derive(Serialize)]
struct Refused {
    #[serde(flatten)]
    place: Place,
    why: String,
}

impl Report {
    pub(super) fn new(format: &'static str, hints: Hints) -> Self {
        Self {
            hints,
            summary: Summary {
                format,
                read: 0,
                tally: Tally::default(),
                refused_count: 0,
                refused: Vec::new(),
                not_carried: BTreeMap::new(),
                hints: Vec::new(),
                interrupted: false,
            },
        }
    }

    pub(super) const fn read(&mut self) {
        self.summary.read += 1;
    }

    pub(super) fn look(&mut self, predicate: &Identifier) {
        self.hints.look(predicate);
    }

    pub(super) fn became(&mut self, told: &Told) {
        self.summary.tally.count(told);
    }

    pub(super) fn refused(&mut self, place: Place, why: impl fmt::Display) {
        self.summary.refused_count += 1;
        if self.summary.refused.len() < LISTED {
            let why = why.to_string();
            self.summary.refused.push(Refused { place, why });
        }
    }

    /// Returns true if all of the first `most` were refused.
    pub(super) const fn is_hopeless(&self, most: u64) -> bool {
        self.summary.read >= most && self.summary.refused_count == self.summary.read
    }

    pub(super) fn not_carried(&mut self, what: &'static str, number: u64) {
        if number > 0 {
            *self.summary.not_carried.entry(what).or_default() += number;
        }
    }

    /// Prints the summary, and ends as the import did.
    pub(super) fn finish(
        mut self,
        context: &Context,
        ended: Result<(), Ended>,
    ) -> Result<(), Failure> {
        self.summary.interrupted = matches!(ended, Err(Ended::Interrupted));
        self.summary.hints = self.hints.given;
        let summary = self.summary;
        if summary.read > 0 {
            context.out.answer(&summary, |out| {
                let mut lines = vec![
                    ("format", summary.format.to_owned()),
                    ("read", summary.read.to_string()),
                    ("became", summary.tally.in_words()),
                    ("written", summary.tally.written.to_string()),
                    ("nothing new", summary.tally.unchanged.to_string()),
                    ("refused", summary.refused_count.to_string()),
                ];
                for (at, (what, number)) in summary.not_carried.iter().enumerate() {
                    let name = if at == 0 { "not carried over" } else { "" };
                    lines.push((name, format!("{number} {what}")));
                }
                pairs(out, &lines)?;
                summary
                    .hints
                    .iter()
                    .try_for_each(|hint| writeln!(out, "{hint}"))
            })?;
        }
        summary.refused.iter().for_each(|refused| {
            notice(format_args!("{}: {}", refused.place, refused.why));
        });
        match ended {
            Err(Ended::Failed(failure)) => return Err(failure),
            Err(Ended::Interrupted) => {
                return Err(Failure::new(
                    ErrorKind::Interrupted,
                    "interrupted; run the same import again to add the rest".to_owned(),
                ));
            }
            Err(Ended::Hopeless) => {
                return Err(Failure::input(
                    format_args!("the first {} lines are no claims", summary.read),
                    "docs/format/claim-import.md says what a line holds",
                ));
            }
            Ok(()) => {}
        }
        match summary.refused_count {
            _ if summary.read == 0 => Err(Failure::input(
                "the file holds no claims",
                "name a file with claims in it",
            )),
            0 => Ok(()),
            refused => Err(Failure::input(
                format_args!(
                    "{} refused, as listed",
                    count(refused, "claim was", "claims were")
                ),
                "all others were judged; mend the file and import it again",
            )),
        }
    }
}

impl Summary {}
