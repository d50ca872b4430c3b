//! The folder of a store: the database, and apart from it the keys and what was signed last.
//!
//! ```text
//! DIR/memory.db             the database
//! DIR/keys/log.key          signs checkpoints
//! DIR/keys/agent.key        signs memories
//! DIR/recovery/             the keys that take over: to be kept on another medium
//! DIR/keys/log.pub          the public half of log.key, to read with
//! DIR/keys/agent.pub        the public half of agent.key, to read with
//! DIR/index.db              the index of a sealed store, apart from its database
//! DIR/keys/content-keys.db  what the content of a sealed store is sealed under
//! DIR/keys/last-checkpoint  what was signed last, to tell a restored backup; beside it the same of the journal
//! STATE/heads/LOG           the same of the log, outside of the store
//! DIR/floor                 the checkpoint that was given out in anchors
//! DIR/ground.toml           the shared ground that the memory is a node of
//! DIR/claims.toml           what the host decides about claims
//! ```

use counterfoil_life::{KnownHead, Life as _, ReadCheck};
use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use counterfoil_capsule::{AgentSigner, SecretKey, Signer};
use counterfoil_postgres::{LogGround, PostgresGround};
use counterfoil_sqlite::{Options, SqliteStore, Standby, content_keys};
use counterfoil_store::StoreError;
use counterfoil_store::log::NoteSigner;
use counterfoil_types::DidKey;
use counterfoil_verifier::note::VerifierKey;
use counterfoil_verifier::{Anchors, Checkpoint, LogAnchor};

use crate::clock;
use crate::error::Error;
use crate::heads::{self, HeadPlaces};
use crate::keys::{self, Key, Passphrase, Use};
use crate::node::{self, NodeSettings, OpenGround};
use crate::notices::Notices;
use crate::recovery::RecoveryFolder;

/// Folder of a store and the passphrase of its keys.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    dir: PathBuf,
    passphrase: Passphrase,
    accepts_clock: bool,
    shows_withheld: bool,
    heads: Vec<String>,
    check: OnceLock<Arc<ReadCheck>>,
    ground: OpenGround,
}

/// The log's name and secret.
pub(crate) struct LogKey {
    pub(crate) name: String,
    pub(crate) secret: SecretKey,
}

impl LogKey {
    /// The signer of the log's checkpoints.
    pub(crate) fn signer(self) -> Result<NoteSigner, Error> {
        Ok(NoteSigner::new(&self.name, self.secret)?)
    }

    /// Public key that checks the log.
    pub(crate) fn verifier_key(self) -> Result<VerifierKey, Error> {
        Ok(self.signer()?.verifier_key().clone())
    }
}

impl Home {
    pub(crate) const fn new(dir: PathBuf, passphrase: Passphrase) -> Self {
        Self {
            dir,
            passphrase,
            accepts_clock: false,
            shows_withheld: false,
            heads: Vec::new(),
            check: OnceLock::new(),
            ground: OnceLock::new(),
        }
    }

    /// Also hands out content that does not match its seal.
    pub(crate) const fn showing_withheld(mut self, shows: bool) -> Self {
        self.shows_withheld = shows;
        self
    }

    /// Also compares the log with the heads in these places.
    pub(crate) fn with_heads(mut self, places: Vec<String>) -> Self {
        self.heads = places;
        self
    }

