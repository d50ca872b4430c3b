//! What is written down of one memory: what was found, and what will be stored (docs/format/exchange.md §11; R17).

use counterfoil_exchange::checks::{
    CheckKind, CheckResult, Checks, Disposition, Flag, JudgedMemory, Outcome,
};
use counterfoil_exchange::documents::ClaimHash;
use counterfoil_exchange::machine::ItemState;
use counterfoil_exchange::trust::Level;
use counterfoil_store::StoredItem;
use counterfoil_types::WorldId;
use serde::{Deserialize, Serialize};

use super::{KeptMemory, names};
use crate::PeerError;

/// One memory of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    pub(super) number: u32,
    pub(super) state: ItemState,
    pub(super) claim: ClaimHash,
    pub(super) judged: JudgedMemory,
    pub(super) plan: Plan,
    pub(super) stored: Option<WorldId>,
    pub(super) gate: Option<String>,
    /// The gate wrote nothing.
    pub(super) unchanged: bool,
    pub(super) sides: Vec<String>,
    pub(super) supersedes: Vec<WorldId>,
    pub(super) heard: u64,
    /// When it was checked, microseconds since 1970.
    pub(super) at_us: u64,
}

/// What will be stored of it. Decided once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Plan {
    /// Nothing.
    Nothing,
    /// A claim, through the gate.
    Claim,
    /// A World of this name.
    Text(WorldId),
    /// It is there already.
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
    /// As the store keeps it. A World that is to be written is named before it is.
    pub(super) fn write(&self) -> Result<StoredItem, PeerError> {
        let planned = match &self.plan {
            Plan::Text(world) => Some(world.clone()),
            _ => None,
        };
        Ok(StoredItem {
            number: self.number,
            state: self.state,
            world: self.stored.clone().or(planned),
            claim: self.claim,
            report: self.report()?,
            at_us: self.at_us,
        })
    }

    /// Those that were kept, but for what was erased: of that nothing is left to be read.
    pub(super) fn read_all(kept: &[StoredItem]) -> Result<Vec<Self>, PeerError> {
        let kept = kept.iter().filter(|item| !item.report.is_empty());
        kept.map(Self::read).collect()
    }

    /// What was kept.
    fn read(kept: &StoredItem) -> Result<Self, PeerError> {
        let wire: Wire = serde_json::from_str(&kept.report).map_err(|_| unreadable())?;
        let stored = match kept.state {
            ItemState::Stored => kept.world.clone(),
            _ => None,
        };
        Ok(Self {
            number: kept.number,
            state: kept.state,
            claim: kept.claim,
            judged: wire.judged().ok_or_else(unreadable)?,
            plan: wire.plan,
            stored,
            gate: wire.gate,
            unchanged: wire.unchanged,
            sides: wire.sides,
            supersedes: wire.supersedes,
            heard: wire.heard,
            at_us: kept.at_us,
        })
    }

    /// As it is told.
    pub(super) fn told(self) -> KeptMemory {
        let there = match self.plan {
            Plan::There(world) => Some(world),
            _ => None,
        };
        KeptMemory {
            number: self.number,
            state: self.state,
            judged: self.judged,
            stored: self.stored.or(there),
            gate: self.gate,
            unchanged: self.unchanged,
            sides: self.sides,
            supersedes: self.supersedes,
            heard: self.heard,
        }
    }

    /// Keeps a flag in mind, each once and in their order.
    pub(super) fn flag(&mut self, flag: Flag) {
        let flags = &mut self.judged.outcome.flags;
        if !flags.contains(&flag) {
            flags.push(flag);
            flags.sort_unstable();
        }
    }

    pub(super) fn disposition(&self) -> Disposition {
        self.judged.outcome.disposition
    }

    fn report(&self) -> Result<String, PeerError> {
        let JudgedMemory {
            checks,
            outcome,
            source,
        } = &self.judged;
        let flags = outcome.flags.iter();
        let wire = Wire {
            checks: CheckKind::ALL.map(|kind| names::of_result(checks.of(kind))),
            disposition: outcome.disposition.name().to_owned(),
            level: outcome.level.number(),
            flags: flags.map(|flag| flag.name().to_owned()).collect(),
            source: source.map(|key| key.to_string()),
            plan: self.plan.clone(),
            gate: self.gate.clone(),
            unchanged: self.unchanged,
            sides: self.sides.clone(),
            supersedes: self.supersedes.clone(),
            heard: self.heard,
        };
        serde_json::to_string(&wire).map_err(|_| PeerError::Bug("a report without JSON"))
    }
}

impl Wire {
    fn judged(&self) -> Option<JudgedMemory> {
        let [identity, signature, evidence, freshness, vouch, consistency] = &self.checks;
        let source = match &self.source {
            Some(key) => Some(key.parse().ok()?),
            None => None,
        };
        let result = |words: &str| -> Option<CheckResult> { names::result(words) };
        Some(JudgedMemory {
            checks: Checks {
                identity: result(identity)?,
                signature: result(signature)?,
                evidence: result(evidence)?,
                freshness: result(freshness)?,
                vouch: result(vouch)?,
                consistency: result(consistency)?,
            },
            outcome: Outcome {
                disposition: names::disposition(&self.disposition)?,
                level: Level::of_number(self.level)?,
                flags: self
                    .flags
                    .iter()
                    .map(|name| names::flag(name))
                    .collect::<Option<_>>()?,
            },
            source,
        })
    }
}

fn unreadable() -> PeerError {
    PeerError::Kept {
        what: "report of a memory",
    }
}
