//! Signed hops of a memory from agent to agent (docs/format/exchange.md §5; case 100; R16).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::DidKey;
use counterfoil_types::json::canonical;
use ed25519_dalek::{Signature, VerifyingKey};
use serde::{Deserialize, Serialize};

use super::document::{hashed, written};
use super::member::Items;
use super::{ClaimHash, DocumentError, DocumentHash};

/// Prefix of the text that a hop signs.
const HOP: &str = "counterfoil/exchange/v1 hop\n";
const MAX_HOPS: usize = 16;
/// Most hops behind the attestation of an origin.
pub(crate) const MAX_RELAYS: usize = 8;

/// One agent that has handed a memory on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Hop {
    /// The agent.
    pub(crate) agent: DidKey,
    /// The claim.
    claim: ClaimHash,
    /// SHA-256 of the canonical form of the hop before it; of the first one, of the attestation of the origin, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<DocumentHash>,
    /// Time of handing on, by the agent's clock.
    pub(super) at: Timestamp,
    /// Signature over all other members.
    #[cfg_attr(feature = "schema", schemars(with = "super::forms::Ed25519Signature"))]
    #[serde(with = "counterfoil_types::document::base64")]
    pub(super) signature: [u8; 64],
}

/// The hops of a memory from the origin on, at most 16. Their signatures are not checked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(transparent)]
pub struct Chain {
    #[serde(with = "Items::<Hop, 1, MAX_HOPS>")]
    pub(crate) hops: Vec<Hop>,
}

impl Chain {
    /// The agents that handed the memory on, from the origin on.
    pub fn agents(&self) -> impl DoubleEndedIterator<Item = DidKey> + ExactSizeIterator {
        self.hops.iter().map(|hop| hop.agent)
    }

    /// The agents that handed the memory on, each with the time by its own clock, from the origin on.
    pub fn hops(&self) -> impl Iterator<Item = (DidKey, Timestamp)> {
        self.hops.iter().map(|hop| (hop.agent, hop.at))
    }

    /// Checks that each hop down to the first is signed and about this claim, and that the first follows the attestation of the
    /// origin, if there is one.
    ///
    /// # Errors
    /// The chain is broken: the last agent that contiguous signed hops reach from its end, none if the last hop does not
    /// hold.
    pub fn verify(
        &self,
        claim: &ClaimHash,
        origin: Option<DocumentHash>,
    ) -> Result<(), Option<DidKey>> {
        let mut trusted_to = None;
        let mut rest = self.hops.as_slice();
        while let Some((hop, before)) = rest.split_last() {
            if hop.claim != *claim || !hop.is_signed() {
                return Err(trusted_to);
            }
            trusted_to = Some(hop.agent);
            if hop.previous != before.last().map_or(origin, Hop::hash) {
                return Err(trusted_to);
            }
            rest = before;
        }
        Ok(())
    }

    /// The chain with one more hop, of `signer`; `origin` names the attestation before the first.
    ///
    /// # Errors
    /// [`DocumentError::Incoherent`] if it has 16 hops, or 8 behind the attestation of an origin.
    pub fn handed_on(
        &self,
        claim: ClaimHash,
        origin: Option<DocumentHash>,
        at: Timestamp,
        signer: &dyn Signer,
    ) -> Result<Self, DocumentError> {
        let most = origin.map_or(MAX_HOPS, |_| MAX_RELAYS);
        if self.hops.len() >= most {
            return Err(DocumentError::Incoherent(
                "a chain has at most 16 hops, behind the attestation of an origin 8; hand the memory on as your own testimony",
            ));
        }
        let mut hop = Hop {
            agent: signer.key(),
            claim,
            previous: self.hops.last().map_or(origin, Hop::hash),
            at,
            signature: [0; 64],
        };
        hop.signature = signer.sign(hop.signed_text().unwrap_or_default().as_bytes());
        let mut hops = self.hops.clone();
        hops.push(hop);
        Ok(Self { hops })
    }
}

impl Hop {
    /// SHA-256 of its canonical form with the signature, which the next hop names.
    fn hash(&self) -> Option<DocumentHash> {
        let value = written(self).ok()?;
        Some(hashed("", &canonical(&value).ok()?).into())
    }

    /// Does its signature hold? The hops before it are not checked.
    fn is_signed(&self) -> bool {
        let key = VerifyingKey::from_bytes(self.agent.public_key()).ok();
        let (Some(key), Some(text)) = (key, self.signed_text()) else {
            return false;
        };
        let signature = Signature::from_bytes(&self.signature);
        !key.is_weak() && key.verify_strict(text.as_bytes(), &signature).is_ok()
    }

    /// The canonical form without the signature, under its prefix.
    fn signed_text(&self) -> Option<String> {
        let mut value = written(self).ok()?;
        value.as_object_mut()?.remove("signature");
        Some([HOP, &canonical(&value).ok()?].concat())
    }
}
