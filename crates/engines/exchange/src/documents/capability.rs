//! `capability`: what an agent says of itself, so that others find it (docs/format/exchange.md §6; R8).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::DidKey;
use counterfoil_verifier::note::VerifierKey;

use super::read::{Binding, Opened, examined_open, open, signed, signed_only};
use super::wire::capability::WireCapability;
use super::wire::read;
use super::{DocumentError, DocumentKind, Domain, RequestId, Signature, Text};

const KIND: DocumentKind = DocumentKind::Capability;

/// What an agent says of itself. A hint for where to ask; it gives no trust.
#[derive(Debug, Clone, PartialEq)]
pub struct Capability {
    parts: CapabilityParts,
    bytes: String,
}

/// What it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapabilityParts {
    /// Drawn by the agent.
    pub id: RequestId,
    /// When, by its clock.
    pub created_at: Timestamp,
    /// Who: a display name, and the key.
    pub agent: (Text<128>, DidKey),
    /// What it knows of, at most 64.
    pub domains: Vec<Domain>,
    /// In words.
    pub description: Option<Text<1024>>,
    /// It signs all that it sends.
    pub signs: bool,
    /// The key of its log.
    pub log: Option<VerifierKey>,
    /// Where it is asked.
    pub endpoint: Option<Text<2048>>,
}

impl Capability {
    /// Reads one.
    ///
    /// # Errors
    /// [`DocumentError`]. One without proof is none.
    pub fn parse(bytes: &[u8]) -> Result<Self, DocumentError> {
        let Opened { value, bytes, .. } = open(bytes, KIND)?;
        let parts = read::<WireCapability>(KIND, &value)?.into();
        signed_only(&value)?;
        Ok(Self { parts, bytes })
    }

    /// Writes one and signs it; `agent` becomes the key of `signer`.
    ///
    /// # Errors
    /// What [`parse`](Self::parse) says of it: lists that are too long.
    pub fn sign(mut parts: CapabilityParts, signer: &dyn Signer) -> Result<Self, DocumentError> {
        parts.agent.1 = signer.key();
        let at = parts.created_at;
        Self::parse(signed(&WireCapability::from(parts), signer, Binding::open(), at)?.as_bytes())
    }

    /// What it says.
    #[must_use]
    pub const fn parts(&self) -> &CapabilityParts {
        &self.parts
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_bytes()
    }

    /// Checks the proof against the agent's key. Costs a signature.
    #[must_use]
    pub fn signature(&self) -> Signature {
        examined_open(self.bytes(), self.parts.agent.1)
    }
}
