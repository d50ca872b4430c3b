//! `claim import`: claims out of a file, each judged by the gate as if it were stated now. A file says nothing with more
//! standing than whoever imports it gives (I4).

mod jsonl;
mod mempill;
mod report;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use counterfoil_claims::{Channel, Channels, Identifier};
use counterfoil_store::ClaimRequest;

use self::report::{Place, Report};
use crate::args::{ChannelName, ClaimImportArgs};
use crate::claims::access::ClaimWriter;
use crate::claims::bulk::{self, BATCH, Hints};
use crate::context::Context;
use crate::failure::Failure;

pub(crate) async fn run(context: &Context, args: ClaimImportArgs) -> Result<(), Failure> {
    context.home.must_exist()?;
    let is_mempill = mempill::is_database(&args.file)?;
    if !is_mempill && args.from_agent.is_some() {
        return Err(Failure::input(
            "--from-agent chooses in a mempill database, and this is none",
            "leave it out",
        ));
    }
    let pen = ClaimWriter::open(&context.memory)?;
    let hints = Hints::of(&pen, pen.agent.agent()).await?;
    let interrupted = crate::interrupt::interruption()?;
    let format = if is_mempill { "mempill" } else { "jsonl" };
    let mut importing = Importing {
        pen,
        interrupted,
        batch: Vec::new(),
        report: Report::new(format, hints),
    };
    let ended = if is_mempill {
        mempill::import(&mut importing, &args).await
    } else {
        jsonl::import(&mut importing, &args).await
    };
    importing.report.finish(context, ended)
}

/// Reason for the end of an import.
pub(super) enum Ended {
    Interrupted,
    /// So many lines in front are no claims that the file is something else.
    Hopeless,
    Failed(Failure),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// A store that is imported into.
struct Importing {
    pen: ClaimWriter,
    interrupted: Arc<AtomicBool>,
    batch: Vec<(Place, ClaimRequest)>,
    report: Report,
}

impl Importing {
    /// Takes a request; a full batch is written.
    async fn take(
        &mut self,
        place: Place,
        predicate: &Identifier,
        request: ClaimRequest,
    ) -> Result<(), Ended> {
        self.report.look(predicate);
        self.batch.push((place, request));
        if self.batch.len() >= BATCH {
            self.flush().await?;
        }
        if self.interrupted.load(Ordering::Relaxed) {
            self.flush().await?;
            return Err(Ended::Interrupted);
        }
        Ok(())
    }

    /// Writes the collected claims, and returns the result of each.
    async fn flush(&mut self) -> Result<Vec<(Place, Option<bulk::Told>)>, Failure> {
        if self.batch.is_empty() {
            return Ok(Vec::new());
        }
        let (places, requests): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.batch).into_iter().unzip();
        let answers = bulk::submit(&self.pen, requests).await?;
        let mut told = Vec::new();
        for (place, answer) in places.into_iter().zip(answers) {
            let answer = match answer {
                Ok(answer) => {
                    self.report.became(&answer);
                    Some(answer)
                }
                Err(refusal) => {
                    self.report.refused(place.clone(), refusal);
                    None
                }
            };
            told.push((place, answer));
        }
        Ok(told)
    }
}

/// Origin that a file may give for a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    User,
    FirstHand,
    Model,
    Recall,
}

impl Said {
    const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::FirstHand => "first-hand",
            Self::Model => "model",
            Self::Recall => "recall",
        }
    }

    /// Origin of a claim for which the file gives none.
    const fn by(channel: ChannelName) -> Self {
        match channel {
            ChannelName::User => Self::User,
            ChannelName::FirstHand => Self::FirstHand,
            ChannelName::Model => Self::Model,
        }
    }

    /// Returns true if it weighs no more than the importer's channel.
    const fn is_within(self, channel: ChannelName) -> bool {
        matches!(self, Self::Model | Self::Recall) || !matches!(channel, ChannelName::Model)
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
