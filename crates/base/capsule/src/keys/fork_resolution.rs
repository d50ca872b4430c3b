//! `fork_resolution`: which branch of a forked chain is kept, by the recovery key or by an operator (capsules 4.5).

use alloc::vec::Vec;

use counterfoil_types::document::{Fault, Line};
use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, DidKey};
use serde::{Deserialize, Serialize};

use super::{KeyError, MAX_REASON};
use crate::document::{Document, Signed, checked};
use crate::error::{CapsuleError, line};
use crate::id::ChainId;
use crate::key::Signer;
use crate::record::RecordKind;
use crate::timestamp::Timestamp;

/// Limit on the branches that are abandoned at once.
const MAX_ABANDONED: usize = 16;

/// Members of a fork resolution.
///
/// ```json
/// {"type":"fork_resolution","version":"1","agent":"did:key:…","chain":"<uuid>","seq":5,
///  "keep":"blake3:…","abandon":["blake3:…"],"reason":"…",
///  "recovery":"did:key:…","proof":{…by the recovery key…}}
/// ```
/// or, without proof, `"operator":"did:key:…"`: the capsule's own signature carries that one.
///
/// [`KeyHistory::accepts`](super::KeyHistory::accepts) checks the proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ForkResolution {
    /// Name of the agent whose chain forked.
    pub agent: DidKey,
    /// Chain that forked.
    pub chain: ChainId,
    /// First number at which the branches differ.
    pub seq: u64,
    /// Capsule of that number that is kept.
    pub keep: Blake3Hash,
    /// Capsules of that number that are not kept: 1 to 16, each once. They stay, marked.
    pub abandon: Vec<Blake3Hash>,
    /// Reason, for people.
    pub reason: Line<MAX_REASON>,
    /// Recovery key of the chain's owner, whose decision holds for everyone; `None` where an operator decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<DidKey>,
    /// Operator of a store, whose decision holds for that store alone: the agent that signs the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<DidKey>,
}

impl Document for ForkResolution {
    const TYPE: &'static str = RecordKind::ForkResolution.name();

    fn check(&self) -> Result<(), Fault> {
        let mut all = self.abandon.clone();
        all.push(self.keep);
        all.sort_unstable();
        all.dedup();
        let abandoned = self.abandon.len();
        if !(1..=MAX_ABANDONED).contains(&abandoned) || all.len() != abandoned + 1 {
            let must = "1 to 16 different capsules, and not the one that is kept";
            return Err(Fault::new("/abandon", must));
        }
        if self.recovery.is_some() == self.operator.is_some() {
            let must = "there when the recovery key decides, and operator otherwise";
            return Err(Fault::new("/recovery", must));
        }
        Ok(())
    }
}

impl ForkResolution {
    /// Makes a resolution of the fork of `agent`'s `chain` at `seq`, by which `keep` is kept and `abandon` is not. It counts
    /// when it is decided [by the recovery key](Self::by_recovery) or [by an operator](Self::by_operator).
    ///
    /// # Errors
    /// [`CapsuleError::Document`] for a reason that is empty, longer than 1024 bytes or has control characters.
    pub fn new(
        agent: DidKey,
        (chain, seq): (ChainId, u64),
        keep: Blake3Hash,
        abandon: Vec<Blake3Hash>,
        reason: &str,
    ) -> Result<Self, CapsuleError> {
        Ok(Self {
            agent,
            chain,
            seq,
            keep,
            abandon,
            reason: line(Self::TYPE, "/reason", reason)?,
            recovery: None,
            operator: None,
        })
    }

    /// Signs the resolution for everyone, with the recovery key of the forked chain's agent.
    ///
    /// # Errors
    /// [`KeyError::Document`] for branches that are not what they must be.
    pub fn by_recovery(
        mut self,
        recovery: &dyn Signer,
        created: Timestamp,
    ) -> Result<Signed<Self>, KeyError> {
        self.recovery = Some(recovery.key());
        Signed::sign(checked(self)?, &[recovery], created)
    }

    /// Makes the resolution hold for one store, by `operator`, the agent that will sign the record.
    ///
    /// # Errors
    /// As [`by_recovery`](Self::by_recovery).
    pub fn by_operator(mut self, operator: DidKey) -> Result<Signed<Self>, KeyError> {
        self.operator = Some(operator);
        Ok(Signed::without_proof(checked(self)?))
    }

    /// Reads a resolution; a proof is there exactly where the recovery key decides.
    ///
    /// # Errors
    /// The first member that is wrong.
    pub fn parse(value: &Value) -> Result<Signed<Self>, CapsuleError> {
        let read = Signed::<Self>::parse(value)?;
        if read.has_proof() != read.recovery.is_some() {
            let must = "there when the recovery key decides, and only then";
            return Err(CapsuleError::at(Self::TYPE, "/proof", must));
        }
        Ok(read)
    }
}
