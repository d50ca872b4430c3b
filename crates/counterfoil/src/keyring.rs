//! The agent's keys over its life, from the commitment to the replacement of a stolen one (capsules 4.7).

use counterfoil_life::Life as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use counterfoil_capsule::Timestamp;
use counterfoil_capsule::keys::{KeyCompromise, KeyDocument, KeyError, KeyHistory};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::CapsuleLog;

use crate::create::commit;
use crate::error::{Error, ErrorKind};
use crate::home::signer_of;
use crate::keys::{self, Guarded, Key};
use crate::memory::Memory;
use crate::report::{Report, object};
use crate::rotation::{Prepared, draft, history_of, take_over};
use crate::when;

impl Memory {
    /// Lists the agent, its keys and commitments, declarations of compromise, and the paths of the key files.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn keys(&self, recovery_dir: Option<PathBuf>) -> Result<Report, Error> {
        let (home, store) = (self.home(), self.reader()?);
        let agent = home.agent_public()?;
        let history = store.key_history(agent).await?;
        let history = history.as_ref();
        let together = home.recovery(None).next_path().exists();
        let signing = history.map_or(vec![agent], |history| history.keys().to_vec());
        let keys = (0..).zip(signing).map(|(number, key)| {
            let mark = history.and_then(|history| history.compromise_of(number));
            let mark = mark.map(|mark| {
                object()
                    .with("from", mark.from)
                    .with("fromTime", mark.from_time)
                    .with("log", mark.log.as_str())
            });
            object()
                .with("number", number)
                .with("key", key)
                .with_some("compromised", mark)
        });
        let folder = home.recovery(recovery_dir);
        let files = [
            ("agent key", home.agent_key_path()),
            ("next key", folder.next_path()),
            ("recovery key", folder.recovery_path()),
        ];
        let files = files.map(|(name, path)| {
            object()
                .with("name", name)
                .with("path", path.display().to_string())
                .with("state", state(&path))
        });
        let chain = history.map(|history| {
            object()
                .with("id", history.chain())
                .with("head", history.head())
                .with("nextKey", history.next_key())
                .with("recoveryKey", history.recovery_key())
        });
        let document = object()
            .with("agent", agent)
            .with("number", history.map_or(0, KeyHistory::current_number))
            .with("key", history.map_or(agent, KeyHistory::current))
            .with_some("chain", chain)
            .with("keys", keys.collect::<Vec<_>>())
            .with("files", files);
        Ok(Report::new(&document)?.with("together", together))
    }

    /// Lets the next key take over, and commits to the one after it.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when the agent has committed to no next key,
    /// [`ErrorKind::Place`](crate::ErrorKind::Place) when the recovery folder is not there.
    pub async fn rotate_key(&self, recovery_dir: Option<PathBuf>) -> Result<Report, Error> {
        let home = self.home();
        self.must_exist()?;
        take_over(home)?;
        let folder = home.recovery(recovery_dir);
        let store = self.writer()?;
        let agent = home.agent_public()?;
        let history = history_of(&store, agent).await?;
        let prepared = Prepared::new(home, &folder, &history)?;
        let recorded = prepared.record(&store).await?;
        recorded.finish(home, &folder)?;
        Report::new(
            &object()
                .with("agent", agent)
                .with("number", recorded.number)
                .with("key", recorded.key)
                .with("index", recorded.index)
                .with("recoveryDir", folder.path().display().to_string()),
        )
    }

    /// Commits the agent of an older memory to a next key and a recovery key.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when it has committed already.
    pub async fn begin_keys(&self, recovery_dir: Option<PathBuf>) -> Result<Report, Error> {
        let home = self.home();
        self.must_exist()?;
        let folder = home.recovery(recovery_dir);
        let store = self.writer()?;
        let agent = home.agent_public()?;
        if store.key_history(agent).await?.is_some() {
            return Err(Error::input(
                "this agent has committed to its keys already",
                "look with `counterfoil key show`",
            ));
        }
        Report::new(
            &object()
                .with("agent", agent)
                .with("index", commit(home, &store, &folder).await?)
                .with("recoveryDir", folder.path().display().to_string()),
        )
    }

    /// Marks a key as in other hands from an entry of the log on, signed with the recovery key. By default it is the key
    /// that signed that entry.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is no such entry or key,
    /// [`ErrorKind::Place`](crate::ErrorKind::Place) when the recovery key is not there.
    pub async fn mark_compromised(
        &self,
        from: u64,
        key: Option<u64>,
        reason: &str,
        recovery_dir: Option<PathBuf>,
    ) -> Result<Report, Error> {
        let home = self.home();
        self.must_exist()?;
        take_over(home)?;
        let store = self.writer()?;
        let agent = home.agent_public()?;
        let history = history_of(&store, agent).await?;
        let (number, log, time) = meant(&store, &history, from, key).await?;
        let signer = signer_of(&home.agent_key()?).ok_or(Error::bug("no key of an agent"))?;
        let folder = home.recovery(recovery_dir);
        let recovery = folder.recovery(home.passphrase(), agent)?;
        let (from_time, since) = (time.to_string(), (log.as_str(), from, time));
        let mark = KeyCompromise::sign(&history, &recovery, number, since, reason, when::stamp()?);
        let document = KeyDocument::Compromise(mark.map_err(|error| match error {
            KeyError::RecoveryKey { .. } => {
                Error::place(error, "name its folder with --recovery-dir")
            }
            other => Error::new(ErrorKind::Input, other),
        })?);
        let draft = draft(&document).following(history.chain(), history.head());
        let index = store.append_one(Arc::new(signer), draft).await?.index;
        Report::new(
            &object()
                .with("agent", agent)
                .with("number", number)
                .with(
                    "key",
                    history
                        .key_at(number)
                        .map_or_else(String::new, |key| key.to_string()),
                )
                .with("from", from)
                .with("fromTime", from_time)
                .with("index", index)
                .with("current", number == history.current_number()),
        )
    }

    /// Seals the key files under the passphrase, or takes it from them. Each file is replaced as a whole or not at all, so
    /// that to be cut short and to begin again does no harm.
    ///
    /// # Errors
    /// [`ErrorKind::Place`](crate::ErrorKind::Place) when a key cannot be read or written.
    pub fn seal_keys(&self, sealed: bool, recovery_dir: Option<PathBuf>) -> Result<Report, Error> {
        self.must_be_unbound()?;
        let guarded = match sealed {
            true => Guarded::ByPassphrase,
            false => Guarded::No,
        };
        let home = self.home();
        self.must_exist()?;
        let folder = home.recovery(recovery_dir);
        let all = [
            home.log_key_path(),
            home.agent_key_path(),
            folder.next_path(),
            folder.recovery_path(),
        ];
        let (here, not_here): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|path| fs::symlink_metadata(path).is_ok());
        let mut due = Vec::new();
        for path in here {
            if keys::peek(&path)?.1 != guarded {
                due.push(path);
            }
        }
        if guarded == Guarded::ByPassphrase && !due.is_empty() {
            home.passphrase().to_seal()?;
        }
        for path in &due {
            let key = keys::read(path, home.passphrase())?;
            keys::replace(path, &Key { guarded, ..key }, home.passphrase())?;
        }
        let paths = |paths: &[PathBuf]| -> Vec<String> {
            paths
                .iter()
                .map(|path| path.display().to_string())
                .collect()
        };
        Report::new(
            &object()
                .with("written", paths(&due))
                .with("notHere", paths(&not_here)),
        )
    }

    /// The public history of the agent's keys, one capsule a line, and the number of lines.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when the agent has committed to no next key.
    pub async fn export_keys(&self) -> Result<(String, usize), Error> {
        let (store, agent) = (self.reader()?, self.home().agent_public()?);
        history_of(&store, agent).await?;
        let records = store.key_records(agent).await?;
        let lines = records
            .iter()
            .map(|record| record.document().to_text() + "\n");
        Ok((lines.collect(), records.len()))
    }
}

