//! An exported capsule: the header with signature and bodies laid in, one JSON object a line (capsules, "The exported document").

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::json::{self, JsonError, Limits, Map, Value};
use counterfoil_types::{DidKey, Sha256Hash, document};
use serde::Deserialize;

use crate::check::{StoredParts, Surroundings, check_all, first_of, is_signed};
use crate::error::CapsuleError;
use crate::extensions::key_number;
use crate::header::{Beside, Header, SaltedBody, Unlinked, canonical};
use crate::log_entry::LogEntry;
use crate::seal::SealedCapsule;
use crate::verdict::Verdict;

const WHAT: &str = "exported capsule";

/// A capsule as it travels:
///
/// ```json
/// {"agent":"did:key:…","chain":"<uuid>","delta":{"format":"rev-json-patch/1","hash":"blake3:…","ops":[…],"size":61},
///  "delta_salt":"<b64>","fields":{"count":10,"root":"sha256:…"},"id":"<uuid>","mutation":"blake3:…",
///  "payload":{"hash":"blake3:…","size":338,"state":{…}},"payload_salt":"<b64>","previous":"blake3:…","seq":1,
///  "signature":"<b64>","timestamp":"…","type":"memory_capsule","version":"1","world":"…"}
/// ```
/// on one line without white space, in canonical form (RFC 8785), at most 2 MiB. A body that is
/// erased is absent together with its salt. To have read one says nothing about its signature or
/// its place: that is for [`check`](Self::check).
#[derive(Debug, Clone, PartialEq)]
pub struct CapsuleDocument {
    header: Header,
    beside: Beside,
}

impl CapsuleDocument {
    /// The document of a capsule that is kept somewhere; `None` for a body that is erased. Bodies are
    /// canonical JSON as the store of the parts states them.
    pub const fn new(
        header: Header,
        signature: [u8; 64],
        (field_root, field_count): (Sha256Hash, u64),
        payload: Option<SaltedBody>,
        delta: Option<SaltedBody>,
    ) -> Self {
        let beside = Beside {
            signature: Some(signature),
            field_root,
            field_count,
            payload,
            delta,
        };
        Self { header, beside }
    }

    /// The document of a capsule that was just sealed.
    pub fn of(sealed: &SealedCapsule, delta: Option<SaltedBody>) -> Self {
        let (text, salt) = (sealed.payload.clone(), sealed.salt);
        Self::new(
            sealed.header.clone(),
            sealed.signature,
            (sealed.entry.field_root, sealed.entry.field_count),
            Some(SaltedBody { text, salt }),
            delta,
        )
    }

    /// Reads one line, without its line feed: strict, closed, byte for byte its own canonical form.
    ///
    /// # Errors
    /// The first thing that is wrong. [`CapsuleError::verdict`] says how it counts.
    pub fn parse(bytes: &[u8]) -> Result<Self, CapsuleError> {
        let (header, beside) = read(bytes)?;
        let header = header.link()?;
        Ok(Self { header, beside })
    }

    /// As [`parse`](Self::parse), with the verdict on refused bytes: a header that is linked wrongly
    /// counts as unsigned if its signature does not hold, as the order of the checks wants.
    ///
    /// # Errors
    /// The first failure; without one, what a later program may know.
    pub fn judge(bytes: &[u8]) -> Result<Self, Verdict> {
        let (unlinked, beside) = read(bytes).map_err(|error| error.verdict())?;
        match unlinked.clone().link() {
            Ok(header) => Ok(Self { header, beside }),
            Err(error) => {
                let found = beside.check_all(&unlinked, &Surroundings::default());
                Err(match first_of(&found) {
                    Verdict::Valid => error.verdict(),
                    verdict => verdict,
                })
            }
        }
    }

    /// Returns header and canonical bytes without bodies of a capsule with another `mutation` than the hash of `previous` and delta;
    /// `None` unless that is its fault, and the signature of its agent's key holds. `keys` is needed after a rotation.
    pub(crate) fn mislinked(
        bytes: &[u8],
        keys: &BTreeMap<DidKey, Vec<DidKey>>,
    ) -> Option<(Unlinked, String)> {
        let (header, mut beside) = read(bytes).ok()?;
        (beside.payload, beside.delta) = (None, None);
        let number = usize::try_from(key_number(&header.ext).ok()?).ok()?;
        let key = match number {
            0 => header.agent,
            _ => *keys.get(&header.agent)?.get(number)?,
        };
        let entry = LogEntry::of_members(&header, beside.field_root, beside.field_count).ok()?;
        let signed = is_signed(&key, entry.to_text().as_bytes(), &beside.signature?);
        let wrong = matches!(header.clone().link(), Err(CapsuleError::Mutation(_)));
        let text = canonical(&header, Some(&beside)).ok()?;
        (signed && wrong).then_some((header, text))
    }

    /// The line, without its line feed.
    pub fn to_text(&self) -> String {
        // A header that exists has a canonical form.
        canonical(self.header.members(), Some(&self.beside)).unwrap_or_default()
    }

