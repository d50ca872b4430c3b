//! World of a received text, which holds it as data (docs/format/exchange.md §11; R17, R18; case 117).

use counterfoil_capsule::{Timestamp, World};
use counterfoil_exchange::checks::Disposition;
use counterfoil_exchange::documents::{Attestation, RequestId};
use counterfoil_types::json::{Map, Value};
use counterfoil_types::{UnixMillis, WorldId};

use super::begin::instant;
use super::item::Item;
use crate::PeerError;

/// Member `kind` of its `data`.
pub const RECEIVED: &str = "received";

/// Origin of a received memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReceivedFrom<'a> {
    pub(super) exchange: &'a RequestId,
    pub(super) received_us: u64,
    /// End of the time for which it is current.
    pub(super) until_us: Option<u64>,
}

/// Returns the World of a memory, always the same, so that writing it twice is harmless. If the attestation makes it too
/// large for a World, it is left out.
pub(super) fn world(
    id: WorldId,
    item: &Item,
    attestation: &Attestation,
    receipt: &ReceivedFrom<'_>,
) -> Result<World, PeerError> {
    let at = UnixMillis::new(receipt.received_us / 1000)
        .map_err(|_| PeerError::Bug("a receipt behind the year 9999"))?;
    let whole = data(item, attestation, receipt)?;
    let mut without = whole.clone();
    without.remove("attestation");
    [whole, without]
        .into_iter()
        .find_map(|data| {
            let world = counterfoil_capsule::remember(id.clone(), at, Value::Object(data)).ok()?;
            world.content().is_ok().then_some(world)
        })
        .ok_or(PeerError::Bug("a memory larger than a World"))
}

fn data(
    item: &Item,
    attestation: &Attestation,
    receipt: &ReceivedFrom<'_>,
) -> Result<Map, PeerError> {
    let parts = attestation.parts();
    let judged = &item.memory.judged;
    let mut data = Map::new();
    let mut put = |name: &str, value: Value| data.insert(name.to_owned(), value);
    put("kind", RECEIVED.into());
    put("text", parts.claim.content.as_str().into());
    put("type", parts.claim.kind.name().into());
    if let Some(context) = &parts.claim.context {
        put("context", context.as_str().into());
    }
    if let Some(from) = &judged.source {
        put("from", from.to_string().into());
    }
    if !judged.relays.is_empty() {
        let relays = judged.relays.iter().map(|relay| relay.to_string().into());
        put("via", Value::Array(relays.collect::<Vec<Value>>()));
    }
    let origin = parts.origin().map(Attestation::parts);
    let agents = [Some(parts), origin].into_iter().flatten();
    let mut agents = agents.filter_map(|parts| parts.agent.as_ref());
    let source = agents.find(|agent| agent.public_key == judged.source);
    if let Some(agent) = source.or(parts.agent.as_ref()) {
        put("agentId", agent.agent_id.as_str().into());
    }
    put("exchange", receipt.exchange.as_str().into());
    put("item", item.memory.number.into());
    put("level", judged.level().number().into());
    put("disposition", judged.disposition.name().into());
    let flags = judged.flags.iter().map(|flag| flag.name().into());
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
    if judged.disposition > Disposition::RawOnly {
        put("attestation", attestation.to_value()?);
    }
    if !item.memory.supersedes.is_empty() {
        let links = item
            .memory
            .supersedes
            .iter()
            .map(|world| world.to_string().into());
        put("supersedes", Value::Array(links.collect::<Vec<Value>>()));
    }
    Ok(data)
}
