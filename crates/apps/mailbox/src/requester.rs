//! Transport over a folder: writes the request into `inbox`, and reads its answers from `outbox` (case 71).

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use counterfoil_exchange::documents::{Audience, Request, RequestId};
use counterfoil_peer::{PeerError, Transport};
use counterfoil_types::DidKey;

use crate::MailboxError;
use crate::folders::{Folders, Stamp};
use crate::name::{Name, key_digits};

/// Time between two reads of `outbox`.
const INTERVAL: Duration = Duration::from_millis(100);
/// Most files whose stamps are remembered: many more than the noise that the machine reads.
const MAX_SEEN: usize = 1_000;
/// Most files in one read: a second answer that is already there is handed over without waiting.
const AT_ONCE: usize = 5;
/// Most files handed over whose names the asked agent does not use. With the ten that it does use they are fewer than the
/// noise that the machine reads, so its answer is always read.
const MAX_OTHERS: usize = 4;

/// Opens a folder as the transport of one exchange, and creates `inbox`, `processing`, `outbox` and `done` in it if they are
/// missing. `sent` is a request that was sent earlier to the key, or to everyone, whose answers are waited for.
///
/// # Errors
/// [`MailboxError::Folder`].
pub fn transport(
    folder: &Path,
    sent: Option<(RequestId, Option<DidKey>)>,
) -> Result<Box<dyn Transport>, MailboxError> {
    Ok(Box::new(FolderTransport {
        folders: Arc::new(Folders::open(folder)?),
        search: sent.map(|(id, peer)| Search::new(id, peer)),
        read: VecDeque::new(),
    }))
}

/// Transport of one exchange over a folder. It hands over each file for the request once, and again after a change; the
/// machine decides which of them is the answer.
struct FolderTransport {
    folders: Arc<Folders>,
    search: Option<Search>,
    read: VecDeque<Vec<u8>>,
}

/// Search for the answers to one request.
#[derive(Debug, Clone)]
struct Search {
    id: RequestId,
    /// Names that the asked agent may use; they are read first.
    first: Vec<String>,
    /// Number of files with other names that may still be handed over.
    others: usize,
    seen: BTreeMap<String, Stamp>,
}

impl FolderTransport {
    /// Reads the files that are new since the last read.
    async fn look(&mut self) -> Result<(), PeerError> {
        let search = self.search.clone();
        let search = search.ok_or_else(|| refused("nothing was asked".to_owned()))?;
        let folders = Arc::clone(&self.folders);
        let found = tokio::task::spawn_blocking(move || search.fresh(&folders)).await;
        let found = found
            .map_err(|_| failed(&MailboxError::Bug))?
            .map_err(|error| failed(&error))?;
        // No await from here on: a file marked as seen is handed over.
        for (name, stamp, bytes) in found {
            if let Some(search) = &mut self.search {
                let is_first = search.is_first(&name);
                if bytes.is_some() && !is_first {
                    search.others = search.others.saturating_sub(1);
                }
                if is_first || search.seen.len() < MAX_SEEN {
                    search.seen.insert(name, stamp);
                }
            }
            self.read.extend(bytes);
        }
        Ok(())
    }
}

#[async_trait]
impl Transport for FolderTransport {
    async fn send(&mut self, request: &[u8]) -> Result<(), PeerError> {
        let asked = Request::parse(request).map_err(|error| refused(error.to_string()))?;
        let id = asked.parts().header.request_id.clone();
        // A further attempt reads no file a second time.
        if self.search.as_ref().is_none_or(|search| search.id != id) {
            let peer = match asked.parts().audience {
                Audience::One(key) => Some(key),
                Audience::Everyone => None,
            };
            self.search = Some(Search::new(id.clone(), peer));
        }
        let (folders, bytes) = (Arc::clone(&self.folders), request.to_vec());
        let sent =
            tokio::task::spawn_blocking(move || put(&folders, &Name::request(&id), &bytes)).await;
        sent.map_err(|_| failed(&MailboxError::Bug))?
            .map_err(|error| match error {
                MailboxError::Taken { .. } => refused(error.to_string()),
                _ => failed(&error),
            })
    }

    async fn receive(&mut self) -> Result<Vec<u8>, PeerError> {
        loop {
            if let Some(bytes) = self.read.pop_front() {
                return Ok(bytes);
            }
            self.look().await?;
            if self.read.is_empty() {
                tokio::time::sleep(INTERVAL).await;
            }
        }
    }
}

/// Writes a request into `inbox`, unless it is already there, in `processing` or in `done`.
fn put(folders: &Folders, name: &str, bytes: &[u8]) -> Result<(), MailboxError> {
    let inbox = &folders.inbox;
    let is_underway = folders.processing.holds(name) || folders.done.holds(name);
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

/// Name and stamp of a file, and its bytes if it can be read.
type Entry = (String, Stamp, Option<Vec<u8>>);

impl Search {
    fn new(id: RequestId, peer: Option<DidKey>) -> Self {
        let (first, others) = match peer {
            Some(key) => (
                Name::responses(&id, &key_digits(&key)).collect(),
                MAX_OTHERS,
            ),
            // Any agent may answer, under any name.
            None => (Name::responses(&id, "").take(1).collect(), usize::MAX),
        };
        Self {
            id,
            first,
            others,
            seen: BTreeMap::new(),
        }
    }

    /// Returns the first files that are new or changed.
    fn fresh(&self, folders: &Folders) -> Result<Vec<Entry>, MailboxError> {
        let outbox = &folders.outbox;
        let new = |name: String| {
            let stamp = outbox.look(&name).ok()?;
            let is_new = self.seen.get(&name) != Some(&stamp);
            is_new.then(|| {
                let bytes = outbox.read(&name).ok();
                (name, stamp, bytes)
            })
        };
        let first = self.first.iter().cloned();
        let mut found: Vec<Entry> = first.filter_map(new).take(AT_ONCE).collect();
        let room = AT_ONCE.saturating_sub(found.len()).min(self.others);
        if room > 0 {
            let others = outbox.names(|name| {
                let is_ours = matches!(Name::of(name), Some(Name::Response(of)) if of == self.id);
                is_ours && !self.is_first(name)
            })?;
            found.extend(others.into_iter().filter_map(new).take(room));
        }
        Ok(found)
    }

    fn is_first(&self, name: &str) -> bool {
        self.first.iter().any(|first| first == name)
    }
}

fn failed(error: &MailboxError) -> PeerError {
    PeerError::Failed {
        detail: error.to_string(),
        retry_after_us: None,
    }
}

const fn refused(detail: String) -> PeerError {
    PeerError::Refused {
        detail,
        problem: None,
    }
}
