//! Claims out of a file, each judged by the gate as if it were stated now. A file gives no claim more weight than its
//! importer has (I4).

pub(super) mod jsonl;
mod mempill;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::atomic::Ordering;

use counterfoil_claims::{Channel, Channels, Identifier, ProvenanceClass};
use counterfoil_store::ClaimRequest;
use counterfoil_types::words;
use serde::Serialize;

use super::access::ClaimWriter;
use super::bulk::{self, BATCH, Hint, Hints, Judged, Tally};
use crate::error::{Error, ErrorKind};
use crate::memory::Memory;
use crate::report::Report;
use crate::text;
use crate::words::count;

/// Most refused claims that are listed; all are counted.
const LISTED: usize = 1000;
/// A file whose first lines are all refused, so many of them, is another kind of file.
const HOPELESS: u64 = 20;

/// Position of a claim in a file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
enum Place {
    /// Number of a line, from 1.
    Line(u64),
    /// Id of a claim in a database.
    Claim(String),
    /// Id of an assertion in a database.
    Assertion(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(number) => write!(f, "line {number}"),
            Self::Claim(id) => write!(f, "claim {}", text::name(id)),
            Self::Assertion(id) => write!(f, "assertion {}", text::name(id)),
        }
    }
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct ClaimImport {
    format: &'static str,
    read: u64,
    #[serde(flatten)]
    tally: Tally,
    refused_count: u64,
    refused: Vec<RefusedClaim>,
    /// Number of items that a memory does not carry, by kind.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    not_carried: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<Hint>,
    interrupted: bool,
}

#[derive(Serialize)]
struct RefusedClaim {
    #[serde(flatten)]
    place: Place,
    why: String,
}

impl Memory {
    /// Imports claims: JSON Lines (docs/format/claim-import.md), or those of an agent in a mempill database. A claim weighs
    /// at most what `channel` gives. Refused claims are notices, and all others are judged.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a file that cannot be read or holds no claims.
    pub async fn import_claims(
        &self,
        file: &Path,
        channel: &Channel,
        from_agent: Option<&str>,
    ) -> Result<Report, Error> {
        self.whole().must_exist()?;
        let is_mempill = is_mempill(file, from_agent)?;
        let writer = ClaimWriter::open(self).await?;
        let in_use = {
            let (agent, scope) = (writer.agent.agent(), self.scope().clone());
            writer.store.predicates(agent, None, scope).await?
        };
        let mut importer = Importer {
            memory: self,
            writer,
            channel: Said::by(channel),
            hints: Hints::over(in_use),
            batch: Vec::new(),
            report: ClaimImport {
                format: if is_mempill { "mempill" } else { "jsonl" },
                ..ClaimImport::default()
            },
        };
        let ended = match is_mempill {
            true => mempill::import(&mut importer, file, from_agent).await,
            false => jsonl::import(&mut importer, file).await,
        };
        let mut report = importer.report;
        report.hints = importer.hints.given;
        let problem = match ended {
            Err(error) if report.read == 0 => return Err(error),
            Ok(()) if report.read == 0 => {
                return Err(no_claims());
            }
            Err(error) => {
                report.interrupted = error.kind() == ErrorKind::Interrupted;
                Some(error)
            }
            Ok(()) if report.refused_count == 0 => None,
            Ok(()) => {
                let refused = count(report.refused_count, "claim was", "claims were");
                Some(Error::input(
                    format_args!("{refused} refused, as listed"),
                    "all others were judged; mend the file and import it again",
                ))
            }
        };
        let refused = report.refused.iter();
        let refused = refused.map(|refused| format!("{}: {}", refused.place, refused.why));
        Ok(Report::new(&report)?.noticed(refused).but(problem))
    }

    /// Refuses a file of which [`import_claims`](Self::import_claims) could take nothing over, whatever is in the store. Needs none.
    ///
    /// # Errors
    /// [`ErrorKind::Input`], with the first mistake of the file.
    pub fn can_import_claims(
        &self,
        file: &Path,
        channel: &Channel,
        from_agent: Option<&str>,
    ) -> Result<(), Error> {
        let channel = Said::by(channel);
        match is_mempill(file, from_agent)? {
            true => mempill::check(file, channel, from_agent),
            false => jsonl::check(file, channel),
        }
    }
}

