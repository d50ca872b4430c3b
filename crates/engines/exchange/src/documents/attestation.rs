//! `attestation`: one memory, as an agent stands up for it (docs/format/exchange.md §4).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_capsule::integrity::KnownKeys;
use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_claims::time::Boundary;
use counterfoil_claims::{FactValue, Identifier};
use counterfoil_types::Sha256Hash;
use counterfoil_types::json::{Value, canonical};
use serde::{Deserialize, Serialize};

use super::read::{
    Binding, Seal, examined_seal, form, hash_of, hashed, named, open, sealed, signed, written,
};
use super::wire::attestation::{WireAttestation, WireClaim};
use super::wire::read;
use super::{
    Chain, ClaimHash, DocumentError, DocumentHash, DocumentKind, Form, Party, Signature, Text,
    draft,
};

const KIND: DocumentKind = DocumentKind::Attestation;
/// What the hash of a claim begins with.
const CLAIM: &str = "counterfoil/exchange/v1 claim\n";

/// An attestation as it was sent or received. To hold one says that its shape is right, and nothing of its proof.
#[derive(Debug, Clone, PartialEq)]
pub struct Attestation {
    parts: AttestationParts,
    form: Form,
    value: Value,
    claim: ClaimHash,
    hash: DocumentHash,
    seal: Option<Seal>,
}

/// What an attestation says.
#[derive(Debug, Clone, PartialEq)]
pub struct AttestationParts {
    /// The agent's name for it.
    pub id: Text<1024>,
    /// Who attests; nobody in what is raw.
    pub agent: Option<Party>,
    /// When, by that agent's clock.
    pub created_at: Option<Timestamp>,
    /// What.
    pub claim: Claim,
    /// Why it was kept.
    pub salience: Option<Salience>,
    /// Where the agent has it from.
    pub source: Option<ProvenanceSource>,
    /// Who is said to have been there. Names without keys count for nothing.
    pub witnesses: Vec<Text<128>>,
    /// Through whose hands it came.
    pub chain: Option<Chain>,
    /// What is said to support it, at most 16.
    pub evidence: Vec<Evidence>,
}

/// Which sort of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// It happened.
    Event,
    /// It is so.
    Fact,
    /// It was seen.
    Observation,
    /// It was concluded.
    Insight,
    /// How two stand to each other.
    Relationship,
}

impl ClaimKind {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Event,
        Self::Fact,
        Self::Observation,
        Self::Insight,
        Self::Relationship,
    ];

    /// The word, as it stands in a claim.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Fact => "fact",
            Self::Observation => "observation",
            Self::Insight => "insight",
            Self::Relationship => "relationship",
        }
    }
}

/// What is said.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Which sort.
    pub kind: ClaimKind,
    /// In words: data, never instructions (R18).
    pub content: Text<65536>,
    /// Under which circumstances.
    pub context: Option<Text<4096>>,
    /// What else it speaks of, at most 16.
    pub references: Vec<Text<1024>>,
    /// The same as a fact that can be compared.
    pub structured: Option<StructuredClaim>,
}

/// A fact that can be compared with what is believed.
#[derive(Debug, Clone, PartialEq)]
pub struct StructuredClaim {
    /// Of whom or what.
    pub subject: Identifier,
    /// What of it.
    pub predicate: Identifier,
    /// The value.
    pub value: FactValue,
    /// Since when.
    pub valid_from: Option<Boundary>,
    /// Until when.
    pub valid_until: Option<Boundary>,
}

/// How long it is worth keeping, by the agent's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// For good.
    Foundational,
    /// For work.
    Operational,
    /// For now.
    Ephemeral,
    /// To be tried.
    Experimental,
}

/// When it is expected to be no longer so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decay {
    /// Never.
    Permanent,
    /// At a time.
    TimeBound(Timestamp),
    /// Under a condition that nobody here can judge.
    Conditional(Option<Text<1024>>),
}

/// Why it was kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Salience {
    /// In words.
    pub why_kept: Option<Text<1024>>,
    /// How long it is worth keeping.
    pub category: Option<Category>,
    /// How sure the agent is, 0 to 1. Shown, never counted.
    pub confidence: Option<f64>,
    /// When it is expected to be no longer so.
    pub expected_decay: Option<Decay>,
    /// Attestations whose place it takes, at most 16.
    pub supersedes: Vec<Text<1024>>,
}

/// Where the agent has it from, by its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProvenanceSource {
    /// Lived through.
    DirectExperience,
    /// Concluded.
    Inference,
    /// Heard.
    Received,
    /// Put together.
    Aggregated,
}

/// Something that is said to support a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Where. Not a URL that was looked at in any way.
    pub url: Text<2048>,
    /// Of which type.
    pub media_type: Option<Text<256>>,
    /// SHA-256 of what is there.
    pub hash: Option<Sha256Hash>,
}

