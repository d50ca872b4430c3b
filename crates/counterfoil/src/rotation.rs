//! Rotation of the agent's key in steps, each of which leaves a store that works (capsules 4.7, MEM).
//!
//! ```text
//! 1  recovery/agent.next.new   the key after the next one, fresh
//! 2  keys/agent.key.new        the next key, which is to sign from now on
//! 3  the log                   the record: the one moment at which the rotation happens
//! 4  keys/agent.key.new    ->  keys/agent.key
//! 5  recovery/agent.next.new -> recovery/agent.next
//! ```
//! Cut short before 3, the old keys hold, and a later rotation goes on with what is there. Cut
//! short behind it, the log names the new key: [`take_over`] does step 4 when somebody next wants to
//! sign, without the recovery folder, and the next rotation does step 5. No secret is ever overwritten
//! that the log may have committed to.

use counterfoil_life::Life as _;
use std::fs;
use std::future::Future;
use std::sync::Arc;
use std::thread;

use counterfoil_capsule::keys::{KeyDocument, KeyHistory, KeyRotation, next_key_commitment};
use counterfoil_capsule::{AgentSigner, Signed, Signer};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, Draft};
use counterfoil_types::DidKey;

use crate::error::Error;
use crate::home::{Home, signer_of};
use crate::keys::{self, Key, Use, beside};
use crate::recovery::{RecoveryFolder, found_or_made, of_another};
use crate::when;

impl Home {
    /// The agent with the key that signs now, if only its owner can have read it. A rotation that
    /// was cut short after it was recorded is finished first.
    pub(crate) fn agent(&self) -> Result<Arc<dyn Signer>, Error> {
        take_over(self)?;
        Ok(Arc::new(self.agent_signer()?))
    }
}

/// Step 4, if a rotation was recorded and not finished. Reads the log only when there is a sign of
/// one.
pub(crate) fn take_over(home: &Home) -> Result<(), Error> {
    let waiting = waiting_path(home);
    if fs::symlink_metadata(&waiting).is_err() {
        return Ok(());
    }
    let (Use::Rotated { agent, number }, _) = keys::peek(&waiting)? else {
        return Err(foreign(home));
    };
    let store = home.reader()?;
    let history = wait(store.key_history(agent))??;
    let recorded = history.map(|history| history.current_number());
    if recorded == Some(number) {
        keys::rename(&waiting, &home.agent_key_path())?;
    }
    Ok(())
}

/// A rotation that is about to be recorded: steps 1 and 2 are done.
pub(crate) struct Prepared {
    signer: AgentSigner,
    rotation: Signed<KeyRotation>,
}

impl Prepared {
    /// Steps 1 and 2, after a step 5 that is due from the last time.
    pub(crate) fn new(
        home: &Home,
        folder: &RecoveryFolder,
        history: &KeyHistory,
    ) -> Result<Self, Error> {
        for path in [home.agent_key_path(), folder.next_path()] {
            keys::must_be_no_link(&path)?;
        }
        let key = home.agent_key()?;
        let signer = signer_of(&key).ok_or_else(|| foreign(home))?;
        let (signs, current) = (signer.key_number(), history.current_number());
        if signs != current || signer.key() != history.current() {
            return Err(Error::place(
                format_args!(
                    "keys/agent.key is key number {signs}, and number {current} signs now"
                ),
                "put the newer key file back from your own copy",
            ));
        }
        let (agent, number) = (history.agent(), history.current_number() + 1);
        let next = committed(home, folder, history)?;
        let then = Use::Next {
            agent,
            number: number + 1,
        };
        let then = found_or_made(
            home.passphrase(),
            &folder.waiting_path(),
            then,
            next.guarded,
        )?;
        let successor = Key {
            purpose: Use::Rotated { agent, number },
            secret: keys::copy(&next.secret),
            guarded: key.guarded,
        };
        keys::replace(&waiting_path(home), &successor, home.passphrase())?;
        let next = AgentSigner::rotated(agent, number, next.secret);
        let rotation = KeyRotation::sign(history, &signer, &next, &then.public(), when::stamp()?);
        let rotation = rotation.map_err(|error| Error::place(error, "run `counterfoil check`"))?;
        Ok(Self { signer, rotation })
    }

    /// Step 3: afterwards the new key is the one that signs.
    pub(crate) async fn record(self, store: &SqliteStore) -> Result<Recorded, Error> {
        let (chain, head) = (self.rotation.chain, self.rotation.previous);
        let (number, key) = (self.rotation.number, self.rotation.key);
        let document = KeyDocument::Rotation(self.rotation);
        let draft = draft(&document).following(chain, head);
        let appended = store.append_one(Arc::new(self.signer), draft).await?;
        Ok(Recorded {
            number,
            key,
            index: appended.index,
        })
    }
}

