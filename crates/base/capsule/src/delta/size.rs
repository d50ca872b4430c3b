//! Size of a value in canonical form, without writing it; equality of values.

use alloc::string::String;

use counterfoil_types::MAX_SAFE_INTEGER;
use counterfoil_types::json::{self, JsonError, Limits, Value};

/// Quantities that the limits of a document count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// Of the canonical form.
    pub(super) bytes: usize,
    /// Values of any kind, itself among them.
    pub(super) values: usize,
    /// Arrays and objects inside one another, 0 for a scalar.
    pub(super) depth: usize,
}

impl Size {
    /// An array or object with nothing in it.
    pub(super) const EMPTY: Self = Self {
        bytes: 2,
        values: 1,
        depth: 1,
    };

    const fn scalar(bytes: usize) -> Self {
        Self {
            bytes,
            values: 1,
            depth: 0,
        }
    }

    /// The array or object with one child more, `label` being the bytes of its name and colon.
    pub(super) fn with(self, child: Self, label: usize) -> Self {
        let comma = usize::from(self.values > 1);
        Self {
            bytes: self.bytes + comma + label + child.bytes,
            values: self.values + child.values,
            depth: self.depth.max(child.depth + 1),
        }
    }

    /// Checks a document of this size against the limits.
    pub(super) const fn admitted(self) -> Result<Self, JsonError> {
        let Limits {
            bytes,
            depth,
            nodes,
        } = Limits::CONTENT;
        if self.bytes > bytes {
            let found = self.bytes;
            return Err(JsonError::TooLarge {
                limit: bytes,
                found,
            });
        }
        if self.values > nodes {
            return Err(JsonError::TooManyValues { limit: nodes });
        }
        if self.depth > depth {
            return Err(JsonError::TooDeep { limit: depth });
        }
        Ok(self)
    }
}

/// The size of a value, which has a canonical form if this is `Ok`.
pub(super) fn measure(value: &Value) -> Result<Size, JsonError> {
    within(value, Limits::CONTENT.depth)
}

fn within(value: &Value, depth: usize) -> Result<Size, JsonError> {
    let limit = Limits::CONTENT.depth;
    let below = || depth.checked_sub(1).ok_or(JsonError::TooDeep { limit });
    match value {
        Value::Null | Value::Bool(true) => Ok(Size::scalar(4)),
        Value::Bool(false) => Ok(Size::scalar(5)),
        Value::Number(_) => number_bytes(value).map(Size::scalar),
        Value::String(text) => Ok(Size::scalar(string_bytes(text))),
        Value::Array(elements) => {
            let depth = below()?;
            elements.iter().try_fold(Size::EMPTY, |size, element| {
                Ok(size.with(within(element, depth)?, 0))
            })
        }
        Value::Object(members) => {
            let depth = below()?;
            members
                .iter()
                .try_fold(Size::EMPTY, |size, (name, member)| {
                    Ok(size.with(within(member, depth)?, label_bytes(name)))
                })
        }
    }
}

/// Bytes of a member's name and the colon behind it.
pub(super) fn label_bytes(name: &str) -> usize {
    string_bytes(name) + 1
}

/// Bytes of a canonical string, quotes and escapes counted (RFC 8785 §3.2.2.2).
pub(super) fn string_bytes(text: &str) -> usize {
    let escapes = |byte: u8| match byte {
        b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0c | b'\r' => 1,
        0x00..=0x1f => 5,
        _ => 0,
    };
    text.len() + 2 + text.bytes().map(escapes).sum::<usize>()
}

/// Decimal digits of an index or another natural number.
pub(super) fn digits(number: u64) -> usize {
    let more = number.checked_ilog10().unwrap_or(0);
    usize::try_from(more)
        .unwrap_or(usize::MAX)
        .saturating_add(1)
}

fn number_bytes(number: &Value) -> Result<usize, JsonError> {
    match number.as_u64() {
        Some(natural) if natural <= MAX_SAFE_INTEGER => Ok(digits(natural)),
        _ => Ok(json::canonical(number)?.len()),
    }
}

/// Returns whether two values have the same canonical form.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => {
            x == y
                || (x.is_f64() || y.is_f64())
                    && json::canonical(a).is_ok_and(|a| json::canonical(b) == Ok(a))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let held = |(name, a): (&String, &Value)| b.get(name).is_some_and(|b| same(a, b));
            a.len() == b.len() && a.iter().all(held)
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_size_is_that_of_the_canonical_form() {
        for value in [
            json!(null),
            json!([true, false, null, [], {}, [[]]]),
            json!([0, 9, 10, -1, 9_007_199_254_740_991_u64]),
            json!([-0.0, 1.0, 1e21, 0.1, 5e-324]),
            json!("\"\\\u{8}\t\n\u{c}\r\u{0}\u{1f}\u{7f}é\u{1f600}/"),
            json!({ "a\"": 1, "": { "é": [1, { "~/": "x" }] }, "z": {} }),
        ] {
            let size = measure(&value).unwrap();
            assert_eq!(
                size.bytes,
                json::canonical(&value).unwrap().len(),
                "{value}"
            );
        }
        let size = measure(&json!([[1, { "a": {} }], 2])).unwrap();
        assert_eq!((size.values, size.depth), (6, 4));
    }

    #[test]
    fn a_value_without_canonical_form_has_no_size() {
        for value in [json!(u64::MAX), json!(i64::MIN), json!(1e16)] {
            assert_eq!(measure(&value), Err(JsonError::UnsafeInteger), "{value}");
        }
        let nested = |depth| (0..depth).fold(json!(0), |value, _| json!([value]));
        assert!(measure(&nested(64)).is_ok());
        assert_eq!(measure(&nested(65)), Err(JsonError::TooDeep { limit: 64 }));
    }

    #[test]
    fn values_are_the_same_when_they_are_written_alike() {
        assert!(same(&json!([1, -0.0, 10.0]), &json!([1.0, 0, 10])));
        assert!(same(&json!({"a": 1, "b": 2}), &json!({"b": 2.0, "a": 1.0})));
        for (a, b) in [
            (json!(1), json!(-1)),
            (json!(1), json!("1")),
            (json!(1), json!(true)),
            (json!(null), json!(false)),
            (json!([1]), json!([1, 2])),
            (json!({"a": null}), json!({"b": null})),
            (json!("é"), json!("e\u{301}")),
            (json!(1e16), json!(10_000_000_000_000_000_u64)),
        ] {
            assert!(!same(&a, &b), "{a} {b}");
        }
    }
}
