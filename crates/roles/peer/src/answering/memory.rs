//! Memory that may be shared, and its attestation, which is always the same and so made once (docs/format/exchange.md §4, §5,
//! §10.1).

use std::sync::OnceLock;

use counterfoil_capsule::{Timestamp, World};
use counterfoil_claims::{ProvenanceClass, Unit};
use counterfoil_exchange::answering::{Share, attestation_of_received, claim_of_world};
use counterfoil_exchange::documents::{
    Attestation, AttestationParts, Claim, DocumentHash, EvidenceLink, MemoryProvenance,
    ProvenanceSource, Salience, Text,
};
use counterfoil_types::json::{Value, canonical};
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
    pub(super) attested: OnceLock<Option<Attested>>,
}

impl Memory {
    /// Returns the predicate of a claim.
    pub(super) fn predicate(&self) -> Option<&str> {
        let unit = self.unit.as_ref()?;
        Some(unit.line().predicate.as_str())
    }

    /// Returns the first of the rules that shares it by a label.
    pub(super) fn lets_out<'s>(&self, shares: &[&'s Share]) -> Option<&'s Share> {
        let mut shares = shares.iter().copied();
        shares.find(|share| share.lets_out(&self.labels, self.predicate()))
    }

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
    /// Claim with its evidence; `None` if it has none.
    pub(super) raw_with_evidence: Option<String>,
    /// Claim without its circumstances; `None` if it is longer than a summary.
    summary: Option<String>,
    /// Opened capsule.
    pub(super) receipt: String,
}

impl Attested {
    /// Attests a memory; `None` if it has no claim, or came through too many agents.
    fn of(memory: &Memory, host: &Host) -> Option<Self> {
        let content = memory.world.content_value();
        let claim = claim_of_world(content)?;
        let id = Text::new(memory.world.world_id().to_string()).ok()?;
        let raw = Attestation::raw(id.clone(), claim.clone(), Vec::new()).ok()?;
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
    let source = match class {
        // The weakest source decides: a model's claim stays inferred over any number of agents.
        Some(ProvenanceClass::Peer { inferred: true, .. }) => Some(ProvenanceSource::Inference),
        _ if is_received => Some(ProvenanceSource::Received),
        Some(ProvenanceClass::FirstHand) => Some(ProvenanceSource::DirectExperience),
        Some(ProvenanceClass::ModelDerived | ProvenanceClass::RecallReEntry) => {
            Some(ProvenanceSource::Inference)
        }
        _ => None,
    };
    let mut parts = AttestationParts {
        agent: Some(host.party()),
        created_at: Some(memory.recorded_at),
        provenance: source.map(MemoryProvenance::of_source),
        ..AttestationParts::of_claim(id, claim)
    };
    if !is_received {
        let listed = member("evidence").and_then(Value::as_array);
        let evidence = listed.into_iter().flatten().filter_map(evidence);
        parts.evidence = evidence.take(MOST_EVIDENCE).collect();
        return Some(parts);
    }
    let inner = attestation_of_received(memory.world.content_value());
    let inner = inner.as_ref().map(Attestation::parts);
    let before = inner.and_then(AttestationParts::chain).cloned();
    let chain = before.unwrap_or_default().handed_on(
        raw.claim_hash(),
        memory.recorded_at,
        host.signer.as_ref(),
    );
    if let Some(provenance) = &mut parts.provenance {
        provenance.chain = Some(chain.ok()?);
    }
    if let Some(inner) = inner {
        // Handing a memory on does not make it newer.
        parts.created_at = parts.created_at.min(inner.created_at.or(parts.created_at));
        // The other agent's salience is its own opinion, except for the expected decay.
        parts.salience = inner.salience.as_ref().map(|salience| Salience {
            expected_decay: salience.expected_decay.clone(),
            ..Salience::default()
        });
        parts.evidence.clone_from(&inner.evidence);
    }
    Some(parts)
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
