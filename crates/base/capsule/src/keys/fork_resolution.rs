//! `fork_resolution`: which branch of a forked chain is kept, by the recovery key or by an operator (capsules 4.5).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey};

use super::KeyError;
use super::reading::{REASON, Reading, is_reason, unsigned, written};
use crate::error::CapsuleError;
use crate::id::ChainId;
use crate::integrity::{Expect, ProofOptions, sign, verify};
use crate::key::Signer;
use crate::record::RecordKind;
use crate::timestamp::Timestamp;

const KIND: RecordKind = RecordKind::ForkResolution;
const MEMBERS: [&str; 9] = [
    "abandon", "agent", "chain", "keep", "operator", "proof", "reason", "recovery", "seq",
];
/// The most branches that are abandoned at once.
const MAX_ABANDONED: usize = 16;

/// The branches of a fork, by the first capsule of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branches {
    /// The chain that forked.
    pub chain: ChainId,
    /// The first number at which the branches differ.
    pub seq: u64,
    /// The capsule of that number that is kept.
    pub keep: Blake3Hash,
    /// Those that are not: 1 to 16, none twice. They stay, marked.
    pub abandon: Vec<Blake3Hash>,
}

/// Who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decider {
    /// The owner of the chain, with its recovery key. Holds for everyone.
    Recovery(DidKey),
    /// Whoever runs a store, for that store alone: the agent that signs the record.
    Operator(DidKey),
}

/// ```json
/// {"type":"fork_resolution","version":"1","agent":"did:key:…","chain":"<uuid>","seq":5,
///  "keep":"blake3:…","abandon":["blake3:…"],"reason":"…",
///  "recovery":"did:key:…","proof":{…by the recovery key…}}
/// ```
/// or, without proof, `"operator":"did:key:…"`: the capsule's own signature carries that one.
///
/// What a proof says is checked by [`KeyHistory::accepts`](super::KeyHistory::accepts).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkResolution {
    agent: DidKey,
    branches: Branches,
    reason: String,
    decider: Decider,
    document: Value,
}

impl ForkResolution {
    /// A resolution for everyone, signed with the recovery key of the forked chain's `agent`.
    ///
    /// # Errors
    /// [`KeyError::Document`] for branches or a reason that are not what they must be.
    pub fn by_recovery(
        agent: DidKey,
        recovery: &dyn Signer,
        branches: Branches,
        reason: &str,
        created: Timestamp,
    ) -> Result<Self, KeyError> {
        let decider = Decider::Recovery(recovery.key());
        let mut resolution = Self::unsigned(agent, decider, branches, reason)?;
        let document = resolution.document;
        resolution.document = sign(document, recovery, &ProofOptions::assertion(created))?;
        Ok(resolution)
    }

    /// A resolution for one store, by `operator`, the agent that will sign the record.
    ///
    /// # Errors
    /// As [`by_recovery`](Self::by_recovery).
    pub fn by_operator(
        agent: DidKey,
        operator: DidKey,
        branches: Branches,
        reason: &str,
    ) -> Result<Self, KeyError> {
        Self::unsigned(agent, Decider::Operator(operator), branches, reason)
    }

    /// Reads one: closed members, each what it must be, and a proof exactly where the recovery key
    /// decides.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(value: &Value) -> Result<Self, CapsuleError> {
        let reading = Reading::of(KIND, value, &MEMBERS)?;
        let branches = Branches {
            chain: reading.chain()?,
            seq: reading.number("seq")?,
            keep: reading.hash("keep")?,
            abandon: abandoned(reading)?,
        };
        if !are_apart(&branches) {
            return Err(wrong("abandon", ABANDON));
        }
        Ok(Self {
            agent: reading.key("agent")?,
            branches,
            reason: reading.reason()?,
            decider: decider(reading)?,
            document: value.clone(),
        })
    }

    /// The document, proof included.
    #[must_use]
    pub const fn to_value(&self) -> &Value {
        &self.document
    }

    /// Whose chain forked.
    #[must_use]
    pub const fn agent(&self) -> DidKey {
        self.agent
    }

    /// What is kept and what is not.
    #[must_use]
    pub const fn branches(&self) -> &Branches {
        &self.branches
    }

    /// Why, for people.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Who decided, by the document's word.
    #[must_use]
    pub const fn decider(&self) -> Decider {
        self.decider
    }

    /// That the recovery key signed, where the document says so.
    pub(super) fn verify(&self, recovery: DidKey) -> Result<(), KeyError> {
        verify(&self.document, &Expect::assertion(self.agent, &[recovery]))?;
        Ok(())
    }

    fn unsigned(
        agent: DidKey,
        decider: Decider,
        branches: Branches,
        reason: &str,
    ) -> Result<Self, KeyError> {
        if !is_reason(reason) {
            return Err(KeyError::Document(wrong("reason", REASON)));
        }
        if !are_apart(&branches) {
            return Err(KeyError::Document(wrong("abandon", ABANDON)));
        }
        let abandon: Vec<Value> = branches.abandon.iter().map(written).collect();
        let by = match decider {
            Decider::Recovery(key) => ("recovery", written(key)),
            Decider::Operator(key) => ("operator", written(key)),
        };
        let document = unsigned(
            KIND,
            [
                ("agent", written(agent)),
                ("chain", written(branches.chain)),
                ("seq", branches.seq.into()),
                ("keep", written(branches.keep)),
                ("abandon", abandon.into()),
                ("reason", reason.into()),
                by,
            ],
        );
        Ok(Self {
            agent,
            branches,
            reason: reason.to_string(),
            decider,
            document,
        })
    }
}

fn decider(reading: Reading<'_>) -> Result<Decider, CapsuleError> {
    let signed = reading.value("proof").is_some();
    let by = (
        reading.optional_key("recovery")?,
        reading.optional_key("operator")?,
    );
    match (by, signed) {
        ((Some(key), None), true) => Ok(Decider::Recovery(key)),
        ((None, Some(key)), false) => Ok(Decider::Operator(key)),
        ((None, None), _) | ((Some(_), Some(_)), _) => Err(wrong(
            "recovery",
            "there when the recovery key decides, and operator otherwise",
        )),
        _ => Err(wrong(
            "proof",
            "there when the recovery key decides, and only then",
        )),
    }
}

const ABANDON: &str = "1 to 16 different capsules, and not the one that is kept";

fn abandoned(reading: Reading<'_>) -> Result<Vec<Blake3Hash>, CapsuleError> {
    let hashes = reading.value("abandon").and_then(Value::as_array);
    let hashes = hashes.filter(|hashes| hashes.len() <= MAX_ABANDONED);
    let read = |hashes: &Vec<Value>| -> Option<Vec<_>> {
        let each = hashes.iter().map(|hash| hash.as_str()?.parse().ok());
        each.collect()
    };
    hashes
        .and_then(read)
        .ok_or_else(|| wrong("abandon", ABANDON))
}

fn are_apart(branches: &Branches) -> bool {
    let mut all = branches.abandon.clone();
    all.push(branches.keep);
    all.sort_unstable();
    all.dedup();
    let abandoned = branches.abandon.len();
    (1..=MAX_ABANDONED).contains(&abandoned) && all.len() == abandoned + 1
}

const fn wrong(member: &'static str, must: &'static str) -> CapsuleError {
    CapsuleError::Member {
        what: "fork_resolution",
        member,
        must,
    }
}
