//! Stored state of one memory: results of its checks, and the plan of its storage (docs/format/exchange.md §11; R17).

use counterfoil_exchange::checks::{CheckKind, Checks, Disposition, Flag, JudgedMemory};
use counterfoil_exchange::documents::ClaimHash;
use counterfoil_exchange::machine::ItemState;
use counterfoil_store::StoredItem;
use counterfoil_types::WorldId;
use serde::{Deserialize, Serialize};

use super::{ReceivedMemory, names};
use crate::PeerError;

/// Memory of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    pub(super) memory: ReceivedMemory,
    pub(super) claim: ClaimHash,
    pub(super) plan: Plan,
    /// Time of the checks, in microseconds since 1970.
    pub(super) at_us: u64,
}

/// Storage of a memory, decided once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Plan {
    /// Not stored.
    Nothing,
    /// Submitted to the gate as a claim.
    Claim,
    /// Stored as a World of this name.
    Text(WorldId),
    /// Stored already.
    There(WorldId),
}

#[derive(Serialize, Deserialize)]
struct Wire {
    checks: [String; 6],
    disposition: String,
    level: u8,
    flags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    plan: Plan,
    #[serde(skip_serializing_if = "Option::is_none")]
    gate: Option<String>,
    #[serde(default)]
    unchanged: bool,
    sides: Vec<String>,
    supersedes: Vec<WorldId>,
    heard: u64,
}

impl Item {
    /// Returns the row of the store. A World that is to be written is named in it before it exists.
    pub(super) fn write(&self) -> Result<StoredItem, PeerError> {
        let planned = match &self.plan {
            Plan::Text(world) => Some(world.clone()),
            _ => None,
        };
        let ReceivedMemory {
            number,
            state,
            judged,
            stored,
            gate,
            ..
        } = &self.memory;
        let flags = judged.flags.iter();
        let wire = Wire {
            checks: CheckKind::ALL.map(|kind| names::of_result(judged.checks.of(kind))),
            disposition: judged.disposition.name().to_owned(),
            level: judged.level().number(),
            flags: flags.map(|flag| flag.name().to_owned()).collect(),
            source: judged.source.map(|key| key.to_string()),
            plan: self.plan.clone(),
            gate: gate.clone(),
            unchanged: self.memory.unchanged,
            sides: self.memory.sides.clone(),
            supersedes: self.memory.supersedes.clone(),
            heard: self.memory.heard,
        };
        Ok(StoredItem {
            number: *number,
            state: *state,
            world: stored.clone().or(planned),
            claim: self.claim,
            report: serde_json::to_string(&wire)
                .map_err(|_| PeerError::Bug("a report without JSON"))?,
            at_us: self.at_us,
        })
    }

    /// Reads the rows of the store, without those of erased memories, whose report is empty.
    pub(super) fn read_all(rows: &[StoredItem]) -> Result<Vec<Self>, PeerError> {
        let rows = rows.iter().filter(|row| !row.report.is_empty());
        let items = rows.map(Self::read);
        items.collect::<Option<_>>().ok_or(PeerError::Unreadable {
            what: "report of a memory",
        })
    }

    fn read(row: &StoredItem) -> Option<Self> {
        let wire: Wire = serde_json::from_str(&row.report).ok()?;
        let [identity, signature, evidence, freshness, vouch, consistency] = &wire.checks;
        let flags = wire.flags.iter().map(|name| names::flag(name));
        let judged = JudgedMemory {
            checks: Checks {
                identity: names::result(identity)?,
                signature: names::result(signature)?,
                evidence: names::result(evidence)?,
                freshness: names::result(freshness)?,
                vouch: names::result(vouch)?,
                consistency: names::result(consistency)?,
            },
            disposition: names::disposition(&wire.disposition)?,
            flags: flags.collect::<Option<_>>()?,
            source: match &wire.source {
                Some(key) => Some(key.parse().ok()?),
                None => None,
            },
        };
        Some(Self {
            memory: ReceivedMemory {
                number: row.number,
                state: row.state,
                judged,
                stored: match row.state {
                    ItemState::Stored => row.world.clone(),
                    _ => None,
                },
                gate: wire.gate,
                unchanged: wire.unchanged,
                sides: wire.sides,
                supersedes: wire.supersedes,
                heard: wire.heard,
            },
            claim: row.claim,
            plan: wire.plan,
            at_us: row.at_us,
        })
    }

    /// Returns the report, with the place of a memory that was stored already.
    pub(super) fn into_report(mut self) -> ReceivedMemory {
        if let (None, Plan::There(world)) = (&self.memory.stored, self.plan) {
            self.memory.stored = Some(world);
        }
        self.memory
    }

    /// Adds a flag; flags are unique and sorted.
    pub(super) fn flag(&mut self, flag: Flag) {
        let flags = &mut self.memory.judged.flags;
        if !flags.contains(&flag) {
            flags.push(flag);
            flags.sort_unstable();
        }
    }

    pub(super) fn disposition(&self) -> Disposition {
        self.memory.judged.disposition
    }
}
