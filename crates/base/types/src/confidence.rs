//! Confidence in relevance: a finite number from 0 to 1 (CR-08, FP-05, FP-06).

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};

use crate::json::{Limits, Value};
use crate::shape::{Must, ShapeError};
use crate::wire::from_json;

/// A finite number in [0, 1]. Not a number and the infinities can't be represented (FP-06).
///
/// Negative zero is zero. Written the way JavaScript writes it: `1`, not `1.0`.
#[derive(Debug, Clone, Copy)]
pub struct Confidence(f64);

impl Confidence {
    /// The least confidence.
    pub const ZERO: Self = Self(0.0);
    /// The greatest confidence.
    pub const ONE: Self = Self(1.0);

    /// Takes a number from 0 to 1, both included.
    ///
    /// # Errors
    /// It is outside that range or not a number.
    pub fn new(value: f64) -> Result<Self, ShapeError> {
        if (0.0..=1.0).contains(&value) {
            // Adding positive zero turns -0.0 into 0.0 and leaves all else.
            Ok(Self(value + 0.0))
        } else {
            Err(ShapeError::one("confidence", Must::UnitRange))
        }
    }

    /// The number, in [0, 1].
    pub const fn value(self) -> f64 {
        self.0
    }
}

impl PartialEq for Confidence {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Confidence {}

impl PartialOrd for Confidence {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Confidence {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Hash for Confidence {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if *self == Self::ZERO {
            to.serialize_u8(0)
        } else if *self == Self::ONE {
            to.serialize_u8(1)
        } else {
            to.serialize_f64(self.0)
        }
    }
}

impl TryFrom<Value> for Confidence {
    type Error = ShapeError;

    fn try_from(value: Value) -> Result<Self, ShapeError> {
        let number = value
            .as_f64()
            .ok_or_else(|| ShapeError::one("confidence", Must::Number))?;
        Self::new(number)
    }
}

from_json!(Confidence, Limits::PROOF);

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reading;
        impl Visitor<'_> for Reading {
            type Value = Confidence;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number from 0 to 1")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Confidence, E> {
                match number {
                    0 => Ok(Confidence::ZERO),
                    1 => Ok(Confidence::ONE),
                    _ => Err(E::invalid_value(de::Unexpected::Unsigned(number), &self)),
                }
            }

            /// TOML has signed integers only.
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Confidence, E> {
                match u64::try_from(number) {
                    Ok(number) => self.visit_u64(number),
                    Err(_) => Err(E::invalid_value(de::Unexpected::Signed(number), &self)),
                }
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Confidence, E> {
                Confidence::new(number)
                    .map_err(|_| E::invalid_value(de::Unexpected::Float(number), &self))
            }
        }
        from.deserialize_f64(Reading)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Confidence {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "0 to 1".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use proptest::prelude::*;

    use super::*;

    /// CR-08, FP-05, FP-06.
    #[test]
    fn outside_the_unit_range_there_is_no_confidence() {
        for number in [
            -0.1,
            1.0 + f64::EPSILON,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ] {
            assert_eq!(
                Confidence::new(number).unwrap_err().to_string(),
                "confidence must be in range [0, 1]"
            );
        }
    }

    #[test]
    fn negative_zero_is_zero() {
        let zero = Confidence::new(-0.0).unwrap();
        assert_eq!(zero, Confidence::ZERO);
        assert_eq!(serde_json::to_string(&zero).unwrap(), "0");
    }

    #[test]
    fn one_is_written_as_javascript_writes_it() {
        assert_eq!(serde_json::to_string(&Confidence::ONE).unwrap(), "1");
    }

    proptest! {
        #[test]
        fn the_wire_round_trip_is_exact(number in 0.0_f64..=1.0) {
            let confidence = Confidence::new(number).unwrap();
            let wire = serde_json::to_vec(&confidence).unwrap();
            prop_assert_eq!(Confidence::from_json(&wire).unwrap(), confidence);
        }
    }
}
