//! Builder of anchors: refuses configurations that would weaken them, before any proof is read.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use counterfoil_types::{DidKey, Sha256Hash};
use sha2::{Digest, Sha256};

use super::{Agent, Anchors, LogAnchor};
use crate::error::AnchorError;
use crate::fingerprint::KeyFingerprint;
use crate::note::{Algorithm, VerifierKey, sound_key};

/// Collects logs, agents and witnesses; [`AnchorsBuilder::build`] checks them as a whole.
#[derive(Debug, Clone, Default)]
pub struct AnchorsBuilder {
    logs: Vec<LogAnchor>,
    agents: Vec<DidKey>,
    witnesses: Vec<VerifierKey>,
    quorum: u64,
}

impl AnchorsBuilder {
    /// Trusts a log to sign its checkpoints.
    #[must_use]
    pub fn log(mut self, log: LogAnchor) -> Self {
        self.logs.push(log);
        self
    }

    /// Trusts an agent to sign entries (method `signature`). Twice is as once.
    #[must_use]
    pub fn agent(mut self, agent: DidKey) -> Self {
        self.agents.push(agent);
        self
    }

    /// Trusts a witness to have seen what it cosigned.
    #[must_use]
    pub fn witness(mut self, witness: VerifierKey) -> Self {
        self.witnesses.push(witness);
        self
    }

    /// Asks for cosignatures of this many distinct witnesses on every checkpoint; 0 asks for none.
    #[must_use]
    pub const fn quorum(mut self, quorum: u64) -> Self {
        self.quorum = quorum;
        self
    }

    /// Checks the anchors as a whole.
    ///
    /// # Errors
    /// No log; two logs with one origin or key; an unsound agent key; one witness twice, by key
    /// or by name; a log as witness; a quorum above the number of witnesses; a key of a kind
    /// that does not fit its place.
    pub fn build(self) -> Result<Anchors, AnchorError> {
        check_logs(&self.logs)?;
        check_witnesses(&self.witnesses, &self.logs)?;
        let (quorum, witnesses) = (self.quorum, self.witnesses.len());
        let reachable = usize::try_from(quorum).ok();
        let quorum = reachable
            .filter(|quorum| *quorum <= witnesses)
            .ok_or(AnchorError::Quorum { quorum, witnesses })?;
        let mut anchors = Anchors {
            logs: self.logs,
            agents: self
                .agents
                .into_iter()
                .map(agent)
                .collect::<Result<BTreeMap<_, _>, _>>()?,
            witnesses: self.witnesses,
            quorum,
            id: Sha256Hash::from_bytes([0; 32]),
        };
        let digest = Sha256::digest(anchors.to_json());
        anchors.id = Sha256Hash::from_bytes(digest.into());
        Ok(anchors)
    }
}

fn agent(did: DidKey) -> Result<(KeyFingerprint, Agent), AnchorError> {
    let key = sound_key(did.public_key())?;
    Ok((KeyFingerprint::of(&did), Agent { did, key }))
}

fn check_logs(logs: &[LogAnchor]) -> Result<(), AnchorError> {
    if logs.is_empty() {
        return Err(AnchorError::NoLog);
    }
    for (position, log) in logs.iter().enumerate() {
        expect_kind(&log.key, Algorithm::Ed25519)?;
        for earlier in logs.iter().take(position) {
            if earlier.origin == log.origin {
                return Err(AnchorError::OriginTwice {
                    origin: log.origin.clone(),
                });
            }
            if earlier.key.public_key() == log.key.public_key() {
                return Err(AnchorError::LogKeyTwice {
                    first: earlier.origin.clone(),
                    second: log.origin.clone(),
                });
            }
        }
    }
    Ok(())
}

fn check_witnesses(witnesses: &[VerifierKey], logs: &[LogAnchor]) -> Result<(), AnchorError> {
    for (position, witness) in witnesses.iter().enumerate() {
        expect_kind(witness, Algorithm::CosignatureV1)?;
        let same = |log: &LogAnchor| log.key.public_key() == witness.public_key();
        if logs.iter().any(same) {
            return Err(AnchorError::WitnessIsLog {
                name: witness.name().into(),
            });
        }
        let twin = witnesses.iter().take(position).find(|earlier| {
            earlier.public_key() == witness.public_key() || earlier.name() == witness.name()
        });
        if let Some(earlier) = twin {
            return Err(AnchorError::WitnessTwice {
                first: earlier.name().into(),
                second: witness.name().into(),
            });
        }
    }
    Ok(())
}

fn expect_kind(key: &VerifierKey, algorithm: Algorithm) -> Result<(), AnchorError> {
    if key.algorithm() == algorithm {
        return Ok(());
    }
    Err(AnchorError::KeyKind {
        name: key.name().into(),
    })
}