/// Resolves the key to declare compromised, the origin of the log, and the time of the first contested entry.
async fn meant(
    store: &SqliteStore,
    history: &KeyHistory,
    from: u64,
    key: Option<u64>,
) -> Result<(u64, String, Timestamp), Error> {
    let size = store.size().await?;
    let beyond = || {
        Error::input(
            format_args!("there is no entry {from} in a log of {size}"),
            "name an entry as `counterfoil show` prints it",
        )
    };
    let header = store.capsule(from).await?.ok_or_else(beyond)?.header;
    let ours = header.agent() == history.agent();
    let number = match key {
        Some(number) => number,
        None if ours => header.key_number(),
        None => {
            return Err(Error::input(
                format_args!("entry {from} is by another agent"),
                "say which of your keys it is, with --key",
            ));
        }
    };
    let log = store.verifier_key().await?;
    let log = log.split('+').next().unwrap_or_default().to_owned();
    Ok((number, log, header.timestamp()))
}

/// State of a key file, without opening its secret.
fn state(path: &Path) -> String {
    match keys::peek(path) {
        _ if fs::symlink_metadata(path).is_err() => "not here".to_owned(),
        Ok((_, Guarded::ByPassphrase)) => "sealed with a passphrase".to_owned(),
        Ok((_, Guarded::No)) => "not sealed".to_owned(),
        Err(failure) => failure.to_string(),
    }
}
