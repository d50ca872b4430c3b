//! Who is called how: names, keys, URLs and folders on the command line; and what is recorded of them.

mod desk;
mod telling;
mod until;

use counterfoil_exchange::trust::{KnownAgent, Records};
use counterfoil_store::ExchangeStore;
use counterfoil_types::DidKey;

pub use desk::Desk;
pub use telling::{Standing, called, capped, in_domain};
pub use until::until;

use crate::error::{Error, ErrorKind};
use crate::exchange::host;
use crate::home::Home;

/// All that this store has recorded about others. The proof of each record is checked.
///
/// # Errors
/// The store cannot tell, or a record in it is not as it was signed: without it, trust would be another.
pub async fn records(home: &Home, store: &dyn ExchangeStore) -> Result<Records, Error> {
    let stored = store.records().await?;
    if stored.is_empty() {
        return Ok(Records::default());
    }
    let own = host::own_keys(&home.reader()?, home.agent_public()?).await?;
    let kept = stored
        .iter()
        .map(|one| (one.bytes.as_slice(), one.received_us));
    Records::receive(kept, &own).map_err(|error| Error::new(ErrorKind::Place, error.to_string()))
}

/// Resolves a name or a key to an agent. A key without records is a valid agent.
///
/// # Errors
/// No agent has this name, or more than one has.
pub fn known(records: &Records, agent: &str) -> Result<KnownAgent, Error> {
    if let Some(known) = records.named(agent) {
        return Ok(known);
    }
    if let Ok(key) = agent.parse() {
        return Ok(nothing_of(key));
    }
    let is_called = |known: &KnownAgent| {
        known
            .name
            .as_ref()
            .is_some_and(|name| name.as_str() == agent)
    };
    let shown = crate::claims::telling::typed(agent);
    if records.known().iter().any(is_called) {
        return Err(Error::input(
            format_args!("more than one agent is called {shown}"),
            "name it by its key; `counterfoil peer list` shows it",
        ));
    }
    Err(Error::input(
        format_args!("no agent is called {shown}"),
        "see `counterfoil peer list`, or give it the name: `counterfoil peer add NAME DID|URL`",
    ))
}

const fn nothing_of(key: DidKey) -> KnownAgent {
    KnownAgent {
        key,
        name: None,
        addresses: Vec::new(),
        log: None,
        domains: Vec::new(),
        signs: false,
        same_agent: Vec::new(),
    }
}
