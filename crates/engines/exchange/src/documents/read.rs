//! The way from bytes to a document and back, which all kinds go (docs/format/exchange.md §1).

use alloc::string::{String, ToString};
use alloc::vec;

use counterfoil_capsule::integrity::{self, Expect, KnownKeys, ProofOptions, Purpose};
use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::json::{self, Limits, Map, Value};
use counterfoil_types::{DidKey, Sha256Hash};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::wire::{self, Spelled as _};
use super::{
    Audience, DocumentError, DocumentHash, DocumentKind, Form, MAX_DOCUMENT_BYTES, Member, Nonce,
    Party, Signature,
};

/// How much of a document is read.
pub(super) const LIMITS: Limits = Limits {
    bytes: MAX_DOCUMENT_BYTES,
    depth: 64,
    nodes: 100_000,
};

const DRAFT: &str = "0.1";

/// What a proof is for, for whom, and as an answer to what (R1).
pub(super) struct Binding {
    pub(super) purpose: Purpose,
    pub(super) domain: Option<String>,
    pub(super) challenge: Option<String>,
}

impl Binding {
    /// For everyone.
    pub(super) const fn open() -> Self {
        Self {
            purpose: Purpose::Assertion,
            domain: None,
            challenge: None,
        }
    }

    /// For one audience, under one nonce.
    pub(super) fn of(purpose: Purpose, audience: &Audience, nonce: Option<&Nonce>) -> Self {
        Self {
            purpose,
            domain: Some(audience.spell()),
            challenge: nonce.map(ToString::to_string),
        }
    }

    fn dated(self, at: Timestamp) -> ProofOptions {
        ProofOptions {
            purpose: self.purpose,
            created: at.into(),
            domain: self.domain,
            challenge: self.challenge,
        }
    }
}

/// A document whose type and version are known.
pub(super) struct Opened {
    kind: DocumentKind,
    pub(super) value: Value,
    pub(super) form: Form,
    /// As it came.
    pub(super) bytes: String,
    /// Its proof, where it has one and is of version `"1"`.
    pub(super) seal: Option<Seal>,
}

/// A proof, and the digest of what it is over: what is canonical is written and hashed once.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seal {
    proof: Value,
    document: [u8; 32],
}

impl Opened {
    /// What it says, read in version `"1"` or as a draft.
    pub(super) fn parts<W: DeserializeOwned, P>(
        &self,
        one: impl FnOnce(W) -> Result<P, DocumentError>,
        draft: impl FnOnce(&Value) -> Result<P, DocumentError>,
    ) -> Result<P, DocumentError> {
        match self.form {
            Form::One => one(wire::read(self.kind, &self.value)?),
            Form::Draft => draft(&self.value),
        }
    }

    /// If it has a proof, it is that of `party`, whose key stands at `at`. Drafts have none.
    pub(super) fn is_by(&self, party: &Party, at: &str) -> Result<(), DocumentError> {
        match self.form {
            Form::One => named(&self.value, party.public_key.as_ref(), at),
            Form::Draft => Ok(()),
        }
    }
}

/// Reads bytes of one kind: strict, and canonical when they are signed.
pub(super) fn open(bytes: &[u8], kind: DocumentKind) -> Result<Opened, DocumentError> {
    let value = json::parse(bytes, LIMITS)?;
    let form = form(&value, kind)?;
    let sealed = if form == Form::One {
        sealed(&value)?
    } else {
        None
    };
    let seal = match sealed {
        Some((canonical, seal)) => {
            json::same_bytes(&canonical, bytes)?;
            Some(seal)
        }
        None => None,
    };
    let bytes = String::from_utf8_lossy(bytes).into_owned();
    Ok(Opened {
        kind,
        value,
        form,
        bytes,
        seal,
    })
}

/// The canonical form of a document with a proof, and the proof.
pub(super) fn sealed(document: &Value) -> Result<Option<(String, Seal)>, DocumentError> {
    let Some((members, proof)) = document.as_object().zip(document.get("proof")) else {
        return Ok(None);
    };
    let (canonical, document) = integrity::canonical_with_digest(members)?;
    Ok(Some((
        canonical,
        Seal {
            proof: proof.clone(),
            document,
        },
    )))
}

/// Looks at type and version before anything else (R19).
pub(super) fn form(value: &Value, kind: DocumentKind) -> Result<Form, DocumentError> {
    let members = value.as_object().ok_or_else(|| DocumentError::Member {
        at: Member::root(),
        must: "an object".into(),
    })?;
    let found = members
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if found != kind.as_str() {
        return Err(DocumentError::Type {
            expected: kind,
            found: found.chars().take(64).collect(),
        });
    }
    match members.get("version").and_then(Value::as_str) {
        Some(super::VERSION) => Ok(Form::One),
        Some(DRAFT) if kind.has_drafts() => Ok(Form::Draft),
        _ => Err(version(members, kind)),
    }
}

