//! Presented time: milliseconds that somebody else read off a clock.

use serde::Serialize;

use crate::json::{Limits, Value, safe_integer};
use crate::limits::MAX_SAFE_INTEGER;
use crate::shape::ShapeError;
use crate::wire::checked_json;

/// Milliseconds since 1970-01-01T00:00:00Z, from 1 to 2^53 - 1 (CR-04).
///
/// There is no `now()`: the caller passes the time in. On the wire it is a JavaScript
/// number, so `1.0` and `1.7e12` are integers and are read as such; it is written as an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct UnixMillis(u64);

impl UnixMillis {
    /// Takes a number of milliseconds.
    ///
    /// # Errors
    /// It is 0 or above 2^53 - 1.
    pub fn new(millis: u64) -> Result<Self, ShapeError> {
        Self::named("time", millis)
    }

    /// Milliseconds since the Unix epoch.
    pub const fn value(self) -> u64 {
        self.0
    }

    fn named(name: &'static str, millis: u64) -> Result<Self, ShapeError> {
        match millis {
            1..=MAX_SAFE_INTEGER => Ok(Self(millis)),
            _ => Err(ShapeError::one(name, "be positive integer")),
        }
    }

    /// Reads one from the member `name`.
    ///
    /// # Errors
    /// The value is anything else; the violation carries the name.
    pub fn read(name: &'static str, value: Value) -> Result<Self, ShapeError> {
        let millis = safe_integer(&value).and_then(|millis| u64::try_from(millis).ok());
        Self::named(name, millis.unwrap_or(0))
    }
}

impl TryFrom<Value> for UnixMillis {
    type Error = ShapeError;

    fn try_from(value: Value) -> Result<Self, ShapeError> {
        Self::read("time", value)
    }
}

checked_json!(UnixMillis, Limits::PROOF);

#[cfg(test)]
mod tests {
    use super::*;

    /// CR-04: positive integers up to 2^53 - 1, in any spelling of JSON.
    #[test]
    fn integers_in_any_spelling_are_read() {
        for (wire, millis) in [
            ("1", 1),
            ("1.0", 1),
            ("1e0", 1),
            ("1.7e12", 1_700_000_000_000),
            ("9007199254740991", MAX_SAFE_INTEGER),
        ] {
            assert_eq!(
                UnixMillis::from_json(wire.as_bytes()).unwrap().value(),
                millis,
                "{wire}"
            );
        }
    }

    #[test]
    fn all_else_is_refused() {
        let beyond = "9007199254740992";
        for wire in [
            "0", "-1", "1.5", beyond, "1e300", "\"1\"", "null", "true", "[]",
        ] {
            assert!(UnixMillis::from_json(wire.as_bytes()).is_err(), "{wire}");
        }
    }
}
