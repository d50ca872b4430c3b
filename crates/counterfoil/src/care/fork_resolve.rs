//! Settling a fork: the owner or the operator decides which branch goes on (capsules 4.5).

use std::path::Path;
use std::sync::Arc;

use counterfoil_sqlite::{Decision, SqliteStore};
use counterfoil_types::{Blake3Hash, DidKey};
use serde::Serialize;

use crate::error::Error;
use crate::export::chain_named;
use crate::home::Home;
use crate::memory::Memory;
use crate::report::Report;

#[derive(Debug, Serialize)]
struct Shown {
    chain: String,
    seq: u64,
    kept: String,
    abandoned: Vec<String>,
    by: &'static str,
    record: u64,
    /// Number of capsules of the kept branch that were added to the log.
    continued: u64,
    /// Number of capsules in the log that are in abandoned branches.
    abandoned_capsules: u64,
}

impl Memory {
    /// Decides which branch of a forked chain goes on, named by its first capsule: as the owner, for everyone, with the
    /// file of the recovery key, or else as the operator, for this store alone.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is no such chain or branch.
    pub async fn resolve_fork(
        &self,
        chain: &str,
        keep: Blake3Hash,
        recovery_key: Option<&Path>,
        reason: &str,
    ) -> Result<Report, Error> {
        self.must_exist()?;
        let signer = self.signer()?;
        let store = self.writer()?;
        let chain = chain_named(&store, chain).await?;
        let (decision, by) = match recovery_key {
            Some(path) => {
                let owner = owner(&store, chain).await?;
                (recovery(self.home(), path, owner)?, "recovery key")
            }
            None => (Decision::Operator, "operator"),
        };
        let resolved = store
            .resolve_fork(signer, (chain, keep), decision, reason)
            .await?;
        let branches = &resolved.branches;
        Report::new(&Shown {
            chain: branches.chain.to_string(),
            seq: branches.seq,
            kept: branches.keep.to_string(),
            abandoned: branches.abandon.iter().map(ToString::to_string).collect(),
            by,
            record: resolved.record,
            continued: resolved.continued,
            abandoned_capsules: resolved.abandoned,
        })
    }
}

async fn owner(store: &SqliteStore, chain: counterfoil_capsule::ChainId) -> Result<DidKey, Error> {
    let forks = store.forks_of(chain).await?;
    forks.first().map(|fork| fork.agent).ok_or_else(|| {
        Error::input(
            format_args!("chain {chain} has not forked"),
            "see `counterfoil fork list`",
        )
    })
}

/// The recovery key in that file, if it is of the chain's owner.
fn recovery(home: &Home, path: &Path, owner: DidKey) -> Result<Decision, Error> {
    if std::fs::symlink_metadata(path).is_err() {
        return Err(Error::input(
            format_args!("there is no recovery key at {}", path.display()),
            "name its file with --recovery-key, or decide as the operator without it",
        ));
    }
    let folder = path.parent().map(Path::to_owned);
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    let folder = home.recovery(Some(folder.unwrap_or_else(|| Path::new(".").to_owned())));
    let key = folder.read(home.passphrase(), path)?;
    if key.purpose != (crate::keys::Use::Recovery { agent: owner }) {
        return Err(crate::recovery::of_another(path, owner));
    }
    let signer = counterfoil_capsule::AgentSigner::new(key.secret);
    Ok(Decision::Recovery(Arc::new(signer)))
}
