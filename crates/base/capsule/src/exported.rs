//! An exported capsule: the header with signature and bodies laid in, one JSON object a line (capsules, "The exported document").

use alloc::format;
use alloc::string::String;

use counterfoil_types::Sha256Hash;
use counterfoil_types::json::{self, JsonError, Limits, Map, Value};

use crate::check::{Absent, StoredParts, Surroundings, check_all, first_of};
use crate::error::CapsuleError;
use crate::header::{Header, Laid, Unlinked, exported};
use crate::log_entry::LogEntry;
use crate::member::{Members, to_base64};
use crate::seal::SealedCapsule;
use crate::verdict::Verdict;

const WHAT: &str = "exported capsule";

/// A body of a capsule with the salt of its address: what can be erased.
#[derive(Clone, PartialEq, Eq)]
pub struct SaltedBody {
    /// Canonical JSON.
    pub text: String,
    /// The salt.
    pub salt: [u8; 32],
}

/// Content and salt stay out of log lines.
impl core::fmt::Debug for SaltedBody {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("SaltedBody")
            .field("bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}

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
    signature: Option<[u8; 64]>,
    field_root: Sha256Hash,
    field_count: u64,
    payload: Option<SaltedBody>,
    delta: Option<SaltedBody>,
}

impl CapsuleDocument {
    /// The document of a capsule that is kept somewhere; `None` for a body that is erased. Bodies are
    /// canonical JSON as the store of the parts states them.
    #[must_use]
    pub const fn new(
        header: Header,
        signature: [u8; 64],
        fields: (Sha256Hash, u64),
        payload: Option<SaltedBody>,
        delta: Option<SaltedBody>,
    ) -> Self {
        Self {
            header,
            signature: Some(signature),
            field_root: fields.0,
            field_count: fields.1,
            payload,
            delta,
        }
    }

    /// The document of a capsule that was just sealed.
    #[must_use]
    pub fn of(sealed: &SealedCapsule, delta: Option<SaltedBody>) -> Self {
        let payload = SaltedBody {
            text: sealed.payload.clone(),
            salt: sealed.salt,
        };
        Self::new(
            sealed.header.clone(),
            sealed.signature,
            (sealed.entry.field_root(), sealed.entry.field_count()),
            Some(payload),
            delta,
        )
    }

    /// Reads one line, without its line feed: strict, closed, byte for byte its own canonical form.
    ///
    /// # Errors
    /// The first thing that is wrong. [`CapsuleError::verdict`] says how it counts.
    pub fn parse(bytes: &[u8]) -> Result<Self, CapsuleError> {
        Parts::read(bytes)?.link()
    }

    /// As [`parse`](Self::parse), with the verdict on refused bytes: a header that is linked wrongly
    /// counts as unsigned if its signature does not hold, as the order of the checks wants.
    ///
    /// # Errors
    /// The first failure; without one, what a later program may know.
    pub fn judge(bytes: &[u8]) -> Result<Self, Verdict> {
        let parts = Parts::read(bytes).map_err(|error| error.verdict())?;
        let as_it_came = parts.clone();
        parts.link().map_err(|error| as_it_came.judge(&error))
    }

    /// The line, without its line feed.
    #[must_use]
    pub fn to_text(&self) -> String {
        let parts = (self.signature, self.field_root, self.field_count);
        // A header that exists has a canonical form.
        text_of(
            self.header.members(),
            parts,
            self.payload.as_ref(),
            self.delta.as_ref(),
        )
        .unwrap_or_default()
    }

    /// The document as JSON, of a capsule without bodies: as evidence it lies inside of another one.
    pub(crate) fn to_value(&self) -> Value {
        json::parse(self.to_text().as_bytes(), Limits::EXPORTED).unwrap_or_default()
    }

    /// Checks it, see [`check_capsule`](crate::check_capsule).
    #[must_use]
    pub fn check(&self, around: &Surroundings<'_>) -> Verdict {
        first_of(&self.check_all(around))
    }

