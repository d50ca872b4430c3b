//! One document of any kind: from bytes to its parts and back (docs/format/exchange.md §1).

use alloc::string::{String, ToString};
use alloc::vec;
use core::fmt::Debug;

use counterfoil_capsule::integrity::{Binding, KnownKeys, Purpose, sign};
use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_types::document::{read, read_without};
use counterfoil_types::json::{self, Limits, Map, Value};
use counterfoil_types::{DidKey, Sha256Hash};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::proof::{Proof, Seal, bound};
use super::{Audience, DocumentError, DocumentKind, MAX_DOCUMENT_BYTES, Nonce, Signature, VERSION};

/// Limits of a document.
const LIMITS: Limits = Limits {
    bytes: MAX_DOCUMENT_BYTES,
    depth: 64,
    nodes: 100_000,
};
const DRAFT: &str = "0.1";

/// A document as it was sent or received. Its shape is right, and a signed one is canonical; its proof is not checked.
#[derive(Debug, Clone, PartialEq)]
pub struct ExchangeDocument<P: Parts> {
    parts: P,
    is_draft: bool,
    bytes: String,
    hash: P::Hash,
    /// Its proof, where it was read with one in version `"1"` and is checked with others.
    seal: Option<Seal>,
}

/// Reader of the parts of a kind.
pub(super) type Reader<P> = fn(&Value) -> Result<P, DocumentError>;

/// The members of one kind of document, without type, version and proof.
pub trait Parts: Debug + Clone + PartialEq {
    /// The hash that names the document.
    type Hash: Debug + Copy + PartialEq + From<Sha256Hash>;
    /// The document that this one answers, to which its proof is bound; `()` if it answers none.
    #[doc(hidden)]
    type Answers;

    #[doc(hidden)]
    const KIND: DocumentKind;
    /// JSON Pointer of the key that signs.
    #[doc(hidden)]
    const KEY: &'static str;
    /// A document without a proof is none.
    #[doc(hidden)]
    const SIGNED: bool = false;
    /// The document lies in others: it is kept in canonical form, with its proof.
    #[doc(hidden)]
    const NESTED: bool = false;
    /// The reader of version `"1"`.
    #[doc(hidden)]
    const READ: Reader<Self>;
    /// The reader of drafts, for kinds that have them (§7).
    #[doc(hidden)]
    const DRAFT: Option<Reader<Self>> = None;

    /// The key that signs.
    #[doc(hidden)]
    fn key(&self) -> Option<DidKey>;

    /// Time of writing, of which the proof is.
    #[doc(hidden)]
    fn dated(&self) -> Option<Timestamp>;

    /// Audience and nonce of a question; `None` for a document for every reader.
    #[doc(hidden)]
    fn asks(&self) -> Option<(Audience, Option<Nonce>)> {
        None
    }

    /// Checks that the members agree with each other.
    #[doc(hidden)]
    fn coherent(&self) -> Result<(), DocumentError> {
        Ok(())
    }

    #[doc(hidden)]
    fn digest(_: &Value, bytes: &str) -> Result<Sha256Hash, DocumentError> {
        Ok(hashed("", bytes))
    }
}

