//! Responder over a folder: claims a request by moving it, answers it, and puts it away (cases 113 to 115).

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::{Request, RequestId};
use counterfoil_peer::Answering;
use counterfoil_types::DidKey;

use crate::MailboxError;
use crate::folders::{ANSWERED, Folder, Folders, NAME, TAKEN};
use crate::name::{Name, key_digits};

/// Age after which a claim is taken back: the process that made it has ended.
const CLAIM: Duration = Duration::from_secs(120);
/// Time between two reads of `inbox`.
const INTERVAL: Duration = Duration::from_millis(250);
/// Most files that a round lists as left.
const MAX_LEFT: usize = 100;

/// Agent that answers the requests of a folder: [`Answering`], or a script in tests.
#[async_trait]
pub(crate) trait Answers: Send + Sync {
    /// Answers the bytes of a request.
    async fn answer(&self, request: &[u8]) -> Result<Arc<[u8]>, Refusal>;
}

#[async_trait]
impl Answers for Answering {
    async fn answer(&self, request: &[u8]) -> Result<Arc<[u8]>, Refusal> {
        Self::answer(self, request, None).await
    }
}

/// Result of one read of a folder.
#[derive(Debug, Default)]
pub struct Round {
    /// Answered requests, with the files of their answers.
    pub answered: Vec<(RequestId, String)>,
    /// Refused requests. Temporary refusals leave the request in `inbox`; others move it to `done`, without an answer.
    pub refused: Vec<(RequestId, Refusal)>,
    /// Requests whose `request_id` is not that of their name; they are in `done`.
    pub misnamed: Vec<String>,
    /// Files left without an answer, with the reason; at most 100.
    pub left: Vec<(String, &'static str)>,
}

impl Round {
    fn leave(&mut self, name: String, why: &'static str) {
        if self.left.len() < MAX_LEFT {
            self.left.push((name, why));
        }
    }
}

/// Responder over one folder.
pub struct FolderResponder {
    folders: Arc<Folders>,
    answers: Arc<dyn Answers>,
    digits: String,
    claim: Duration,
}

impl FolderResponder {
    /// Opens a folder, and creates `inbox`, `processing`, `outbox` and `done` in it if they are missing. `key` is the
    /// answering agent's: it names further answers.
    ///
    /// # Errors
    /// [`MailboxError::Folder`].
    pub fn open(
        folder: &Path,
        answering: Arc<Answering>,
        key: &DidKey,
    ) -> Result<Self, MailboxError> {
        Self::with(folder, answering, key, CLAIM)
    }

    pub(crate) fn with(
        folder: &Path,
        answers: Arc<dyn Answers>,
        key: &DidKey,
        claim: Duration,
    ) -> Result<Self, MailboxError> {
        Ok(Self {
            folders: Arc::new(Folders::open(folder)?),
            answers,
            digits: key_digits(key),
            claim,
        })
    }

    /// Answers the requests in `inbox`, after taking back claims of ended processes.
    ///
    /// # Errors
    /// [`MailboxError`] if a folder cannot be read or written; the request claimed then is put back.
    pub async fn once(&self) -> Result<Round, MailboxError> {
        let mut round = Round::default();
        let claim = self.claim;
        self.blocking(move |folders| take_back(folders, claim))
            .await?;
        // Hidden files are being written.
        let waiting = |folders: &Folders| folders.inbox.names(|name| !name.starts_with('.'));
        let mut others = Vec::new();
        // Each round tries every request, so that none blocks those behind it.
        for name in self.blocking(waiting).await? {
            match Name::of(&name) {
                Some(Name::Request(id)) => self.one(id, &mut round).await?,
                _ => others.push(name),
            }
        }
        for name in others {
            round.leave(name, NAME);
        }
        Ok(round)
    }

    /// Waits for the time of the next round (250 ms).
    pub async fn rest(&self) {
        tokio::time::sleep(INTERVAL).await;
    }

