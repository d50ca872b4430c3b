//! Records about other agents: names, keys, trust and vouches. The proof of each is checked when it is read.

use std::sync::Arc;

use counterfoil_capsule::Signer;
use counterfoil_exchange::documents::DocumentError;
use counterfoil_exchange::trust::{Cap, KnownAgent, LocalRecord, Record, Records, TrustReport};
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog as _, ExchangeStore};
use counterfoil_types::DidKey;
use serde::Serialize;

use crate::anchors::believed;
use crate::claims::logged::LoggedSettings;
use crate::error::{Error, ErrorKind};
use crate::exchange::host;
use crate::memory::Memory;
use crate::report::object;
use crate::{text, when};

/// Records of a memory that is open to add to them.
pub(crate) struct TrustRecords {
    pub(crate) records: Records,
    /// All keys of this agent.
    pub(crate) own: Vec<DidKey>,
    pub(crate) signer: Arc<dyn Signer>,
    store: Arc<SqliteStore>,
}

impl Memory {
    /// Returns all records about other agents.
    ///
    /// # Errors
    /// The store cannot be read, or a record in it is not as it was signed: without it, trust would be another.
    pub(crate) async fn trust_records(&self) -> Result<Arc<Records>, Error> {
        Ok(self.read_logged_settings().await?.records)
    }

    /// Reads the settings of claims that the log decides, and checks the proof of each record. While the log has not grown, returns
    /// those of the last call.
    pub(crate) async fn read_logged_settings(&self) -> Result<LoggedSettings, Error> {
        let size = self.any()?.size().await?;
        self.logged_settings_at(size).await
    }

    /// As [`read_logged_settings`](Self::read_logged_settings), of a log of this size.
    pub(crate) async fn logged_settings_at(&self, size: u64) -> Result<LoggedSettings, Error> {
        let own = self.home().agent_public()?;
        let known = self.logged_settings().clone();
        if let Some(known) = known.filter(|known| known.size == size && known.agent == own) {
            return Ok(known);
        }
        let store = self.any()?;
        let records = read(&store, &host::own_keys(&store, own).await?).await?;
        let actor = own.to_string();
        let tombstones = store.tombstones(None).await?;
        let forgotten = tombstones.into_iter().filter(|(.., tombstone)| {
            tombstone.decision.is_some() || tombstone.actor.to_string() == actor
        });
        let forgotten =
            forgotten.map(|(_, header, tombstone)| (tombstone.world, header.recorded().micros()));
        let logged = LoggedSettings {
            size,
            agent: own,
            keys: believed(self.home(), &store).await?.into(),
            vocabulary: Arc::new(records.vocabulary()),
            aliases: Arc::new(records.aliases()),
            records: Arc::new(records),
            forgotten: Arc::new(forgotten.collect()),
        };
        *self.logged_settings() = Some(logged.clone());
        Ok(logged)
    }

    /// Opens the records to add to them.
    pub(crate) async fn open_records(&self) -> Result<TrustRecords, Error> {
        self.must_exist()?;
        let signer = self.signer()?;
        let store = self.writer()?;
        let own = host::own_keys(&store, signer.agent()).await?;
        Ok(TrustRecords {
            records: read(&store, &own).await?,
            own,
            signer,
            store,
        })
    }
}

impl TrustRecords {
    /// Resolves a name or a key to an agent other than this one.
    pub(crate) fn other(&self, agent: &str) -> Result<KnownAgent, Error> {
        let known = known(&self.records, agent)?;
        self.must_be_another(&known.key)?;
        Ok(known)
    }

    pub(crate) fn must_be_another(&self, key: &DidKey) -> Result<(), Error> {
        if self.own.contains(key) {
            return Err(Error::input(
                "this is the key of this agent itself",
                "name another",
            ));
        }
        Ok(())
    }

    /// Adds a decision or observation of this agent.
    pub(crate) async fn keep(&mut self, local: LocalRecord) -> Result<(), Error> {
        let record = Record::local(local, when::stamp()?, self.signer.as_ref())?;
        self.take(&[record]).await.map(drop)
    }

    /// Adds records in one transaction, and returns the number of new ones.
    pub(crate) async fn take(&mut self, records: &[Record]) -> Result<usize, Error> {
        let documents = records.iter().map(|record| record.bytes().to_vec());
        let signer = Arc::clone(&self.signer);
        let new = self.store.add_records(signer, documents.collect()).await?;
        self.records = read(&self.store, &self.own).await?;
        Ok(new)
    }
}

/// Reads the records of a store, and checks the proof of each.
async fn read(store: &SqliteStore, own: &[DidKey]) -> Result<Records, Error> {
    let stored = store.records(0).await?.unwrap_or_default();
    let stored = stored.iter().map(|(bytes, at)| (bytes.as_slice(), *at));
    Records::receive(stored, own).map_err(|error| Error::new(ErrorKind::Place, error))
}

impl From<DocumentError> for Error {
    fn from(error: DocumentError) -> Self {
        Error::new(ErrorKind::Input, error)
    }
}

/// Resolves a name or a key to an agent. A key without records is a valid agent.
///
/// # Errors
/// No agent has this name, or more than one has.
pub(crate) fn known(records: &Records, agent: &str) -> Result<KnownAgent, Error> {
    if let Some(known) = records.named(agent) {
        return Ok(known);
    }
    if let Ok(key) = agent.parse() {
        return Ok(KnownAgent {
            key,
            name: None,
            addresses: Vec::new(),
            log: None,
            domains: Vec::new(),
            signs: false,
            same_agent: Vec::new(),
        });
    }
    let shown = text::typed(agent);
    let mut names = records.known().into_iter().filter_map(|known| known.name);
    if names.any(|name| name.as_str() == agent) {
        return Err(Error::input(
            format_args!("more than one agent is called {shown}"),
            "name it by its key; `counterfoil peer list` shows it",
        ));
    }
    Err(Error::input(
        format_args!("no agent is called {shown}"),
        "see `counterfoil peer list`, or give it the name: `counterfoil peer add NAME DID|URL`",
    ))
}

/// Local name of an agent, or else its shortened key.
pub(crate) fn called(records: &Records, key: &DidKey) -> String {
    let name = records.of_key(key).and_then(|known| known.name);
    name.map_or_else(|| text::brief(key), text::name)
}

/// The caps of a level, if there are any.
pub(crate) fn cap_views(found: &TrustReport) -> Option<Vec<impl Serialize + use<>>> {
    let caps = found.caps.iter().map(|cap| {
        let (cap, by) = match cap {
            Cap::Distrusted => ("distrusted", None),
            Cap::Marked(mark) => (mark.name(), None),
            Cap::Disputed { by } => ("disputed", Some(*by)),
            _ => ("capped", None),
        };
        object().with("cap", cap).with_some("by", by)
    });
    let caps: Vec<_> = caps.collect();
    (!caps.is_empty()).then_some(caps)
}

/// `at most 1: disputed by B`, for each cap.
pub(crate) fn caps(records: &Records, found: &TrustReport) -> Vec<String> {
    let words = found.caps.iter().map(|cap| {
        let why = match cap {
            Cap::Distrusted => "distrusted here".to_owned(),
            Cap::Marked(mark) => format!("marked for {}", mark.name()),
            Cap::Disputed { by } => format!("disputed by {}", called(records, by)),
            _ => "capped".to_owned(),
        };
        match cap.ceiling().number() {
            0 => format!("0: {why}"),
            _ => format!("at most 1: {why}"),
        }
    });
    words.collect()
}
