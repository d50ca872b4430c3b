//! Settings of a node of a shared ground (`DIR/ground.toml`).

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use counterfoil_postgres::{GroundSettings, PostgresGround};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::StoreError;
use tokio::task::spawn_blocking;

use crate::error::Error;
use crate::keys;
use crate::settings_file::{self, Wrong};

/// Name of the settings of a node, in its folder.
pub(crate) const FILE: &str = "ground.toml";

const KNOWN: &str = "there are url, keys-url, root-certificate, node, connections, connect-seconds, statement-seconds, lock-seconds \
                     and settle-seconds";

/// Settings of a node: the ground, and the name under which others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeSettings {
    pub(crate) ground: GroundSettings,
    pub(crate) node: String,
}

/// The ground of a home, which is connected once.
pub(crate) type OpenGround = OnceLock<(Arc<PostgresGround>, NodeSettings)>;

impl NodeSettings {
    /// A node of the ground at `url`, with a name that no other one has.
    pub(crate) fn new(url: &str) -> Result<Self, Error> {
        let mut bytes = [0_u8; 4];
        keys::fill(&mut bytes)?;
        let host = std::env::var("HOSTNAME").unwrap_or_default();
        let host = host
            .split('.')
            .next()
            .filter(|it| !it.is_empty())
            .unwrap_or("node");
        Ok(Self {
            ground: GroundSettings::new(url),
            node: format!("{host}-{}", hex::encode(bytes)),
        })
    }

    /// Writes the settings, readable for the owner alone: the address may hold a password.
    pub(crate) fn write(&self, dir: &Path) -> Result<(), Error> {
        let mut table = toml::Table::new();
        table.insert("url".to_owned(), self.ground.url.clone().into());
        if let Some(keys) = &self.ground.keys_url {
            table.insert("keys-url".to_owned(), keys.clone().into());
        }
        table.insert("node".to_owned(), self.node.clone().into());
        keys::write_private(&dir.join(FILE), table.to_string().as_bytes())
    }
}

/// The settings in the folder of a memory; `None` for one that has no shared ground.
pub(crate) fn settings(dir: &Path) -> Result<Option<NodeSettings>, Error> {
    settings_file::read(&dir.join(FILE), |text| {
        let mut found = NodeSettings {
            ground: GroundSettings::new(""),
            node: String::new(),
        };
        for (name, value) in &settings_file::table(text)? {
            let text = || match value.as_str() {
                Some(text) if !text.is_empty() => Ok(text.to_owned()),
                _ => Err(Wrong::must_be(name, "a text")),
            };
            let number = |most: u64| match value.as_integer().and_then(|it| u64::try_from(it).ok())
            {
                Some(number) if (1..=most).contains(&number) => Ok(number),
                _ => Err(Wrong::must_be(
                    name,
                    &format!("a whole number from 1 to {most}"),
                )),
            };
            let seconds = || number(3600).map(Duration::from_secs);
            match name.as_str() {
                "url" => found.ground.url = text()?,
                "keys-url" => found.ground.keys_url = Some(text()?),
                "root-certificate" => found.ground.root_certificate = Some(text()?.into()),
                "node" => found.node = text()?,
                "connections" => {
                    found.ground.connections = usize::try_from(number(1000)?).unwrap_or(1000)
                }
                "connect-seconds" => found.ground.connect = seconds()?,
                "statement-seconds" => found.ground.statement = seconds()?,
                "lock-seconds" => found.ground.lock = seconds()?,
                "settle-seconds" => found.ground.settle = seconds()?,
                _ => return Err(Wrong::unknown(name, KNOWN)),
            }
        }
        match found.ground.url.is_empty() || found.node.is_empty() {
            true => Err(Wrong::new("`url` or `node` is missing", "write both")),
            false => Ok(Some(found)),
        }
    })
}

/// Makes the tables of a ground, or brings them to the newest version.
pub(crate) async fn migrate(settings: GroundSettings) -> Result<Arc<PostgresGround>, Error> {
    let ready = blocking(move || {
        let ground = PostgresGround::new(settings)?;
        ground.migrate().map(|()| Arc::new(ground))
    });
    ready.await
}

/// Runs what blocks apart from tasks.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Error> {
    let done = spawn_blocking(work).await;
    Ok(done.map_err(|_| Error::bug("the thread of a ground ended"))??)
}

/// Least age of the state that a node of a shared ground reads.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reads {
    /// All that any node was answered for: each read asks the ground.
    Latest,
    /// The state that this node has, without asking.
    Any,
    /// So many entries at least, which an answer has named: the ground is asked until they are here.
    At(u64),
}

impl Reads {
    /// Prepares the next read of a node.
    pub(crate) fn prepare(self, node: &SqliteStore) {
        match self {
            Self::Latest => node.refresh(),
            Self::At(size) => node.refresh_to(size),
            Self::Any => {}
        }
    }
}
