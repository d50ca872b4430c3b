//! A serde deserializer over a JSON value: an object must be one, and `null` is not an absent member.

use alloc::string::{String, ToString};

use serde::de::{
    self, Deserialize, DeserializeSeed, IntoDeserializer, Visitor, value::BorrowedStrDeserializer,
};
use serde::{Serialize, forward_to_deserialize_any};

use super::Fault;
use super::fault::SAFE_INTEGER;
use crate::json::Value;
use crate::limits::MAX_SAFE_INTEGER;

/// Reads a value into `T`, which says what each member must be.
///
/// # Errors
/// The first member that `T` refuses or does not know.
pub fn read<'a, T: Deserialize<'a>>(value: &'a Value) -> Result<T, Fault> {
    read_without(value, &[])
}

/// As [`read`], of an object whose members `envelope` are read by the caller.
///
/// # Errors
/// As [`read`].
pub fn read_without<'a, T: Deserialize<'a>>(
    value: &'a Value,
    envelope: &'static [&'static str],
) -> Result<T, Fault> {
    T::deserialize(Reader { value, envelope })
}

/// Writes a value as JSON, to be read by [`read`]. The result is `Null` if JSON can't express the value, as a map whose
/// keys are no texts.
pub fn write<T: Serialize + ?Sized>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

struct Reader<'a> {
    value: &'a Value,
    /// Members that are passed over.
    envelope: &'static [&'static str],
}

impl<'a> Reader<'a> {
    const fn part(value: &'a Value) -> Self {
        let envelope = &[];
        Self { value, envelope }
    }
}

impl<'de> de::Deserializer<'de> for Reader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(is) => visitor.visit_bool(*is),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(integer), _, _) if integer > MAX_SAFE_INTEGER => {
                    Err(Fault::new("", SAFE_INTEGER))
                }
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
                envelope: self.envelope,
                next: None,
            }),
        }
    }

    /// A member that is there has a value: `null` does not stand for an absent one.
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

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if !self.value.is_object() {
            return Err(Fault::new("", "an object"));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.value {
            Value::String(word) => visitor.visit_enum(word.as_str().into_deserializer()),
            Value::Object(members) if members.len() == 1 => match members.iter().next() {
                Some((name, value)) => visitor.visit_enum(Variant { name, value, words }),
                None => Err(de::Error::unknown_variant("", words)),
            },
            _ => Err(de::Error::unknown_variant("", words)),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

/// A variant with members: an object with one member, which the variant names.
struct Variant<'a> {
    name: &'a str,
    value: &'a Value,
    words: &'static [&'static str],
}

