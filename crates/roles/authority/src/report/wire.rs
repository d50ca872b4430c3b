//! The report as one JSON document (`docs/format/report.md`).

use alloc::string::{String, ToString};

use counterfoil_trace::MemoryTrace;
use counterfoil_trace::types::json::Value;
use counterfoil_trace::types::{Blake3Hash, Confidence, Reason, Sha256Hash, WorldId};
use counterfoil_verifier::{Checkpoint, Proven, Strength};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::{Claim, MemoryReport, Report};
use crate::{Ground, Outcome};

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut report = serializer.serialize_struct("Report", 10)?;
        report.serialize_field("type", "counterfoil/report")?;
        report.serialize_field("version", "1")?;
        report.serialize_field("proposalId", &self.proposal_id)?;
        report.serialize_field("intentType", &self.intent_type)?;
        report.serialize_field("highRisk", &self.high_risk)?;
        report.serialize_field("reviewedAt", &self.reviewed_at)?;
        report.serialize_field("decision", &self.decision.verdict())?;
        report.serialize_field("reasons", self.decision.grounds())?;
        match &self.trace {
            Some(trace) => report.serialize_field("trace", &Selection(trace))?,
            None => report.skip_field("trace")?,
        }
        report.serialize_field("memories", &self.memories)?;
        report.end()
    }
}

impl Serialize for Ground {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut ground = serializer.serialize_struct("Ground", 2)?;
        ground.serialize_field("code", self.code())?;
        ground.serialize_field("message", &self.to_string())?;
        ground.end()
    }
}

/// What the trace says about the selection; the memories follow on their own.
struct Selection<'a>(&'a MemoryTrace);

impl Serialize for Selection<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut trace = serializer.serialize_struct("Selection", 4)?;
        trace.serialize_field("selector", self.0.selector())?;
        trace.serialize_field("query", self.0.query())?;
        trace.serialize_field("selectedAt", &self.0.selected_at())?;
        trace.serialize_field("atWorldId", self.0.at_world_id())?;
        trace.end()
    }
}

impl Serialize for MemoryReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Memory::of(self).serialize(serializer)
    }
}

/// One memory as written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Memory<'a> {
    world_id: &'a WorldId,
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<usize>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<ProvenWire<'a>>,
    claim: ClaimWire<'a>,
}

impl<'a> Memory<'a> {
    fn of(memory: &'a MemoryReport) -> Self {
        let (reason, proven) = match &memory.outcome {
            Outcome::Proven(proven) => (None, Some(ProvenWire::of(proven))),
            Outcome::Unproven(why) => (Some(why.to_string()), None),
            Outcome::Refused(why) => (Some(why.to_string()), None),
        };
        Self {
            world_id: &memory.world_id,
            recall: memory.recall,
            outcome: memory.outcome.name(),
            method: memory.method.as_ref().map(|method| method.as_str()),
            code: memory.outcome.code(),
            reason,
            proven,
            claim: ClaimWire::of(&memory.claim),
        }
    }
}

/// What the trace says about a memory, as written.
#[derive(Serialize)]
struct ClaimWire<'a> {
    confidence: Confidence,
    verified: bool,
    reason: &'a Reason,
}

impl<'a> ClaimWire<'a> {
    const fn of(claim: &'a Claim) -> Self {
        Self {
            confidence: claim.confidence,
            verified: claim.verified,
            reason: &claim.reason,
        }
    }
}

/// What a proof says, as written; what its method does not show is absent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProvenWire<'a> {
    strength: Strength,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Blake3Hash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field_root: Option<Sha256Hash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<CheckpointWire<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disclosed: Option<DisclosedWire<'a>>,
}

/// A checkpoint; integers are decimal strings, as in proofs.
#[derive(Serialize)]
struct CheckpointWire<'a> {
    origin: &'a str,
    size: String,
    root: Sha256Hash,
}

/// A disclosed field.
#[derive(Serialize)]
struct DisclosedWire<'a> {
    path: &'a str,
    value: &'a Value,
}

impl<'a> ProvenWire<'a> {
    fn of(proven: &'a Proven) -> Self {
        Self {
            strength: proven.strength(),
            content: proven.content(),
            field_root: proven.field_root(),
            agent: proven.agent().map(ToString::to_string),
            index: proven.index().map(|index| index.to_string()),
            checkpoint: proven.checkpoint().map(CheckpointWire::of),
            disclosed: proven.disclosed().map(|field| DisclosedWire {
                path: field.path(),
                value: field.value(),
            }),
        }
    }
}

impl<'a> CheckpointWire<'a> {
    fn of(checkpoint: &'a Checkpoint) -> Self {
        Self {
            origin: checkpoint.origin(),
            size: checkpoint.size().to_string(),
            root: checkpoint.root(),
        }
    }
}
