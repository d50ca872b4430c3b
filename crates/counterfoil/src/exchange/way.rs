//! The way to another agent: by name or key, URL, or folder.

use std::collections::BTreeSet;
use std::future::pending;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use counterfoil_exchange::documents::RequestId;
use counterfoil_exchange::trust::{KnownAgent, Records};
use counterfoil_http::HttpError;
use counterfoil_http::client::{Client, ClientSettings};
use counterfoil_peer::{PeerError, Transport};
use counterfoil_types::DidKey;
use tokio::time::timeout;

use super::records::known;
use crate::error::{Error, ErrorKind};
use crate::notices::Notices;

/// The way to another agent.
pub(crate) struct Way {
    /// Wanted responder; `None` asks any agent at the address.
    pub(crate) peer: Option<DidKey>,
    /// URL or folder.
    pub(crate) address: String,
    pub(crate) transport: Box<dyn Transport>,
}

impl Way {
    /// Finds the agent that `target` means: a known name or key, or else a URL, or else a folder. An address at which one
    /// agent alone is known means that agent. Waits for the agent card of a URL for at most `patience`.
    pub(crate) async fn find(
        records: &Records,
        target: &str,
        net: &ClientSettings,
        (patience, notices): (Duration, &Notices),
    ) -> Result<Self, Error> {
        if is_url(target) {
            let client = client(target, net)?;
            let is_there = |address: &str| address.trim_end_matches('/') == client.address();
            let peer = match only_one_at(records, is_there) {
                Some(key) => Some(key),
                // The question itself shows that no agent answers in time.
                None => match timeout(patience, client.agent_card()).await {
                    Ok(Ok(card)) => Some(card.parts().agent.public_key),
                    // An agent without a card may still answer, anonymously.
                    Ok(Err(error @ HttpError::NoCard { .. })) => {
                        notices.add(format_args!("{error} Asking whoever answers there."));
                        None
                    }
                    _ => None,
                },
            };
            return Ok(Self {
                peer,
                address: client.address().to_owned(),
                transport: Box::new(client.transport()),
            });
        }
        if records.named(target).is_none() && Path::new(target).is_dir() {
            let path = std::path::absolute(target).ok();
            let path = path.as_deref().and_then(Path::to_str).ok_or_else(|| {
                Error::input(
                    "the folder's path is no Unicode text",
                    "choose another folder",
                )
            })?;
            let peer = only_one_at(records, |at| Path::new(at) == Path::new(path));
            return Self::to(peer, path, net, None);
        }
        let known = known(records, target)?;
        let Some(address) = known.addresses.first() else {
            return Err(Error::input(
                "nobody has said where this agent is asked",
                "give its URL or folder: `counterfoil peer add NAME DID --at URL`",
            ));
        };
        Self::to(Some(known.key), address.as_str(), net, None)
    }

    /// The transport of a `memory_verify` to this agent.
    pub(crate) fn for_verification(
        &self,
        net: &ClientSettings,
    ) -> Result<Box<dyn Transport>, Error> {
        match is_url(&self.address) {
            true => Ok(Box::new(client(&self.address, net)?.verify_transport())),
            false => Err(Error::input(
                "a folder carries questions and answers alone",
                "give the agent's URL: `counterfoil peer add NAME DID --at URL`",
            )),
        }
    }

    /// The way to a URL that another agent has named: to public addresses of it alone.
    pub(crate) fn to_public(
        peer: DidKey,
        address: &str,
        net: &ClientSettings,
    ) -> Result<Self, Error> {
        Ok(Self {
            peer: Some(peer),
            address: address.to_owned(),
            transport: Box::new(PublicTransport {
                client: client(address, net)?,
                transport: None,
            }),
        })
    }

    /// The way to a URL or folder; for the late answer to a request with an id, to which nothing more is sent.
    pub(crate) fn to(
        peer: Option<DidKey>,
        address: &str,
        net: &ClientSettings,
        late: Option<&RequestId>,
    ) -> Result<Self, Error> {
        let transport: Box<dyn Transport> = if is_url(address) {
            Box::new(client(address, net)?.transport())
        } else {
            let sent = late.map(|id| (id.clone(), peer));
            counterfoil_mailbox::transport(Path::new(address), sent)
                .map_err(|error| Error::new(ErrorKind::Input, error))?
        };
        Ok(Self {
            peer,
            address: address.to_owned(),
            transport,
        })
    }
}

/// Transport to the public addresses of a URL: its host is resolved once for each attempt, which goes to the tested addresses.
struct PublicTransport {
    client: Client,
    transport: Option<Box<dyn Transport>>,
}

#[async_trait]
impl Transport for PublicTransport {
    async fn send(&mut self, request: &[u8]) -> Result<(), PeerError> {
        let found = counterfoil_fetch::public_addresses(self.client.address()).await;
        let addresses = found.ok_or_else(|| PeerError::Refused {
            problem: None,
            detail: "another agent has named this address, and it is not public or not found; --private-addresses asks there".to_owned(),
        })?;
        let transport = self.client.clone().connecting_to(addresses).transport();
        self.transport
            .insert(Box::new(transport))
            .send(request)
            .await
    }

    async fn receive(&mut self) -> Result<Vec<u8>, PeerError> {
        match &mut self.transport {
            Some(transport) => transport.receive().await,
            None => pending().await,
        }
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

fn client(address: &str, net: &ClientSettings) -> Result<Client, Error> {
    Client::new(address, net).map_err(|error| Error::new(ErrorKind::Input, error))
}

pub(crate) fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}
