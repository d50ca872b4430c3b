//! JSON form of the report (`docs/format/report.md`).

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_trace::MemoryTrace;
use counterfoil_trace::types::document::object;
use counterfoil_trace::types::json::Value;
use counterfoil_verifier::attestations::Author;
use counterfoil_verifier::envelope::Envelope;
use counterfoil_verifier::{Checkpoint, Proven};
use serde::ser::{Serialize, Serializer};

use super::{MemoryReport, ReviewReport};
use crate::{ClaimStanding, DecisionReason, MemoryOrigin, MemoryOutcome};

impl Serialize for ReviewReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = object()
            .with("type", "counterfoil/report")
            .with("version", "1")
            .with("proposalId", &self.proposal_id)
            .with("intentType", &self.intent_type)
            .with_some("summary", self.summary.as_ref())
            .with("highRisk", self.high_risk)
            .with("reviewedAt", self.reviewed_at)
            .with_some("envelope", self.envelope.as_ref().map(envelope))
            .with("decision", self.decision.verdict())
            .with("reasons", self.decision.reasons())
            .with_some("trace", self.trace.as_ref().map(selection))
            .with_some(
                "withheld",
                (!self.withheld.is_empty()).then_some(&self.withheld),
            )
            .with("memories", &self.memories);
        report.serialize(serializer)
    }
}

impl Serialize for DecisionReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reason = object().with("code", self.code());
        reason
            .with("message", self.to_string())
            .serialize(serializer)
    }
}

/// Signer and nonce of the envelope.
fn envelope(signed: &Envelope) -> impl Serialize {
    object()
        .with("signer", signed.signer)
        .with("nonce", &signed.nonce)
}

/// Statements of the trace about the selection, without its memories.
fn selection(trace: &MemoryTrace) -> impl Serialize {
    object()
        .with("selector", trace.selector())
        .with("query", trace.query())
        .with("selectedAt", trace.selected_at())
        .with("atWorldId", trace.at_world_id())
}

impl Serialize for MemoryReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (cause, shown) = match &self.outcome {
            MemoryOutcome::Proven(shown) => (None, Some(proven(shown))),
            MemoryOutcome::Accepted(_) => (None, None),
            MemoryOutcome::Unproven(cause) | MemoryOutcome::Refused(cause) => {
                (Some(cause.to_string()), None)
            }
        };
        // Statements of the trace about the memory.
        let claim = object()
            .with("confidence", self.confidence)
            .with("verified", self.verified)
            .with("reason", &self.reason);
        let memory = object()
            .with("worldId", &self.world_id)
            .with_some("recall", self.recall)
            .with("outcome", self.outcome.name())
            .with_some("method", self.method.as_ref())
            .with_some("code", self.outcome.code())
            .with_some("reason", cause)
            .with_some("proven", shown)
            .with_some("author", self.author().map(author))
            .with_some("origin", self.origin().map(origin))
            .with_some("standing", standing(self))
            .with_some("words", self.words().map(words))
            .with("claim", claim);
        memory.serialize(serializer)
    }
}

/// Agent, and number of the key that signed.
fn author(author: &Author) -> impl Serialize {
    object()
        .with("agent", author.agent)
        .with("keyNumber", author.key_number)
}

/// Origin; agent and level of another one's word.
fn origin(origin: &MemoryOrigin) -> impl Serialize {
    let (kind, agent, level) = match origin {
        MemoryOrigin::Own => ("own", None, None),
        MemoryOrigin::Imported => ("imported", None, None),
        MemoryOrigin::Peer { agent, level } => ("peer", *agent, *level),
    };
    object()
        .with("kind", kind)
        .with_some("agent", agent)
        .with_some("level", level)
}

/// The word of each departure with the entry that caused it, and the next version; `current` without any.
fn standing(memory: &MemoryReport) -> Option<impl Serialize> {
    let departures = memory.departures()?.into_iter();
    let entries = departures.map(|(departure, entry)| (departure.name(), entry.to_string()));
    let entries: BTreeMap<_, _> = entries.collect();
    let claim = memory.claim();
    let is_believed = claim.is_none_or(|claim| claim == ClaimStanding::Believed);
    let standing = object()
        .with("current", entries.is_empty() && is_believed)
        .with_some("claim", claim)
        .with_some("by", (!entries.is_empty()).then_some(entries));
    Some(standing.with_some("successor", memory.successor()))
}

/// Disclosed fields, with their number and that of all fields.
fn words((fields, count): (&[(String, Value)], u64)) -> impl Serialize {
    let shown = fields.iter();
    let shown = shown.map(|(path, value)| object().with("path", path).with("value", value));
    object()
        .with("shown", fields.len())
        .with("of", count)
        .with("fields", shown.collect::<Vec<_>>())
}

/// Content of a proof; members that its method does not show are absent.
fn proven(shown: &Proven) -> impl Serialize {
    let entry = shown.entry();
    object()
        .with("strength", shown.strength())
        .with_some("content", entry.map(|entry| entry.content))
        .with_some("fieldRoot", entry.map(|entry| entry.field_root))
        .with_some("agent", shown.agent().map(ToString::to_string))
        .with_some("index", shown.index().map(|index| index.to_string()))
        .with_some("checkpoint", shown.checkpoint().map(checkpoint))
}

/// A checkpoint; integers are decimal strings, as in proofs.
fn checkpoint(shown: &Checkpoint) -> impl Serialize {
    object()
        .with("origin", shown.origin())
        .with("size", shown.size().to_string())
        .with("root", shown.root())
}
