//! The strict reader: serde_json's grammar, our refusals.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::number::{self, SafeNumber};
use super::{JsonError, Limits, Map, Value, surrogates};

/// Nesting that no limit may exceed, since the destructor of a value recurses: that of a content,
/// and two more for a document that has it inside.
const MAX_DEPTH: usize = 66;

/// A JSON value without duplicate members, for use with any serde format.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Strict(Value);

impl Strict {
    /// The value.
    pub(crate) fn into_value(self) -> Value {
        self.0
    }
}

impl<'de> de::Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut budget = Budget::new(Limits::DOCUMENT);
        let read = Node {
            depth: 0,
            budget: &mut budget,
        }
        .deserialize(from);
        read.map(Self).map_err(|error| match budget.refusal {
            Some(refusal) => de::Error::custom(refusal),
            None => error,
        })
    }
}

pub(super) fn parse(bytes: &[u8], limits: Limits) -> Result<Value, JsonError> {
    if bytes.len() > limits.bytes {
        return Err(JsonError::TooLarge {
            limit: limits.bytes,
            found: bytes.len(),
        });
    }
    let text = core::str::from_utf8(bytes).map_err(|error| JsonError::NotUtf8 {
        at: error.valid_up_to(),
    })?;
    if text.starts_with('\u{feff}') {
        return Err(JsonError::ByteOrderMark);
    }
    let mut budget = Budget::new(limits);
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = Node {
        depth: 0,
        budget: &mut budget,
    }
    .deserialize(&mut reader);
    read.and_then(|value| reader.end().map(|()| value))
        .map_err(|error| budget.refusal.unwrap_or_else(|| syntax(text, &error)))
}

fn syntax(text: &str, error: &serde_json::Error) -> JsonError {
    if surrogates::has_lone(text) {
        return JsonError::LoneSurrogate;
    }
    let hint = match error.classify() {
        serde_json::error::Category::Eof => "the document ends too early",
        _ => "look for a missing quote, comma or bracket, or a number out of range",
    };
    JsonError::Syntax {
        line: error.line(),
        column: error.column(),
        hint,
    }
}

/// Remaining limits, and the reason if reading stopped.
struct Budget {
    depth: usize,
    nodes: usize,
    limits: Limits,
    refusal: Option<JsonError>,
}

impl Budget {
    fn new(limits: Limits) -> Self {
        Self {
            depth: limits.depth.min(MAX_DEPTH),
            nodes: limits.nodes,
            limits,
            refusal: None,
        }
    }

    fn refuse<E: de::Error>(&mut self, why: JsonError) -> E {
        let error = E::custom(&why);
        self.refusal.get_or_insert(why);
        error
    }

    fn spend<E: de::Error>(&mut self) -> Result<(), E> {
        match self.nodes.checked_sub(1) {
            Some(left) => {
                self.nodes = left;
                Ok(())
            }
            None => {
                let limit = self.limits.nodes;
                Err(self.refuse(JsonError::TooManyValues { limit }))
            }
        }
    }
}

/// One value to be read, `depth` arrays and objects below the root.
struct Node<'b> {
    depth: usize,
    budget: &'b mut Budget,
}