/// A rotation that is in the log.
pub(crate) struct Recorded {
    pub(crate) number: u64,
    pub(crate) key: DidKey,
    pub(crate) index: u64,
}

impl Recorded {
    /// Steps 4 and 5.
    pub(crate) fn finish(&self, home: &Home, folder: &RecoveryFolder) -> Result<(), Error> {
        keys::rename(&waiting_path(home), &home.agent_key_path())?;
        keys::rename(&folder.waiting_path(), &folder.next_path())
    }
}

/// The key that the agent has committed to. Where it waits beside the one before it, the last
/// rotation was not finished: that is made up for.
fn committed(home: &Home, folder: &RecoveryFolder, history: &KeyHistory) -> Result<Key, Error> {
    let is_next = |key: &Key| next_key_commitment(&key.public()) == history.next_key();
    let waiting = folder.waiting_path();
    if fs::symlink_metadata(&waiting).is_ok() && is_next(&folder.read(home.passphrase(), &waiting)?)
    {
        keys::rename(&waiting, &folder.next_path())?;
    }
    let key = folder.read(home.passphrase(), &folder.next_path())?;
    if is_next(&key) {
        return Ok(key);
    }
    Err(of_another(&folder.next_path(), history.agent()))
}

/// A document of keys as it is appended.
pub(crate) fn draft(document: &KeyDocument) -> Draft {
    Draft::record(document.kind(), document.to_value().clone()).with(document.extensions())
}

/// The history of the agent's keys, or what to do when it has none.
pub(crate) async fn history_of(store: &SqliteStore, agent: DidKey) -> Result<KeyHistory, Error> {
    store.key_history(agent).await?.ok_or_else(|| {
        Error::input(
            "this agent has committed to no next key",
            "run `counterfoil key begin` once",
        )
    })
}

fn waiting_path(home: &Home) -> std::path::PathBuf {
    beside(&home.agent_key_path(), ".new")
}

fn foreign(home: &Home) -> Error {
    Error::place(
        format_args!(
            "{} holds a key for another use",
            waiting_path(home).display()
        ),
        "put it where it belongs",
    )
}