impl<'de> de::EnumAccess<'de> for Variant<'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Fault> {
        let name = seed.deserialize(BorrowedStrDeserializer::new(self.name))?;
        Ok((name, self))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'de> {
    type Error = Fault;

    /// A word is a string, no object.
    fn unit_variant(self) -> Result<(), Fault> {
        Err(de::Error::unknown_variant("", self.words))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(Reader::part(self.value))
            .map_err(|fault| fault.under_member(self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Fault> {
        Err(Fault::new("", "an object"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        de::Deserializer::deserialize_struct(Reader::part(self.value), "", names, visitor)
            .map_err(|fault| fault.under_member(self.name))
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
        seed.deserialize(Reader::part(item))
            .map(Some)
            .map_err(|fault| fault.under_member(&at.to_string()))
    }
}

struct Members<'a> {
    members: serde_json::map::Iter<'a>,
    envelope: &'static [&'static str],
    next: Option<(&'a str, &'a Value)>,
}

impl<'de> de::MapAccess<'de> for Members<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        let envelope = self.envelope;
        let member = |(name, _): &(&String, _)| !envelope.contains(&name.as_str());
        let Some((name, value)) = self.members.by_ref().find(member) else {
            return Ok(None);
        };
        self.next = Some((name, value));
        seed.deserialize(BorrowedStrDeserializer::new(name))
            .map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let next = self.next.take();
        let (name, value) = next.ok_or_else(|| Fault::new("", "read in order"))?;
        seed.deserialize(Reader::part(value))
            .map_err(|fault| fault.under_member(name))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;
    use crate::DidKey;
    use crate::document::{List, Text, Whole};

    crate::words! {
        /// A word.
        enum Colour {
            /// Red.
            Red = "red",
            /// Blue-green.
            BlueGreen = "blue-green",
        }
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Document {
        key: DidKey,
        count: u64,
        colour: Colour,
        part: Part,
        #[serde(skip_serializing_if = "Option::is_none")]
        names: Option<List<Text<8>, 1, 2>>,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Part {
        level: Whole<1, 9>,
        #[serde(with = "crate::document::base64")]
        salt: [u8; 4],
        signs: bool,
        #[serde(with = "crate::document::nullable")]
        previous: Option<DidKey>,
    }

    fn good() -> Value {
        json!({
            "key": "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp",
            "count": 3,
            "colour": "blue-green",
            "part": {"level": 9, "salt": "AAECAw==", "signs": true, "previous": null},
            "names": ["a", "b"],
        })
    }

    #[test]
    fn a_document_comes_back_as_it_was_read() {
        let read: Document = read(&good()).unwrap();
        assert_eq!(write(&read), good());
        assert_eq!(read.colour.name(), "blue-green");
        assert_eq!("red".parse(), Ok(Colour::Red));
        assert!("Red".parse::<Colour>().is_err());
    }

    #[test]
    fn a_fault_names_the_member_and_the_requirement() {
        let key = "the did:key of an Ed25519 key";
        let count = "an integer from 0 to 9007199254740991";
        let text = "a text of 1 to 8 bytes without NUL";
        let cases = [
            ("/key", json!("did:key:z6Mk"), key),
            ("/key", json!(null), key),
            ("/count", json!(-1), count),
            ("/count", json!("1"), count),
            ("/count", json!(1_u64 << 53), count),
            ("/colour", json!("green"), "one of red, blue-green"),
            ("/colour", json!(1), "one of red, blue-green"),
            ("/part", json!([1, "AAECAw==", true]), "an object"),
            ("/part/level", json!(0), "a whole number from 1 to 9"),
            ("/part/level", json!(1.5), "a whole number from 1 to 9"),
            ("/part/salt", json!("AAECAx=="), "4 bytes in base64"),
            ("/part/salt", json!("AAECAw"), "4 bytes in base64"),
            ("/part/signs", json!("true"), "a boolean"),
            ("/part/previous", json!(7), key),
            ("/names", json!(null), "an array of 1 to 2"),
            ("/names", json!([]), "an array of 1 to 2"),
            ("/names", json!(["a", "b", "c"]), "an array of 1 to 2"),
            ("/names/1", json!(["a", "b\0"]), text),
            ("/names/0", json!(["123456789"]), text),
        ];
        for (at, bad, must) in cases {
            let mut document = good();
            *document.pointer_mut(at).unwrap_or(&mut Value::Null) = bad.clone();
            if at.starts_with("/names/") {
                document["names"] = bad;
            }
            let fault = read::<Document>(&document).unwrap_err();
            assert_eq!((fault.pointer(), fault.requirement()), (at, Some(must)));
        }
    }

    #[test]
    fn members_are_closed_and_those_of_an_envelope_are_passed_over() {
        let mut document = good();
        document["part"]["a/b"] = json!(1);
        let fault = read::<Document>(&document).unwrap_err();
        assert_eq!(fault.pointer(), "/part/a~1b");
        assert_eq!(fault.requirement(), None);

        let mut document = good();
        document["proof"] = json!({});
        assert!(read::<Document>(&document).is_err());
        assert!(read_without::<Document>(&document, &["proof"]).is_ok());
        document["part"]["proof"] = json!({});
        assert!(read_without::<Document>(&document, &["proof"]).is_err());

        let mut document = good();
        document["part"].as_object_mut().unwrap().remove("previous");
        let fault = read::<Document>(&document).unwrap_err();
        assert_eq!(fault.to_string(), "/part/previous must be there");

        let mut document = good();
        document.as_object_mut().unwrap().remove("count");
        let fault = read::<Document>(&document).unwrap_err();
        assert_eq!(fault.to_string(), "/count must be there");
        let fault = read::<Document>(&json!([])).unwrap_err();
        assert_eq!(fault.to_string(), "the document must be an object");
    }
}