fn version(members: &Map, kind: DocumentKind) -> DocumentError {
    let found = members
        .get("version")
        .map_or_else(|| "none".into(), Value::to_string);
    let mut supported = vec![super::VERSION];
    if kind.has_drafts() {
        supported.push(DRAFT);
    }
    DocumentError::Version {
        found: found.chars().take(64).collect(),
        supported,
    }
}

/// The document of a wire struct.
pub(super) fn written(wire: &impl Serialize) -> Result<Value, DocumentError> {
    serde_json::to_value(wire)
        .map_err(|_| DocumentError::Incoherent("this has no form in JSON; report this as a fault"))
}

/// An object of those members that have a value.
pub(crate) fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let members = members.into_iter();
    let there = members.filter_map(|(name, value)| Some((name.to_string(), value?)));
    Value::Object(there.collect::<Map>())
}

/// Signs a document and gives its bytes, which are then read like anyone's.
pub(super) fn signed(
    document: &impl Serialize,
    signer: &dyn Signer,
    binding: Binding,
    at: Timestamp,
) -> Result<String, DocumentError> {
    let document = integrity::sign(written(document)?, signer, &binding.dated(at))?;
    Ok(json::canonical(&document)?)
}

/// What the proof of a document shows, of the key that the document names.
pub(super) fn examined(
    bytes: &[u8],
    form: Form,
    key: Option<DidKey>,
    binding: &Binding,
) -> Signature {
    if form == Form::Draft {
        return Signature::NotLookedAt;
    }
    let Ok(document) = json::parse(bytes, LIMITS) else {
        return Signature::Broken;
    };
    examined_value(&document, key, binding)
}

/// As [`examined`], of a document for everyone, which has no drafts.
pub(super) fn examined_open(bytes: &[u8], key: DidKey) -> Signature {
    examined(bytes, Form::One, Some(key), &Binding::open())
}

fn examined_value(document: &Value, key: Option<DidKey>, binding: &Binding) -> Signature {
    match sealed(document) {
        Ok(sealed) => {
            let seal = sealed.map(|(_, seal)| seal);
            examined_seal(seal.as_ref(), key, binding, &mut KnownKeys::default())
        }
        Err(_) => Signature::Broken,
    }
}

/// As [`examined`], of a document of version `"1"` whose proof was set apart when it was read. No document here has an
/// `@context`.
pub(super) fn examined_seal(
    seal: Option<&Seal>,
    key: Option<DidKey>,
    binding: &Binding,
    known: &mut KnownKeys,
) -> Signature {
    let Some(seal) = seal else {
        return Signature::Absent;
    };
    let Some(key) = key else {
        return Signature::Broken;
    };
    let keys = [key];
    let expect = Expect {
        agent: key,
        keys: &keys,
        purpose: binding.purpose,
        domain: binding.domain.as_deref(),
        challenge: binding.challenge.as_deref(),
    };
    match integrity::verify_digest(&seal.proof, None, &seal.document, &expect, known) {
        Ok(verified) => Signature::Holds(verified.key()),
        Err(_) => Signature::Broken,
    }
}

/// A proof stands where its key is named, and nowhere else.
pub(super) fn named(value: &Value, key: Option<&DidKey>, at: &str) -> Result<(), DocumentError> {
    if value.get("proof").is_some() && key.is_none() {
        return Err(DocumentError::Member {
            at: Member(at.to_string()),
            must: "there, as the document is signed".into(),
        });
    }
    Ok(())
}

/// What is nothing without a proof has one.
pub(super) fn signed_only(value: &Value) -> Result<(), DocumentError> {
    match value.get("proof") {
        Some(_) => Ok(()),
        None => Err(DocumentError::Member {
            at: Member("/proof".into()),
            must: "there".into(),
        }),
    }
}

/// SHA-256 over a prefix and a canonical form.
pub(super) fn hashed(prefix: &str, canonical: &str) -> Sha256Hash {
    let hash = Sha256::new()
        .chain_update(prefix)
        .chain_update(canonical)
        .finalize();
    Sha256Hash::from_bytes(hash.into())
}

/// SHA-256 over a prefix and the canonical form of a document without its proof.
pub(super) fn hashed_unsigned(prefix: &str, value: &Value) -> Result<Sha256Hash, DocumentError> {
    let mut unsigned = value.clone();
    if let Some(members) = unsigned.as_object_mut() {
        members.remove("proof");
    }
    Ok(hashed(prefix, &json::canonical(&unsigned)?))
}

/// SHA-256 of a document's bytes.
pub(super) fn hash_of(bytes: &str) -> DocumentHash {
    DocumentHash::from_digest(hashed("", bytes))
}