    /// Claims a request, answers it and puts it away.
    async fn one(&self, id: RequestId, round: &mut Round) -> Result<(), MailboxError> {
        let name = Name::request(&id);
        let claimed = self.blocking({
            let name = name.clone();
            move |folders| claim(folders, &name)
        });
        let bytes = match claimed.await? {
            Claim::Elsewhere => return Ok(()),
            Claim::Left(left) => {
                round.leave(name, left);
                return Ok(());
            }
            Claim::Mine(bytes) => bytes,
        };
        let answered = match Request::parse(&bytes) {
            Ok(request) if request.parts().header.request_id == id => {
                self.answers.answer(&bytes).await.map(Some)
            }
            Ok(_) => Ok(None),
            Err(error) => Err(error.into()),
        };
        let digits = self.digits.clone();
        let (back, of) = (name.clone(), id.clone());
        match answered {
            Ok(Some(answer)) => {
                let put = move |folders: &Folders| finish(folders, &of, &digits, &answer);
                match self.blocking(put).await? {
                    Some(file) => round.answered.push((id, file)),
                    None => round.leave(name, TAKEN),
                }
            }
            Ok(None) => {
                self.blocking(move |folders| put(folders, &back, &folders.done))
                    .await?;
                round.misnamed.push(name);
            }
            Err(refusal) => {
                // The same request may be answered later.
                let is_temporary = matches!(
                    refusal,
                    Refusal::TooMany { .. }
                        | Refusal::SeenFull { .. }
                        | Refusal::Busy { .. }
                        | Refusal::Internal { .. }
                );
                self.blocking(move |folders| match is_temporary {
                    true => put(folders, &back, &folders.inbox),
                    false => put(folders, &back, &folders.done),
                })
                .await?;
                round.refused.push((id, refusal));
            }
        }
        Ok(())
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Folders) -> Result<T, MailboxError> + Send + 'static,
    ) -> Result<T, MailboxError> {
        let folders = Arc::clone(&self.folders);
        let done = tokio::task::spawn_blocking(move || work(&folders)).await;
        done.unwrap_or(Err(MailboxError::Bug))
    }
}

/// Result of claiming a request.
enum Claim {
    /// Bytes to answer.
    Mine(Vec<u8>),
    /// Another process has it.
    Elsewhere,
    /// It is not a request that can be answered.
    Left(&'static str),
}

/// Moves requests whose claim is older than `limit` back into `inbox`.
fn take_back(folders: &Folders, limit: Duration) -> Result<(), MailboxError> {
    let processing = &folders.processing;
    for name in processing.names(|name| matches!(Name::of(name), Some(Name::Request(_))))? {
        if processing.age(&name).is_some_and(|age| age > limit) {
            match processing.rename(&name, &folders.inbox) {
                // A request of that name in `inbox` is answered in its folders.
                Ok(_) | Err(MailboxError::Taken { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// Claims a request by moving it into `processing`: of several processes one succeeds (case 114). Unusable files are not
/// moved.
fn claim(folders: &Folders, name: &str) -> Result<Claim, MailboxError> {
    let inbox = &folders.inbox;
    if !inbox.holds(name) {
        return Ok(Claim::Elsewhere);
    }
    if let Err(left) = inbox.look(name) {
        return Ok(Claim::Left(left));
    }
    if folders.done.holds(name) {
        return Ok(Claim::Left(ANSWERED));
    }
    match inbox.rename(name, &folders.processing) {
        Ok(true) => {}
        Ok(false) | Err(MailboxError::Taken { .. }) => return Ok(Claim::Elsewhere),
        Err(error) => return Err(error),
    }
    match folders.processing.read(name) {
        Ok(bytes) => Ok(Claim::Mine(bytes)),
        // Another file was put in its folders meanwhile; it goes back.
        Err(left) => {
            put(folders, name, inbox)?;
            Ok(Claim::Left(left))
        }
    }
}

/// Writes the answer under the first free name, moves the request into `done`, and returns the name; `None` if other files
/// have every name. If the answer cannot be written, the request goes back into `inbox`.
fn finish(
    folders: &Folders,
    id: &RequestId,
    digits: &str,
    answer: &[u8],
) -> Result<Option<String>, MailboxError> {
    let outbox = &folders.outbox;
    let publish = || {
        for name in Name::responses(id, digits) {
            // After an interruption the same answer is already there.
            let is_there = outbox.read(&name).is_ok_and(|there| there == answer);
            if is_there || outbox.publish(&name, answer)? {
                return Ok(Some(name));
            }
        }
        Ok(None)
    };
    let published = publish();
    let to = match published {
        Ok(_) => &folders.done,
        Err(_) => &folders.inbox,
    };
    put(folders, &Name::request(id), to)?;
    published
}

/// Moves a claimed request to `to`. If another file has its name there, it stays claimed, and other requests are answered.
fn put(folders: &Folders, name: &str, to: &Folder) -> Result<(), MailboxError> {
    match folders.processing.rename(name, to) {
        Ok(_) | Err(MailboxError::Taken { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
