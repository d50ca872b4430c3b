//! Through whose hands a memory came: signed hops (docs/format/exchange.md §5; case 100; R16).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::json::canonical;
use counterfoil_types::{DidKey, Sha256Hash};
use ed25519_dalek::{Signature, VerifyingKey};

use super::read::{hashed, written};
use super::wire::attestation::WireHop;
use super::{ClaimHash, DocumentError};

/// What a hop's signature is over begins with this.
const HOP: &str = "counterfoil/exchange/v1 hop\n";
const MAX_HOPS: usize = 16;

/// One agent that has handed a memory on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// Who.
    pub agent: DidKey,
    /// Which claim.
    pub claim: ClaimHash,
    /// SHA-256 of the canonical form of the hop before it.
    pub previous: Option<Sha256Hash>,
    /// When, by its clock.
    pub at: Timestamp,
    /// Its signature.
    pub signature: [u8; 64],
}

/// The hops of a memory from the origin on, at most 16. Nothing is said of whether they hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chain {
    pub(crate) hops: Vec<Hop>,
}

/// Where a chain is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainBreak {
    /// The last agent that is reached from the end by contiguous signed hops; `None`: not even the last hop holds.
    pub trusted_to: Option<DidKey>,
}

impl Chain {
    /// The hops, from the origin on.
    #[must_use]
    pub fn hops(&self) -> &[Hop] {
        &self.hops
    }

    /// Does each hop hold, down to the first, about this claim?
    ///
    /// # Errors
    /// [`ChainBreak`], which says how far it holds.
    pub fn verify(&self, claim: &ClaimHash) -> Result<(), ChainBreak> {
        let mut trusted_to = None;
        let mut rest = self.hops.as_slice();
        while let Some((hop, before)) = rest.split_last() {
            if hop.claim != *claim || !hop.is_signed() {
                return Err(ChainBreak { trusted_to });
            }
            trusted_to = Some(hop.agent);
            if hop.previous != before.last().and_then(Hop::hash) {
                return Err(ChainBreak { trusted_to });
            }
            rest = before;
        }
        Ok(())
    }

    /// One hop more, by `signer`.
    ///
    /// # Errors
    /// [`DocumentError::Incoherent`] when there are 16.
    pub fn handed_on(
        &self,
        claim: ClaimHash,
        at: Timestamp,
        signer: &dyn Signer,
    ) -> Result<Self, DocumentError> {
        if self.hops.len() >= MAX_HOPS {
            return Err(DocumentError::Incoherent(
                "a chain has at most 16 hops; hand the memory on as your own testimony",
            ));
        }
        let previous = self.hops.last().and_then(Hop::hash);
        let mut hop = Hop {
            agent: signer.key(),
            claim,
            previous,
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
    /// SHA-256 of its canonical form, signature included: what the hop after it names.
    #[must_use]
    pub fn hash(&self) -> Option<Sha256Hash> {
        let value = written(&WireHop::from(self.clone())).ok()?;
        Some(hashed("", &canonical(&value).ok()?))
    }

    /// Whether its signature holds; nothing is said of the hops before it.
    fn is_signed(&self) -> bool {
        let Ok(key) = VerifyingKey::from_bytes(self.agent.public_key()) else {
            return false;
        };
        let Some(text) = self.signed_text() else {
            return false;
        };
        !key.is_weak()
            && key
                .verify_strict(text.as_bytes(), &Signature::from_bytes(&self.signature))
                .is_ok()
    }

    /// What is signed: all of it but the signature.
    fn signed_text(&self) -> Option<String> {
        let mut value = written(&WireHop::from(self.clone())).ok()?;
        value.as_object_mut()?.remove("signature");
        Some([HOP, &canonical(&value).ok()?].concat())
    }
}
