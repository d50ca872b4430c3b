//! Commitment of an agent to its next key and its recovery key.

use std::sync::Arc;

use counterfoil_capsule::Signer;
use counterfoil_capsule::keys::{Commitments, KeyDocument, KeyInception};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::CapsuleLog;

use crate::error::Error;
use crate::home::{Home, signer_of};
use crate::recovery::RecoveryFolder;
use crate::rotation::draft;
use crate::when;

/// Makes the keys that take over, and records the commitment to them. The keys are on disk before
/// the log says anything about them.
pub(crate) async fn commit(
    home: &Home,
    store: &SqliteStore,
    folder: &RecoveryFolder,
) -> Result<u64, Error> {
    let key = home.agent_key()?;
    let signer = signer_of(&key).ok_or(Error::bug("a key that signs no memories"))?;
    let (next, recovery) = folder.begin(home.passphrase(), signer.agent(), key.guarded)?;
    let commitments = Commitments::to(&next, &recovery);
    let inception = KeyInception::sign(&signer, commitments, when::stamp()?)
        .map_err(|error| Error::place(error, "put the agent's first key back"))?;
    let draft = draft(&KeyDocument::Inception(inception));
    Ok(store.append_one(Arc::new(signer), draft).await?.index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{self, Guarded, Key, Passphrase, Use};

    /// A store as it was made before agents committed to anything.
    fn older_store(dir: &std::path::Path) -> (Home, SqliteStore) {
        let home = Home::at(dir);
        keys::make_folder(&home.keys()).unwrap();
        for (path, purpose) in [
            (home.log_key_path(), Use::Log("example.org/log".into())),
            (home.agent_key_path(), Use::Agent),
        ] {
            let key = Key {
                purpose,
                secret: keys::fresh().unwrap(),
                guarded: Guarded::No,
            };
            keys::write(&path, &key, &Passphrase::default()).unwrap();
        }
        let store = SqliteStore::create(home.writable().unwrap()).unwrap();
        (home, store)
    }

    /// Cut short between the files and the log, it goes on with the files that are there.
    #[test]
    fn an_older_store_begins_and_may_be_cut_short() {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(async {
            let dir = tempfile::tempdir().unwrap();
            let (home, store) = older_store(dir.path());
            let agent = home.agent_public().unwrap();
            assert!(store.key_chain(agent).await.unwrap().is_none());
            let folder = home.recovery(None);
            let made = folder.begin(home.passphrase(), agent, Guarded::No).unwrap();
            commit(&home, &store, &folder).await.unwrap();
            let history = store.key_chain(agent).await.unwrap().unwrap().history;
            let committed = Commitments::to(&made.0, &made.1);
            assert_eq!(history.commitments(), committed);
            let again = commit(&home, &store, &folder).await;
            assert!(again.is_err(), "an agent has one key chain");
        });
    }
}
