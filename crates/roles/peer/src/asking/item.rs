//! Stored state of one memory: results of its checks, and the plan of its storage (docs/format/exchange.md §11; R17).

use counterfoil_exchange::checks::{
    CheckKind, CheckResult, Checks, Disposition, Flag, JudgedMemory, SkipReason,
};
use counterfoil_exchange::documents::ClaimHash;
use counterfoil_exchange::machine::ItemState;
use counterfoil_store::StoredItem;
use counterfoil_types::{DidKey, WorldId};
use serde::{Deserialize, Serialize};

use super::ReceivedMemory;
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

/// Report of a memory in JSON.
#[derive(Serialize, Deserialize)]
struct Wire {
    #[serde(deserialize_with = "seven")]
    checks: [String; 7],
    disposition: Disposition,
    level: u8,
    flags: Vec<Flag>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<DidKey>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    relays: Vec<DidKey>,
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
        let memory = &self.memory;
        let judged = &memory.judged;
        let planned = match &self.plan {
            Plan::Text(world) => Some(world),
            _ => None,
        };
        let wire = Wire {
            checks: CheckKind::ALL.map(|kind| result_words(judged.checks.of(kind))),
            disposition: judged.disposition,
            level: judged.level().number(),
            flags: judged.flags.clone(),
            source: judged.source,
            relays: judged.relays.clone(),
            plan: self.plan.clone(),
            gate: memory.gate.clone(),
            unchanged: memory.unchanged,
            sides: memory.sides.clone(),
            supersedes: memory.supersedes.clone(),
            heard: memory.heard,
        };
        Ok(StoredItem {
            number: memory.number,
            state: memory.state,
            world: memory.stored.as_ref().or(planned).cloned(),
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
        let [
            identity,
            signature,
            record,
            evidence,
            freshness,
            vouch,
            consistency,
        ] = &wire.checks;
        let judged = JudgedMemory {
            checks: Checks {
                identity: result_of(identity)?,
                signature: result_of(signature)?,
                record: result_of(record)?,
                evidence: result_of(evidence)?,
                freshness: result_of(freshness)?,
                vouch: result_of(vouch)?,
                consistency: result_of(consistency)?,
            },
            disposition: wire.disposition,
            flags: wire.flags,
            source: wire.source,
            relays: wire.relays,
        };
        let stored = row.world.clone();
        Some(Self {
            memory: ReceivedMemory {
                number: row.number,
                state: row.state,
                judged,
                stored: stored.filter(|_| row.state == ItemState::Stored),
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

    /// Returns true if the memory is counted under a name of its own, so that it does not keep out its claim when that is attested and
    /// asked for.
    pub(super) fn is_testimony(&self) -> bool {
        let is_unasked = self.memory.judged.flags.contains(&Flag::Unasked);
        is_unasked || self.disposition() <= Disposition::RawOnly
    }

    pub(super) fn disposition(&self) -> Disposition {
        self.memory.judged.disposition
    }
}

/// Reads the results of the checks. Reports from before the check of the record have six.
fn seven<'de, D: serde::Deserializer<'de>>(from: D) -> Result<[String; 7], D::Error> {
    let mut results = Vec::<String>::deserialize(from)?;
    if results.len() == 6 {
        results.insert(2, result_words(CheckResult::Skip(SkipReason::NoReceipt)));
    }
    let wrong = |_| serde::de::Error::custom("seven results of checks");
    results.try_into().map_err(wrong)
}

/// Returns `pass`, `fail:CODE` or `skip:REASON`.
fn result_words(result: CheckResult) -> String {
    match result {
        CheckResult::Pass => "pass".to_owned(),
        CheckResult::Fail(code) => format!("fail:{code}"),
        CheckResult::Skip(reason) => format!("skip:{reason}"),
    }
}

/// Parses the words of [`result_words`].
fn result_of(words: &str) -> Option<CheckResult> {
    match words.split_once(':') {
        None => (words == "pass").then_some(CheckResult::Pass),
        Some(("fail", code)) => code.parse().ok().map(CheckResult::Fail),
        Some(("skip", reason)) => reason.parse().ok().map(CheckResult::Skip),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_exchange::checks::FailCode;

    use super::*;

    /// A report of six checks is read as one whose memory came without a receipt.
    #[test]
    fn reports_from_before_the_record_check_are_read() {
        let read = |results: &str| {
            let json = format!(
                r#"{{"checks":{results},"disposition":"stored_unverified","level":1,"flags":[],"plan":"nothing","sides":[],"supersedes":[],"heard":1}}"#
            );
            serde_json::from_str::<Wire>(&json).map(|wire| wire.checks)
        };
        let six = read(r#"["pass","pass","skip:no-evidence","pass","skip:no-vouches","pass"]"#);
        let six = six.unwrap();
        assert_eq!(
            (six[2].as_str(), six[3].as_str()),
            ("skip:no-receipt", "skip:no-evidence")
        );
        for other in [r#"[]"#, r#"["pass","pass","pass","pass","pass"]"#] {
            assert!(read(other).is_err());
        }
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        let fails = FailCode::ALL.map(CheckResult::Fail);
        let skips = SkipReason::ALL.map(CheckResult::Skip);
        let all = [CheckResult::Pass].into_iter().chain(fails).chain(skips);
        for one in all {
            assert_eq!(result_of(&result_words(one)), Some(one));
        }
        for other in ["fail:unreachable", "fail", "skip:stale", "other:stale"] {
            assert_eq!(result_of(other), None);
        }
    }
}
