//! Free text as a World: what somebody said, as data (docs/format/exchange.md §11; R17, R18; case 117).

use counterfoil_capsule::{Timestamp, World};
use counterfoil_exchange::checks::Disposition;
use counterfoil_exchange::documents::{Attestation, RequestId};
use counterfoil_types::json::{Map, Value};
use counterfoil_types::{UnixMillis, WorldId};

use super::begin::instant;
use super::item::Item;
use crate::PeerError;

/// The `kind` of its `data`.
pub const RECEIVED: &str = "received";

/// Where a memory came from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Receipt<'a> {
    pub(super) exchange: &'a RequestId,
    pub(super) received_us: u64,
    /// Until when it is current.
    pub(super) until_us: Option<u64>,
}

/// The World of a memory: the same each time, so that it can be written twice. An attestation with which it would be
/// larger than a World is left out.
pub(super) fn world(
    id: WorldId,
    item: &Item,
    attestation: &Attestation,
    receipt: &Receipt<'_>,
) -> Result<World, PeerError> {
    let at = UnixMillis::new(receipt.received_us / 1000)
        .map_err(|_| PeerError::Bug("a receipt behind the year 9999"))?;
    let whole = data(item, attestation, receipt)?;
    let mut without = whole.clone();
    without.remove("attestation");
    [whole, without]
        .into_iter()
        .find_map(|data| fitting(id.clone(), at, data))
        .ok_or(PeerError::Bug("a memory larger than a World"))
}

/// The World with these data, if they fit into one.
fn fitting(id: WorldId, at: UnixMillis, data: Map) -> Option<World> {
    let world = World::remember(id, at, Value::Object(data)).ok()?;
    world.content().is_ok().then_some(world)
}

fn data(item: &Item, attestation: &Attestation, receipt: &Receipt<'_>) -> Result<Map, PeerError> {
    let parts = attestation.parts();
    let outcome = &item.judged.outcome;
    let mut data = Map::new();
    let mut put = |name: &str, value: Value| data.insert(name.to_owned(), value);
    put("kind", RECEIVED.into());
    put("text", parts.claim.content.as_str().into());
    put("type", parts.claim.kind.name().into());
    if let Some(context) = &parts.claim.context {
        put("context", context.as_str().into());
    }
    if let Some(from) = &item.judged.source {
        put("from", from.to_string().into());
    }
    if let Some(agent) = &parts.agent {
        put("agentId", agent.agent_id.as_str().into());
    }
    put("exchange", receipt.exchange.as_str().into());
    put("item", item.number.into());
    put("level", outcome.level.number().into());
    put("disposition", outcome.disposition.name().into());
    let flags = outcome.flags.iter().map(|flag| flag.name().into());
    put("flags", Value::Array(flags.collect::<Vec<Value>>()));
    put("claim", item.claim.to_string().into());
    put(
        "receivedAt",
        instant(receipt.received_us)?.to_string().into(),
    );
    if let Some(created) = parts.created_at {
        put("createdAt", created.to_string().into());
    }
    if let Some(until) = receipt
        .until_us
        .and_then(|at| Timestamp::from_micros(at).ok())
    {
        put("until", until.to_string().into());
    }
    if outcome.disposition > Disposition::RawOnly {
        put("attestation", attestation.value().clone());
    }
    if !item.supersedes.is_empty() {
        let links = item.supersedes.iter().map(|world| world.to_string().into());
        put("supersedes", Value::Array(links.collect::<Vec<Value>>()));
    }
    Ok(data)
}
