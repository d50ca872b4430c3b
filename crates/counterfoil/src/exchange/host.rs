//! The host of exchanges: store, key, clocks and random source of a memory.

use counterfoil_life::Life as _;
use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_claims::{Channels, Settings};
use counterfoil_exchange::documents::Text;
use counterfoil_fetch::Fetcher;
use counterfoil_peer::{ClaimSettings, Host, PeerError};
use counterfoil_sqlite::{SqliteStore, System};
use counterfoil_store::StoreError;
use counterfoil_types::{BoxError, DidKey};

use super::settings::ExchangeSettings;
use super::timer::SystemTimer;
use crate::error::{Error, ErrorKind};
use crate::home::Home;
use crate::memory::Memory;

/// Longest name, in bytes.
const NAME: usize = 128;

/// Settings of claims of a memory, read at each use.
struct MemorySettings(Memory);

#[async_trait]
impl ClaimSettings for MemorySettings {
    async fn current(&self) -> Result<Arc<Settings>, StoreError> {
        let settings = self.0.claim_settings().await;
        settings.map_err(|error| StoreError::from(BoxError::from(error)))
    }
}

/// Opens the store to write, and the agent's key.
pub(crate) async fn open(memory: &Memory, settings: &ExchangeSettings) -> Result<Host, Error> {
    memory.must_exist()?;
    let home = memory.home();
    let name = name(home, settings)?;
    let signer = memory.signer()?;
    let store = memory.writer()?;
    let own_keys = own_keys(&store, signer.agent()).await?;
    Ok(Host {
        store,
        signer,
        own_keys: own_keys.into(),
        name,
        channels: Arc::new(Channels::of_host().peers()),
        claims: Arc::new(MemorySettings(memory.clone())),
        trust: settings.trust,
        freshness: settings.freshness,
        evidence: match settings.fetch_evidence {
            true => Some(Arc::new(Fetcher::default())),
            false => None,
        },
        timer: Arc::new(SystemTimer),
        entropy: Arc::new(System),
    })
}

/// All keys that this agent has signed with: what they signed comes from the agent itself.
pub(crate) async fn own_keys(store: &SqliteStore, agent: DidKey) -> Result<Vec<DidKey>, Error> {
    Ok(match store.key_history(agent).await? {
        Some(history) => history.keys().to_vec(),
        None => vec![agent],
    })
}

/// Name of this agent: from the settings, or else the name of its log.
pub(crate) fn name(home: &Home, settings: &ExchangeSettings) -> Result<Text<NAME>, Error> {
    let mut name = match &settings.name {
        Some(name) => name.clone(),
        None => home.log_public()?.name().to_owned(),
    };
    while name.len() > NAME {
        name.pop();
    }
    Text::new(name).map_err(|error| {
        Error::place(
            format_args!("this agent has no name ({error})"),
            "write one into exchange.toml, under [agent]: name = \"NAME\"",
        )
    })
}

impl From<PeerError> for Error {
    fn from(error: PeerError) -> Self {
        match error {
            PeerError::Store(error) => error.into(),
            PeerError::Document(_) | PeerError::NoExchange { .. } => {
                Error::new(ErrorKind::Input, error)
            }
            PeerError::Bug(what) => Error::bug(what),
            other => Error::new(ErrorKind::Place, other),
        }
    }
}