impl<P: Parts> ExchangeDocument<P> {
    /// Reads a document, in version `"1"` or, where its kind has drafts, as one.
    ///
    /// `Ok` guarantees its shape, and that signed bytes are canonical. It says nothing of the proof.
    ///
    /// # Errors
    /// [`DocumentError`], the first thing that is wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, DocumentError> {
        let value = json::parse(bytes, LIMITS)?;
        Self::open(&value, Some(bytes))
    }

    /// Reads a document that lies in another one.
    pub(super) fn from_value(value: &Value) -> Result<Self, DocumentError> {
        Self::open(value, None)
    }

    fn open(value: &Value, bytes: Option<&[u8]>) -> Result<Self, DocumentError> {
        let draft = draft_reader(value)?;
        let (canonical, seal) = match draft {
            None => Seal::of(value)?.unzip(),
            Some(_) => (None, None),
        };
        if let (Some(canonical), Some(bytes)) = (&canonical, bytes) {
            json::same_bytes(canonical, bytes)?;
        }
        let parts = match draft {
            Some(draft) => draft(value)?,
            None => parts(value, seal.is_some())?,
        };
        let bytes = match (canonical, bytes) {
            (Some(canonical), _) => canonical,
            (None, Some(bytes)) if !P::NESTED => String::from_utf8_lossy(bytes).into_owned(),
            _ => json::canonical(value)?,
        };
        Ok(Self {
            hash: P::digest(value, &bytes)?.into(),
            parts,
            is_draft: draft.is_some(),
            bytes,
            seal: seal.filter(|_| P::NESTED || P::KIND == DocumentKind::Response),
        })
    }

    /// A draft in another draft, which has neither type nor version.
    pub(super) fn of_draft(parts: P, value: &Value) -> Result<Self, DocumentError> {
        let bytes = json::canonical(value)?;
        Ok(Self {
            parts,
            is_draft: true,
            hash: P::digest(value, &bytes)?.into(),
            bytes,
            seal: None,
        })
    }

    /// Its members.
    pub const fn parts(&self) -> &P {
        &self.parts
    }

    /// Is it a draft, version `"0.1"`?
    pub const fn is_draft(&self) -> bool {
        self.is_draft
    }

    /// Its bytes: as they were received, or in canonical form if it is signed.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_bytes()
    }

    /// Its text, as [`bytes`](Self::bytes).
    pub fn text(&self) -> &str {
        &self.bytes
    }

    /// The hash that names it.
    pub const fn hash(&self) -> P::Hash {
        self.hash
    }

    /// The document as JSON.
    ///
    /// # Errors
    /// None for a document that was read: its bytes are JSON.
    pub fn to_value(&self) -> Result<Value, DocumentError> {
        Ok(json::parse(self.bytes(), LIMITS)?)
    }

    /// Checks the proof against the key that the document names.
    pub(super) fn check(&self, binding: &Binding, known: &mut KnownKeys) -> Signature {
        if self.is_draft {
            return Signature::NotLookedAt;
        }
        if let Some(seal) = &self.seal {
            return seal.check(self.parts.key(), binding, known);
        }
        match self.to_value().and_then(|document| Seal::of(&document)) {
            Ok(Some((_, seal))) => seal.check(self.parts.key(), binding, known),
            Ok(None) => Signature::Absent,
            Err(_) => Signature::Broken,
        }
    }
}

impl<P: Parts + Serialize> ExchangeDocument<P> {
    /// Writes a document without a proof.
    pub(super) fn unsigned(parts: &P) -> Result<Self, DocumentError> {
        Self::parse(json::canonical(&enveloped(parts)?)?.as_bytes())
    }

    /// Writes a document, names the key of `signer` in it, signs it, and reads it like any other.
    pub(super) fn bound(
        parts: &P,
        signer: &dyn Signer,
        binding: &Binding,
    ) -> Result<Self, DocumentError> {
        let mut document = enveloped(parts)?;
        let (agent, key) = P::KEY.rsplit_once('/').unwrap_or_default();
        let agent = document.pointer_mut(agent).and_then(Value::as_object_mut);
        let agent = agent.ok_or(DocumentError::Incoherent(
            "who attests must be named; say agent",
        ))?;
        agent.insert(key.into(), signer.key().to_string().into());
        let at = parts.dated().ok_or(DocumentError::Incoherent(
            "what is attested must be dated; say created_at",
        ))?;
        let document = sign(document, signer, at, binding)?;
        Self::parse(json::canonical(&document)?.as_bytes())
    }
}

impl<P: Parts<Answers = ()> + Serialize> ExchangeDocument<P> {
    /// Writes a document and signs it: the key that it names becomes the key of `signer`. The proof is dated by the document,
    /// so equal parts give equal bytes.
    ///
    /// # Errors
    /// [`DocumentError::Incoherent`] if the parts lack the signing agent or the date; [`DocumentError::Member`] for a list
    /// that is too long.
    pub fn sign(parts: P, signer: &dyn Signer) -> Result<Self, DocumentError> {
        Self::bound(&parts, signer, &binding(&parts))
    }

