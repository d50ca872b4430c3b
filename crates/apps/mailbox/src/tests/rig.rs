//! A folder, requests, and somebody who answers each with a text that names it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::{
    Audience, MemoryQuery, Nonce, Party, Preferences, Request, RequestHeader, RequestId,
    RequestParts, Text,
};
use counterfoil_types::DidKey;
use tempfile::TempDir;

use crate::name::Name;
use crate::responder::{Answers, FolderResponder, Round};

pub(crate) struct Rig {
    dir: TempDir,
}

/// Answers every request with its own bytes behind a word.
#[derive(Default)]
pub(crate) struct Echo {
    pub(crate) word: &'static str,
    pub(crate) refusal: Option<fn() -> Refusal>,
    pub(crate) asked: AtomicUsize,
}

#[async_trait]
impl Answers for Echo {
    async fn answer(&self, request: &[u8]) -> Result<Arc<[u8]>, Refusal> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        tokio::task::yield_now().await;
        match self.refusal {
            Some(refusal) => Err(refusal()),
            None => Ok([self.word.as_bytes(), request].concat().into()),
        }
    }
}

pub(crate) fn signer(seed: u8) -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([seed; 32]))
}

pub(crate) fn key(seed: u8) -> DidKey {
    signer(seed).agent()
}

pub(crate) fn id(number: u8) -> RequestId {
    RequestId::from_bytes([number; 16])
}

pub(crate) fn request(number: u8) -> Request {
    let at = |micros| Timestamp::from_micros(micros).unwrap();
    let parts = RequestParts {
        header: RequestHeader {
            request_id: id(number),
            nonce: Some(Nonce::from_bytes([number; 16])),
            timestamp: at(1_770_681_600_000_000),
            expires: at(1_770_681_630_000_000),
        },
        requester: Party::named(Text::new("Ann").unwrap()),
        audience: Audience::One(key(1)),
        query: MemoryQuery::new(Text::new("what of forks?").unwrap()),
        preferences: Preferences::default(),
    };
    Request::sign(parts, &signer(2)).unwrap()
}

/// Returns true for a round that found no request.
pub(crate) const fn is_idle(round: &Round) -> bool {
    round.answered.is_empty() && round.refused.is_empty() && round.misnamed.is_empty()
}

/// Age of claims that no test reaches.
pub(crate) const LONG: Duration = Duration::from_secs(120);

impl Rig {
    pub(crate) fn new() -> Self {
        let rig = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        for folder in ["inbox", "processing", "outbox", "done"] {
            fs::create_dir(rig.path(folder)).unwrap();
        }
        rig
    }

    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn inbox(&self, number: u8) -> PathBuf {
        self.path("inbox").join(Name::request(&id(number)))
    }

    pub(crate) fn put(&self, number: u8) {
        fs::write(self.inbox(number), request(number).bytes()).unwrap();
    }

    pub(crate) fn responder(&self, answers: Arc<dyn Answers>, claim: Duration) -> FolderResponder {
        FolderResponder::with(self.root(), answers, &key(1), claim).unwrap()
    }

    pub(crate) fn echo(&self) -> FolderResponder {
        self.responder(Arc::new(Echo::default()), LONG)
    }

    /// The names in a folder, hidden ones too.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}