    /// Every failure and every missing thing, see [`check_all`].
    #[must_use]
    pub fn check_all(&self, around: &Surroundings<'_>) -> alloc::vec::Vec<Verdict> {
        let entry = self.entry().map(|entry| entry.to_text());
        let entry = entry.unwrap_or_default();
        let (payload, delta) = (self.payload.as_ref(), self.delta.as_ref());
        let parts = StoredParts {
            header: self.header.canonical().as_bytes(),
            entry: entry.as_bytes(),
            signature: self.signature.as_ref().map(<[u8; 64]>::as_slice),
            payload: payload.map(|body| body.text.as_bytes()),
            salt: payload.map(|body| &body.salt),
            delta: delta.map(|body| body.text.as_bytes()),
            delta_salt: delta.map(|body| &body.salt),
            absent: Absent::Erased,
        };
        check_all(&parts, around)
    }

    /// The same without bodies: header, signature and field root, which is what evidence is made of.
    #[must_use]
    pub fn without_bodies(mut self) -> Self {
        (self.payload, self.delta) = (None, None);
        self
    }

    /// Entry that its agent signed.
    ///
    /// # Errors
    /// [`CapsuleError::Document`] when it is of a kind that is not known here.
    pub fn entry(&self) -> Result<LogEntry, CapsuleError> {
        LogEntry::of(&self.header, self.field_root, self.field_count)
    }

    /// The header.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The signature over the entry; not checked by being here.
    #[must_use]
    pub const fn signature(&self) -> Option<&[u8; 64]> {
        self.signature.as_ref()
    }

    /// Root of the field tree and number of its leaves, by the document's word.
    #[must_use]
    pub const fn fields(&self) -> (Sha256Hash, u64) {
        (self.field_root, self.field_count)
    }

    /// The content; `None` when it is erased.
    #[must_use]
    pub const fn payload(&self) -> Option<&SaltedBody> {
        self.payload.as_ref()
    }

    /// Delta against the version before; `None` for a seed, or when it is erased.
    #[must_use]
    pub const fn delta(&self) -> Option<&SaltedBody> {
        self.delta.as_ref()
    }
}

/// A document of which the header is not linked yet.
#[derive(Clone)]
struct Parts {
    header: Unlinked,
    signature: Option<[u8; 64]>,
    field_root: Sha256Hash,
    field_count: u64,
    payload: Option<SaltedBody>,
    delta: Option<SaltedBody>,
}

impl Parts {
    fn read(bytes: &[u8]) -> Result<Self, CapsuleError> {
        let mut value = json::parse(bytes, Limits::EXPORTED).map_err(refused)?;
        let laid = take(&mut value, None, &LAID);
        let state = take(&mut value, Some("payload"), &["state"]);
        let ops = take(&mut value, Some("delta"), &["ops"]);
        let text = json::canonical(&value).map_err(refused)?;
        let header = Unlinked::from_canonical(&value, text)?;
        let members = Members::closed(WHAT, &laid, &LAID)?;
        let (field_root, field_count) = fields(members)?;
        let parts = Self {
            signature: signature(members)?,
            field_root,
            field_count,
            payload: body(members, "payload_salt", state.get("state"))?,
            delta: body(members, "delta_salt", ops.get("ops"))?,
            header,
        };
        json::same_bytes(&parts.to_text()?, bytes).map_err(refused)?;
        Ok(parts)
    }

    fn to_text(&self) -> Result<String, CapsuleError> {
        let signed = (self.signature, self.field_root, self.field_count);
        text_of(
            &self.header,
            signed,
            self.payload.as_ref(),
            self.delta.as_ref(),
        )
    }

    fn link(self) -> Result<CapsuleDocument, CapsuleError> {
        Ok(CapsuleDocument {
            header: self.header.link()?,
            signature: self.signature,
            field_root: self.field_root,
            field_count: self.field_count,
            payload: self.payload,
            delta: self.delta,
        })
    }

