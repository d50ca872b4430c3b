//! Making of anchors: refuses configurations that would weaken them, before any proof is read.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use counterfoil_types::{DidKey, Sha256Hash};
use sha2::{Digest, Sha256};

use super::{Agent, Anchors, LogAnchor};
use crate::error::AnchorError;
use crate::fingerprint::KeyFingerprint;
use crate::note::{Algorithm, VerifierKey, sound_key};

impl Anchors {
    /// Trusts logs to sign their checkpoints; no agent, no witness.
    ///
    /// # Errors
    /// No log; two logs with one origin or key; a key of another kind.
    pub fn new(logs: Vec<LogAnchor>) -> Result<Self, AnchorError> {
        if logs.is_empty() {
            return Err(AnchorError::NoLog);
        }
        check_logs(&logs)?;
        Ok(Self::of_logs(logs).identified())
    }

    /// Trusts agents to sign entries (method `signature`), and no log.
    ///
    /// # Errors
    /// [`AnchorError::NoLog`] if there is no agent either; [`AnchorError::KeyUnsound`].
    pub fn of_agents(agents: impl IntoIterator<Item = DidKey>) -> Result<Self, AnchorError> {
        let anchors = Self::of_logs(Vec::new()).with_agents(agents)?;
        match anchors.agents.is_empty() {
            true => Err(AnchorError::NoLog),
            false => Ok(anchors),
        }
    }

    /// Trusts agents, too, to sign entries (method `signature`). Twice is as once.
    ///
    /// # Errors
    /// [`AnchorError::KeyUnsound`].
    pub fn with_agents(
        mut self,
        agents: impl IntoIterator<Item = DidKey>,
    ) -> Result<Self, AnchorError> {
        for did in agents {
            let key = sound_key(did.public_key())?;
            self.agents
                .insert(KeyFingerprint::of(&did), Agent { did, key });
        }
        Ok(self.identified())
    }

    /// Trusts these witnesses to have seen what they cosigned, and asks for cosignatures of `quorum` distinct ones on
    /// every checkpoint; 0 asks for none.
    ///
    /// # Errors
    /// One witness twice, by key or by name; a log as witness; a key of another kind; a quorum above the number of
    /// witnesses.
    pub fn with_witnesses(
        self,
        witnesses: Vec<VerifierKey>,
        quorum: u64,
    ) -> Result<Self, AnchorError> {
        check_witnesses(&witnesses, &self.logs)?;
        let reachable = usize::try_from(quorum).ok();
        let quorum = reachable
            .filter(|quorum| *quorum <= witnesses.len())
            .ok_or(AnchorError::Quorum {
                quorum,
                witnesses: witnesses.len(),
            })?;
        let anchors = Self {
            witnesses,
            quorum,
            ..self
        };
        Ok(anchors.identified())
    }

    const fn of_logs(logs: Vec<LogAnchor>) -> Self {
        Self {
            logs,
            agents: BTreeMap::new(),
            witnesses: Vec::new(),
            quorum: 0,
            id: Sha256Hash::from_bytes([0; 32]),
        }
    }

    fn identified(mut self) -> Self {
        self.id = Sha256Hash::from_bytes(Sha256::digest(self.to_json()).into());
        self
    }
}

fn check_logs(logs: &[LogAnchor]) -> Result<(), AnchorError> {
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
