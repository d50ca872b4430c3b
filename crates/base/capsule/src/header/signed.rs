//! A header with its signature inside: the form in which a capsule is exported (capsules 4.1).

use alloc::format;
use alloc::string::String;

use counterfoil_types::json::{self, Limits, Value};

use super::Header;
use super::read::Unlinked;
use crate::error::CapsuleError;
use crate::member::{Members, to_base64};

/// A header and the agent's signature, as one canonical JSON object.
///
/// The signature is over the *entry*, which commits to the header by its hash; it is not checked
/// by reading one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedHeader {
    header: Header,
    signature: [u8; 64],
}

impl SignedHeader {
    /// Lays the signature beside the header.
    #[must_use]
    pub const fn new(header: Header, signature: [u8; 64]) -> Self {
        Self { header, signature }
    }

    /// Reads one: canonical bytes, at most 4 KiB, `signature` 64 bytes of strict base64.
    ///
    /// # Errors
    /// As [`Header::parse`], and [`CapsuleError::Document`] for a signature of another form.
    pub fn parse(bytes: &[u8]) -> Result<Self, CapsuleError> {
        let mut value = json::admit(bytes, Limits::HEADER).map_err(refused)?;
        let members = value.as_object_mut();
        let taken = members.and_then(|members| members.remove_entry("signature"));
        let alone = Value::Object(taken.into_iter().collect());
        let signature = Members::closed("header", &alone, &["signature"])?
            .base64("signature", "64 bytes in base64")?;
        let text = json::canonical(&value).map_err(refused)?;
        let header = Unlinked::from_canonical(&value, text)?.link()?;
        Ok(Self { header, signature })
    }

    /// The canonical JSON with `signature` in its place, at most 4 KiB.
    ///
    /// `signature` sorts before `timestamp`. The last place where that member's name begins is the
    /// header's own: `ext` comes before it, and inside a string the quotation marks are escaped.
    #[must_use]
    pub fn to_text(&self) -> String {
        let canonical = self.header.canonical();
        let place = canonical
            .rfind(r#","timestamp":""#)
            .unwrap_or(canonical.len());
        let (before, after) = canonical.split_at(place);
        format!(
            r#"{before},"signature":"{}"{after}"#,
            to_base64(&self.signature)
        )
    }

    /// The header.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The signature.
    #[must_use]
    pub const fn signature(&self) -> &[u8; 64] {
        &self.signature
    }
}

fn refused(source: json::JsonError) -> CapsuleError {
    CapsuleError::Json {
        what: "header",
        source,
    }
}
