//! A store that is open to record something about others, signed with the agent's key.

use std::sync::Arc;

use counterfoil_capsule::Signer;
use counterfoil_exchange::documents::DocumentError;
use counterfoil_exchange::trust::{KnownAgent, LocalRecord, Record, Records};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{ExchangeStore, StoredRecord};
use counterfoil_types::DidKey;
use tokio::task::JoinSet;

use crate::error::{Error, ErrorKind};
use crate::exchange::{host, peers};
use crate::home::Home;
use crate::when;

/// Number of records in one transaction.
const BATCH: usize = 512;

/// A store that is open to record something about others.
pub struct Desk {
    pub store: Arc<SqliteStore>,
    pub records: Records,
    pub signer: Arc<dyn Signer>,
    /// All keys of this agent.
    pub own: Vec<DidKey>,
}

impl Desk {
    pub async fn open(home: &Home) -> Result<Self, Error> {
        home.must_exist()?;
        let signer = home.agent()?;
        let store = home.writer()?;
        let records = peers::records(home, &store).await?;
        let own = host::own_keys(&store, signer.agent()).await?;
        Ok(Self {
            store: Arc::new(store),
            records,
            signer,
            own,
        })
    }

    /// Resolves a name or a key to an agent other than this one.
    pub fn other(&self, agent: &str) -> Result<KnownAgent, Error> {
        let known = peers::known(&self.records, agent)?;
        self.must_be_another(&known.key)?;
        Ok(known)
    }

    pub fn must_be_another(&self, key: &DidKey) -> Result<(), Error> {
        if self.own.contains(key) {
            return Err(Error::input(
                "this is the key of this agent itself",
                "name another",
            ));
        }
        Ok(())
    }

    /// Records what this agent has decided or seen.
    pub async fn keep(&mut self, local: LocalRecord) -> Result<Record, Error> {
        let record = Record::local(local, when::stamp()?, self.signer.as_ref())?;
        self.take(vec![record.clone()]).await?;
        Ok(record)
    }

    /// Keeps records; tells how many were new. They are written at the same time, and share commits.
    pub async fn take(&mut self, records: Vec<Record>) -> Result<usize, Error> {
        let mut new = 0_usize;
        for batch in records.chunks(BATCH) {
            let mut tasks = JoinSet::new();
            for record in batch {
                let (store, hash) = (Arc::clone(&self.store), record.hash());
                let received_us = record.received_us();
                let stored = StoredRecord {
                    bytes: record.bytes().to_vec(),
                    received_us,
                };
                tasks.spawn(async move { store.add_record(hash, stored).await });
            }
            for added in tasks.join_all().await {
                new += usize::from(added?);
            }
        }
        let held = std::mem::take(&mut self.records);
        self.records = Records::gather(held.into_iter().chain(records));
        Ok(new)
    }
}

impl From<DocumentError> for Error {
    fn from(error: DocumentError) -> Self {
        Error::new(ErrorKind::Input, error.to_string())
    }
}
