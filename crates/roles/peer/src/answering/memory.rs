//! Memory that may be shared, and its attestation, which is always the same and so made once (docs/format/exchange.md §4, §5,
//! §10.1).

use std::sync::OnceLock;

use counterfoil_capsule::{Timestamp, World};
use counterfoil_claims::{ProvenanceClass, Unit};
use counterfoil_exchange::answering::{attestation_of_received, claim_of_world};
use counterfoil_exchange::documents::{
    Attestation, AttestationParts, Chain, Claim, DocumentHash, EvidenceLink, MemoryProvenance,
    Party, ProvenanceSource, Salience, Text,
};
use counterfoil_types::json::{Value, canonical};
use counterfoil_verifier::opened::OpenedCapsule;

use crate::Host;

/// Most pieces of evidence.
const MOST_EVIDENCE: usize = 16;
/// Most bytes of a summary, before its ellipsis.
const SUMMARY_BYTES: usize = 280;

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
    pub(super) attested: OnceLock<Option<Attested>>,
}

impl Memory {
    /// Returns its attestation; `None` if it has no claim, or came through too many agents.
    pub(super) fn attested(&self, host: &Host) -> Option<&Attested> {
        self.attested
            .get_or_init(|| Attested::of(self, host))
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
    /// Beginning of the claim.
    pub(super) summary: String,
    /// Opened capsule.
    pub(super) receipt: String,
}

/// Parts of a memory that came from another agent.
struct Received {
    created_at: Option<Timestamp>,
    salience: Option<Salience>,
    chain: Chain,
    evidence: Vec<EvidenceLink>,
}

impl Attested {
    /// Attests a memory; `None` if it has no claim, or came through too many agents.
    fn of(memory: &Memory, host: &Host) -> Option<Self> {
        let content = memory.world.content_value();
        let claim = claim_of_world(content)?;
        let id = Text::new(memory.world.world_id().to_string()).ok()?;
        let raw = Attestation::raw(id.clone(), claim.clone()).ok()?;
        let parts = parts(memory, host, id.clone(), claim.clone(), &raw)?;
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
        let attestation = Attestation::sign(parts, host.signer.as_ref()).ok()?;
        let summary = Attestation::raw(id.clone(), shortened(claim)?).ok()?;
        Some(Self {
            name: id,
            full: attestation.text().to_owned(),
            attestation,
            without_evidence,
            raw: raw.text().to_owned(),
            summary: summary.text().to_owned(),
            receipt: canonical(&memory.opened.to_value()).ok()?,
        })
    }
}

fn parts(
    memory: &Memory,
    host: &Host,
    id: Text<1024>,
    claim: Claim,
    raw: &Attestation,
) -> Option<AttestationParts> {
    let received = received(memory);
    let source = match (
        &received,
        memory.unit.as_ref().map(|unit| unit.provenance().class()),
    ) {
        (Some(_), _) => Some(ProvenanceSource::Received),
        (None, Some(ProvenanceClass::FirstHand)) => Some(ProvenanceSource::DirectExperience),
        (None, Some(ProvenanceClass::ModelDerived | ProvenanceClass::RecallReEntry)) => {
            Some(ProvenanceSource::Inference)
        }
        (None, _) => None,
    };
    // Handing a memory on does not make it newer.
    let created_at = received.as_ref().and_then(|received| received.created_at);
    let created_at = created_at.map_or(memory.recorded_at, |at| at.min(memory.recorded_at));
    let (salience, chain, evidence) = match received {
        Some(received) => {
            let hop = received.chain.handed_on(
                raw.claim_hash(),
                memory.recorded_at,
                host.signer.as_ref(),
            );
            (received.salience, Some(hop.ok()?), received.evidence)
        }
        None => {
            let data = memory.world.data().and_then(Value::as_object);
            let listed = data.and_then(|data| data.get("evidence")?.as_array());
            let evidence = listed.into_iter().flatten().filter_map(evidence);
            (None, None, evidence.take(MOST_EVIDENCE).collect())
        }
    };
    Some(AttestationParts {
        id,
        agent: Some(Party {
            agent_id: host.name.clone(),
            public_key: Some(host.signer.key()),
        }),
        created_at: Some(created_at),
        claim,
        salience,
        provenance: source.map(|source| MemoryProvenance {
            chain,
            ..MemoryProvenance::of_source(source)
        }),
        evidence,
    })
}

/// Returns the parts of a memory of another agent; `None` for this agent's own.
fn received(memory: &Memory) -> Option<Received> {
    let data = memory.world.data()?.as_object();
    let kind = data
        .and_then(|data| data.get("kind"))
        .and_then(Value::as_str);
    let peers = memory
        .unit
        .as_ref()
        .is_some_and(|unit| matches!(unit.provenance().class(), ProvenanceClass::Peer { .. }));
    if kind != Some("received") && !peers {
        return None;
    }
    let inner = attestation_of_received(memory.world.content_value());
    let parts = inner.as_ref().map(Attestation::parts);
    Some(Received {
        created_at: parts.and_then(|parts| parts.created_at),
        // The other agent's salience is its own opinion, except for the expected decay.
        salience: parts
            .and_then(|parts| parts.salience.as_ref())
            .map(|salience| Salience {
                why_kept: None,
                category: None,
                confidence: None,
                expected_decay: salience.expected_decay.clone(),
                supersedes: Vec::new(),
            }),
        chain: parts
            .and_then(AttestationParts::chain)
            .cloned()
            .unwrap_or_default(),
        evidence: parts
            .map(|parts| parts.evidence.clone())
            .unwrap_or_default(),
    })
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

fn shortened(claim: Claim) -> Option<Claim> {
    let content = claim.content.as_str();
    if content.len() <= SUMMARY_BYTES {
        return Some(Claim {
            context: None,
            references: Vec::new(),
            ..claim
        });
    }
    let begin = content.get(..content.floor_char_boundary(SUMMARY_BYTES))?;
    let content = Text::new(format!("{begin}…")).ok()?;
    Some(Claim {
        kind: claim.kind,
        ..Claim::of_text(content)
    })
}
