//! Marks of compromise: the recovery key says from which entry of the log on a key was in other hands.

use std::path::PathBuf;
use std::sync::Arc;

use counterfoil_capsule::keys::{KeyCompromise, KeyDocument, KeyError, KeyHistory, Since};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::CapsuleLog;
use serde::Serialize;

use crate::error::{Error, ErrorKind};
use crate::home::signer_of;
use crate::memory::Memory;
use crate::report::Report;
use crate::rotation::{chain_of, draft, take_over};
use crate::when;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Marked {
    agent: String,
    /// The number of the key.
    number: u64,
    key: String,
    from: u64,
    from_time: String,
    index: u64,
    /// True if the key still signs.
    current: bool,
}

impl Memory {
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
        let history = chain_of(&store, agent).await?.history;
        let (number, since) = meant(&store, &history, from, key).await?;
        let signer = signer_of(&home.agent_key()?).ok_or(Error::bug("no key of an agent"))?;
        let folder = home.recovery(recovery_dir);
        let recovery = folder.recovery(home.passphrase(), agent)?;
        let from_time = since.time.to_string();
        let mark = KeyCompromise::sign(&history, &recovery, number, since, reason, when::stamp()?);
        let document = KeyDocument::Compromise(mark.map_err(refused)?);
        let draft = draft(&document).following(history.chain(), history.head());
        let index = store.append_one(Arc::new(signer), draft).await?.index;
        let key = history.key_at(number).map(|key| key.to_string());
        let marked = Marked {
            agent: agent.to_string(),
            number,
            key: key.unwrap_or_default(),
            from,
            from_time,
            index,
            current: number == history.current_number(),
        };
        Report::new(&marked)
    }
}

/// Resolves the key to declare compromised and the log size from which on it is.
async fn meant(
    store: &SqliteStore,
    history: &KeyHistory,
    from: u64,
    key: Option<u64>,
) -> Result<(u64, Since), Error> {
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
    Ok((
        number,
        Since {
            log,
            entry: from,
            time: header.timestamp(),
        },
    ))
}

fn refused(error: KeyError) -> Error {
    match error {
        KeyError::RecoveryKey { .. } => Error::place(error, "name its folder with --recovery-dir"),
        other => Error::new(ErrorKind::Input, other.to_string()),
    }
}
