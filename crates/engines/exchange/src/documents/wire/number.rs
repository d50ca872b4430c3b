//! Numbers that stand in documents, within their ranges (R20).

use core::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Whole<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> Whole<MIN, MAX> {
    pub(in super::super) const fn new(number: u64) -> Self {
        Self(number)
    }

    pub(in super::super) const fn get(self) -> u64 {
        self.0
    }

    /// The number, where all up to `MAX` are bytes.
    pub(in super::super) fn byte(self) -> u8 {
        u8::try_from(self.0).unwrap_or(u8::MAX)
    }
}

impl<const MIN: u64, const MAX: u64> Serialize for Whole<MIN, MAX> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(self.0)
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading<const MIN: u64, const MAX: u64>;
        impl<const MIN: u64, const MAX: u64> Visitor<'_> for Reading<MIN, MAX> {
            type Value = Whole<MIN, MAX>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number from {MIN} to {MAX}")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
                if (MIN..=MAX).contains(&number) {
                    return Ok(Whole(number));
                }
                Err(E::invalid_value(de::Unexpected::Unsigned(number), &self))
            }
        }
        from.deserialize_u64(Reading)
    }
}

/// A number from 0 to 1 (R20).
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Share(pub(in super::super) f64);

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading;
        impl Visitor<'_> for Reading {
            type Value = Share;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number from 0 to 1")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Share, E> {
                match number {
                    0 => Ok(Share(0.0)),
                    1 => Ok(Share(1.0)),
                    _ => Err(E::invalid_value(de::Unexpected::Unsigned(number), &self)),
                }
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Share, E> {
                if (0.0..=1.0).contains(&number) {
                    return Ok(Share(number));
                }
                Err(E::invalid_value(de::Unexpected::Float(number), &self))
            }
        }
        from.deserialize_f64(Reading)
    }
}
