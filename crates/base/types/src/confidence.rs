//! Confidence in relevance: a finite number from 0 to 1 (CR-08, FP-05, FP-06).

use core::fmt;

use serde::{Deserialize, Serialize, Serializer};

use crate::json::{Limits, Value};
use crate::shape::ShapeError;
use crate::wire::from_json;

/// A finite number in [0, 1]. Not a number and the infinities can't be represented (FP-06).
///
/// Negative zero is zero. Written the way JavaScript writes it: `1`, not `1.0`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "f64")]
pub struct Confidence {
    /// Bits of the number: those of numbers that are not negative are ordered as the numbers are.
    bits: u64,
}

impl Confidence {
    /// The least confidence.
    pub const ZERO: Self = Self { bits: 0 };
    /// The greatest confidence.
    pub const ONE: Self = Self {
        bits: 1.0_f64.to_bits(),
    };

    /// Takes a number from 0 to 1, both included.
    ///
    /// # Errors
    /// It is outside that range or not a number.
    pub fn new(value: f64) -> Result<Self, ShapeError> {
        match value {
            // Adding positive zero turns -0.0 into 0.0 and leaves all else.
            0.0..=1.0 => Ok(Self {
                bits: (value + 0.0).to_bits(),
            }),
            _ => Err(ShapeError::one("confidence", "be in range [0, 1]")),
        }
    }

    /// The number, in [0, 1].
    pub const fn value(self) -> f64 {
        f64::from_bits(self.bits)
    }
}

impl fmt::Debug for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Confidence({:?})", self.value())
    }
}

impl TryFrom<f64> for Confidence {
    type Error = &'static str;

    fn try_from(number: f64) -> Result<Self, &'static str> {
        Self::new(number).map_err(|_| "a number from 0 to 1")
    }
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if *self == Self::ZERO {
            to.serialize_u8(0)
        } else if *self == Self::ONE {
            to.serialize_u8(1)
        } else {
            to.serialize_f64(self.value())
        }
    }
}

impl TryFrom<Value> for Confidence {
    type Error = ShapeError;

    fn try_from(value: Value) -> Result<Self, ShapeError> {
        let number = value
            .as_f64()
            .ok_or_else(|| ShapeError::one("confidence", "be number"))?;
        Self::new(number)
    }
}

from_json!(Confidence, Limits::PROOF);

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
