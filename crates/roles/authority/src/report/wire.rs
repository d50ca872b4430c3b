//! JSON form of the report (`docs/format/report.md`).

use alloc::string::{String, ToString};

use counterfoil_trace::MemoryTrace;
use counterfoil_trace::types::json::Value;
use counterfoil_trace::types::{
    Blake3Hash, Confidence, Reason, Sha256Hash, VerificationMethod, WorldId,
};
use counterfoil_verifier::{Checkpoint, Proven, Strength};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::{MemoryReport, ReviewReport};
use crate::{DecisionReason, MemoryOutcome};

impl Serialize for ReviewReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut report = serializer.serialize_struct("Report", 10)?;
        report.serialize_field("type", "counterfoil/report")?;
        report.serialize_field("version", "1")?;
        report.serialize_field("proposalId", &self.proposal_id)?;
        report.serialize_field("intentType", &self.intent_type)?;
        report.serialize_field("highRisk", &self.high_risk)?;
        report.serialize_field("reviewedAt", &self.reviewed_at)?;
        report.serialize_field("decision", &self.decision.verdict())?;
        report.serialize_field("reasons", self.decision.reasons())?;
        match &self.trace {
            Some(trace) => report.serialize_field("trace", &Selection(trace))?,
            None => report.skip_field("trace")?,
        }
        report.serialize_field("memories", &self.memories)?;
        report.end()
    }
}

impl Serialize for DecisionReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut ground = serializer.serialize_struct("DecisionReason", 2)?;
        ground.serialize_field("code", self.code())?;
        ground.serialize_field("message", &self.to_string())?;
        ground.end()
    }
}

/// Statements of the trace about the selection, without its memories.
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
        let (reason, proven) = match &self.outcome {
            MemoryOutcome::Proven(proven) => (None, Some(ProvenWire::of(proven))),
            MemoryOutcome::Unproven(cause) | MemoryOutcome::Refused(cause) => {
                (Some(cause.to_string()), None)
            }
        };
        let memory = Memory {
            world_id: &self.world_id,
            recall: self.recall,
            outcome: self.outcome.name(),
            method: self.method.as_ref(),
            code: self.outcome.code(),
            reason,
            proven,
            claim: Claim {
                confidence: self.confidence,
                verified: self.verified,
                reason: &self.reason,
            },
        };
        memory.serialize(serializer)
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
    method: Option<&'a VerificationMethod>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<ProvenWire<'a>>,
    claim: Claim<'a>,
}

/// Statements of the trace about one memory.
#[derive(Serialize)]
struct Claim<'a> {
    confidence: Confidence,
    verified: bool,
    reason: &'a Reason,
}

/// Content of a proof, as written; members that its method does not show are absent.
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

/// A disclosed field: JSON Pointer and value.
#[derive(Serialize)]
struct DisclosedWire<'a> {
    path: &'a str,
    value: &'a Value,
}

/// A checkpoint; integers are decimal strings, as in proofs.
#[derive(Serialize)]
struct CheckpointWire<'a> {
    origin: &'a str,
    size: String,
    root: Sha256Hash,
}

impl<'a> ProvenWire<'a> {
    fn of(proven: &'a Proven) -> Self {
        let disclosed = proven.disclosed();
        Self {
            strength: proven.strength(),
            content: proven.entry().map(|entry| entry.content),
            field_root: proven.entry().map(|entry| entry.field_root),
            agent: proven.agent().map(ToString::to_string),
            index: proven.index().map(|index| index.to_string()),
            checkpoint: proven.checkpoint().map(CheckpointWire::of),
            disclosed: disclosed.map(|(path, value)| DisclosedWire { path, value }),
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
