//! Value of a claim: a JSON value in canonical form (RFC 8785).

use alloc::string::String;
use core::fmt;

use counterfoil_types::json::{self, Limits, Value};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ClaimError;

/// The longest value, in bytes of its canonical form.
pub(crate) const MAX_VALUE_BYTES: usize = 65_536;
/// The deepest value, in arrays and objects inside one another: the World of its unit may be 64 deep, and it lies two
/// deep in that.
pub(crate) const MAX_VALUE_DEPTH: usize = 62;
/// The most values of any kind in one, itself included: the World of its unit may hold 10,000.
pub(crate) const MAX_VALUE_NODES: usize = 8192;

/// A value. Two are equal when their canonical forms are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactValue(String);

impl FactValue {
    /// Takes any JSON value.
    ///
    /// # Errors
    /// [`ClaimError::Value`] when it has no canonical form, is longer than 65,536 bytes, deeper than 62 or has more than
    /// 8,192 values.
    pub fn new(value: &Value) -> Result<Self, ClaimError> {
        let refused = |must| ClaimError::Value { must };
        if depth_exceeds(value, MAX_VALUE_DEPTH) {
            return Err(refused("at most 62 levels deep"));
        }
        if nodes_left(value, MAX_VALUE_NODES).is_none() {
            return Err(refused("at most 8,192 values"));
        }
        let text = json::canonical(value)
            .map_err(|_| refused("JSON that has a canonical form (RFC 8785)"))?;
        if text.len() > MAX_VALUE_BYTES {
            return Err(refused("at most 65,536 bytes in canonical form"));
        }
        Ok(Self(text))
    }

    /// The canonical text.
    pub fn canonical(&self) -> &str {
        &self.0
    }

    /// The value.
    pub fn to_json(&self) -> Value {
        json::parse(self.0.as_bytes(), Limits::CONTENT).unwrap_or(Value::Null)
    }
}

/// Returns whether arrays and objects lie more than `limit` deep in one another.
fn depth_exceeds(value: &Value, limit: usize) -> bool {
    match (value, limit.checked_sub(1)) {
        (Value::Array(_) | Value::Object(_), None) => true,
        (Value::Array(items), Some(left)) => items.iter().any(|item| depth_exceeds(item, left)),
        (Value::Object(members), Some(left)) => {
            members.values().any(|member| depth_exceeds(member, left))
        }
        _ => false,
    }
}

/// Returns the rest of `left` values after those of `value`; `None` when they do not suffice.
fn nodes_left(value: &Value, left: usize) -> Option<usize> {
    let left = left.checked_sub(1)?;
    match value {
        Value::Array(items) => items
            .iter()
            .try_fold(left, |left, item| nodes_left(item, left)),
        Value::Object(members) => members
            .values()
            .try_fold(left, |left, member| nodes_left(member, left)),
        _ => Some(left),
    }
}

impl Serialize for FactValue {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(to)
    }
}

impl<'de> Deserialize<'de> for FactValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        Self::new(&value).map_err(|_| {
            D::Error::custom("a value of at most 65,536 bytes, 8,192 values and 62 levels")
        })
    }
}

impl fmt::Display for FactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for FactValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use serde_json::json;

    use super::*;

    fn nested(depth: usize) -> Value {
        (0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
    }

    /// CLM-2: a value that would not fit into the World of its unit is refused before the gate sees it.
    #[test]
    fn a_value_fits_into_its_world() {
        assert!(FactValue::new(&nested(MAX_VALUE_DEPTH)).is_ok());
        assert!(FactValue::new(&nested(MAX_VALUE_DEPTH + 1)).is_err());
        assert!(FactValue::new(&nested(200)).is_err());
        let wide = |count: usize| Value::Array(vec![Value::Null; count]);
        assert!(FactValue::new(&wide(MAX_VALUE_NODES - 1)).is_ok());
        assert!(FactValue::new(&wide(MAX_VALUE_NODES)).is_err());
        let long = |bytes: usize| Value::String("x".repeat(bytes));
        assert!(FactValue::new(&long(MAX_VALUE_BYTES - 2)).is_ok());
        assert!(FactValue::new(&long(MAX_VALUE_BYTES - 1)).is_err());
    }

    /// CLM-2: the largest values are read again, inside of a World.
    #[test]
    fn the_largest_values_are_readable() {
        for value in [
            nested(MAX_VALUE_DEPTH),
            Value::Array(vec![Value::Null; MAX_VALUE_NODES - 1]),
        ] {
            let fact = FactValue::new(&value).unwrap();
            assert_eq!(fact.to_json(), value);
            let world = json!({ "data": { "value": fact.to_json() } });
            let text = json::canonical(&world).unwrap();
            assert_eq!(json::parse(text.as_bytes(), Limits::CONTENT), Ok(world));
        }
    }

    /// I6: what is spelled otherwise is the same value.
    #[test]
    fn spelling_makes_no_other_value() {
        let fact = |text: &str| {
            FactValue::new(&json::parse(text.as_bytes(), Limits::CONTENT).unwrap()).unwrap()
        };
        assert_eq!(
            fact(r#"{"a":1.0,"b":"A"}"#),
            fact(r#"{ "b": "A", "a": 1 }"#)
        );
        assert_ne!(fact("1"), fact("\"1\""));
        assert_ne!(fact("\"e\u{301}\""), fact("\"\u{e9}\""));
    }
}
