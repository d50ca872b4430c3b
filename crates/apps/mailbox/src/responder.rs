//! To answer in a folder: a request is claimed by moving it, answered, and put away (cases 113 to 115).

mod round;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::{Request, RequestId};
use counterfoil_peer::{Answering, Origin};
use counterfoil_types::DidKey;

pub use self::round::Round;
use crate::place::{Left, Place, Which};
use crate::{MailboxError, Name, key_digits};

/// Who answers what is found in a folder.
#[async_trait]
pub trait Answers: Send + Sync {
    /// Answers the bytes of a request.
    ///
    /// # Errors
    /// [`Refusal`].
    async fn answer(&self, request: &[u8]) -> Result<Arc<[u8]>, Refusal>;
}

#[async_trait]
impl Answers for Answering {
    async fn answer(&self, request: &[u8]) -> Result<Arc<[u8]>, Refusal> {
        Self::answer(self, request, Origin::Folder).await
    }
}

/// How long a responder waits, and for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// A claim that is older is taken back: whoever made it has ended.
    pub claim: Duration,
    /// Between two looks at `inbox`.
    pub interval: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            claim: Duration::from_secs(120),
            interval: Duration::from_millis(250),
        }
    }
}

/// Answers in a folder.
pub struct Responder {
    place: Arc<Place>,
    answers: Arc<dyn Answers>,
    digits: String,
    patience: Patience,
}

impl Responder {
    /// Opens a folder, and makes `inbox`, `processing`, `outbox` and `done` in it where they are not there. `key` is that
    /// of whoever answers: it names further answers.
    ///
    /// # Errors
    /// [`MailboxError::Folder`].
    pub fn open(
        folder: &Path,
        answers: Arc<dyn Answers>,
        key: &DidKey,
        patience: Patience,
    ) -> Result<Self, MailboxError> {
        Ok(Self {
            place: Arc::new(Place::open(folder)?),
            answers,
            digits: key_digits(key),
            patience,
        })
    }

    /// Answers what is there. What was claimed for too long is taken back first.
    ///
    /// # Errors
    /// [`MailboxError`]: a folder cannot be read or written. What was claimed then is put back.
    pub async fn once(&self) -> Result<Round, MailboxError> {
        let mut round = Round::default();
        let patience = self.patience.claim;
        self.blocking(move |place| take_back(place, patience))
            .await?;
        let (requests, others) = self.blocking(waiting).await?;
        // Each is looked at in each round: nobody can stand before others for good.
        for id in requests {
            self.one(id, &mut round).await?;
        }
        for name in others {
            round.leave(name, Left::Name);
        }
        Ok(round)
    }

    /// Waits for the next look.
    pub async fn rest(&self) {
        tokio::time::sleep(self.patience.interval).await;
    }

    /// Claims a request, answers it and puts it away.
    async fn one(&self, id: RequestId, round: &mut Round) -> Result<(), MailboxError> {
        let name = Name::request(&id);
        let claimed = self.blocking({
            let name = name.clone();
            move |place| claim(place, &name)
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
                let put = move |place: &Place| finish(place, &of, &digits, &answer);
                match self.blocking(put).await? {
                    Some(file) => round.answered.push((id, file)),
                    None => round.leave(name, Left::Taken),
                }
            }
            Ok(None) => {
                self.blocking(move |place| put(place, &back, Which::Done))
                    .await?;
                round.misnamed.push(name);
            }
            Err(refusal) => {
                let to = if passes(&refusal) {
                    Which::Inbox
                } else {
                    Which::Done
                };
                self.blocking(move |place| put(place, &back, to)).await?;
                round.refused.push((id, refusal));
            }
        }
        Ok(())
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Place) -> Result<T, MailboxError> + Send + 'static,
    ) -> Result<T, MailboxError> {
        let place = Arc::clone(&self.place);
        let done = tokio::task::spawn_blocking(move || work(&place)).await;
        done.unwrap_or(Err(MailboxError::Bug))
    }
}