impl Attestation {
    /// Reads one.
    ///
    /// # Errors
    /// [`DocumentError`], the first thing that is wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, DocumentError> {
        Self::from_value(&open(bytes, KIND)?.value)
    }

    /// Reads one that lies in another document.
    pub(super) fn from_value(value: &Value) -> Result<Self, DocumentError> {
        let form = form(value, KIND)?;
        let parts: AttestationParts = match form {
            Form::One => read::<WireAttestation>(KIND, value)?.try_into()?,
            Form::Draft => draft::attestation(value)?,
        };
        if form == Form::One {
            let key = parts
                .agent
                .as_ref()
                .and_then(|agent| agent.public_key.as_ref());
            named(value, key, "/agent/public_key")?;
        }
        Self::of(parts, form, value.clone())
    }

    pub(super) fn of(
        parts: AttestationParts,
        form: Form,
        value: Value,
    ) -> Result<Self, DocumentError> {
        let claim = parts.claim.hash();
        let (text, seal) = match sealed(&value)? {
            Some((text, seal)) => (text, Some(seal)),
            None => (canonical(&value)?, None),
        };
        Ok(Self {
            parts,
            form,
            value,
            claim,
            hash: hash_of(&text),
            seal,
        })
    }

    /// Writes one and signs it: `agent.public_key` becomes the key of `signer`. The proof is dated `created_at`, so the
    /// same parts give the same bytes.
    ///
    /// # Errors
    /// [`DocumentError::Incoherent`]: no agent, no `created_at`; and what [`parse`](Self::parse) says of it.
    pub fn sign(mut parts: AttestationParts, signer: &dyn Signer) -> Result<Self, DocumentError> {
        let agent = parts.agent.as_mut().ok_or(DocumentError::Incoherent(
            "who attests must be named; say agent",
        ))?;
        agent.public_key = Some(signer.key());
        let at = parts.created_at.ok_or(DocumentError::Incoherent(
            "what is attested must be dated; say created_at",
        ))?;
        Self::parse(
            signed(
                &WireAttestation::try_from(parts)?,
                signer,
                Binding::open(),
                at,
            )?
            .as_bytes(),
        )
    }

    /// The claim alone, as it is handed out raw.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn raw(id: Text<1024>, claim: Claim) -> Result<Self, DocumentError> {
        let parts = AttestationParts {
            id,
            agent: None,
            created_at: None,
            claim,
            salience: None,
            source: None,
            witnesses: Vec::new(),
            chain: None,
            evidence: Vec::new(),
        };
        let value = written(&WireAttestation::try_from(parts)?)?;
        Self::parse(canonical(&value)?.as_bytes())
    }

    /// What it says.
    #[must_use]
    pub const fn parts(&self) -> &AttestationParts {
        &self.parts
    }

    /// The form it came in.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }

    /// The document.
    #[must_use]
    pub const fn value(&self) -> &Value {
        &self.value
    }

    /// What its claim is known by, whoever says it.
    #[must_use]
    pub const fn claim_hash(&self) -> ClaimHash {
        self.claim
    }

    /// SHA-256 of its canonical form, proof included.
    #[must_use]
    pub const fn hash(&self) -> DocumentHash {
        self.hash
    }

    /// Checks the proof against `agent.public_key`. Costs a signature.
    #[must_use]
    pub fn signature(&self) -> Signature {
        self.signature_with(&mut KnownKeys::default())
    }

    /// The same, where several documents are checked.
    pub(crate) fn signature_with(&self, known: &mut KnownKeys) -> Signature {
        if self.form == Form::Draft {
            return Signature::NotLookedAt;
        }
        let key = self.parts.agent.as_ref().and_then(|agent| agent.public_key);
        examined_seal(self.seal.as_ref(), key, &Binding::open(), known)
    }
}

impl Claim {
    /// What a text says when nothing more is known of it.
    #[must_use]
    pub fn of_text(content: Text<65536>) -> Self {
        Self {
            kind: ClaimKind::Observation,
            content,
            context: None,
            references: Vec::new(),
            structured: None,
        }
    }

    /// The canonical form, which is hashed.
    ///
    /// Empty for none that can be made: the parts of a claim are bounded so that each has one.
    #[must_use]
    pub fn canonical(&self) -> String {
        let value = written(&WireClaim::from(self.clone())).ok();
        value
            .and_then(|value| canonical(&value).ok())
            .unwrap_or_default()
    }

    /// What it is known by, whoever says it.
    #[must_use]
    pub fn hash(&self) -> ClaimHash {
        ClaimHash::from_digest(hashed(CLAIM, &self.canonical()))
    }
}
