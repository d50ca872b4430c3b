//! An authority's decision that a memory is forgotten for all (MEM-MAINT: global scope needs elevated authority).

use alloc::boxed::Box;

use counterfoil_types::document::Line;
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, WorldId};
use serde::{Deserialize, Serialize};

use crate::document::{Document, Signed};
use crate::error::{CapsuleError, line};
use crate::key::Signer;
use crate::key_error::KeyError;
use crate::keys::MAX_REASON;
use crate::timestamp::Timestamp;

counterfoil_types::words! {
    enum Scope {
        Global = "global",
    }

    enum Verdict {
        Approved = "approved",
    }
}

/// Decision of an authority that an actor may have a World forgotten for all.
///
/// ```json
/// {"type":"counterfoil/forget-decision","version":"1","world":"…","actor":"did:key:…","scope":"global",
///  "reason":"…","verdict":"approved","authority":"did:key:…","decidedAt":"2026-…Z","proof":{…}}
/// ```
/// To have read one says nothing about its proof or its authority: [`approve`](Signed::approve) checks both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ForgetDecision {
    /// World that is to be forgotten.
    pub world: WorldId,
    /// Actor that asked for it and may act on it.
    pub actor: DidKey,
    scope: Scope,
    /// Reason, for people.
    pub reason: Line<MAX_REASON>,
    verdict: Verdict,
    /// Authority that decided, as the document states it.
    pub authority: DidKey,
    /// Time of the decision, by the authority's clock.
    #[serde(rename = "decidedAt")]
    pub decided_at: Timestamp,
}

/// A decision of an authority that is trusted here. Made by [`Signed::approve`] alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedForgetting(Signed<ForgetDecision>);

impl Document for ForgetDecision {
    const TYPE: &'static str = "counterfoil/forget-decision";
}

impl ForgetDecision {
    /// Decides, in the name of `authority`, that `actor` may have `world` forgotten for all.
    ///
    /// # Errors
    /// [`CapsuleError::Document`] for a reason that is empty, longer than 1024 bytes or has control
    /// characters.
    pub fn sign(
        world: WorldId,
        actor: DidKey,
        reason: &str,
        authority: &dyn Signer,
        decided_at: Timestamp,
    ) -> Result<Signed<Self>, CapsuleError> {
        let decision = Self {
            world,
            actor,
            scope: Scope::Global,
            reason: line(Self::TYPE, "/reason", reason)?,
            verdict: Verdict::Approved,
            authority: authority.key(),
            decided_at,
        };
        Signed::sign(decision, &[authority], decided_at)
            .map_err(|_| CapsuleError::at(Self::TYPE, "", "one that can be signed"))
    }

    /// Reads a decision.
    ///
    /// # Errors
    /// The first member that is wrong.
    pub fn parse(value: &Value) -> Result<Signed<Self>, CapsuleError> {
        Signed::parse(value)
    }
}

impl Signed<ForgetDecision> {
    /// Checks that one of `authorities` has signed the decision.
    ///
    /// # Errors
    /// [`KeyError::Authority`], [`KeyError::Decision`]: nothing may be forgotten by it then.
    pub fn approve(self, authorities: &[DidKey]) -> Result<ApprovedForgetting, KeyError> {
        let authority = self.authority;
        if !authorities.contains(&authority) {
            return Err(KeyError::Authority { authority });
        }
        match self.verify(authority, &[authority]) {
            Ok(_) => Ok(ApprovedForgetting(self)),
            Err(fault) => Err(KeyError::Decision(Box::new(fault))),
        }
    }
}

impl ApprovedForgetting {
    /// The decision.
    pub const fn decision(&self) -> &Signed<ForgetDecision> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{AgentSigner, SecretKey};

    fn authority(seed: u8) -> AgentSigner {
        AgentSigner::new(SecretKey::from_seed([seed; 32]))
    }

    fn decision() -> Signed<ForgetDecision> {
        ForgetDecision::sign(
            WorldId::new("world-1").unwrap(),
            authority(2).agent(),
            "asked to",
            &authority(1),
            Timestamp::from_micros(1_772_323_200_000_000).unwrap(),
        )
        .unwrap()
    }

    /// MEM-MAINT: what an authority that is trusted has signed counts, and nothing else does.
    #[test]
    fn a_decision_counts_by_the_signature_of_a_trusted_authority() {
        let read = ForgetDecision::parse(decision().to_value()).unwrap();
        assert_eq!(read, decision());
        let trusted = [authority(3).agent(), authority(1).agent()];
        assert_eq!(read.clone().approve(&trusted).unwrap().decision(), &read);
        assert!(matches!(
            read.clone().approve(&[authority(2).agent()]),
            Err(KeyError::Authority { .. })
        ));
        for (member, value) in [
            ("world", json!("world-2")),
            ("authority", json!(authority(3).agent())),
            ("actor", json!(authority(1).agent())),
            ("reason", json!("another")),
            ("decidedAt", json!("2026-03-01T00:00:00.000001Z")),
        ] {
            let mut edited = decision().to_value().clone();
            edited[member] = value;
            let edited = ForgetDecision::parse(&edited).unwrap();
            assert!(
                matches!(edited.approve(&trusted), Err(KeyError::Decision(_))),
                "{member}"
            );
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for (member, value) in [
            ("scope", json!("actor")),
            ("verdict", json!("rejected")),
            ("reason", json!("")),
            ("more", json!(1)),
            ("version", json!("2")),
        ] {
            let mut bad = decision().to_value().clone();
            bad[member] = value;
            assert!(ForgetDecision::parse(&bad).is_err(), "{member}");
        }
    }
}
