//! Integers within a range.

use core::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};

/// An integer from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Whole<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> Whole<MIN, MAX> {
    /// Takes an integer from `MIN` to `MAX`; gives back none for another one.
    pub fn new(number: u64) -> Option<Self> {
        (MIN..=MAX).contains(&number).then_some(Self(number))
    }

    /// The integer.
    pub const fn get(self) -> u64 {
        self.0
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
                let unexpected = de::Unexpected::Unsigned(number);
                Whole::new(number).ok_or_else(|| E::invalid_value(unexpected, &self))
            }
        }
        from.deserialize_u64(Reading)
    }
}
