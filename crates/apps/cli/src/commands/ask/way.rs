//! Whom a word on the command line means, and the way there: an agent by name or key, a URL, or a folder.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use counterfoil_exchange::documents::RequestId;
use counterfoil_exchange::trust::{KnownAgent, Records};
use counterfoil_http::client::{Client, ClientError, ClientSettings};
use counterfoil_mailbox::FolderTransport;
use counterfoil_peer::Transport;
use counterfoil_types::DidKey;
use counterfoil_verify::read_file;
use tokio::time::timeout;

use crate::exchange::peers;
use crate::failure::{ErrorKind, Failure};
use crate::output::notice;

/// The most bytes of certificates.
const MAX_PEM: usize = 1 << 20;

/// Network options of the command line.
pub(crate) struct Net {
    settings: ClientSettings,
}

/// The way to another agent.
pub(crate) struct Way {
    /// Wanted answerer; `None`: any agent that answers there.
    pub(crate) peer: Option<DidKey>,
    /// Where: a URL or a folder.
    pub(crate) address: String,
    pub(crate) transport: Box<dyn Transport>,
}

impl Net {
    pub(crate) fn new(plain_http: bool, ca: Option<&Path>) -> Result<Self, Failure> {
        let read = |path| read_file("certificates", path, MAX_PEM);
        let extra_ca_pem = ca.map(read).transpose();
        let extra_ca_pem =
            extra_ca_pem.map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))?;
        Ok(Self {
            settings: ClientSettings {
                plain_http,
                extra_ca_pem,
            },
        })
    }
}

impl Way {
    /// Finds the agent that `text` means: a known name or key, or else a URL, or else a folder. An address at which one
    /// agent alone is known means that agent. Waits for the agent card of a URL for at most `patience`.
    pub(crate) async fn find(
        records: &Records,
        target: &str,
        net: &Net,
        patience: Duration,
    ) -> Result<Self, Failure> {
        if is_url(target) {
            return Self::to_url(records, target, net, patience).await;
        }
        if records.named(target).is_none() && Path::new(target).is_dir() {
            let mut way = Self::to_folder(None, target)?;
            way.peer = only_one_at(records, |at| Path::new(at) == Path::new(&way.address));
            return Ok(way);
        }
        let known = peers::known(records, target)?;
        let Some(address) = known.addresses.first() else {
            return Err(Failure::input(
                "nobody has said where this agent is asked",
                "give its URL or folder: `counterfoil peer add NAME DID --at URL`",
            ));
        };
        Self::back(Some(known.key), address.as_str(), net)
    }

    /// The way of an exchange that was begun.
    pub(crate) fn back(peer: Option<DidKey>, address: &str, net: &Net) -> Result<Self, Failure> {
        if is_url(address) {
            let transport = client(address, net)?.transport();
            return Ok(Self {
                peer,
                address: address.to_owned(),
                transport: Box::new(transport),
            });
        }
        Self::to_folder(peer, address)
    }

    /// The same for what comes late: nothing is sent there.
    pub(crate) fn expecting(
        peer: Option<DidKey>,
        address: &str,
        net: &Net,
        id: &RequestId,
    ) -> Result<Self, Failure> {
        if is_url(address) {
            return Self::back(peer, address, net);
        }
        let transport = folder(address)?.expecting(id.clone(), peer);
        Ok(Self {
            peer,
            address: address.to_owned(),
            transport: Box::new(transport),
        })
    }

    /// At a URL of somebody who is known, it is they who are asked; else the key that the agent card there is signed with.
    async fn to_url(
        records: &Records,
        url: &str,
        net: &Net,
        patience: Duration,
    ) -> Result<Self, Failure> {
        let client = client(url, net)?;
        let is_there = |address: &str| address.trim_end_matches('/') == client.address();
        let peer = match only_one_at(records, is_there) {
            Some(key) => Some(key),
            // The question itself tells that nobody answers in time.
            None => timeout(patience, card_key(&client)).await.ok().flatten(),
        };
        let (address, transport) = (client.address().to_owned(), client.transport());
        Ok(Self {
            peer,
            address,
            transport: Box::new(transport),
        })
    }

    fn to_folder(peer: Option<DidKey>, path: &str) -> Result<Self, Failure> {
        let path = std::path::absolute(path)
            .ok()
            .and_then(|path| path.to_str().map(str::to_owned))
            .ok_or_else(|| {
                Failure::input(
                    "the folder's path is no Unicode text",
                    "choose another folder",
                )
            })?;
        let transport = folder(&path)?;
        Ok(Self {
            peer,
            address: path,
            transport: Box::new(transport),
        })
    }
}

/// Agent that is known to be asked there, if it is one alone. For an agent that has changed its key: the key that it
/// signs with now.
fn only_one_at(records: &Records, is_there: impl Fn(&str) -> bool) -> Option<DidKey> {
    let known = records.known().into_iter();
    let there = known.filter(|known| known.addresses.iter().any(|at| is_there(at.as_str())));
    let now = |known: KnownAgent| {
        let named = known.name.and_then(|name| records.named(name.as_str()));
        let successor = named.filter(|named| named.same_agent.contains(&known.key));
        successor.map_or(known.key, |successor| successor.key)
    };
    let keys: BTreeSet<DidKey> = there.map(now).collect();
    match keys.len() {
        1 => keys.into_iter().next(),
        _ => None,
    }
}

/// Key that the agent card names. An agent without a card may still answer, anonymously.
async fn card_key(client: &Client) -> Option<DidKey> {
    match client.agent_card().await {
        Ok(capability) => Some(capability.parts().agent.public_key),
        Err(error @ ClientError::NoCard { .. }) => {
            notice(format_args!("{error} Asking whoever answers there."));
            None
        }
        // The question itself tells better that nobody can be reached.
        Err(_) => None,
    }
}

fn client(address: &str, net: &Net) -> Result<Client, Failure> {
    Client::new(address, &net.settings)
        .map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))
}

fn folder(path: &str) -> Result<FolderTransport, Failure> {
    FolderTransport::open(Path::new(path))
        .map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))
}

fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}