    /// The log and the places of its head; `None` where no key file names the log. The key signs nothing here: that others
    /// may replace it is for those to say who rely on it.
    pub(crate) fn head_places(&self) -> Option<HeadPlaces<'_>> {
        let public = keys::read_public(&self.log_public_path());
        let secret = || self.log_key_alone().ok()?.verifier_key().ok();
        Some(HeadPlaces {
            dir: &self.dir,
            key: public.ok().flatten().or_else(secret)?,
            follows: !self.log_key_path().exists() && self.follows(),
            named: &self.heads,
            notices: self.notices(),
        })
    }

    /// Sets the head of the log outside of the store aside, where a person has decided against it.
    pub(crate) fn set_head_aside(&self) -> Result<(), Error> {
        let file = self
            .head_places()
            .and_then(|it| heads::writable_state_file(&it));
        let Some(file) = file.filter(|file| file.exists()) else {
            return Ok(());
        };
        fs::rename(&file, file.with_extension("before")).map_err(|error| {
            Error::place(
                format_args!("{} cannot be moved ({error})", file.display()),
                "check your rights",
            )
        })
    }

    fn known_heads(&self) -> Result<Vec<KnownHead>, Error> {
        self.head_places()
            .map_or_else(|| Ok(Vec::new()), |it| heads::known(&it))
    }

    /// Tests whether the memory is a node of a shared ground.
    pub(crate) fn is_node(&self) -> bool {
        fs::symlink_metadata(self.dir().join(node::FILE)).is_ok()
    }

    /// The ground that the memory is a node of.
    pub(crate) fn shared(&self) -> Result<Option<&(Arc<PostgresGround>, NodeSettings)>, Error> {
        let open = &self.ground;
        if open.get().is_none()
            && let Some(settings) = node::settings(self.dir())?
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

    /// Check of memories before they are handed out, with the list of withheld ones.
    pub(crate) fn read_check(&self) -> &Arc<ReadCheck> {
        self.check.get_or_init(|| {
            // A store that follows another one may have no key beside it: then the key that it names counts.
            let key = self.log_public().ok().map(|key| key.to_string());
            let check = ReadCheck::new(key);
            Arc::new(match self.shows_withheld {
                true => check.showing_withheld(),
                false => check,
            })
        })
    }

    /// Lets the clock leap as far as it has.
    pub(crate) const fn accepting_clock(mut self, accepts: bool) -> Self {
        self.accepts_clock = accepts;
        self
    }

    pub(crate) const fn notices(&self) -> &Notices {
        self.passphrase.notices()
    }

    pub(crate) const fn passphrase(&self) -> &Passphrase {
        &self.passphrase
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.dir.join("memory.db")
    }

    /// The index of a sealed store.
    pub(crate) fn index(&self) -> PathBuf {
        self.dir.join("index.db")
    }

    /// Mark of a store that is being made, or whose making was cut short.
    pub(crate) fn unfinished(&self) -> PathBuf {
        self.dir.join("unfinished")
    }

    /// Tests for a store that is being made, or whose making was cut short.
    pub(crate) fn is_unfinished(&self) -> bool {
        fs::symlink_metadata(self.unfinished()).is_ok()
    }

    pub(crate) fn keys(&self) -> PathBuf {
        self.dir.join("keys")
    }

    /// Folder of the recovery keys: `named` (`--recovery-dir`), or `recovery` in the store's folder.
    pub(crate) fn recovery(&self, named: Option<PathBuf>) -> RecoveryFolder {
        RecoveryFolder::at(named.unwrap_or_else(|| self.dir.join("recovery")))
    }

    /// Default folder of segments.
    pub(crate) fn archive(&self) -> PathBuf {
        self.dir.join("archive")
    }

    pub(crate) fn log_key_path(&self) -> PathBuf {
        self.keys().join("log.key")
    }

    pub(crate) fn agent_key_path(&self) -> PathBuf {
        self.keys().join("agent.key")
    }

    pub(crate) fn log_public_path(&self) -> PathBuf {
        self.keys().join("log.pub")
    }

    pub(crate) fn agent_public_path(&self) -> PathBuf {
        self.keys().join("agent.pub")
    }

    pub(crate) fn last_checkpoint(&self) -> PathBuf {
        self.keys().join("last-checkpoint")
    }

    /// The log's key, if only its owner can have read it and it is that of `log.pub`.
    pub(crate) fn log_key(&self) -> Result<LogKey, Error> {
        let key = self.log_key_alone()?;
        let public = LogKey {
            name: key.name.clone(),
            secret: keys::copy(&key.secret),
        };
        let public = public.verifier_key()?;
        of_one_pair(&self.log_key_path(), &public, &self.log_public_path())?;
        Ok(key)
    }

    /// The log's key, regardless of the content of `log.pub`.
    pub(crate) fn log_key_alone(&self) -> Result<LogKey, Error> {
        let key = self.key(&self.log_key_path())?;
        match key.purpose {
            Use::Log(name) => Ok(LogKey {
                name,
                secret: key.secret,
            }),
            _ => Err(swapped(&self.log_key_path())),
        }
    }

    /// Name of the log, and the protection of its key.
    pub(crate) fn log_name(&self) -> Result<(String, keys::Guarded), Error> {
        let guarded = self.key(&self.log_key_path())?.guarded;
        Ok((self.log_key()?.name, guarded))
    }

    /// Signer with the key in `agent.key`.
    pub(crate) fn agent_signer(&self) -> Result<AgentSigner, Error> {
        signer_of(&self.agent_key()?).ok_or_else(|| swapped(&self.agent_key_path()))
    }

    /// The key in `agent.key`, if it is one of the agent of `agent.pub`.
    pub(crate) fn agent_key(&self) -> Result<Key, Error> {
        let (key, agent) = self.agent_key_alone()?;
        of_one_pair(&self.agent_key_path(), &agent, &self.agent_public_path())?;
        Ok(key)
    }

    /// The key in `agent.key` and its agent, regardless of the content of `agent.pub`.
    pub(crate) fn agent_key_alone(&self) -> Result<(Key, DidKey), Error> {
        let path = self.agent_key_path();
        let key = self.key(&path)?;
        let signer = signer_of(&key).ok_or_else(|| swapped(&path))?;
        Ok((key, signer.agent()))
    }

    /// Public key that checks the log, from its file or else derived from the secret key.
    pub(crate) fn log_public(&self) -> Result<VerifierKey, Error> {
        keys::check_not_writable(&self.keys())?;
        match keys::read_public(&self.log_public_path())? {
            Some(key) => Ok(key),
            None => self.log_key()?.verifier_key(),
        }
    }

    /// The agent. Where the file of its public key is not, the secret key tells.
    pub(crate) fn agent_public(&self) -> Result<DidKey, Error> {
        keys::check_not_writable(&self.keys())?;
        match keys::read_public(&self.agent_public_path())? {
            Some(key) => Ok(key),
            None => {
                self.must_exist()?;
                Ok(self.agent_signer()?.agent())
            }
        }
    }

    /// Trust anchors an authority needs to check this store's proofs: the log, and the agent's `keys`.
    pub(crate) fn anchors(
        &self,
        floor: Option<&Checkpoint>,
        keys: impl IntoIterator<Item = DidKey>,
    ) -> Result<Anchors, Error> {
        let log = LogAnchor::new(self.log_public()?);
        let log = match floor {
            Some(floor) => log
                .with_floor(floor.size(), floor.root())
                .map_err(|error| Error::place(error, "run `counterfoil check`"))?,
            None => log,
        };
        Anchors::new(vec![log])
            .and_then(|anchors| anchors.with_agents(keys))
            .map_err(|error| Error::place(error, "put the right keys back from your own copy"))
    }

    /// The store, to read.
    pub(crate) fn reader(&self) -> Result<SqliteStore, Error> {
        self.reader_with(|options| options)
    }

    /// The store, to look into what happened to it: also one that is behind a head outside.
    pub(crate) fn reader_as_it_is(&self) -> Result<SqliteStore, Error> {
        self.opened_to_read(Vec::new(), |options| options)
    }

    /// The store, to read with further options.
    pub(crate) fn reader_with(
        &self,
        more: impl FnOnce(Options) -> Options,
    ) -> Result<SqliteStore, Error> {
        self.must_exist()?;
        // The heads before the database, which may grow meanwhile.
        let known = match self.shows_withheld {
            true => Vec::new(),
            false => self.known_heads()?,
        };
        self.opened_to_read(known, more)
    }

    fn opened_to_read(
        &self,
        known: Vec<KnownHead>,
        more: impl FnOnce(Options) -> Options,
    ) -> Result<SqliteStore, Error> {
        self.must_exist()?;
        let options = Options::read_only_guarded(self.database(), self.last_checkpoint());
        let options = options.with_heads(known);
        let options = options.with_read_check(Arc::clone(self.read_check()));
        Ok(SqliteStore::open(more(self.with_content_keys(options)?))?)
    }

    /// The store, to append to.
    pub(crate) fn writer(&self) -> Result<SqliteStore, Error> {
        self.must_exist()?;
        Ok(SqliteStore::open(self.writable()?)?)
    }

    /// Options that open the store for appending.
    pub(crate) fn writable(&self) -> Result<Options, Error> {
        let signer = self.log_key()?.signer()?;
        let outside = self.head_places().and_then(|it| {
            let outside = heads::writable_state_file(&it);
            heads::introduce(&it, &self.last_checkpoint());
            outside
        });
        let options = Options::writable(self.database(), signer, self.last_checkpoint());
        let options = options.with_heads(self.known_heads()?);
        let options = match outside {
            Some(outside) => options.with_head_outside(outside),
            None => options,
        };
        let options = options.with_max_leap_micros(clock::max_leap_micros(&self.dir)?);
        let options = options.with_read_check(Arc::clone(self.read_check()));
        let options = self.with_content_keys(options)?;
        let options = match self.ground()? {
            Some(ground) => options.with_ground(ground),
            None => options,
        };
        Ok(match self.accepts_clock {
            true => options.accept_clock(),
            false => options,
        })
    }

    /// Tests whether the keys of a sealed store's content are there.
    pub(crate) fn has_content_keys(&self) -> bool {
        self.keys().join("content-keys.db").exists()
    }

    /// Options with the keys that the content of a sealed store is sealed under; as they were where there are none.
    fn with_content_keys(&self, options: Options) -> Result<Options, Error> {
        if !self.has_content_keys() {
            return Ok(options);
        }
        let log = self.log_public()?.to_string();
        Ok(options.sealed(content_keys(&self.keys(), &log)?.into()))
    }

    /// Refuses a store whose log is not the one that the key beside it is of: none of its proofs
    /// would verify, and nothing would say why.
    pub(crate) async fn must_be_of_this_log(&self, store: &SqliteStore) -> Result<(), Error> {
        self.must_be_of_log(store.verifier_key().await?)
    }

    /// Refuses a store whose log has the verifier key `stored`, as [`must_be_of_this_log`](Self::must_be_of_this_log) does.
    pub(crate) fn must_be_of_log(&self, stored: String) -> Result<(), Error> {
        let given = self.log_public()?.to_string();
        if stored == given {
            return Ok(());
        }
        Err(StoreError::WrongLogKey { stored, given }.into())
    }

    /// Refuses a folder that holds no store, before its keys are looked for, and one that others may change.
    pub(crate) fn must_exist(&self) -> Result<(), Error> {
        match fs::metadata(self.database()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(self.missing()),
            Err(error) => Err(Error::place(
                format_args!("{} cannot be reached ({error})", self.database().display()),
                "check the path and your rights, or name another folder with --dir",
            )),
            Ok(_) if self.is_unfinished() => Err(self.missing()),
            Ok(_) => {
                keys::check_not_writable(&self.dir)?;
                keys::check_not_writable(&self.database())?;
                match self.index().exists() {
                    true => keys::check_not_writable(&self.index()),
                    false => Ok(()),
                }
            }
        }
    }

    /// Tests for a folder without a store.
    pub(crate) fn is_missing(&self) -> bool {
        let database = fs::metadata(self.database());
        let is_absent = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
        self.is_unfinished() || database.is_err_and(is_absent)
    }

    pub(crate) fn missing(&self) -> Error {
        Error::place(
            format_args!("there is no memory at {}", self.dir.display()),
            "`counterfoil remember TEXT` makes one; if there is one elsewhere, name its folder with --dir",
        )
    }

    /// The store of a making that was cut short, to see what is in it.
    pub(crate) fn half_made(&self) -> Result<SqliteStore, Error> {
        let options = Options::read_only(self.database());
        Ok(SqliteStore::open(self.with_content_keys(options)?)?)
    }

    pub(crate) fn key(&self, path: &Path) -> Result<Key, Error> {
        if let Ok(found) = fs::metadata(self.keys()) {
            keys::check_private(&self.keys(), &found)?;
        }
        keys::read(path, &self.passphrase).map_err(|error| match self.follows() && !path.exists() {
            true => Error::place(
                "this store follows another one: it has no keys, and is only read",
                "write to the other store; if that one is lost, put its keys here and run `counterfoil reconcile`",
            ),
            false => error,
        })
    }

    /// Tests for a store that follows another one and has no keys, as it should be.
    pub(crate) fn is_standby(&self) -> bool {
        self.follows() && !self.log_key_path().exists() && !self.agent_key_path().exists()
    }

    /// Tests whether the store follows another one.
    pub(crate) fn follows(&self) -> bool {
        !self.is_node() && Standby::is_at(&self.database())
    }
}

