//! Comparison of received claims with this agent's beliefs (docs/format/exchange.md §11; R16; cases 101-104).

use std::sync::Arc;

use counterfoil_capsule::Timestamp;
use counterfoil_claims::belief::{BeliefStatus, Support, cardinality_of};
use counterfoil_claims::time::{Micros, ValidTime};
use counterfoil_claims::{Act, Cardinality, ClaimRef, Line, ProvenanceClass};
use counterfoil_exchange::answering::claim_of_world;
use counterfoil_exchange::checks::{CheckResult, FailCode, JudgedMemory, SkipReason};
use counterfoil_exchange::documents::{Attestation, DocumentHash, ResultParts, StructuredClaim};
use counterfoil_store::{AsOf, StoreError, units_of_names};
use counterfoil_types::{Scope, WorldId};

use super::RECEIVED;
use super::retractions::{first, is_retracted};
use super::times::micros;
use crate::{Host, PeerError, attestation_behind};

/// Most sides in a report.
pub(super) const MAX_SIDES: usize = 16;
/// Most bytes of the sides, half the room of a report.
const MAX_SIDES_BYTES: usize = 256 << 10;
const SKIP: CheckResult = CheckResult::Skip(SkipReason::NotComparable);

/// Result of the consistency check, and the contradicting values as canonical JSON.
pub(super) type Comparison = (CheckResult, Vec<String>);

/// Comparison without a belief.
pub(super) const NO_BELIEF: Comparison = (SKIP, Vec::new());

/// Compares a structured claim with the belief about its line, now and as of its own time.
pub(super) async fn compare(
    host: &Host,
    attestation: &Attestation,
    claim: &StructuredClaim,
    valid: Option<&ValidTime>,
    now_us: u64,
) -> Result<Comparison, PeerError> {
    let line = line(host, claim);
    let settings = host.claims.current().await?;
    let units = units_of_names(host.store.as_ref(), &line, u64::MAX, &settings).await?;
    let by_units = cardinality_of(&units);
    let vocabulary = &settings.vocabulary;
    let cardinality = vocabulary.cardinality(&line.predicate, by_units, u64::MAX);
    if units.is_empty() || cardinality == Cardinality::Many {
        return Ok(NO_BELIEF);
    }
    let (mut found, mut sides) = (SKIP, Vec::new());
    for valid_at in instants(attestation, valid, now_us) {
        let asked = AsOf {
            valid_at: Some(valid_at),
            as_of_us: None,
        };
        let settings = Arc::clone(&settings);
        let belief = host.store.believe(line.clone(), asked, settings).await?;
        let decides = matches!(
            belief.status,
            BeliefStatus::Resolved | BeliefStatus::TimingUncertain | BeliefStatus::Contested
        );
        if !decides || belief.support != Some(Support::External) {
            continue;
        }
        // Sides beyond the list have other values, or the list would hold this one.
        let mut listed = belief.sides.iter();
        if belief.side_count == 1 && listed.all(|side| side.value == claim.value) {
            if found == SKIP {
                found = CheckResult::Pass;
            }
            continue;
        }
        found = CheckResult::Fail(FailCode::Contradicts);
        let values = belief.sides.iter().map(|side| side.value.canonical());
        sides.extend(values.map(str::to_owned));
    }
    Ok((found, bounded(sides)))
}

/// Returns the first sides, without duplicates, up to the limits of a report.
pub(super) fn bounded(mut sides: Vec<String>) -> Vec<String> {
    sides.sort_unstable();
    sides.dedup();
    sides.truncate(MAX_SIDES);
    let mut left = MAX_SIDES_BYTES;
    sides.retain(|side| match left.checked_sub(side.len()) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    });
    sides
}

/// Returns this agent's memory that a result names, if it says the same.
pub(super) async fn own(host: &Host, result: &ResultParts) -> Result<Option<WorldId>, PeerError> {
    let names = [
        result.attestation.parts().id.as_str(),
        result.memory_id.as_str(),
    ];
    let claim = &result.attestation.parts().claim;
    for world in names.into_iter().flat_map(WorldId::new) {
        let is_same = match &claim.structured {
            Some(structured) => {
                let unit = host.store.unit_of(&world).await?;
                unit.is_some_and(|unit| match unit.act() {
                    Act::Claim(body) => {
                        *unit.line() == line(host, structured) && body.value == structured.value
                    }
                    _ => false,
                })
            }
            None => {
                let found = host.store.get(&world).await.map_err(StoreError::from)?;
                let found = found.as_ref();
                let text = found.and_then(|it| it.content_value().pointer("/data/text"));
                text.and_then(|text| text.as_str()) == Some(claim.content.as_str())
            }
        };
        if is_same {
            return Ok(Some(world));
        }
    }
    Ok(None)
}

