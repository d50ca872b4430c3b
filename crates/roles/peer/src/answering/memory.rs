//! Memory that may be shared, and its attestation, which is always the same and so made once (docs/format/exchange.md §4, §5,
//! §10.1).

use std::sync::OnceLock;

use counterfoil_capsule::{Timestamp, World};
use counterfoil_claims::{ProvenanceClass, Unit};
use counterfoil_exchange::answering::{PassOn, Share, claim_of_world};
use counterfoil_exchange::documents::{
    Attestation, AttestationParts, Chain, Claim, DocumentHash, EvidenceLink, MAX_ORIGIN_BYTES,
    MemoryProvenance, OriginClass, ProvenanceSource, Salience, Signature, Text,
};
use counterfoil_types::json::{Value, canonical};
use counterfoil_types::{DidKey, Scope};
use counterfoil_verifier::opened::OpenedCapsule;

use super::excerpt::{self, SUMMARY_BYTES};
use crate::Host;

/// Most pieces of evidence.
const MOST_EVIDENCE: usize = 16;

/// Memory of this agent that may be shared.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) world: World,
    /// Time of recording.
    pub(super) recorded_at: Timestamp,
    /// Its capsule, with an inclusion proof.
    pub(super) opened: OpenedCapsule,
    /// Claim, if it is one.
    pub(super) unit: Option<Unit>,
    /// Labels by which it may be shared; for a claim, those of the memories that it cites.
    pub(super) labels: Vec<String>,
    /// Attestation with which it came from another agent.
    pub(super) received: Option<Attestation>,
    /// Its attestation: not to be handed on, and such as may be.
    pub(super) attested: [OnceLock<Option<Attested>>; 2],
}

impl Memory {
    /// Returns the predicate of a claim.
    pub(super) fn predicate(&self) -> Option<&str> {
        let unit = self.unit.as_ref()?;
        Some(unit.line().predicate.as_str())
    }

    /// Returns the first of the rules that shares it by a label and its scope.
    pub(super) fn lets_out<'s>(&self, shares: &[&'s Share]) -> Option<&'s Share> {
        let scope = Scope::of(self.world.data());
        let mut shares = shares.iter().copied();
        shares.find(|share| share.lets_out(&self.labels, &scope, self.predicate()))
    }

    /// Returns its attestation, which says whether it may be handed on; `None` if it has no claim, or came through too many agents.
    pub(super) fn attested(&self, host: &Host, pass_on: PassOn) -> Option<&Attested> {
        let [never, freely] = &self.attested;
        let attested = match pass_on {
            PassOn::Refused => never,
            PassOn::Allowed => freely,
        };
        attested
            .get_or_init(|| Attested::of(self, host, pass_on))
            .as_ref()
    }
}

/// Attestation of a memory, and its forms as canonical JSON.
#[derive(Debug)]
pub(super) struct Attested {
    pub(super) name: Text<1024>,
    pub(super) attestation: Attestation,
    /// Attestation with evidence.
    pub(super) full: String,
    /// Attestation without evidence; `None` if it has none.
    pub(super) without_evidence: Option<String>,
    /// Claim alone.
    pub(super) raw: String,
    /// Claim with its evidence; `None` if it has none.
    pub(super) raw_with_evidence: Option<String>,
    /// Claim without its circumstances; `None` if it is longer than a summary.
    summary: Option<String>,
    /// Opened capsule.
    pub(super) receipt: String,
}

impl Attested {
    /// Attests a memory; `None` if it has no claim, or came through too many agents.
    fn of(memory: &Memory, host: &Host, pass_on: PassOn) -> Option<Self> {
        let content = memory.world.content_value();
        let claim = claim_of_world(content)?;
        let id = Text::new(memory.world.world_id().to_string()).ok()?;
        let raw = Attestation::raw(id.clone(), claim.clone(), Vec::new()).ok()?;
        let parts = AttestationParts {
            pass_on: pass_on.is_allowed(),
            ..parts(memory, host, id.clone(), claim.clone(), &raw)?
        };
        let without_evidence = match parts.evidence.is_empty() {
            true => None,
            false => {
                let bare = AttestationParts {
                    evidence: Vec::new(),
                    ..parts.clone()
                };
                let bare = Attestation::sign(bare, host.signer.as_ref()).ok()?;
                Some(bare.text().to_owned())
            }
        };
        let raw_with_evidence = match parts.evidence.as_slice() {
            [] => None,
            links => {
                let raw = Attestation::raw(id.clone(), claim.clone(), links.to_vec()).ok()?;
                Some(raw.text().to_owned())
            }
        };
        let attestation = Attestation::sign(parts, host.signer.as_ref()).ok()?;
        let summary = match claim.content.as_str().len() <= SUMMARY_BYTES {
            true => {
                let bare = Claim {
                    context: None,
                    references: Vec::new(),
                    ..claim
                };
                let bare = Attestation::raw(id.clone(), bare, Vec::new()).ok()?;
                Some(bare.text().to_owned())
            }
            false => None,
        };
        Some(Self {
            name: id,
            full: attestation.text().to_owned(),
            attestation,
            without_evidence,
            raw: raw.text().to_owned(),
            raw_with_evidence,
            summary,
            receipt: canonical(&memory.opened.to_value()).ok()?,
        })
    }
}

