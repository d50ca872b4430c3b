//! Who said a claim first, and through whose hands it came (docs/format/exchange.md §5).

use std::collections::BTreeMap;
use std::sync::Arc;

use counterfoil_capsule::Timestamp;
use counterfoil_claims::{Act, Identifier, PeerTrust, ProvenanceClass, Unit};
use counterfoil_exchange::documents::{
    Attestation, AttestationParts, Chain, OriginClass, ProvenanceSource, Signature,
};
use counterfoil_exchange::trust::{RecordedTrust, Records};
use counterfoil_peer::{ReadingAgent, attestation_behind, claim_readers};
use counterfoil_types::DidKey;
use serde::Serialize;

use super::access::ClaimReader;
use super::refusals::no_claim;
use crate::error::Error;
use crate::memory::Memory;
use crate::report::{Report, object, some};
use crate::when;

/// Agent through whose hands a claim came.
#[derive(Serialize)]
struct AgentView {
    key: DidKey,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Trust in it now, 0 to 3; absent of this agent itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u8>,
    /// Capacity in which it said so; absent of a relay, and where it did not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<OriginClass>,
    /// When it said so or handed it on, by its own clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
    /// Its own signature over the claim is here; absent of a relay.
    #[serde(skip_serializing_if = "Option::is_none")]
    signed: Option<bool>,
}

/// Agent that was given a claim of this one.
#[derive(Serialize)]
struct ReaderView {
    key: DidKey,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Answers with the claim.
    times: u64,
    /// It asked after the claim was taken back, and learned of that.
    told: bool,
}

/// Inputs of describing an agent: its name here, and the trust in it now.
struct AgentContext<'a> {
    records: &'a Records,
    trust: RecordedTrust,
    about: Identifier,
    now_us: u64,
}

impl Memory {
    /// Reports who said a claim first, in what capacity, and which agents handed it on, each with the trust in it now: the weakest of
    /// them decides whether the claim counts in a belief.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for a reference that names no claim.
    pub async fn claim_origin(&self, named: &str) -> Result<Report, Error> {
        let reader = ClaimReader::open(self, None).await?;
        let unit = reader.store.unit_of(&self.find_id(named).await?).await?;
        let unit = unit.ok_or_else(|| no_claim(named))?;
        let line = unit.line();
        let shown = object()
            .with("ref", unit.reference())
            .with("subject", line.subject.as_str())
            .with("predicate", line.predicate.as_str())
            .with_some("value", value(&unit));
        let ProvenanceClass::Peer {
            agent,
            level,
            inferred,
        } = unit.provenance().class()
        else {
            let origin = AgentView {
                class: Some(own_class(&unit)),
                ..AgentView::of(line.agent)
            };
            let readers = self.whole().readers(&unit).await?;
            let shown = shown.with("origin", origin);
            return Report::new(&shown.with_some("givenTo", some(&readers)));
        };
        let store = self.whole().any()?;
        let attestation = attestation_behind(store.as_ref(), &unit).await?;
        let parts = attestation.as_ref().map(Attestation::parts);
        let first = parts.and_then(AttestationParts::origin);
        let first = first.or(attestation.as_ref());
        let first = first.filter(|it| it.signature() == Signature::Holds(agent));
        let chain = parts.and_then(AttestationParts::chain);
        let at: BTreeMap<DidKey, Timestamp> = chain.into_iter().flat_map(Chain::hops).collect();
        let records = self.whole().trust_records().await?;
        let context = AgentContext {
            records: &records,
            trust: RecordedTrust::new(Arc::clone(&records)),
            about: about(&unit),
            now_us: records.present(when::now()?.value().saturating_mul(1000)),
        };
        let class = match inferred {
            true => Some(OriginClass::Model),
            false => first.and_then(class_of),
        };
        let origin = AgentView {
            class,
            at: first.and_then(|first| first.parts().created_at),
            signed: Some(first.is_some()),
            ..context.describe(agent)
        };
        let hops = unit.via().iter().map(|relay| AgentView {
            at: at.get(relay).copied(),
            ..context.describe(*relay)
        });
        let hops: Vec<AgentView> = hops.collect();
        let levels = hops.iter().chain([&origin]).filter_map(|agent| agent.level);
        let weakest = levels.min().unwrap_or_default();
        let minimum = context.trust.minimum(&context.about, context.now_us);
        let shown = shown
            .with("origin", origin)
            .with("hops", hops)
            .with("level", weakest)
            .with("minimum", minimum)
            .with("counts", weakest >= minimum)
            .with("levelAtReceipt", level);
        Report::new(&shown)
    }
}

impl Memory {
    /// Lists the agents of the records that were given a claim of this agent.
    async fn readers(&self, unit: &Unit) -> Result<Vec<ReaderView>, Error> {
        let (store, records) = (self.any()?, self.trust_records().await?);
        let known = records.known().into_iter().map(|known| known.key);
        let readers = claim_readers(store.as_ref(), unit.reference(), known).await?;
        let view = |reader: ReadingAgent| ReaderView {
            key: reader.agent,
            name: records
                .of_key(&reader.agent)
                .and_then(|known| Some(known.name?.to_string())),
            times: reader.times,
            told: reader.is_told,
        };
        Ok(readers.into_iter().map(view).collect())
    }
}

impl AgentContext<'_> {
    fn describe(&self, key: DidKey) -> AgentView {
        let known = self.records.of_key(&key);
        AgentView {
            name: known.and_then(|known| Some(known.name?.to_string())),
            level: Some(self.trust.level(&key, &self.about, self.now_us)),
            ..AgentView::of(key)
        }
    }
}

impl AgentView {
    const fn of(key: DidKey) -> Self {
        Self {
            key,
            name: None,
            level: None,
            class: None,
            at: None,
            signed: None,
        }
    }
}

fn value(unit: &Unit) -> Option<impl Serialize + use<>> {
    match unit.act() {
        Act::Claim(body) => Some(body.value.to_json()),
        _ => None,
    }
}

fn own_class(unit: &Unit) -> OriginClass {
    match unit.provenance().class() {
        ProvenanceClass::UserAsserted => OriginClass::User,
        ProvenanceClass::FirstHand => OriginClass::FirstHand,
        _ => OriginClass::Model,
    }
}

/// The domain for which trust in its source is looked up.
fn about(unit: &Unit) -> Identifier {
    let domain = match unit.act() {
        Act::Claim(body) => body.domain.clone(),
        _ => None,
    };
    domain.unwrap_or_else(|| unit.line().predicate.clone())
}

/// The class that an agent gives its own word; `None` where it hands on another's.
fn class_of(attestation: &Attestation) -> Option<OriginClass> {
    let provenance = attestation.parts().provenance.as_ref()?;
    let by_source = match provenance.source {
        ProvenanceSource::DirectExperience => Some(OriginClass::FirstHand),
        ProvenanceSource::Inference => Some(OriginClass::Model),
        _ => None,
    };
    provenance.class.or(by_source)
}
