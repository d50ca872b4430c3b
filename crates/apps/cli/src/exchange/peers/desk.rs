//! A store that is open to record something about others, signed with the agent's key.

use std::sync::Arc;

use counterfoil_capsule::Signer;
use counterfoil_exchange::trust::{Known, LocalRecord, Record, RecordError, Records};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{ExchangeStore, StoredRecord};
use counterfoil_types::DidKey;
use tokio::task::JoinSet;

use crate::exchange::{host, peers};
use crate::failure::Failure;
use crate::home::Home;
use crate::when;

/// How many records are written at the same time.
const BATCH: usize = 512;

/// A store that is open to record something about others.
pub(crate) struct Desk {
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) records: Records,
    pub(crate) signer: Arc<dyn Signer>,
    /// All keys of this agent.
    pub(crate) own: Vec<DidKey>,
}

impl Desk {
    pub(crate) async fn open(home: &Home) -> Result<Self, Failure> {
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

    /// Who is meant, unless it is this agent itself.
    pub(crate) fn other(&self, agent: &str) -> Result<Known, Failure> {
        let known = peers::known(&self.records, agent)?;
        self.must_be_another(&known.key)?;
        Ok(known)
    }

    pub(crate) fn must_be_another(&self, key: &DidKey) -> Result<(), Failure> {
        if self.own.contains(key) {
            return Err(Failure::input(
                "this is the key of this agent itself",
                "name another",
            ));
        }
        Ok(())
    }

    /// Records what this agent has decided or seen.
    pub(crate) async fn keep(&mut self, local: LocalRecord) -> Result<Record, Failure> {
        let record = Record::local(local, when::stamp()?, self.signer.as_ref())?;
        self.take(vec![record.clone()]).await?;
        Ok(record)
    }

    /// Keeps records; tells how many were new. They are written at the same time, and share commits.
    pub(crate) async fn take(&mut self, records: Vec<Record>) -> Result<usize, Failure> {
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

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        Self::Input(error.to_string())
    }
}
