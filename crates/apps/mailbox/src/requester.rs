//! To ask in a folder: the request goes into `inbox`, and what comes for it into `outbox` is handed over (case 71).

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use counterfoil_exchange::documents::{Audience, Request, RequestId};
use counterfoil_peer::transport::Bound;
use counterfoil_peer::{Arrival, Transport, TransportError};
use counterfoil_types::DidKey;

use crate::place::{Place, Stamp, Which};
use crate::{MailboxError, Name, key_digits};

/// So long is waited between two looks at `outbox`.
const INTERVAL: Duration = Duration::from_millis(100);
/// The most files that are kept in mind: many more than the machine reads noise.
const MAX_SEEN: usize = 1_000;
/// So many files are read in one look: a second answer that is there already is handed over without being waited for.
const AT_ONCE: usize = 5;
/// So many files are handed over under names that the agent that was asked does not use. With the ten that it does use they
/// are fewer than the machine reads noise: whatever lies there, its answer is read.
const MAX_OTHERS: usize = 4;

/// Asks in a folder, for one exchange. Each file that comes for the request is handed over once, and again when it has
/// changed: which of them is the answer is for the machine to say.
#[derive(Debug)]
pub struct FolderTransport {
    place: Arc<Place>,
    sought: Option<Sought>,
    read: VecDeque<Vec<u8>>,
}

/// What is waited for.
#[derive(Debug, Clone)]
struct Sought {
    id: RequestId,
    /// The names that come first: those that the agent that was asked may use.
    first: Vec<String>,
    /// How many files of other names are still handed over.
    others: usize,
    seen: BTreeMap<String, Stamp>,
}

impl FolderTransport {
    /// Opens a folder, and makes `inbox`, `processing`, `outbox` and `done` in it where they are not there.
    ///
    /// # Errors
    /// [`MailboxError::Folder`].
    pub fn open(folder: &Path) -> Result<Self, MailboxError> {
        Ok(Self {
            place: Arc::new(Place::open(folder)?),
            sought: None,
            read: VecDeque::new(),
        })
    }

    /// Waits for what comes for this request, of which `peer` was asked before; `None`: everyone was.
    #[must_use]
    pub fn expecting(mut self, id: RequestId, peer: Option<DidKey>) -> Self {
        self.sought = Some(Sought::new(id, peer));
        self
    }

    /// Reads what has come since the last look.
    async fn look(&mut self) -> Result<(), TransportError> {
        let sought = self.sought.clone();
        let sought = sought.ok_or_else(|| refused("nothing was asked".to_owned()))?;
        let place = Arc::clone(&self.place);
        let found = tokio::task::spawn_blocking(move || sought.fresh(&place)).await;
        let found = found
            .map_err(|_| failed(&MailboxError::Bug))?
            .map_err(|error| failed(&error))?;
        // Nothing is waited for from here on: what is marked as seen is handed over.
        for (name, stamp, bytes) in found {
            if let Some(sought) = &mut self.sought {
                sought.see(name, stamp, bytes.is_some());
            }
            self.read.extend(bytes);
        }
        Ok(())
    }
}

#[async_trait]
impl Transport for FolderTransport {
    async fn send(&mut self, request: &[u8]) -> Result<(), TransportError> {
        let asked = Request::parse(request).map_err(|error| refused(error.to_string()))?;
        let id = asked.parts().header.request_id.clone();
        // A further attempt reads nothing a second time.
        if self.sought.as_ref().is_none_or(|sought| sought.id != id) {
            let peer = match asked.parts().audience {
                Audience::One(key) => Some(key),
                Audience::Everyone => None,
            };
            self.sought = Some(Sought::new(id.clone(), peer));
        }
        let (place, bytes) = (Arc::clone(&self.place), request.to_vec());
        let sent =
            tokio::task::spawn_blocking(move || put(&place, &Name::request(&id), &bytes)).await;
        sent.map_err(|_| failed(&MailboxError::Bug))?
            .map_err(|error| match error {
                MailboxError::Taken { .. } => refused(error.to_string()),
                _ => failed(&error),
            })
    }

    async fn receive(&mut self) -> Result<Arrival, TransportError> {
        loop {
            if let Some(bytes) = self.read.pop_front() {
                return Ok(Arrival {
                    bytes,
                    bound: Bound::SameWay,
                });
            }
            self.look().await?;
            if self.read.is_empty() {
                tokio::time::sleep(INTERVAL).await;
            }
        }
    }
}

/// Puts a request into `inbox`, unless it is there, was taken or was answered.
fn put(place: &Place, name: &str, bytes: &[u8]) -> Result<(), MailboxError> {
    let is_underway = [Which::Processing, Which::Done]
        .iter()
        .any(|which| place.folder(*which).holds(name));
    let inbox = place.folder(Which::Inbox);
    if is_underway || inbox.publish(name, bytes)? {
        return Ok(());
    }
    match inbox.read(name) {
        Ok(there) if there != bytes => Err(MailboxError::Taken {
            path: inbox.path(name),
        }),
        _ => Ok(()),
    }
}

/// A file, which state of it, and its bytes if it can be read.
type Found = (String, Stamp, Option<Vec<u8>>);

impl Sought {
    fn new(id: RequestId, peer: Option<DidKey>) -> Self {
        let (first, others) = match peer {
            Some(key) => (
                Name::responses(&id, &key_digits(&key)).collect(),
                MAX_OTHERS,
            ),
            // Whoever answers what everyone was asked may use any name.
            None => (Name::responses(&id, "").take(1).collect(), usize::MAX),
        };
        Self {
            id,
            first,
            others,
            seen: BTreeMap::new(),
        }
    }

    /// The first files that are new or have changed.
    fn fresh(&self, place: &Place) -> Result<Vec<Found>, MailboxError> {
        let outbox = place.folder(Which::Outbox);
        let new = |name: String| {
            let stamp = outbox.look(&name).ok()?;
            let is_new = self.seen.get(&name) != Some(&stamp);
            is_new.then(|| {
                let bytes = outbox.read(&name).ok();
                (name, stamp, bytes)
            })
        };
        let first = self.first.iter().cloned();
        let mut found: Vec<Found> = first.filter_map(new).take(AT_ONCE).collect();
        let room = AT_ONCE.saturating_sub(found.len()).min(self.others);
        if room > 0 {
            let others = outbox.names(|name| self.is_other(name))?;
            found.extend(others.into_iter().filter_map(new).take(room));
        }
        Ok(found)
    }

    fn is_other(&self, name: &str) -> bool {
        let is_ours = matches!(Name::of(name), Some(Name::Response(of)) if of == self.id);
        is_ours && !self.is_first(name)
    }

    fn is_first(&self, name: &str) -> bool {
        self.first.iter().any(|first| first == name)
    }

    fn see(&mut self, name: String, stamp: Stamp, is_read: bool) {
        let is_first = self.is_first(&name);
        if is_read && !is_first {
            self.others = self.others.saturating_sub(1);
        }
        if is_first || self.seen.len() < MAX_SEEN {
            self.seen.insert(name, stamp);
        }
    }
}

fn failed(error: &MailboxError) -> TransportError {
    TransportError::Failed {
        detail: error.to_string(),
        retry_after_us: None,
    }
}

const fn refused(detail: String) -> TransportError {
    TransportError::Refused {
        detail,
        problem: None,
    }
}
