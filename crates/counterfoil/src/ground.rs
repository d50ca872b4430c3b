//! The shared ground of a memory's log (`DIR/ground.toml`), and the nodes of the log.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use counterfoil_life::commit::Ground as _;
use counterfoil_postgres::{GroundSettings, LogGround, PostgresGround};
use counterfoil_sqlite::{Options, SqliteStore, detach};
use counterfoil_store::StoreError;
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::create::close_to_others;
use crate::error::Error;
use crate::home::Home;
use crate::keys;
use crate::memory::Memory;
use crate::report::Report;
use crate::settings_file::{self, Wrong};

/// Name of the settings of a node, in its folder.
pub(crate) const FILE: &str = "ground.toml";

/// Files that a new place of the log takes over from the folder of its keys.
const KEY_FILES: [&str; 6] = [
    "log.key",
    "agent.key",
    "log.pub",
    "agent.pub",
    "last-checkpoint",
    "content-keys.db",
];

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
fn settings(dir: &Path) -> Result<Option<NodeSettings>, Error> {
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

impl Home {
    /// Tests whether the memory is a node of a shared ground.
    pub(crate) fn is_node(&self) -> bool {
        std::fs::symlink_metadata(self.dir().join(FILE)).is_ok()
    }

    /// The ground that the memory is a node of.
    fn shared(&self) -> Result<Option<&(Arc<PostgresGround>, NodeSettings)>, Error> {
        let open = self.open_ground();
        if open.get().is_none()
            && let Some(settings) = settings(self.dir())?
        {
            let ground = Arc::new(PostgresGround::new(settings.ground.clone())?);
            drop(open.set((ground, settings)));
        }
        Ok(open.get())
    }

    /// The log in the ground that the memory is a node of.
    pub(crate) fn ground(&self) -> Result<Option<Arc<LogGround>>, Error> {
        let Some((ground, settings)) = self.shared()? else {
            return Ok(None);
        };
        let log = self.log_public()?.to_string();
        Ok(Some(Arc::new(ground.log(&log, &settings.node))))
    }
}

/// Makes the tables of a ground, or brings them to the newest version.
pub(crate) async fn migrate(settings: GroundSettings) -> Result<Arc<PostgresGround>, Error> {
    let ready = blocking(move || {
        let ground = PostgresGround::new(settings)?;
        ground.migrate().map(|()| Arc::new(ground))
    });
    ready.await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Error> {
    let done = spawn_blocking(work).await;
    Ok(done.map_err(|_| Error::bug("the thread of a ground ended"))??)
}

impl Memory {
    /// Makes the database at `url` ready for logs, or brings its tables to the newest version; with `keys_url` also the one that holds the
    /// keys of content.
    ///
    /// # Errors
    /// [`ErrorKind::Place`](crate::ErrorKind::Place) when it cannot be reached, the role may not, or its tables are of a newer program.
    pub async fn prepare_ground(url: &str, keys_url: Option<&str>) -> Result<Report, Error> {
        let mut settings = GroundSettings::new(url);
        settings.keys_url = keys_url.map(str::to_owned);
        let ground = migrate(settings).await?;
        Report::new(&json!({ "ground": ground.shown() }))
    }

    /// Makes this folder a node of the log whose keys lie in `keys`, which are copied, and whose ground is at `url`.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is a memory already; when the ground has no such log, or is not as it
    /// was signed.
    pub async fn join(
        &self,
        url: &str,
        keys_url: Option<&str>,
        keys: &Path,
    ) -> Result<Report, Error> {
        self.must_be_unbound()?;
        let home = self.home();
        if home.database().exists() || home.is_node() {
            return Err(Error::input(
                format_args!("{} holds a memory already", home.dir().display()),
                "name a new folder with --dir",
            ));
        }
        keys::make_folder(home.dir())?;
        copy_keys(home, keys)?;
        let mut settings = NodeSettings::new(url)?;
        settings.ground.keys_url = keys_url.map(str::to_owned);
        settings.write(home.dir())?;
        let joined = self.take_log_in().await;
        if joined.is_err() {
            // What is left would stand in the way of the next try.
            drop(std::fs::remove_file(home.dir().join(FILE)));
            drop(std::fs::remove_file(home.database()));
        }
        joined?;
        self.reach().await
    }

    async fn take_log_in(&self) -> Result<(), Error> {
        let store = SqliteStore::create(self.home().writable()?)?;
        close_to_others(&self.home().database())?;
        match store.follow().await? {
            0 => Err(Error::refused(
                "the ground holds no such log",
                "check the address, or bring the log there from its own folder with `counterfoil log move --to`",
            )),
            _ => Ok(()),
        }
    }

    /// Returns what this memory knows of its ground: the address, the durability of a commit there, and the nodes, each with
    /// whether it has taken in all that was erased.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for a memory that is no node; when the ground cannot be reached.
    pub async fn reach(&self) -> Result<Report, Error> {
        self.must_be_unbound()?;
        let Some((ground, settings)) = self.home().shared()? else {
            return Err(no_node());
        };
        let log = self.home().ground()?.ok_or_else(no_node)?;
        let asked = Arc::clone(ground);
        let (durability, nodes) = blocking(move || Ok((asked.durability()?, log.nodes()?))).await?;
        let size = self.writer()?.follow().await?;
        let (commit, standbys) = durability;
        let nodes = nodes.into_iter().map(|node| {
            json!({
                "name": node.name,
                "own": node.name == settings.node,
                "erased": node.has_confirmed,
                "at": node.at,
            })
        });
        Report::new(&json!({
            "ground": ground.shown(),
            "keysApart": ground.has_keys_apart(),
            "node": settings.node,
            "size": size,
            "synchronousCommit": commit,
            "standbys": standbys,
            "nodes": nodes.collect::<Vec<_>>(),
        }))
    }

    /// Takes a node out of the list that erasures wait for, where its machine is gone.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) where there is no such node, and for this one.
    pub async fn forget_node(&self, name: &str) -> Result<(), Error> {
        self.must_be_unbound()?;
        let log = self.home().ground()?.ok_or_else(no_node)?;
        let asked = name.to_owned();
        match blocking(move || log.forget(&asked)).await? {
            true => Ok(()),
            false => Err(Error::input(
                format_args!("there is no other node {name}"),
                "`counterfoil reach nodes` lists them",
            )),
        }
    }

    /// Brings the log of this folder into the shared ground at `url`, and makes the folder its first node.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) when the ground holds the log already; when it cannot be written.
    pub async fn move_to_ground(&self, url: &str, keys_url: Option<&str>) -> Result<Report, Error> {
        self.must_be_unbound()?;
        let home = self.home();
        home.must_exist()?;
        if home.is_node() {
            return Err(Error::input(
                "this memory is a node of a shared ground already",
                "move it to a folder first: `counterfoil log move --to DIR`",
            ));
        }
        // Opened as it was, it is whole and as its guard says.
        let before = SqliteStore::open(home.writable()?)?;
        if let Some(mismatch) = before.guard_mismatch() {
            return Err(mismatch.clone().into());
        }
        drop(before);
        let mut settings = NodeSettings::new(url)?;
        settings.ground.keys_url = keys_url.map(str::to_owned);
        let ground = migrate(settings.ground.clone()).await?;
        let log = Arc::new(ground.log(&home.log_public()?.to_string(), &settings.node));
        let store = SqliteStore::open(home.writable()?.with_ground(Arc::<LogGround>::clone(&log)))?;
        store.share().await?;
        drop(store);
        self.is_complete_in(&ground).await?;
        settings.write(home.dir())?;
        self.reach().await
    }

    /// Reads the whole log back out of a ground, into a folder that goes, and compares both indexes.
    async fn is_complete_in(&self, ground: &Arc<PostgresGround>) -> Result<(), Error> {
        let home = self.home();
        let folder = tempfile::tempdir_in(home.dir());
        let folder =
            folder.map_err(|error| Error::place(error, "make room in the folder of the memory"))?;
        let log = Arc::new(ground.log(&home.log_public()?.to_string(), "proof of a move"));
        let path = folder.path();
        let options = Options::writable(
            path.join("memory.db"),
            home.log_key()?.signer()?,
            path.join("guard"),
        );
        let options = options.with_ground(Arc::<LogGround>::clone(&log));
        let copy = SqliteStore::create(options)?;
        copy.follow().await?;
        let (here, there) = (self.index_digest_here().await?, index_digest(&copy).await?);
        drop(copy);
        blocking(move || log.leave()).await?;
        match here == there {
            true => Ok(()),
            false => Err(Error::unproven(
                "what the ground holds is not what this folder holds",
                "nothing was changed here: run `counterfoil check --deep`, and move the log again into an empty database",
            )),
        }
    }

    async fn index_digest_here(&self) -> Result<counterfoil_types::Sha256Hash, Error> {
        index_digest(&self.home().reader_as_it_is()?).await
    }

    /// Brings the log out of its shared ground into the new folder `dir`, with its keys: a memory of its own again. The other nodes
    /// take nothing more.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when the folder holds anything, or this memory is no node.
    pub async fn move_to_folder(&self, dir: &Path) -> Result<Report, Error> {
        self.must_be_unbound()?;
        let log = self.home().ground()?.ok_or_else(no_node)?;
        let to = Home::new(dir.to_owned(), self.home().passphrase().clone());
        if to.database().exists() || to.keys().exists() {
            return Err(Error::input(
                format_args!("{} holds a memory already", dir.display()),
                "name a new folder",
            ));
        }
        keys::make_folder(dir)?;
        copy_keys(&to, &self.home().keys())?;
        let store = self.writer()?;
        blocking(move || log.close()).await?;
        // What other nodes wrote until then.
        let size = store.follow().await?;
        store.copy_to(&to.database()).await?;
        close_to_others(&to.database())?;
        detach(&to.database())?;
        let moved = SqliteStore::open(to.writable()?)?;
        if let Some(mismatch) = moved.guard_mismatch() {
            return Err(mismatch.clone().into());
        }
        Report::new(&json!({ "dir": dir, "size": size }))
    }
}

async fn index_digest(store: &SqliteStore) -> Result<counterfoil_types::Sha256Hash, Error> {
    Ok(counterfoil_life::Backend::read(store, |txn| txn.index_digest()).await?)
}

/// Copies the keys of a log, and the checkpoint that was signed last.
fn copy_keys(home: &Home, from: &Path) -> Result<(), Error> {
    keys::make_folder(&home.keys())?;
    for name in KEY_FILES {
        let (source, target) = (from.join(name), home.keys().join(name));
        if target.exists() || !source.exists() {
            continue;
        }
        let read = std::fs::read(&source).map_err(|error| {
            Error::place(
                format_args!("{} cannot be read ({error})", source.display()),
                "name the folder of the log's keys",
            )
        })?;
        keys::write_private(&target, &read)?;
    }
    match home.log_key_path().exists() && home.agent_key_path().exists() {
        true => Ok(()),
        false => Err(Error::place(
            format_args!("{} holds no log.key and agent.key", from.display()),
            "name the folder of the log's keys",
        )),
    }
}

fn no_node() -> Error {
    Error::input(
        "this memory lies in its own folder, and in no shared ground",
        "bring it into one with `counterfoil log move --to postgres://…`",
    )
}