impl Attested {
    /// Writes the summary for a question with these words.
    pub(super) fn summary(&self, words: &[String]) -> Option<String> {
        if let Some(whole) = &self.summary {
            return Some(whole.clone());
        }
        let claim = &self.attestation.parts().claim;
        let text = excerpt::summary(claim.content.as_str(), words);
        let summary = Claim {
            kind: claim.kind,
            ..Claim::of_text(Text::new(text).ok()?)
        };
        let summary = Attestation::raw(self.name.clone(), summary, Vec::new()).ok()?;
        Some(summary.text().to_owned())
    }
}

fn parts(
    memory: &Memory,
    host: &Host,
    id: Text<1024>,
    claim: Claim,
    raw: &Attestation,
) -> Option<AttestationParts> {
    let class = memory.unit.as_ref().map(|unit| unit.provenance().class());
    let data = memory.world.data()?.as_object();
    let member = |name: &str| data.and_then(|data| data.get(name));
    let is_received = member("kind").and_then(Value::as_str) == Some("received")
        || matches!(class, Some(ProvenanceClass::Peer { .. }));
    let mut parts = AttestationParts {
        agent: Some(host.party()),
        created_at: Some(memory.recorded_at),
        provenance: provenance(class, is_received),
        ..AttestationParts::of_claim(id, claim)
    };
    if !is_received {
        let listed = member("evidence").and_then(Value::as_array);
        let evidence = listed.into_iter().flatten().filter_map(evidence);
        parts.evidence = evidence.take(MOST_EVIDENCE).collect();
        return Some(parts);
    }
    let inner = memory.received.as_ref();
    if let Some(inner) = inner.map(Attestation::parts) {
        // Handing a memory on does not make it newer.
        parts.created_at = parts.created_at.min(inner.created_at.or(parts.created_at));
        // The other agent's salience is its own opinion, except for the expected decay.
        parts.salience = inner.salience.as_ref().map(|salience| Salience {
            expected_decay: salience.expected_decay.clone(),
            ..Salience::default()
        });
        parts.evidence.clone_from(&inner.evidence);
    }
    let source = match class {
        Some(ProvenanceClass::Peer { agent, .. }) => Some(agent),
        _ => member("from").and_then(|from| from.as_str()?.parse().ok()),
    };
    let first = inner.zip(source);
    let first = first.and_then(|(inner, source)| first_word(inner, source));
    let (origin, before) = match first.filter(|(origin, _)| parts.repeats(origin.parts())) {
        Some((origin, before)) => (Some(origin), before),
        // What this agent cannot show is its own word, with the hops of those that could not either.
        None => {
            let inner = inner.filter(|inner| inner.parts().origin().is_none());
            let before = inner.and_then(|inner| inner.parts().chain());
            (None, before.cloned().unwrap_or_default())
        }
    };
    let chain = before.handed_on(
        raw.claim_hash(),
        origin.map(Attestation::hash),
        memory.recorded_at,
        host.signer.as_ref(),
    );
    if let Some(provenance) = &mut parts.provenance {
        provenance.chain = Some(chain.ok()?);
        provenance.origin = origin.cloned().map(Box::new);
    }
    Some(parts)
}

/// Source and class of a memory; neither of what no channel has stated.
fn provenance(class: Option<ProvenanceClass>, is_received: bool) -> Option<MemoryProvenance> {
    let (source, own) = match class {
        // The weakest source decides: a model's claim stays inferred over any number of agents.
        Some(ProvenanceClass::Peer { inferred: true, .. }) => {
            (Some(ProvenanceSource::Inference), None)
        }
        _ if is_received => (Some(ProvenanceSource::Received), None),
        Some(ProvenanceClass::UserAsserted) => (
            Some(ProvenanceSource::DirectExperience),
            Some(OriginClass::User),
        ),
        Some(ProvenanceClass::FirstHand) => (
            Some(ProvenanceSource::DirectExperience),
            Some(OriginClass::FirstHand),
        ),
        Some(ProvenanceClass::ModelDerived | ProvenanceClass::RecallReEntry) => {
            (Some(ProvenanceSource::Inference), Some(OriginClass::Model))
        }
        _ => (None, None),
    };
    source.map(|source| MemoryProvenance {
        class: own,
        ..MemoryProvenance::of_source(source)
    })
}

/// The attestation of the agent that said a memory first, and the hops behind it: of one that came from `source`, as it was judged
/// at its receipt. `None` if there is none that this agent can show.
fn first_word(inner: &Attestation, source: DidKey) -> Option<(&Attestation, Chain)> {
    let is_shown = |attestation: &Attestation| {
        attestation.signature() == Signature::Holds(source)
            && attestation.text().len() <= MAX_ORIGIN_BYTES
    };
    let parts = inner.parts();
    match parts.origin() {
        Some(origin) => {
            is_shown(origin).then(|| (origin, parts.chain().cloned().unwrap_or_default()))
        }
        None => is_shown(inner).then(|| (inner, Chain::default())),
    }
}

/// Reads one member of `data.evidence`; `None` if it does not have the shape of evidence.
fn evidence(value: &Value) -> Option<EvidenceLink> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let hash = match text("hash") {
        Some(hash) => Some(hash.parse::<DocumentHash>().ok()?),
        None => None,
    };
    Some(EvidenceLink {
        url: Text::new(text("url")?).ok()?,
        media_type: text("media_type").and_then(|media_type| Text::new(media_type).ok()),
        hash,
    })
}
