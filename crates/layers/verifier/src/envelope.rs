//! The envelope of a proposal: one signature of its actor over every member, the audience, a nonce and the time
//! (docs/format/envelope.md).
//!
//! ```json
//! {"proposalId":"prop-1", …, "submittedAt":1767225600000, "status":"submitted",
//!  "proof":{"type":"DataIntegrityProof","cryptosuite":"eddsa-jcs-2022","created":"2026-01-01T00:00:00.000000Z",
//!   "verificationMethod":"did:key:z6Mk…#z6Mk…","proofPurpose":"authentication",
//!   "domain":"payments.example","challenge":"V0Zyb3V0ZSB0byBub3doZQ","proofValue":"z…"}}
//! ```

use alloc::string::{String, ToString};

use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, Proposal};

use crate::Anchors;
use crate::integrity::{Binding, ProofError, Purpose, verify};
use crate::limits::quoted;

/// Member of a proposal that holds its envelope.
pub const PROOF: &str = "proof";
/// Name of an authority that has been given none, and audience of a proposal without one.
pub const DEFAULT_AUDIENCE: &str = "local";
/// Bytes of an authority's name.
const MAX_AUDIENCE_BYTES: usize = 256;
/// Letters of a nonce: 128 bits in base64 without padding are 22.
const NONCE_LETTERS: core::ops::RangeInclusive<usize> = 22..=128;

/// Checks the envelope of `proposal` against the agents of `anchors`, for the authority of the name `audience`. Without
/// anchors no key is known.
///
/// `None` for a proposal without `proof`. Otherwise the actor's key signed exactly this proposal, with every member of it,
/// for this audience, under the nonce that is returned; the time of submission is then as signed. That the nonce is new,
/// and the time recent, is for the authority to check.
///
/// # Errors
/// The first [`EnvelopeError`].
pub fn open(
    proposal: &Proposal,
    anchors: Option<&Anchors>,
    audience: &str,
) -> Result<Option<Envelope>, EnvelopeError> {
    let Some(proof) = proposal.rest().get(PROOF) else {
        return Ok(None);
    };
    // Further proofs would be members that no signature covers.
    if !proof.is_object() {
        return Err(ProofError::Proofs { limit: 1 }.into());
    }
    let text = |member| proof.get(member).and_then(Value::as_str);
    let method = text("verificationMethod").unwrap_or_default();
    let did = method.split('#').next().unwrap_or_default();
    let known = |key: &DidKey| anchors.is_some_and(|them| them.agents().any(|agent| agent == key));
    let signer = did.parse().ok().filter(known);
    let signer = signer.ok_or_else(|| EnvelopeError::Signer { found: quoted(did) })?;
    let actor = proposal.actor().actor_id();
    if actor.starts_with("did:") && actor != signer.to_string() {
        let actor = quoted(actor);
        return Err(EnvelopeError::Actor { actor, signer });
    }
    let domain = text("domain").unwrap_or_default();
    if domain != audience {
        return Err(EnvelopeError::Audience {
            found: quoted(domain),
            expected: audience.to_string(),
        });
    }
    let nonce = text("challenge").unwrap_or_default();
    if !is_nonce(nonce) {
        return Err(EnvelopeError::Nonce);
    }
    verify(
        &document(proposal)?,
        signer,
        &[signer],
        &binding(audience, nonce),
    )?;
    Ok(Some(Envelope {
        signer,
        nonce: nonce.to_string(),
    }))
}

/// Returns the proposal as the JSON that its envelope is over, the envelope included.
///
/// # Errors
/// [`ProofError::NotAnObject`], which no proposal is known to cause.
pub fn document(proposal: &Proposal) -> Result<Value, ProofError> {
    serde_json::to_value(proposal).map_err(|_| ProofError::NotAnObject)
}

/// Returns the use that an envelope is bound to: the audience, and one nonce.
pub fn binding(audience: &str, nonce: &str) -> Binding {
    Binding {
        purpose: Purpose::Authentication,
        domain: Some(audience.to_string()),
        challenge: Some(nonce.to_string()),
    }
}

/// Returns true for the name of an authority: 1 to 256 bytes of printable ASCII without spaces.
pub fn is_audience(name: &str) -> bool {
    (1..=MAX_AUDIENCE_BYTES).contains(&name.len()) && name.bytes().all(|it| it.is_ascii_graphic())
}

/// Returns true for 22 to 128 letters of base64url.
pub fn is_nonce(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    NONCE_LETTERS.contains(&text.len()) && text.bytes().all(is_letter)
}

/// The checked envelope of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Envelope {
    /// Key that signed; one of the anchors' agents.
    pub signer: DidKey,
    /// Nonce that the signer drew.
    pub nonce: String,
}

/// Refusal of a proposal's envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// Signed with no key of the anchors.
    #[error(
        "the proposal is signed by {found:?}, which is no agent of the anchors: take the anchors that its store gives out now"
    )]
    Signer {
        /// Key that the proof names.
        found: String,
    },
    /// Its actor is named after another key.
    #[error(
        "the proposal is signed by {signer} in the name of {actor}: the actor itself must sign it"
    )]
    Actor {
        /// `actorId` of the proposal.
        actor: String,
        /// Key that signed.
        signer: DidKey,
    },
    /// Made for another authority.
    #[error(
        "the proposal is addressed to {found:?} and this authority is {expected:?}: propose it --to {expected}"
    )]
    Audience {
        /// `domain` of the proof.
        found: String,
        /// The authority's name.
        expected: String,
    },
    /// Without nonce, or with one of another form.
    #[error("the proposal's challenge is no nonce of 22 to 128 letters of base64url: sign it anew")]
    Nonce,
    /// The signature does not hold, or its form is another.
    #[error("the envelope of the proposal: {0}")]
    Proof(#[from] ProofError),
}
