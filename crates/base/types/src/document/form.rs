//! Types that are one JSON string with one spelling, and bytes in base64.

use alloc::string::String;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{Deserializer, Error, Unexpected, Visitor};

/// A text is not the one spelling of a value that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormError {
    /// Another DID method than `did:key`, another base, or a fragment behind it.
    #[error("expected did:key:z… with nothing behind it")]
    Method,
    /// Not base58btc.
    #[error("expected base58btc behind did:key:z")]
    Base58,
    /// A key of another kind or length.
    #[error("expected an Ed25519 public key (multicodec 0xed, 32 bytes)")]
    KeyType,
    /// A digest of another algorithm, or none in front of the colon.
    #[error("expected a digest beginning with {expected:?}")]
    Algorithm {
        /// The prefix that was expected, colon included.
        expected: &'static str,
    },
    /// Not 64 lower-case hexadecimal digits.
    #[error("expected 64 lower-case hexadecimal digits")]
    Digits,
    /// Empty, too long, or with a character that is not allowed.
    #[error("a text of 1 to {limit} bytes without {without} is wanted, and this has {found}")]
    Text {
        /// Limit in bytes.
        limit: usize,
        /// Length of the text in bytes.
        found: usize,
        /// Characters that are not allowed.
        without: &'static str,
    },
    /// None of the words of an enum.
    #[error("{found:?} is none of {expected}")]
    Word {
        /// Beginning of the text, at most 64 characters.
        found: String,
        /// The words, joined by commas.
        expected: String,
    },
}

impl FormError {
    #[doc(hidden)]
    pub fn word(found: &str, expected: &[&str]) -> Self {
        Self::Word {
            found: found.chars().take(64).collect(),
            expected: expected.join(", "),
        }
    }
}

/// Reads a string by `read`; a text that it refuses is reported as not being `must`.
///
/// # Errors
/// The value is no string, or `read` refuses it.
pub fn from_text<'de, D: Deserializer<'de>, T>(
    from: D,
    must: &dyn fmt::Display,
    read: fn(&str) -> Option<T>,
) -> Result<T, D::Error> {
    struct Reading<'m, T> {
        must: &'m dyn fmt::Display,
        read: fn(&str) -> Option<T>,
        value: PhantomData<T>,
    }
    impl<T> Visitor<'_> for Reading<'_, T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.must.fmt(f)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            (self.read)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
        }
    }
    from.deserialize_str(Reading {
        must,
        read,
        value: PhantomData,
    })
}

/// Gives types their JSON form: one string, written by `Display`, read by `FromStr` or by the function behind `=`.
///
/// The text behind the colon says what the string must be. The reading function accepts one spelling for a value. With
/// `like`, a regular expression (ECMA-262), the type has a JSON Schema too, under the feature `schema` of the crate.
#[macro_export]
macro_rules! text_form {
    ($($type:ty: $must:expr $(, like $pattern:expr)? $(, = $read:expr)?;)*) => {$(
        impl $crate::document::__private::serde::Serialize for $type {
            fn serialize<S: $crate::document::__private::serde::Serializer>(
                &self,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> $crate::document::__private::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::document::__private::serde::Deserializer<'de>>(
                from: D,
            ) -> Result<Self, D::Error> {
                $crate::document::from_text(from, &$must, $crate::text_form!(@read $($read)?))
            }
        }

        $(
            #[cfg(feature = "schema")]
            impl $crate::document::__private::schemars::JsonSchema for $type {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> $crate::document::__private::Cow<'static, str> {
                    $must.into()
                }

                fn json_schema(
                    _: &mut $crate::document::__private::schemars::SchemaGenerator,
                ) -> $crate::document::__private::schemars::Schema {
                    $crate::document::__private::schemars::json_schema!({
                        "type": "string", "$comment": $must, "pattern": $pattern,
                    })
                }
            }
        )?
    )*};
    (@read) => { |text| text.parse().ok() };
    (@read $read:expr) => { $read };
}

/// `#[serde(with = "base64")]` for bytes of a fixed number: strict base64 (RFC 4648 §4), padded, without trailing bits.
pub mod base64 {
    use alloc::format;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserializer, Serializer};

    /// Writes bytes in base64.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer, const N: usize>(
        bytes: &[u8; N],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    /// Reads exactly `N` bytes.
    ///
    /// # Errors
    /// The value is anything else.
    pub fn deserialize<'de, D: Deserializer<'de>, const N: usize>(
        from: D,
    ) -> Result<[u8; N], D::Error> {
        super::from_text(from, &format!("{N} bytes in base64"), |text| {
            STANDARD.decode(text).ok()?.try_into().ok()
        })
    }
}

/// `#[serde(with = "nullable")]` for a member that is always there and may be `null`.
pub mod nullable {
    use serde::de::{DeserializeOwned, Error};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::json::Value;

    /// Writes the value, or `null`.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer, T: Serialize>(
        value: &Option<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(to)
    }

    /// Reads `null` as `None`.
    ///
    /// # Errors
    /// Those of `T`.
    pub fn deserialize<'de, D: Deserializer<'de>, T: DeserializeOwned>(
        from: D,
    ) -> Result<Option<T>, D::Error> {
        match Value::deserialize(from)? {
            Value::Null => Ok(None),
            value => {
                let read = super::super::read(&value).map(Some);
                read.map_err(|fault| D::Error::custom(fault.requirement().unwrap_or_default()))
            }
        }
    }
}