    /// The document as JSON, of a capsule without bodies: as evidence it lies inside of another one.
    pub(crate) fn to_value(&self) -> Value {
        json::parse(self.to_text().as_bytes(), Limits::EXPORTED).unwrap_or_default()
    }

    /// Checks it, see [`check_capsule`](crate::check_capsule).
    pub fn check(&self, around: &Surroundings<'_>) -> Verdict {
        first_of(&self.check_all(around))
    }

    /// Every failure and every missing thing, see [`check_all`].
    pub fn check_all(&self, around: &Surroundings<'_>) -> Vec<Verdict> {
        self.beside.check_all(self.header.members(), around)
    }

    /// The same without bodies: header, signature and field root, which is what evidence is made of.
    #[must_use]
    pub fn without_bodies(mut self) -> Self {
        (self.beside.payload, self.beside.delta) = (None, None);
        self
    }

    /// Entry that its agent signed.
    ///
    /// # Errors
    /// [`CapsuleError::Document`] when it is of a kind that is not known here.
    pub fn entry(&self) -> Result<LogEntry, CapsuleError> {
        LogEntry::of(
            &self.header,
            self.beside.field_root,
            self.beside.field_count,
        )
    }

    /// The header.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The signature over the entry; not checked by being here.
    pub const fn signature(&self) -> Option<&[u8; 64]> {
        self.beside.signature.as_ref()
    }

    /// Root of the field tree and number of its leaves, by the document's word.
    pub const fn fields(&self) -> (Sha256Hash, u64) {
        (self.beside.field_root, self.beside.field_count)
    }

    /// The content; `None` when it is erased.
    pub const fn payload(&self) -> Option<&SaltedBody> {
        self.beside.payload.as_ref()
    }

    /// Delta against the version before; `None` for a seed, or when it is erased.
    pub const fn delta(&self) -> Option<&SaltedBody> {
        self.beside.delta.as_ref()
    }
}

impl Beside {
    fn check_all(&self, header: &Unlinked, around: &Surroundings<'_>) -> Vec<Verdict> {
        let entry = LogEntry::of_members(header, self.field_root, self.field_count);
        let entry = entry.map(|entry| entry.to_text()).unwrap_or_default();
        let (payload, delta) = (self.payload.as_ref(), self.delta.as_ref());
        let parts = StoredParts {
            header: header.text.as_bytes(),
            entry: entry.as_bytes(),
            signature: self.signature.as_ref().map(<[u8; 64]>::as_slice),
            payload: payload.map(|body| body.text.as_bytes()),
            salt: payload.map(|body| &body.salt),
            delta: delta.map(|body| body.text.as_bytes()),
            delta_salt: delta.map(|body| &body.salt),
        };
        check_all(&parts, around)
    }
}

/// Members beside those of a header.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    delta_salt: Option<Bytes<32>>,
    fields: Fields,
    payload_salt: Option<Bytes<32>>,
    signature: Option<Bytes<64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    count: u64,
    root: Sha256Hash,
}

#[derive(Deserialize)]
struct Bytes<const N: usize>(#[serde(with = "counterfoil_types::document::base64")] [u8; N]);

/// Reads a document, of which the header is not linked yet.
fn read(bytes: &[u8]) -> Result<(Unlinked, Beside), CapsuleError> {
    let mut value = json::parse(bytes, Limits::EXPORTED).map_err(refused)?;
    let names = ["delta_salt", "fields", "payload_salt", "signature"];
    let members = Value::Object(take(Some(&mut value), &names));
    let state = take(value.get_mut("payload"), &["state"]);
    let ops = take(value.get_mut("delta"), &["ops"]);
    let header = Unlinked::from_canonical(&value, json::canonical(&value).map_err(refused)?)?;
    let members: Members =
        document::read(&members).map_err(|fault| CapsuleError::document(WHAT, fault))?;
    let beside = Beside {
        signature: members.signature.map(|signature| signature.0),
        field_root: members.fields.root,
        field_count: members.fields.count,
        payload: body("/payload_salt", state.get("state"), members.payload_salt)?,
        delta: body("/delta_salt", ops.get("ops"), members.delta_salt)?,
    };
    json::same_bytes(&canonical(&header, Some(&beside))?, bytes).map_err(refused)?;
    Ok((header, beside))
}

/// Takes members out of an object.
fn take(object: Option<&mut Value>, names: &[&str]) -> Map {
    let object = object.and_then(Value::as_object_mut);
    let taken = object.map(|object| names.iter().filter_map(|name| object.remove_entry(*name)));
    taken.into_iter().flatten().collect()
}

/// A body is there with its salt, or neither is.
fn body(
    place: &str,
    value: Option<&Value>,
    salt: Option<Bytes<32>>,
) -> Result<Option<SaltedBody>, CapsuleError> {
    match (value, salt) {
        (None, None) => Ok(None),
        (Some(value), Some(Bytes(salt))) => {
            let text = json::canonical(value).map_err(refused)?;
            Ok(Some(SaltedBody { text, salt }))
        }
        _ => Err(CapsuleError::at(
            WHAT,
            place,
            "there when its body is, and only then",
        )),
    }
}

const fn refused(source: JsonError) -> CapsuleError {
    CapsuleError::Json { what: WHAT, source }
}