impl Node<'_> {
    fn enter<E: de::Error>(&mut self) -> Result<usize, E> {
        let limit = self.budget.depth;
        if self.depth >= limit {
            return Err(self.budget.refuse(JsonError::TooDeep { limit }));
        }
        Ok(self.depth.saturating_add(1))
    }

    fn number<E: de::Error>(self, number: SafeNumber) -> Result<Value, E> {
        number.ok_or_else(|| self.budget.refuse(JsonError::UnsafeInteger))
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        self.budget.spend()?;
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }

    fn visit_bool<E: de::Error>(self, boolean: bool) -> Result<Value, E> {
        Ok(Value::Bool(boolean))
    }

    fn visit_u64<E: de::Error>(self, integer: u64) -> Result<Value, E> {
        self.number(number::from_u64(integer))
    }

    fn visit_i64<E: de::Error>(self, integer: i64) -> Result<Value, E> {
        self.number(number::from_i64(integer))
    }

    fn visit_f64<E: de::Error>(self, double: f64) -> Result<Value, E> {
        self.number(number::from_f64(double))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_string()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<Value, A::Error> {
        let depth = self.enter()?;
        let mut array = Vec::new();
        while let Some(value) = elements.next_element_seed(Node {
            depth,
            budget: &mut *self.budget,
        })? {
            array.push(value);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Value, A::Error> {
        let depth = self.enter()?;
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if object.contains_key(&name) {
                return Err(self.budget.refuse(JsonError::DuplicateMember { name }));
            }
            let value = members.next_value_seed(Node {
                depth,
                budget: &mut *self.budget,
            })?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(wire: &[u8]) -> JsonError {
        parse(wire, Limits::PROOF).unwrap_err()
    }

    #[test]
    fn duplicate_members_are_refused_at_any_depth() {
        let twice = |name: &str| JsonError::DuplicateMember {
            name: name.to_string(),
        };
        assert_eq!(refusal(br#"{"a":1,"a":2}"#), twice("a"));
        assert_eq!(refusal(br#"{"x":[{"b":1,"c":2,"b":1}]}"#), twice("b"));
        assert_eq!(refusal(br#"{"seq":1,"s\u0065q":2}"#), twice("seq"));
    }

    #[test]
    fn integers_beyond_the_safe_range_are_refused() {
        assert!(parse(b"9007199254740991", Limits::PROOF).is_ok());
        assert!(parse(b"-9007199254740991", Limits::PROOF).is_ok());
        for wire in [
            "9007199254740992",
            "-9007199254740992",
            "18446744073709551616",
            "1e16",
        ] {
            assert_eq!(refusal(wire.as_bytes()), JsonError::UnsafeInteger, "{wire}");
        }
    }

    #[test]
    fn depth_is_bounded_without_recursion_to_the_bottom() {
        let nested = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert!(parse(nested(64).as_bytes(), Limits::DOCUMENT).is_ok());
        for depth in [65, 128, 100_000] {
            assert_eq!(
                parse(nested(depth).as_bytes(), Limits::DOCUMENT),
                Err(JsonError::TooDeep { limit: 64 })
            );
        }
    }

    #[test]
    fn size_and_count_are_bounded() {
        let many = ["[", &"0,".repeat(10_000), "0]"].concat();
        assert_eq!(
            refusal(many.as_bytes()),
            JsonError::TooManyValues { limit: 10_000 }
        );
        let long = ["\"", &"x".repeat(64 << 10), "\""].concat();
        assert!(matches!(
            refusal(long.as_bytes()),
            JsonError::TooLarge { .. }
        ));
    }

    #[test]
    fn bytes_that_are_not_plain_utf8_are_refused() {
        assert_eq!(refusal(b"\"\xff\""), JsonError::NotUtf8 { at: 1 });
        assert_eq!(refusal(b"\"\xc0\xaf\""), JsonError::NotUtf8 { at: 1 });
        assert_eq!(refusal("\u{feff}1".as_bytes()), JsonError::ByteOrderMark);
        assert_eq!(refusal(br#""\ud800""#), JsonError::LoneSurrogate);
        assert!(matches!(refusal(b"\"\0\""), JsonError::Syntax { .. }));
        assert!(parse(br#""\u0000""#, Limits::PROOF).is_ok());
    }

    #[test]
    fn a_truncated_or_trailing_document_says_where() {
        for wire in ["", "{", "{\"a\":", "1 2", "nul", "1e400", "NaN", "[1,]"] {
            assert!(
                matches!(refusal(wire.as_bytes()), JsonError::Syntax { .. }),
                "{wire}"
            );
        }
    }

    /// Capsules A13: without `float_roundtrip` one double in four parses as its neighbour.
    #[test]
    fn doubles_are_parsed_exactly() {
        for double in [222_222_222_222_266.66_f64, 3E91, 9.999_999_999_999_997e22] {
            let wire = alloc::format!("{double:e}");
            assert_eq!(
                parse(wire.as_bytes(), Limits::PROOF).unwrap().as_f64(),
                Some(double)
            );
        }
    }
}