/// Waits for the store from where nothing can be awaited. Rare: only behind a rotation that was
/// cut short.
fn wait<T: Send>(task: impl Future<Output = T> + Send) -> Result<T, Error> {
    let broken = || Error::bug("a thread that did not end well");
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.map(|runtime| runtime.block_on(task))
    };
    let ran = thread::scope(|scope| scope.spawn(run).join());
    ran.map_err(|_| broken())?.map_err(|_| broken())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use counterfoil_types::{UnixMillis, WorldId};

    use super::*;
    use crate::create::{Making, make};
    use crate::error::ErrorKind;
    use crate::keys::Guarded;

    /// A store in a folder that goes away, and its recovery folder.
    struct Store {
        home: Home,
        folder: RecoveryFolder,
        dir: tempfile::TempDir,
    }

    impl Store {
        async fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let home = Home::new(dir.path().join("store"), keys::Passphrase::default());
            let making = Making {
                name: None,
                guarded: Guarded::No,
                recovery_dir: None,
                ..Making::default()
            };
            make(&home, making).await.unwrap();
            let folder = home.recovery(None);
            Self { home, folder, dir }
        }

        async fn history(&self) -> KeyHistory {
            let agent = self.home.agent_public().unwrap();
            let store = self.home.reader().unwrap();
            store.key_history(agent).await.unwrap().unwrap()
        }

        async fn prepared(&self) -> Prepared {
            Prepared::new(&self.home, &self.folder, &self.history().await).unwrap()
        }

        async fn recorded(&self) -> Recorded {
            let store = self.home.writer().unwrap();
            self.prepared().await.record(&store).await.unwrap()
        }

        async fn rotate(&self) -> Recorded {
            take_over(&self.home).unwrap();
            let recorded = self.recorded().await;
            recorded.finish(&self.home, &self.folder).unwrap();
            recorded
        }

        /// Remembers something, and gives the number of the key that signed it.
        async fn remember(&self, id: &str) -> u64 {
            let at = UnixMillis::new(1).unwrap();
            let world =
                counterfoil_capsule::remember(WorldId::new(id).unwrap(), at, id.into()).unwrap();
            let agent = self.home.agent().unwrap();
            let store = self.home.writer().unwrap();
            let appended = store.append(agent, vec![Draft::new(world)]).await.unwrap();
            let capsule = store.capsule(appended[0].index).await.unwrap().unwrap();
            capsule.header.key_number()
        }

        fn waiting(&self) -> Vec<PathBuf> {
            let folders = [self.home.keys(), self.folder.path().clone()];
            let files = folders
                .iter()
                .flat_map(|folder| fs::read_dir(folder).unwrap());
            let files = files.map(|file| file.unwrap().path());
            let left = |path: &PathBuf| {
                let ending = path.extension();
                ending.is_some_and(|it| it == "new" || it == "part")
            };
            files.filter(left).collect()
        }
    }

    /// Where a rotation is cut short.
    #[derive(Debug, Clone, Copy)]
    enum Cut {
        BehindNext,
        BehindOperational,
        BehindRecord,
        BehindTakeOver,
        Nowhere,
    }

    async fn rotate_until(store: &Store, cut: Cut) {
        match cut {
            Cut::BehindNext => {
                store.prepared().await;
                fs::remove_file(waiting_path(&store.home)).unwrap();
            }
            Cut::BehindOperational => drop(store.prepared().await),
            Cut::BehindRecord => {
                store.recorded().await;
            }
            Cut::BehindTakeOver => {
                store.recorded().await;
                keys::rename(&waiting_path(&store.home), &store.home.agent_key_path()).unwrap();
            }
            Cut::Nowhere => {
                store.rotate().await;
            }
        }
    }

    fn run<T>(task: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(task)
    }

    /// Wherever a rotation ends, the store signs with the key that the log names, the next key is
    /// at hand, and the next rotation goes through.
    #[test]
    fn a_rotation_may_be_cut_short_anywhere() {
        for (cut, number) in [
            (Cut::BehindNext, 0),
            (Cut::BehindOperational, 0),
            (Cut::BehindRecord, 1),
            (Cut::BehindTakeOver, 1),
            (Cut::Nowhere, 1),
        ] {
            run(async {
                let store = Store::new().await;
                rotate_until(&store, cut).await;
                assert_eq!(store.history().await.current_number(), number, "{cut:?}");
                assert_eq!(store.remember("a").await, number, "{cut:?}");
                let again = store.rotate().await;
                assert_eq!(again.number, number + 1, "{cut:?}");
                assert_eq!(store.remember("b").await, number + 1, "{cut:?}");
                assert_eq!(store.waiting(), Vec::<PathBuf>::new(), "{cut:?}");
                let next = store
                    .folder
                    .read(store.home.passphrase(), &store.folder.next_path());
                let committed = store.history().await.next_key();
                let at_hand = next_key_commitment(&next.unwrap().public());
                assert_eq!(at_hand, committed, "{cut:?}");
            });
        }
    }

    /// Two rotations that are cut short one after the other, each at the worst place.
    #[test]
    fn cut_short_twice_it_still_goes_on() {
        for first in [
            Cut::BehindOperational,
            Cut::BehindRecord,
            Cut::BehindTakeOver,
        ] {
            for second in [
                Cut::BehindOperational,
                Cut::BehindRecord,
                Cut::BehindTakeOver,
            ] {
                run(async {
                    let store = Store::new().await;
                    rotate_until(&store, first).await;
                    take_over(&store.home).unwrap();
                    rotate_until(&store, second).await;
                    let number = store.history().await.current_number();
                    assert_eq!(store.remember("a").await, number, "{first:?} {second:?}");
                    let last = store.rotate().await.number;
                    assert_eq!(last, number + 1, "{first:?} {second:?}");
                    assert_eq!(store.waiting(), Vec::<PathBuf>::new());
                });
            }
        }
    }

    /// The recovery folder is on another medium, which is not there when the store is next used.
    #[test]
    fn a_recorded_rotation_is_finished_without_the_recovery_folder() {
        run(async {
            let store = Store::new().await;
            store.recorded().await;
            let away = store.dir.path().join("medium");
            fs::rename(store.folder.path(), &away).unwrap();
            assert_eq!(store.remember("a").await, 1);
            fs::rename(&away, store.folder.path()).unwrap();
            assert_eq!(store.rotate().await.number, 2);
        });
    }

    /// A key after the next one that was made and not recorded is not thrown away: the log may
    /// hold the record after all, on a disk that failed while it was written.
    #[test]
    fn no_secret_is_overwritten() {
        run(async {
            let store = Store::new().await;
            store.prepared().await;
            let made = fs::read(store.folder.waiting_path()).unwrap();
            store.prepared().await;
            assert_eq!(fs::read(store.folder.waiting_path()).unwrap(), made);
            store.rotate().await;
            assert_eq!(fs::read(store.folder.next_path()).unwrap(), made);
        });
    }

    /// Keys of another store beside a log do not rotate it.
    #[test]
    fn the_recovery_folder_of_another_store_is_refused() {
        run(async {
            let (store, other) = (Store::new().await, Store::new().await);
            let history = store.history().await;
            let refused = Prepared::new(&store.home, &other.folder, &history);
            assert_eq!(refused.map(drop).unwrap_err().kind(), ErrorKind::Place);
            let agent = history.agent();
            let refused = other.folder.recovery(store.home.passphrase(), agent);
            assert_eq!(refused.map(drop).unwrap_err().kind(), ErrorKind::Place);
        });
    }
}
