//! An authority's word that a memory is forgotten for all (MEM-MAINT: global scope needs elevated authority).

use alloc::string::{String, ToString};

use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, WorldId};

use crate::error::CapsuleError;
use crate::integrity::{Expect, IntegrityError, ProofOptions, sign, verify};
use crate::key::Signer;
use crate::keys::reading::{REASON, Reading, document, is_reason, written};
use crate::timestamp::Timestamp;

const WHAT: &str = "counterfoil/forget-decision";
const MEMBERS: [&str; 8] = [
    "actor",
    "authority",
    "decidedAt",
    "proof",
    "reason",
    "scope",
    "verdict",
    "world",
];

/// ```json
/// {"type":"counterfoil/forget-decision","version":"1","world":"…","actor":"did:key:…","scope":"global",
///  "reason":"…","verdict":"approved","authority":"did:key:…","decidedAt":"2026-…Z","proof":{…}}
/// ```
/// `actor` is who asked for it and may act on it. To have read one says nothing about its proof or
/// its authority: that is for [`approve`](Self::approve).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgetDecision {
    world: WorldId,
    actor: DidKey,
    reason: String,
    authority: DidKey,
    decided_at: Timestamp,
    document: Value,
}

/// A decision of an authority that is trusted here. Made by [`ForgetDecision::approve`] alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedForgetting(ForgetDecision);

/// Why a decision does not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecisionError {
    /// Its authority is not one of those that are trusted here.
    #[error(
        "{authority} is not an authority of this store: ask one that is, or add its did:key to \
         the file of authorities"
    )]
    Authority {
        /// Who decided.
        authority: DidKey,
    },
    /// Its proof does not hold.
    #[error("the proof of the decision does not hold ({0}): ask for the decision as it was signed")]
    Proof(#[from] IntegrityError),
}

impl ForgetDecision {
    /// Decides, in the name of `authority`, that `actor` may have `world` forgotten for all.
    ///
    /// # Errors
    /// [`CapsuleError::Member`] for a reason that is empty, longer than 1024 bytes or has control
    /// characters.
    pub fn sign(
        world: WorldId,
        actor: DidKey,
        reason: &str,
        authority: &dyn Signer,
        decided_at: Timestamp,
    ) -> Result<Self, CapsuleError> {
        if !is_reason(reason) {
            return Err(wrong("reason", REASON));
        }
        let unsigned = document(
            WHAT,
            [
                ("world", written(&world)),
                ("actor", written(actor)),
                ("scope", "global".into()),
                ("reason", reason.into()),
                ("verdict", "approved".into()),
                ("authority", written(authority.key())),
                ("decidedAt", written(decided_at)),
            ],
        );
        let signed = sign(unsigned, authority, &ProofOptions::assertion(decided_at));
        Ok(Self {
            world,
            actor,
            reason: reason.to_string(),
            authority: authority.key(),
            decided_at,
            document: signed.map_err(|_| wrong("it", "a document that can be signed"))?,
        })
    }

    /// Reads one: closed members, each what it must be.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(value: &Value) -> Result<Self, CapsuleError> {
        let reading = Reading::named(WHAT, value, &MEMBERS)?;
        for (member, must) in [("scope", "global"), ("verdict", "approved")] {
            if reading.text(member)? != must {
                return Err(wrong(member, "\"global\", and \"approved\" as the verdict"));
            }
        }
        Ok(Self {
            world: reading.world("world")?,
            actor: reading.key("actor")?,
            reason: reading.reason()?,
            authority: reading.key("authority")?,
            decided_at: reading.text("decidedAt")?.parse()?,
            document: value.clone(),
        })
    }

    /// Whether one of `authorities` has signed it.
    ///
    /// # Errors
    /// [`DecisionError`]: nothing may be forgotten by it then.
    pub fn approve(self, authorities: &[DidKey]) -> Result<ApprovedForgetting, DecisionError> {
        let authority = self.authority;
        if !authorities.contains(&authority) {
            return Err(DecisionError::Authority { authority });
        }
        verify(&self.document, &Expect::assertion(authority, &[authority]))?;
        Ok(ApprovedForgetting(self))
    }

    /// What is to be forgotten.
    #[must_use]
    pub const fn world(&self) -> &WorldId {
        &self.world
    }

    /// Who asked for it.
    #[must_use]
    pub const fn actor(&self) -> DidKey {
        self.actor
    }

    /// Why, for people.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Who decided, by the document's word.
    #[must_use]
    pub const fn authority(&self) -> DidKey {
        self.authority
    }

    /// When, by the authority's word.
    #[must_use]
    pub const fn decided_at(&self) -> Timestamp {
        self.decided_at
    }

    /// The document, its proof included.
    #[must_use]
    pub const fn to_value(&self) -> &Value {
        &self.document
    }
}

impl ApprovedForgetting {
    /// What was decided.
    #[must_use]
    pub const fn decision(&self) -> &ForgetDecision {
        &self.0
    }
}

const fn wrong(member: &'static str, must: &'static str) -> CapsuleError {
    CapsuleError::Member {
        what: WHAT,
        member,
        must,
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

    fn decision() -> ForgetDecision {
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
            Err(DecisionError::Authority { .. })
        ));
        for (member, value) in [
            ("world", json!("world-2")),
            ("actor", json!(authority(1).agent())),
            ("reason", json!("another")),
            ("decidedAt", json!("2026-03-01T00:00:00.000001Z")),
        ] {
            let mut edited = decision().to_value().clone();
            edited[member] = value;
            let edited = ForgetDecision::parse(&edited).unwrap();
            assert!(
                matches!(edited.approve(&trusted), Err(DecisionError::Proof(_))),
                "{member}"
            );
        }
    }

    #[test]
    fn a_stranger_who_names_a_trusted_authority_is_refused() {
        let mut forged = decision().to_value().clone();
        forged["authority"] = json!(authority(3).agent());
        let forged = ForgetDecision::parse(&forged).unwrap();
        let refused = forged.approve(&[authority(3).agent()]);
        assert!(
            matches!(refused, Err(DecisionError::Proof(_))),
            "{refused:?}"
        );
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