/// Returns true if an attestation cites a memory of this agent as evidence: by an evidence link whose `url` is its WorldId and whose `hash` is the
/// SHA-256 of its content. Testimony of other agents that is stored here is no memory of this agent.
pub(super) async fn cites_own(host: &Host, attestation: &Attestation) -> Result<bool, PeerError> {
    for link in &attestation.parts().evidence {
        let (Ok(world), Some(hash)) = (WorldId::new(link.url.as_str()), link.hash) else {
            continue;
        };
        let found = host.store.get(&world).await.map_err(StoreError::from)?;
        let Some(found) = found else { continue };
        let kind = found.content_value().pointer("/data/kind");
        let is_received = kind.and_then(|kind| kind.as_str()) == Some(RECEIVED);
        let content = found.content().ok();
        let fits = content.is_some_and(|content| DocumentHash::of(content.as_bytes()) == hash);
        if !fits || is_received {
            continue;
        }
        let unit = host.store.unit_of(&world).await?;
        let is_peers = unit
            .is_some_and(|unit| matches!(unit.provenance().class(), ProvenanceClass::Peer { .. }));
        if !is_peers {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns this agent's claims that it believes now with the value of a structured claim.
pub(super) async fn same_claims(
    host: &Host,
    claim: &StructuredClaim,
) -> Result<Vec<ClaimRef>, PeerError> {
    let settings = host.claims.current().await?;
    let line = line(host, claim);
    let belief = host.store.believe(line, AsOf::default(), settings).await?;
    let sides = belief.sides.iter().chain(&belief.alternatives);
    let same = sides.filter(|side| side.value == claim.value);
    let claims = same.flat_map(|side| &side.claims);
    Ok(claims.map(|claim| claim.reference.clone()).collect())
}

/// Returns this agent's claim that equals a structured claim word for word, if it believes it now by other means than
/// claims of peers. The peer may have it from here, so it corroborates nothing (case 101).
pub(super) async fn echoed(
    host: &Host,
    attestation: &Attestation,
    claim: &StructuredClaim,
) -> Result<Option<ClaimRef>, PeerError> {
    for known in same_claims(host, claim).await? {
        let unit = host.store.unit_of(&known).await?;
        let is_own = unit
            .is_some_and(|unit| !matches!(unit.provenance().class(), ProvenanceClass::Peer { .. }));
        if !is_own {
            continue;
        }
        let world = host.store.get(&known).await.map_err(StoreError::from)?;
        let same = world.and_then(|world| claim_of_world(world.content_value()));
        if same.is_some_and(|same| same.hash() == attestation.claim_hash()) {
            return Ok(Some(known));
        }
    }
    Ok(None)
}

/// Returns true if a stored memory is by the source of this one and came through no others, or is by no other agent. The same words
/// by another source, or through fewer agents, are submitted to the gate, which corroborates; so are the same words in a new
/// attestation after the source took the old one back.
pub(super) async fn is_of_source(
    host: &Host,
    world: &WorldId,
    judged: &JudgedMemory,
    attestation: &Attestation,
) -> Result<bool, PeerError> {
    let unit = host.store.unit_of(world).await?;
    let Some(unit) = unit else { return Ok(true) };
    if is_retracted(host.store.as_ref(), &unit).await? {
        let known = attestation_behind(host.store.as_ref(), &unit).await?;
        let name = |it: &Attestation| first(it).parts().id.clone();
        return Ok(known.is_none_or(|known| name(&known) == name(attestation)));
    }
    let is_through = unit.via().iter().all(|relay| judged.relays.contains(relay));
    Ok(match unit.provenance().class() {
        ProvenanceClass::Peer { agent, .. } => judged
            .source
            .is_none_or(|source| source == agent && is_through),
        _ => true,
    })
}

/// Returns this agent's line of a claim.
pub(super) fn line(host: &Host, claim: &StructuredClaim) -> Line {
    Line {
        agent: host.signer.agent(),
        subject: claim.subject.clone(),
        predicate: claim.predicate.clone(),
        scope: Scope::new(),
    }
}

/// Returns the instants to compare at.
fn instants(attestation: &Attestation, valid: Option<&ValidTime>, now_us: u64) -> Vec<Micros> {
    let now = micros(now_us);
    let Some(window) = valid.map(ValidTime::window) else {
        let created = attestation.parts().created_at.map(Timestamp::micros);
        let created = created.map(|at| micros(at.min(now_us)));
        return [now].into_iter().chain(created).collect();
    };
    let last = window.end.map(|end| end.saturating_sub(1));
    let held = window.contains(now).then_some(now);
    let bounds = [window.start, last].into_iter().flatten();
    let mut instants: Vec<_> = bounds
        .filter(|at| window.contains(*at))
        .chain(held)
        .collect();
    instants.sort_unstable();
    instants.dedup();
    instants
}
