//! `capability`: an agent's description of itself, so that others find it (docs/format/exchange.md §6; R8).

use alloc::vec::Vec;

use counterfoil_capsule::Timestamp;
use counterfoil_types::DidKey;
use counterfoil_types::document::Text;
use counterfoil_verifier::note::VerifierKey;
use serde::{Deserialize, Serialize};

use super::document::{ExchangeDocument, Parts, Reader, plain};
use super::member::Items;
use super::{Agent, DocumentHash, DocumentKind, Domain, RequestId};

/// An agent's description of itself as it was sent or received. It is a hint for finding the agent, and gives no trust.
pub type Capability = ExchangeDocument<CapabilityParts>;

/// Members of a capability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Capability"))]
#[serde(deny_unknown_fields)]
pub struct CapabilityParts {
    /// Id drawn by the agent.
    pub id: RequestId,
    /// Time of writing, by the agent's clock.
    pub created_at: Timestamp,
    /// The agent.
    pub agent: Agent,
    /// Domains of its knowledge, at most 64.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "Items::<Domain, 1, 64>")]
    pub domains: Vec<Domain>,
    /// Description in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Text<1024>>,
    /// The agent signs each document that it sends.
    pub signs: bool,
    /// Key of its log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<VerifierKey>,
    /// Address of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<Text<2048>>,
}

impl Parts for CapabilityParts {
    type Hash = DocumentHash;
    type Answers = ();

    const KIND: DocumentKind = DocumentKind::Capability;
    const KEY: &'static str = "/agent/public_key";
    const READ: Reader<Self> = plain;
    const SIGNED: bool = true;

    fn key(&self) -> Option<DidKey> {
        Some(self.agent.public_key)
    }

    fn dated(&self) -> Option<Timestamp> {
        Some(self.created_at)
    }
}
