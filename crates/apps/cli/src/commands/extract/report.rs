//! What became of each proposal, as a table or as JSON.

use std::io::{self, Write};

use counterfoil_claims::ClaimError;
use counterfoil_claims::ports::ClaimProposal;
use counterfoil_claims::time::ValidTime;
use counterfoil_types::WorldId;
use counterfoil_types::json::Value;
use serde::Serialize;

use super::reader::Ended;
use crate::args::ReaderName;
use crate::claims::bulk::{Hint, Hints, Tally, Told};
use crate::claims::telling;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::output::{count, table, write_table};

/// Maximum number of proposals, and of memories that could not be read, that are listed; all are counted.
const LISTED: usize = 1000;

pub(super) struct Report {
    hints: Hints,
    summary: Summary,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    with: &'static str,
    dry_run: bool,
    /// Memories that were read.
    read: u64,
    /// Memories without text, and claims, which are not read again.
    left_out: u64,
    proposals: u64,
    #[serde(flatten)]
    tally: Tally,
    refused: u64,
    listed: Vec<Listed>,
    /// Memories of which a reader could make nothing: how many, and the first of them.
    unreadable_count: u64,
    unreadable: Vec<Unread>,
    /// Parts of the model's answers that were no proposals.
    skipped: Vec<Unread>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<Hint>,
    interrupted: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    world_id: WorldId,
    subject: String,
    predicate: String,
    value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid: Option<Valid>,
    cardinality: &'static str,
    /// `proposed` when nothing was to be written, `refused` when the gate never saw it.
    became: &'static str,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<WorldId>,
    new: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip)]
    told: [String; 4],
}

#[derive(Serialize)]
struct Valid {
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    confidence: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Unread {
    world_id: WorldId,
    why: String,
}

impl Report {
    pub(super) fn new(dry_run: bool, with: ReaderName, hints: Hints) -> Self {
        Self {
            hints,
            summary: Summary {
                with: match with {
                    ReaderName::Rules => "rules",
                    ReaderName::Endpoint => "endpoint",
                },
                dry_run,
                read: 0,
                left_out: 0,
                proposals: 0,
                tally: Tally::default(),
                refused: 0,
                listed: Vec::new(),
                unreadable_count: 0,
                unreadable: Vec::new(),
                skipped: Vec::new(),
                hints: Vec::new(),
                interrupted: false,
            },
        }
    }

    pub(super) const fn left_out(&mut self) {
        self.summary.left_out += 1;
    }

    pub(super) fn read(&mut self, world: &WorldId, skipped: &[String]) {
        self.summary.read += 1;
        let room = LISTED.saturating_sub(self.summary.skipped.len());
        let skipped = skipped.iter().take(room).map(|why| unread(world, why));
        self.summary.skipped.extend(skipped);
    }

    pub(super) fn unreadable(&mut self, world: &WorldId, why: impl AsRef<str>) {
        self.summary.read += 1;
        self.summary.unreadable_count += 1;
        if self.summary.unreadable.len() < LISTED {
            self.summary.unreadable.push(unread(world, why.as_ref()));
        }
    }

    /// `answer` is what the gate said; `None` when it was not asked.
    pub(super) fn proposed(
        &mut self,
        world: &WorldId,
        proposal: &ClaimProposal,
        answer: Option<Result<Told, ClaimError>>,
    ) {
        self.summary.proposals += 1;
        self.hints.look(&proposal.predicate);
        match &answer {
            Some(Ok(told)) => self.summary.tally.count(told),
            Some(Err(_)) => self.summary.refused += 1,
            None => {}
        }
        if self.summary.listed.len() < LISTED {
            self.summary
                .listed
                .push(Listed::of(world, proposal, answer));
        }
    }

    /// Prints the summary, and ends as the reading did.
    pub(super) fn finish(
        mut self,
        context: &Context,
        ended: Result<(), Ended>,
    ) -> Result<(), Failure> {
        self.summary.interrupted = matches!(ended, Err(Ended::Interrupted));
        self.summary.hints = self.hints.given;
        let summary = self.summary;
        let nothing = summary.read == 0 && summary.left_out == 0;
        if let Err(Ended::Failed(failure)) = ended {
            if !nothing {
                context.out.answer(&summary, |out| summary.human(out))?;
            }
            return Err(failure);
        }
        context.out.answer(&summary, |out| summary.human(out))?;
        match (summary.interrupted, summary.unreadable.first()) {
            (true, _) => Err(Failure::new(
                ErrorKind::Interrupted,
                "interrupted; run the same again to read the rest".to_owned(),
            )),
            (false, Some(first)) => Err(Failure::input(
                format_args!(
                    "{} could not be read, the first of them {} ({})",
                    count(summary.unreadable_count, "memory", "memories"),
                    first.world_id,
                    first.why
                ),
                "all others were",
            )),
            (false, None) => Ok(()),
        }
    }
}

fn unread(world: &WorldId, why: &str) -> Unread {
    Unread {
        world_id: world.clone(),
        why: why.to_owned(),
    }
}

impl Listed {
    fn of(
        world: &WorldId,
        proposal: &ClaimProposal,
        answer: Option<Result<Told, ClaimError>>,
    ) -> Self {
        let (became, reference, new, why) = match answer {
            None => ("proposed", None, false, None),
            Some(Ok(told)) => (
                told.outcome.disposition.name(),
                Some(told.outcome.reference),
                told.new,
                None,
            ),
            Some(Err(refusal)) => ("refused", None, false, Some(refusal.to_string())),
        };
        Self {
            world_id: world.clone(),
            subject: proposal.subject.to_string(),
            predicate: proposal.predicate.to_string(),
            value: proposal.value.to_json(),
            valid: proposal.valid.as_ref().map(Valid::of),
            cardinality: proposal.cardinality.name(),
            became,
            reference,
            new,
            why,
            told: [
                telling::name(&proposal.subject),
                telling::name(&proposal.predicate),
                telling::value(&proposal.value),
                proposal
                    .valid
                    .as_ref()
                    .map_or_else(String::new, telling::valid),
            ],
        }
    }

    /// Result, for people.
    fn end(&self) -> String {
        match (self.became, self.new) {
            ("proposed" | "refused", _) | (_, true) => self.became.replace('_', " "),
            (became, false) => format!("{} (nothing new)", became.replace('_', " ")),
        }
    }
}

impl Valid {
    fn of(valid: &ValidTime) -> Self {
        Self {
            from: valid.from.map(|from| from.to_string()),
            until: valid.until.map(|until| until.to_string()),
            confidence: valid.confidence.value(),
        }
    }
}

impl Summary {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.listed.is_empty() {
            let mut rows = table(&["subject", "predicate", "value", "when", "became", "read in"]);
            for listed in &self.listed {
                let [subject, predicate, value, when] = listed.told.clone();
                let world = telling::name(&listed.world_id);
                rows.add_row([subject, predicate, value, when, listed.end(), world]);
            }
            write_table(out, &rows)?;
            writeln!(out)?;
        }
        let read = count(self.read, "memory", "memories");
        let proposals = count(self.proposals, "proposal", "proposals");
        write!(out, "{read} read, {proposals}")?;
        if !self.dry_run && self.proposals > 0 {
            write!(
                out,
                ": {}; {} new",
                self.tally.in_words(),
                self.tally.written
            )?;
        }
        writeln!(out)?;
        for hint in &self.hints {
            writeln!(out, "{hint}")?;
        }
        self.skipped.iter().try_for_each(|skipped| {
            writeln!(
                out,
                "skipped in {}: {}",
                skipped.world_id,
                telling::name(&skipped.why)
            )
        })
    }
}
