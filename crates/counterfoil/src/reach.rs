//! A memory as a node of a shared ground: made, joined, moved, and the nodes of its log.

use std::path::Path;
use std::sync::Arc;

use counterfoil_life::ground::Ground as _;
use counterfoil_postgres::{GroundSettings, LogGround, PostgresGround};
use counterfoil_sqlite::{Options, SqliteStore, detach, make_content_keys};
use serde_json::json;

use crate::create::close_to_others;
use crate::error::Error;
use crate::home::Home;
use crate::keys;
use crate::memory::{Memory, MemoryBuilder};
use crate::node::{self, NodeSettings, Reads};
use crate::report::Report;

/// Files that a new place of the log takes over from the folder of its keys.
const KEY_FILES: [&str; 4] = ["log.key", "agent.key", "log.pub", "agent.pub"];
/// The checkpoint that was signed last, beside them: a ground that is behind it is refused.
const SIGNED_LAST: &str = "last-checkpoint";
const CONTENT_KEYS: &str = "content-keys.db";

impl MemoryBuilder {
    /// Makes a new memory the first node of a log in the shared ground at `url` (`postgres://USER@HOST/DATABASE`), whose tables are made
    /// where they are missing. The keys of content are kept in the database at `keys_url`, in the same one by default.
    #[must_use]
    pub fn on_ground(mut self, url: impl Into<String>, keys_url: Option<String>) -> Self {
        self.making.ground = Some((url.into(), keys_url));
        self
    }

    /// Lets a node of a shared ground read its own copy, without asking the ground. By default each read asks, and sees all that any
    /// node was answered for.
    #[must_use]
    pub const fn read_any(mut self) -> Self {
        self.reads = Reads::Any;
        self
    }

    /// Lets a node of a shared ground ask it only until the log has `size` entries here, which an answer has named.
    #[must_use]
    pub const fn read_at(mut self, size: u64) -> Self {
        self.reads = Reads::At(size);
        self
    }
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
        let ground = node::migrate(settings).await?;
        Report::new(&json!({ "ground": ground.shown() }))
    }

    /// Makes this folder a node of the log whose keys lie in `keys`, which are copied, and whose ground is at `url`.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is a memory already; when the ground has no such log, is not as it
    /// was signed, or is behind the checkpoint beside the keys.
    pub async fn join(
        &self,
        url: &str,
        keys_url: Option<&str>,
        keys: &Path,
    ) -> Result<Report, Error> {
        self.join_with(url, keys_url, (keys, true)).await
    }

    /// As [`join`](Self::join), for a person who has decided that the ground counts as it is, although the log has signed more: a
    /// failover has lost that. The head of the log outside of the store is set aside (`.before`).
    ///
    /// # Errors
    /// As [`join`](Self::join).
    pub async fn join_accepting(
        &self,
        url: &str,
        keys_url: Option<&str>,
        keys: &Path,
    ) -> Result<Report, Error> {
        self.join_with(url, keys_url, (keys, false)).await
    }

    async fn join_with(
        &self,
        url: &str,
        keys_url: Option<&str>,
        (keys, compares): (&Path, bool),
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
        copy_keys(home, keys, KEY_FILES)?;
        match compares {
            true => copy_keys(home, keys, [SIGNED_LAST])?,
            false => home.set_head_aside()?,
        }
        if keys.join(CONTENT_KEYS).exists() {
            drop(make_content_keys(
                &home.keys(),
                &home.log_public()?.to_string(),
            )?);
        }
        let mut settings = NodeSettings::new(url)?;
        settings.ground.keys_url = keys_url.map(str::to_owned);
        settings.write(home.dir())?;
        let joined = self.take_log_in().await;
        if joined.is_err() {
            // What is left would stand in the way of the next try.
            drop(std::fs::remove_file(home.dir().join(node::FILE)));
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

    /// Returns the state of the ground: its address, the durability of a commit there, and the nodes, each with
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
        let (durability, nodes) =
            node::blocking(move || Ok((asked.durability()?, log.nodes()?))).await?;
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
        match node::blocking(move || log.forget(&asked)).await? {
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
        let ground = node::migrate(settings.ground.clone()).await?;
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
        node::blocking(move || log.leave()).await?;
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
        let keys = self.home().keys();
        copy_keys(&to, &keys, KEY_FILES)?;
        if self.home().has_content_keys() {
            copy_content_keys(&keys, &to.keys())?;
        }
        let store = self.writer()?;
        node::blocking(move || log.close()).await?;
        // What other nodes wrote until then.
        let size = store.follow().await?;
        copy_keys(&to, &keys, [SIGNED_LAST])?;
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

/// Copies files of the folder of a log's keys, as far as they are there.
fn copy_keys<const N: usize>(home: &Home, from: &Path, names: [&str; N]) -> Result<(), Error> {
    keys::make_folder(&home.keys())?;
    for name in names {
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

/// Copies the keys of sealed content as they are at one moment.
fn copy_content_keys(from: &Path, to: &Path) -> Result<(), Error> {
    let (from, to) = (from.join(CONTENT_KEYS), to.join(CONTENT_KEYS));
    let copied = rusqlite::Connection::open(&from)
        .and_then(|keys| keys.execute("VACUUM INTO ?1", [to.to_string_lossy()]));
    copied.map_err(|error| {
        Error::place(
            format_args!("{} cannot be copied ({error})", from.display()),
            "check the disk and your rights",
        )
    })?;
    close_to_others(&to)
}

fn no_node() -> Error {
    Error::input(
        "this memory lies in its own folder, and in no shared ground",
        "bring it into one with `counterfoil log move --to postgres://…`",
    )
}
