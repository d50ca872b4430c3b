//! Reads a JSON value into a wire struct, and says by JSON Pointer (RFC 6901) which member is wrong.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Display;

use counterfoil_types::json::Value;
use serde::de::{
    self, Deserialize, DeserializeSeed, Expected, IntoDeserializer, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;

use super::super::{DocumentError, DocumentKind, Member};

/// The most letters of a foreign name in an error.
const MAX_NAME: usize = 64;

/// Reads a value, strictly as `T` says.
pub(in super::super) fn read<'a, T: Deserialize<'a>>(
    kind: DocumentKind,
    value: &'a Value,
) -> Result<T, DocumentError> {
    T::deserialize(Reader(value)).map_err(|fault| {
        let at = Member(fault.at);
        match fault.must {
            Some(must) => DocumentError::Member { at, must },
            None => DocumentError::Unknown { at, kind },
        }
    })
}

struct Reader<'a>(&'a Value);

/// What is wrong, and where; without `must`: a member that nobody knows.
#[derive(Debug)]
struct Fault {
    at: String,
    must: Option<String>,
}

impl Fault {
    fn here(must: impl Into<String>) -> Self {
        Self {
            at: String::new(),
            must: Some(must.into()),
        }
    }

    fn under(mut self, name: &str) -> Self {
        self.at.insert_str(0, &pointer(name));
        self
    }
}

/// One step of a JSON Pointer.
fn pointer(name: &str) -> String {
    let name: String = name.chars().take(MAX_NAME).collect();
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

impl Display for Fault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "{} must be {}",
            self.at,
            self.must.as_deref().unwrap_or("left out")
        )
    }
}

impl core::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: Display>(must: T) -> Self {
        Self::here(must.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::here(expected.to_string())
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::here(expected.to_string())
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::here(expected.to_string())
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::here(format!("one of {}", expected.join(", ")))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self {
            at: pointer(field),
            must: None,
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self::here("there").under(field)
    }
}

impl<'de> de::Deserializer<'de> for Reader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(is) => visitor.visit_bool(*is),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(integer), _, _) => visitor.visit_u64(integer),
                (_, Some(integer), _) => visitor.visit_i64(integer),
                (_, _, double) => visitor.visit_f64(double.unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(Items {
                items: items.iter(),
                at: 0,
            }),
            Value::Object(members) => visitor.visit_map(Members {
                members: members.iter(),
                next: None,
            }),
        }
    }

    /// A member that is there is something: `null` does not stand for one that is not.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.0.as_str() {
            Some(word) => visitor.visit_enum(word.into_deserializer()),
            None => Err(de::Error::unknown_variant("", words)),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

struct Items<'a> {
    items: core::slice::Iter<'a, Value>,
    at: usize,
}

impl<'de> de::SeqAccess<'de> for Items<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        let Some(item) = self.items.next() else {
            return Ok(None);
        };
        let at = self.at;
        self.at = at.saturating_add(1);
        seed.deserialize(Reader(item))
            .map(Some)
            .map_err(|fault| fault.under(&at.to_string()))
    }
}

struct Members<'a> {
    members: serde_json::map::Iter<'a>,
    next: Option<(&'a str, &'a Value)>,
}

impl<'de> de::MapAccess<'de> for Members<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        let Some((name, value)) = self.members.next() else {
            return Ok(None);
        };
        self.next = Some((name, value));
        let name: de::value::BorrowedStrDeserializer<'de, Fault> =
            de::value::BorrowedStrDeserializer::new(name);
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let (name, value) = self
            .next
            .take()
            .ok_or_else(|| Fault::here("read in order"))?;
        seed.deserialize(Reader(value))
            .map_err(|fault| fault.under(name))
    }
}