/// Tests for a database of mempill. Of another file no agent is chosen.
fn is_mempill(file: &Path, from_agent: Option<&str>) -> Result<bool, Error> {
    let is_mempill = mempill::is_database(file)?;
    match from_agent {
        Some(_) if !is_mempill => Err(Error::input(
            "--from-agent chooses in a mempill database, and this is none",
            "leave it out",
        )),
        _ => Ok(is_mempill),
    }
}

fn no_claims() -> Error {
    Error::input("the file holds no claims", "name a file with claims in it")
}

/// The error of a file whose claims are refused, with the first of them.
fn no_claim_of(refused: u64, place: Place, why: &str) -> Error {
    let refused = count(refused, "claim was", "claims were");
    Error::input(
        format_args!(
            "nothing was imported: {refused} refused, the first of them at {place}: {why}"
        ),
        "mend the file and import it again",
    )
}

/// A memory that is imported into.
struct Importer<'m> {
    memory: &'m Memory,
    writer: ClaimWriter,
    /// Origin of claims for which the file gives none, and the most weight of the others.
    channel: Said,
    hints: Hints,
    batch: Vec<(Place, ClaimRequest)>,
    report: ClaimImport,
}

impl Importer<'_> {
    /// Takes a request; a full batch is written.
    async fn take(
        &mut self,
        place: Place,
        predicate: &Identifier,
        request: ClaimRequest,
    ) -> Result<(), Error> {
        self.hints.look(predicate);
        match self.memory.scoped_request(request).await {
            Ok(request) => self.batch.push((place, request)),
            Err(why) => self.report.refuse(place, why),
        }
        let interrupted = self.memory.interruption().load(Ordering::Relaxed);
        if interrupted || self.batch.len() >= BATCH {
            self.flush().await?;
        }
        if interrupted {
            return Err(Error::new(
                ErrorKind::Interrupted,
                "interrupted; run the same import again to add the rest",
            ));
        }
        Ok(())
    }

    /// Writes the collected claims, and returns the outcome of each that was judged.
    async fn flush(&mut self) -> Result<Vec<(Place, Judged)>, Error> {
        if self.batch.is_empty() {
            return Ok(Vec::new());
        }
        let (places, requests): (Vec<_>, Vec<_>) = self.batch.drain(..).unzip();
        let answers = bulk::submit(&self.writer, requests).await?;
        let mut judged = Vec::new();
        for (place, answer) in places.into_iter().zip(answers) {
            match answer {
                Ok(answer) => {
                    self.report.tally.count(&answer);
                    judged.push((place, answer));
                }
                Err(refusal) => self.report.refuse(place, refusal),
            }
        }
        Ok(judged)
    }
}

impl ClaimImport {
    fn refuse(&mut self, place: Place, why: impl fmt::Display) {
        self.refused_count += 1;
        if self.refused.len() < LISTED {
            let why = why.to_string();
            self.refused.push(RefusedClaim { place, why });
        }
    }

    fn lose(&mut self, what: &'static str, number: u64) {
        if number > 0 {
            *self.not_carried.entry(what).or_default() += number;
        }
    }
}

words! {
    /// Origin of a claim in a file.
    enum Said {
        /// The user.
        User = "user",
        /// The host.
        FirstHand = "first-hand",
        /// A model.
        Model = "model",
        /// The agent's own recall.
        Recall = "recall",
    }
}

impl Said {
    fn by(channel: &Channel) -> Self {
        match channel.provenance().class() {
            ProvenanceClass::UserAsserted => Self::User,
            ProvenanceClass::FirstHand => Self::FirstHand,
            ProvenanceClass::RecallReEntry => Self::Recall,
            _ => Self::Model,
        }
    }

    /// Returns true if it weighs no more than the importer's channel.
    const fn is_within(self, channel: Self) -> bool {
        matches!(self, Self::Model | Self::Recall) || !matches!(channel, Self::Model)
    }

    /// Limits the origin to the importer's channel.
    const fn within(self, channel: Self) -> Self {
        if self.is_within(channel) {
            self
        } else {
            channel
        }
    }

    fn channel(self) -> Channel {
        let channels = Channels::of_host();
        match self {
            Self::User => channels.user(),
            Self::FirstHand => channels.first_hand(),
            Self::Model => channels.model(),
            Self::Recall => channels.recall(),
        }
    }
}
