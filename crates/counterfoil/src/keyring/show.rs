//! The agent, its keys, what it has committed to, what is said against a key, and where files are.

use std::fs;
use std::path::{Path, PathBuf};

use counterfoil_capsule::keys::KeyHistory;
use counterfoil_sqlite::KeyChain;
use counterfoil_types::DidKey;
use serde::Serialize;

use crate::error::Error;
use crate::home::Home;
use crate::keys::{self, Guarded};
use crate::memory::Memory;
use crate::report::Report;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    agent: String,
    /// The number of the key that signs now.
    number: u64,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    chain: Option<Chain>,
    keys: Vec<One>,
    files: Vec<File>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Chain {
    id: String,
    head: String,
    next_key: String,
    recovery_key: String,
}

#[derive(Serialize)]
struct One {
    number: u64,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    compromised: Option<Mark>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Mark {
    from: u64,
    from_time: String,
    log: String,
}

#[derive(Serialize)]
struct File {
    name: &'static str,
    path: String,
    state: String,
}

impl Memory {
    /// Lists the agent, its keys and commitments, declarations of compromise, and the paths of the key files.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn keys(&self, recovery_dir: Option<PathBuf>) -> Result<Report, Error> {
        let (home, store) = (self.home(), self.reader()?);
        let agent = home.agent_public()?;
        let chain = store.key_chain(agent).await?;
        let together = home.recovery(None).next_path().exists();
        let shown = shown(agent, chain.as_ref(), files(home, recovery_dir));
        Ok(Report::new(&shown)?.with("together", together))
    }
}

fn shown(agent: DidKey, chain: Option<&KeyChain>, files: Vec<File>) -> Shown {
    let history = chain.map(|chain| &chain.history);
    let only = vec![One {
        number: 0,
        key: agent.to_string(),
        compromised: None,
    }];
    Shown {
        agent: agent.to_string(),
        number: history.map_or(0, KeyHistory::current_number),
        key: history.map_or(agent, KeyHistory::current).to_string(),
        chain: history.map(|history| Chain {
            id: history.chain().to_string(),
            head: history.head().to_string(),
            next_key: history.commitments().next_key.to_string(),
            recovery_key: history.commitments().recovery_key.to_string(),
        }),
        keys: history.map_or(only, each),
        files,
    }
}

fn each(history: &KeyHistory) -> Vec<One> {
    let keys = (0..).zip(history.keys());
    keys.map(|(number, key)| One {
        number,
        key: key.to_string(),
        compromised: history.compromised_from(number).map(|since| Mark {
            from: since.entry,
            from_time: since.time.to_string(),
            log: since.log.clone(),
        }),
    })
    .collect()
}

fn files(home: &Home, recovery_dir: Option<PathBuf>) -> Vec<File> {
    let folder = home.recovery(recovery_dir);
    vec![
        file("agent key", &home.agent_key_path()),
        file("next key", &folder.next_path()),
        file("recovery key", &folder.recovery_path()),
    ]
}

/// State of a key file, without opening its secret.
fn file(name: &'static str, path: &Path) -> File {
    let state = match keys::peek(path) {
        _ if fs::symlink_metadata(path).is_err() => "not here".to_owned(),
        Ok((_, Guarded::ByPassphrase)) => "sealed with a passphrase".to_owned(),
        Ok((_, Guarded::No)) => "not sealed".to_owned(),
        Err(failure) => failure.to_string(),
    };
    File {
        name,
        path: path.display().to_string(),
        state,
    }
}
