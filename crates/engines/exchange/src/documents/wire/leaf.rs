//! Texts that stand in documents, each in its one spelling (docs/format/exchange.md §1).

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::marker::PhantomData;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use counterfoil_capsule::Timestamp;
use counterfoil_capsule::integrity::Created;
use counterfoil_claims::Identifier;
use counterfoil_claims::time::Boundary;
use counterfoil_types::{DidKey, Sha256Hash};
use counterfoil_verifier::note::VerifierKey;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};

use super::super::{
    Audience, ClaimHash, DocumentHash, Domain, Nonce, RequestHash, RequestId, Text,
};

/// Something that is written as one text, and read from that text alone.
pub(in super::super) trait Spelled: Sized {
    /// What the text must be, for whoever wrote another.
    fn must() -> String;
    fn read(text: &str) -> Option<Self>;
    fn spell(&self) -> String;
    /// What a schema can say of it.
    #[cfg(feature = "schema")]
    const SHAPE: Shape;
}

/// What a schema can say of a text.
#[cfg(feature = "schema")]
pub(in super::super) enum Shape {
    /// It matches a regular expression (ECMA-262).
    Like(&'static str),
    /// It has so many bytes at most.
    UpTo(usize),
}

/// A [`Spelled`] in a document.
#[derive(Debug, Clone)]
pub(in super::super) struct As<T>(pub(in super::super) T);

impl<T: Spelled> Serialize for As<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0.spell())
    }
}

impl<'de, T: Spelled> Deserialize<'de> for As<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading<T>(PhantomData<T>);
        impl<T: Spelled> Visitor<'_> for Reading<T> {
            type Value = As<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&T::must())
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<As<T>, E> {
                T::read(text).map(As).ok_or_else(|| E::custom(T::must()))
            }
        }
        from.deserialize_str(Reading(PhantomData))
    }
}

impl<const MAX: usize> Spelled for Text<MAX> {
    #[cfg(feature = "schema")]
    const SHAPE: Shape = Shape::UpTo(MAX);

    fn must() -> String {
        format!("a text of 1 to {MAX} bytes without NUL")
    }

    fn read(text: &str) -> Option<Self> {
        // What is too long is not copied.
        (text.len() <= MAX).then(|| Self::new(text).ok()).flatten()
    }

    fn spell(&self) -> String {
        self.as_str().into()
    }
}

macro_rules! spelled {
    ($($name:ty: $must:literal, $shape:expr, $read:expr;)*) => {$(
        impl Spelled for $name {
            #[cfg(feature = "schema")]
            const SHAPE: Shape = $shape;

            fn must() -> String {
                $must.into()
            }

            fn read(text: &str) -> Option<Self> {
                let read: fn(&str) -> Option<Self> = $read;
                read(text)
            }

            fn spell(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

spelled! {
    Domain: "1 to 8 words of a-z, 0-9 and - joined by /, such as memory-systems/pruning",
        Shape::Like("^[a-z0-9-]{1,64}(/[a-z0-9-]{1,64}){0,7}$"), |text| text.parse().ok();
    RequestId: "a lower-case UUID",
        Shape::Like("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"), |text| text.parse().ok();
    Nonce: "16 bytes in base64url, 22 characters", Shape::Like("^[A-Za-z0-9_-]{21}[AQgw]$"), Self::read;
    Timestamp: "a time in UTC, written 2026-02-10T00:00:00.000000Z",
        Shape::Like("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$"),
        |text| text.parse().ok();
    Created: "a time in UTC, such as 2026-02-10T00:00:00Z",
        Shape::Like("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,6})?Z$"),
        |text| text.parse().ok();
    DidKey: "the did:key of an Ed25519 key",
        Shape::Like("^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$"), |text| text.parse().ok();
    RequestHash: "64 lower-case hexadecimal digits", HASH, |text| digest(text).map(Self::from_digest);
    ClaimHash: "64 lower-case hexadecimal digits", HASH, |text| digest(text).map(Self::from_digest);
    DocumentHash: "64 lower-case hexadecimal digits", HASH, |text| digest(text).map(Self::from_digest);
    Identifier: "1 to 512 bytes in normal form C, without control characters and without space at its ends",
        Shape::UpTo(512), |text| Self::new("subject", text).ok().filter(|name| name.as_str() == text);
    Boundary: "a date or an instant in UTC in its shortest form, such as 2020, 2020-03 or 2020-03-15",
        Shape::Like("^[0-9]{4}(-[0-9]{2}(-[0-9]{2}(T[0-9:.]{8,15}Z)?)?)?$"),
        |text| Self::parse(text).ok().filter(|boundary| boundary.to_string() == text);
    VerifierKey: "the verifier key of a log, name+id+key as in a signed note",
        Shape::Like("^[^ +]+\\+[0-9a-f]{8}\\+[A-Za-z0-9+/=]+$"),
        |text| text.parse().ok().filter(|key: &Self| key.to_string() == text);
}

#[cfg(feature = "schema")]
const HASH: Shape = Shape::Like("^[0-9a-f]{64}$");

fn digest(text: &str) -> Option<Sha256Hash> {
    Sha256Hash::from_hex(text).ok()
}

impl Spelled for Sha256Hash {
    #[cfg(feature = "schema")]
    const SHAPE: Shape = HASH;

    fn must() -> String {
        "64 lower-case hexadecimal digits".into()
    }

    fn read(text: &str) -> Option<Self> {
        digest(text)
    }

    fn spell(&self) -> String {
        self.to_hex()
    }
}

impl Spelled for Audience {
    #[cfg(feature = "schema")]
    const SHAPE: Shape = Shape::Like("^(\\*|did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44})$");

    fn must() -> String {
        "the did:key of an Ed25519 key, or \"*\"".into()
    }

    fn read(text: &str) -> Option<Self> {
        match text {
            "*" => Some(Self::Everyone),
            key => key.parse().ok().map(Self::One),
        }
    }

    fn spell(&self) -> String {
        match self {
            Self::Everyone => "*".into(),
            Self::One(key) => key.to_string(),
        }
    }
}

/// A signature.
impl Spelled for [u8; 64] {
    #[cfg(feature = "schema")]
    const SHAPE: Shape = Shape::Like("^[A-Za-z0-9+/]{86}==$");

    fn must() -> String {
        "64 bytes in base64".into()
    }

    fn read(text: &str) -> Option<Self> {
        let bytes = (text.len() == 88)
            .then(|| STANDARD.decode(text).ok())
            .flatten()?;
        bytes.try_into().ok()
    }

    fn spell(&self) -> String {
        STANDARD.encode(self)
    }
}