/// Is it refused for now only?
const fn passes(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        Refusal::TooMany { .. }
            | Refusal::SeenFull { .. }
            | Refusal::Busy { .. }
            | Refusal::Internal { .. }
    )
}

/// What became of a claim.
enum Claim {
    /// These bytes are to be answered.
    Mine(Vec<u8>),
    /// Another has it.
    Elsewhere,
    /// It is no request.
    Left(Left),
}

/// Gives those claims back that are too old.
fn take_back(place: &Place, patience: Duration) -> Result<(), MailboxError> {
    let processing = place.folder(Which::Processing);
    for name in processing.names(is_request)? {
        if processing.age(&name).is_some_and(|age| age > patience) {
            match place.rename(&name, Which::Processing, Which::Inbox) {
                // Another of that name is in the inbox: that one is answered.
                Ok(_) | Err(MailboxError::Taken { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// The requests that wait in `inbox`, and the names of what is none. What is hidden is being written.
fn waiting(place: &Place) -> Result<(Vec<RequestId>, Vec<String>), MailboxError> {
    let (mut requests, mut others) = (Vec::new(), Vec::new());
    for name in place
        .folder(Which::Inbox)
        .names(|name| !name.starts_with('.'))?
    {
        match Name::of(&name) {
            Some(Name::Request(id)) => requests.push(id),
            _ => others.push(name),
        }
    }
    Ok((requests, others))
}

fn is_request(name: &str) -> bool {
    matches!(Name::of(name), Some(Name::Request(_)))
}

/// Claims a request by moving it into `processing`: of those who try, one succeeds (case 114). What is no file of ours is
/// not moved.
fn claim(place: &Place, name: &str) -> Result<Claim, MailboxError> {
    let inbox = place.folder(Which::Inbox);
    if !inbox.holds(name) {
        return Ok(Claim::Elsewhere);
    }
    if let Err(left) = inbox.look(name) {
        return Ok(Claim::Left(left));
    }
    if place.folder(Which::Done).holds(name) {
        return Ok(Claim::Left(Left::Answered));
    }
    match place.rename(name, Which::Inbox, Which::Processing) {
        Ok(true) => {}
        Ok(false) | Err(MailboxError::Taken { .. }) => return Ok(Claim::Elsewhere),
        Err(error) => return Err(error),
    }
    match place.folder(Which::Processing).read(name) {
        Ok(bytes) => Ok(Claim::Mine(bytes)),
        // Something else was put in its place meanwhile; it goes back to where it came from.
        Err(left) => {
            put(place, name, Which::Inbox)?;
            Ok(Claim::Left(left))
        }
    }
}

/// Writes the answer under the first name that is free, and puts the request away; the name. `None`: others have taken
/// all of them, and the request is put away without an answer. What cannot be written gives the request back.
fn finish(
    place: &Place,
    id: &RequestId,
    digits: &str,
    answer: &[u8],
) -> Result<Option<String>, MailboxError> {
    let request = Name::request(id);
    match publish(place, id, digits, answer) {
        Ok(name) => {
            put(place, &request, Which::Done)?;
            Ok(name)
        }
        Err(error) => {
            put(place, &request, Which::Inbox)?;
            Err(error)
        }
    }
}

fn publish(
    place: &Place,
    id: &RequestId,
    digits: &str,
    answer: &[u8],
) -> Result<Option<String>, MailboxError> {
    let outbox = place.folder(Which::Outbox);
    for name in Name::responses(id, digits) {
        // The same answer is there already after an interruption.
        if outbox.read(&name).is_ok_and(|there| there == answer) || outbox.publish(&name, answer)? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Moves a claimed request on. If another file has its name there, it stays claimed: whoever puts one there keeps nobody
/// else from being answered.
fn put(place: &Place, name: &str, to: Which) -> Result<(), MailboxError> {
    match place.rename(name, Which::Processing, to) {
        Ok(_) | Err(MailboxError::Taken { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