/// Signer of memories with this key; `None` if the key has another purpose.
pub(crate) fn signer_of(key: &Key) -> Option<AgentSigner> {
    let secret = keys::copy(&key.secret);
    match key.purpose {
        Use::Agent => Some(AgentSigner::new(secret)),
        Use::Rotated { agent, number } => Some(AgentSigner::rotated(agent, number, secret)),
        _ => None,
    }
}

/// Refuses a secret key that is not the other half of the public one beside it. A missing public half passes.
fn of_one_pair<K: FromStr + PartialEq + Display>(
    path: &Path,
    key: &K,
    public_path: &Path,
) -> Result<(), Error> {
    match keys::read_public::<K>(public_path)? {
        Some(public) if public != *key => Err(Error::place(
            format_args!(
                "{} holds the key of {key}, but {} says {public}",
                path.display(),
                public_path.display()
            ),
            "put the right one of the two back from your own copy",
        )),
        _ => Ok(()),
    }
}

pub(crate) fn swapped(path: &Path) -> Error {
    Error::place(
        format_args!("{} holds a key for another use", path.display()),
        "put the right one back from your own copy",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocking::Memory;

    fn made(folder: &Path, name: &str) -> Home {
        let dir = folder.join(name);
        Memory::create(&dir).unwrap();
        Home::new(dir, Passphrase::default())
    }

    /// Signatures with them would be of another agent, or of a log that no anchor names.
    #[test]
    fn a_key_of_another_store_signs_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let [home, other] = ["one", "other"].map(|name| made(folder.path(), name));
        fs::copy(other.agent_key_path(), home.agent_key_path()).unwrap();
        let refused = home.agent().map(drop).unwrap_err().to_string();
        assert!(refused.contains("agent.key holds the key of"), "{refused}");
        assert!(home.agent_key().is_err(), "nor does it begin a key chain");
        fs::copy(other.log_key_path(), home.log_key_path()).unwrap();
        let refused = home.writer().map(drop).unwrap_err().to_string();
        assert!(refused.contains("log.key holds the key of"), "{refused}");
        home.reader().unwrap();
        // There is nothing to compare in an older store.
        fs::remove_file(home.agent_public_path()).unwrap();
        home.agent().unwrap();
    }

    /// A user who may write to them may put another store, or another agent's name, in their place.
    #[cfg(unix)]
    #[test]
    fn a_store_that_others_may_write_to_is_not_opened() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let home = made(folder.path(), "store");
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        };
        let opened = |home: &Home| home.reader().and_then(|_| home.agent_public());
        for (path, sound, open) in [
            (home.dir().to_owned(), 0o755, [0o775, 0o702]),
            (home.database(), 0o644, [0o660, 0o602]),
            (home.keys(), 0o700, [0o720, 0o777]),
        ] {
            for mode in open {
                set(&path, mode);
                let refused = opened(&home).unwrap_err().to_string();
                let cure = format!("chmod go-w {}", path.display());
                assert!(refused.contains(&cure), "{refused}");
            }
            set(&path, sound);
            opened(&home).unwrap();
        }
        let shared = folder.path().join("shared");
        fs::create_dir(&shared).unwrap();
        set(&shared, 0o777);
        assert!(Memory::create(&shared).is_err());
        assert_eq!(fs::read_dir(&shared).unwrap().count(), 0);
    }
}