    /// Checks the proof against the key that the document names, and a question's also against its audience and nonce. Costs a
    /// signature.
    pub fn signature(&self) -> Signature {
        self.signature_with(&mut KnownKeys::default())
    }

    /// As [`signature`](Self::signature), where several documents are checked.
    pub(crate) fn signature_with(&self, known: &mut KnownKeys) -> Signature {
        self.check(&binding(&self.parts), known)
    }
}

/// The binding of a document's own proof (R1).
fn binding<P: Parts>(parts: &P) -> Binding {
    match parts.asks() {
        Some((audience, nonce)) => bound(Purpose::Authentication, &audience, nonce.as_ref()),
        None => Binding::ASSERTION,
    }
}

/// Checks type and version before anything else (R19). Returns the reader of a draft.
fn draft_reader<P: Parts>(value: &Value) -> Result<Option<Reader<P>>, DocumentError> {
    let members = value
        .as_object()
        .ok_or_else(|| DocumentError::at("", "an object"))?;
    let found = members.get("type").and_then(Value::as_str);
    if found != Some(P::KIND.name()) {
        return Err(DocumentError::Type {
            expected: P::KIND,
            found: found.unwrap_or_default().chars().take(64).collect(),
        });
    }
    let version = members.get("version");
    match version.and_then(Value::as_str) {
        Some(VERSION) => Ok(None),
        Some(DRAFT) if P::DRAFT.is_some() => Ok(P::DRAFT),
        _ => {
            let found = version.map_or_else(|| "none".into(), ToString::to_string);
            let mut supported = vec![VERSION];
            supported.extend(P::DRAFT.map(|_| DRAFT));
            Err(DocumentError::Version {
                found: found.chars().take(64).collect(),
                supported,
            })
        }
    }
}

/// Reads the parts of a document of version `"1"`, and the shape of its proof, which is by the key that the document names.
fn parts<P: Parts>(value: &Value, has_proof: bool) -> Result<P, DocumentError> {
    if let Some(proof) = value.get("proof") {
        read::<Proof>(proof)
            .map_err(|fault| DocumentError::of_fault(fault.under("/proof"), P::KIND))?;
    }
    let parts = P::READ(value)?;
    parts.coherent()?;
    if P::SIGNED && !has_proof {
        return Err(DocumentError::at("/proof", "there"));
    }
    if has_proof && parts.key().is_none() {
        return Err(DocumentError::at(
            P::KEY,
            "there, as the document is signed",
        ));
    }
    Ok(parts)
}

/// The members of a JSON object but for type, version and proof.
pub(super) fn members<T: DeserializeOwned>(
    document: &Value,
    kind: DocumentKind,
) -> Result<T, DocumentError> {
    read_without(document, &["type", "version", "proof"])
        .map_err(|fault| DocumentError::of_fault(fault, kind))
}

/// Reads parts that are their own JSON.
pub(super) fn plain<P: Parts + DeserializeOwned>(document: &Value) -> Result<P, DocumentError> {
    members(document, P::KIND)
}

/// The JSON of a document without its proof.
fn enveloped<P: Parts + Serialize>(parts: &P) -> Result<Value, DocumentError> {
    parts.coherent()?;
    let mut document = written(parts)?;
    if let Some(members) = document.as_object_mut() {
        members.insert("type".into(), P::KIND.name().into());
        members.insert("version".into(), VERSION.into());
    }
    Ok(document)
}

/// The JSON of a value.
pub(super) fn written<T: Serialize + ?Sized>(value: &T) -> Result<Value, DocumentError> {
    serde_json::to_value(value)
        .map_err(|_| DocumentError::Incoherent("this has no form in JSON; report this as a fault"))
}

/// An object of those members that have a value.
pub(crate) fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let members = members.into_iter();
    let there = members.filter_map(|(name, value)| Some((name.into(), value?)));
    Value::Object(there.collect::<Map>())
}

/// SHA-256 over a prefix and a canonical form.
pub(super) fn hashed(prefix: &str, canonical: &str) -> Sha256Hash {
    let hash = Sha256::new()
        .chain_update(prefix)
        .chain_update(canonical)
        .finalize();
    Sha256Hash::from_bytes(hash.into())
}