    fn judge(&self, error: &CapsuleError) -> Verdict {
        let entry = LogEntry::of_members(&self.header, self.field_root, self.field_count);
        let entry = entry.map(|entry| entry.to_text()).unwrap_or_default();
        let parts = StoredParts {
            header: self.header.text.as_bytes(),
            entry: entry.as_bytes(),
            signature: self.signature.as_ref().map(<[u8; 64]>::as_slice),
            ..StoredParts::default()
        };
        match first_of(&check_all(&parts, &Surroundings::default())) {
            Verdict::Valid => error.verdict(),
            verdict => verdict,
        }
    }
}

/// The members beside those of a header.
const LAID: [&str; 4] = ["delta_salt", "fields", "payload_salt", "signature"];

/// Takes members out of a document, or out of an object inside of it.
fn take(value: &mut Value, inside: Option<&str>, names: &[&str]) -> Value {
    let object = match inside {
        Some(member) => value.get_mut(member),
        None => Some(value),
    };
    let mut taken = Map::new();
    if let Some(object) = object.and_then(Value::as_object_mut) {
        for name in names {
            taken.extend(object.remove_entry(*name));
        }
    }
    Value::Object(taken)
}

fn signature(members: Members<'_>) -> Result<Option<[u8; 64]>, CapsuleError> {
    let present = members.optional("signature").is_some();
    present
        .then(|| members.base64("signature", "64 bytes in base64"))
        .transpose()
}

fn fields(members: Members<'_>) -> Result<(Sha256Hash, u64), CapsuleError> {
    let must = "{\"count\": number of leaves, \"root\": digest}";
    let value = members.required("fields", must)?;
    let fields = Members::closed("fields", value, &["count", "root"])?;
    let count = fields.required("count", must)?.as_u64();
    let root = fields.text("root")?.parse();
    let root = root.map_err(|_| fields.wrong("root", "sha256: and 64 lower-case digits"))?;
    let count = count.filter(|count| *count <= counterfoil_types::MAX_SAFE_INTEGER);
    let count = count.ok_or_else(|| fields.wrong("count", "the number of leaves"))?;
    Ok((root, count))
}

/// A body is there with its salt, or neither is.
fn body(
    members: Members<'_>,
    salt: &'static str,
    value: Option<&Value>,
) -> Result<Option<SaltedBody>, CapsuleError> {
    match (value, members.optional(salt)) {
        (None, None) => Ok(None),
        (Some(value), Some(_)) => Ok(Some(SaltedBody {
            text: json::canonical(value).map_err(refused)?,
            salt: members.base64(salt, "32 bytes in base64")?,
        })),
        _ => Err(members.wrong(salt, "there when its body is, and only then")),
    }
}

fn text_of(
    header: &Unlinked,
    (signature, root, count): (Option<[u8; 64]>, Sha256Hash, u64),
    payload: Option<&SaltedBody>,
    delta: Option<&SaltedBody>,
) -> Result<String, CapsuleError> {
    let quoted = |bytes: &[u8]| format!("\"{}\"", to_base64(bytes));
    let signature = signature.map(|signature| quoted(&signature));
    let fields = format!(r#"{{"count":{count},"root":"{root}"}}"#);
    let payload_salt = payload.map(|body| quoted(&body.salt));
    let delta_salt = delta.map(|body| quoted(&body.salt));
    exported(
        header,
        &Laid {
            signature: signature.as_deref(),
            fields: Some(&fields),
            state: payload.map(|body| body.text.as_str()),
            payload_salt: payload_salt.as_deref(),
            ops: delta.map(|body| body.text.as_str()),
            delta_salt: delta_salt.as_deref(),
        },
    )
}

const fn refused(source: JsonError) -> CapsuleError {
    CapsuleError::Json { what: WHAT, source }
}
