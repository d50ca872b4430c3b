//! Rotation, and the first commitment of an older memory.

use std::path::PathBuf;

use serde::Serialize;

use crate::begin::commit;

use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;
use crate::rotation::{Prepared, chain_of, take_over};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Begun {
    agent: String,
    index: u64,
    recovery_dir: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rotated {
    agent: String,
    number: u64,
    key: String,
    index: u64,
    recovery_dir: String,
}

impl Memory {
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
        let chain = chain_of(&store, agent).await?;
        let prepared = Prepared::new(home, &folder, &chain.history)?;
        let recorded = prepared.record(&store).await?;
        recorded.finish(home, &folder)?;
        Report::new(&Rotated {
            agent: agent.to_string(),
            number: recorded.number,
            key: recorded.key.to_string(),
            index: recorded.index,
            recovery_dir: folder.path().display().to_string(),
        })
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
        if store.key_chain(agent).await?.is_some() {
            return Err(Error::input(
                "this agent has committed to its keys already",
                "look with `counterfoil key show`",
            ));
        }
        Report::new(&Begun {
            agent: agent.to_string(),
            index: commit(home, &store, &folder).await?,
            recovery_dir: folder.path().display().to_string(),
        })
    }
}
