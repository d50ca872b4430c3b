//! `answer`: answers other agents in a folder (docs/format/transports.md §2).

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use counterfoil_mailbox::{FolderResponder, MailboxError, Round};
use counterfoil_peer::{Answering, Host};
use counterfoil_verify::terminal;
use serde::Serialize;

use crate::args::AnswerArgs;
use crate::context::Context;
use crate::exchange::{host, settings};
use crate::failure::{ErrorKind, Failure};
use crate::interrupt::interruption;
use crate::output::count;
use crate::output::notice;

/// The most characters of a name in a line.
const NAME: usize = 100;
/// Maximum number of file names kept in memory, so that each is reported once.
const MAX_TOLD: usize = 10_000;

pub(crate) async fn run(context: &Context, args: AnswerArgs) -> Result<(), Failure> {
    let (host, answering) = open(context).await?;
    let (key, answering) = (host.signer.key(), Arc::new(answering));
    let opened = FolderResponder::open(&args.folder, answering, &key);
    let responder = opened.map_err(failure)?;
    if args.once {
        let told = Told::of(
            responder.once().await.map_err(failure)?,
            &mut BTreeSet::new(),
        );
        return context.out.answer(&told, |out| told.human(out, true));
    }
    watch(context, &responder).await
}

/// Opens the answering service of this store, and the host that it answers with.
pub(crate) async fn open(context: &Context) -> Result<(Host, Answering), Failure> {
    context.home.must_exist()?;
    let settings = settings::read(&context.home)?;
    let host = host::open(&context.home, &settings).await?;
    let index = Arc::new(context.home.reader()?);
    let answering = Answering::new(host.clone(), index, settings.answering).await?;
    Ok((host, answering))
}

/// Answers until it is ended. What cannot be written now may be written later: it is said once and tried again.
async fn watch(context: &Context, responder: &FolderResponder) -> Result<(), Failure> {
    let interrupted = interruption()?;
    let (mut known, mut answered, mut trouble) = (BTreeSet::new(), 0_u64, None);
    while !interrupted.load(Ordering::Relaxed) {
        match responder.once().await {
            Ok(round) => {
                trouble = None;
                let told = Told::of(round, &mut known);
                answered = answered.saturating_add(u64::try_from(told.answered.len()).unwrap_or(0));
                if !told.is_empty() {
                    context.out.answer(&told, |out| told.human(out, false))?;
                }
            }
            Err(error) => {
                let told = error.to_string();
                if trouble.as_ref() != Some(&told) {
                    notice(&told);
                }
                trouble = Some(told);
            }
        }
        responder.rest().await;
    }
    let answered = count(answered, "request was answered", "requests were answered");
    Err(Failure::new(
        ErrorKind::Interrupted,
        format!("ended; {answered}"),
    ))
}

/// Printed result of one look at the folder.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    answered: Vec<Answered>,
    refused: Vec<Refused>,
    left: Vec<Left>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answered {
    request_id: String,
    file: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Refused {
    request_id: String,
    problem: &'static str,
    detail: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Left {
    file: String,
    why: String,
}

impl Told {
    /// Reports each refused or skipped name once.
    fn of(round: Round, known: &mut BTreeSet<String>) -> Self {
        let answered = round.answered.into_iter();
        let answered = answered.map(|(id, file)| Answered {
            request_id: id.to_string(),
            file,
        });
        let refused = round.refused.into_iter().map(|(id, refusal)| Refused {
            request_id: id.to_string(),
            problem: refusal.word(),
            detail: refusal.to_string(),
        });
        let mut is_new = |name: String| known.len() < MAX_TOLD && known.insert(name);
        // What is refused for now is refused at each look.
        let refused: Vec<_> = refused
            .filter(|refused| is_new(refused.request_id.clone()))
            .collect();
        let misnamed = round.misnamed.into_iter().map(|file| Left {
            file,
            why: "its request_id is not that of its name".to_owned(),
        });
        let left = round.left.into_iter().map(|(file, why)| Left {
            file,
            why: why.to_string(),
        });
        let left = misnamed
            .chain(left)
            .filter(|left| is_new(left.file.clone()));
        Self {
            answered: answered.collect(),
            refused,
            left: left.collect(),
        }
    }

    const fn is_empty(&self) -> bool {
        self.answered.is_empty() && self.refused.is_empty() && self.left.is_empty()
    }

    fn human(&self, out: &mut dyn Write, says_nothing: bool) -> io::Result<()> {
        for answered in &self.answered {
            writeln!(out, "answered {}: {}", answered.request_id, answered.file)?;
        }
        for refused in &self.refused {
            let detail = terminal::plain(&refused.detail, NAME);
            writeln!(
                out,
                "refused {}: {} ({detail})",
                refused.request_id, refused.problem
            )?;
        }
        for left in &self.left {
            writeln!(
                out,
                "left {}: {}",
                terminal::plain(&left.file, NAME),
                left.why
            )?;
        }
        if says_nothing && self.is_empty() {
            writeln!(out, "Nothing was asked.")?;
        }
        Ok(())
    }
}

/// A folder that was named wrongly is the caller's to mend.
pub(super) fn failure(error: MailboxError) -> Failure {
    match error {
        MailboxError::Folder { .. } | MailboxError::Unsupported => {
            Failure::new(ErrorKind::Input, error.to_string())
        }
        MailboxError::Bug => Failure::bug("a folder could not be read"),
        _ => Failure::new(ErrorKind::Place, error.to_string()),
    }
}
