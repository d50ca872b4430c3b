//! Results as ordered JSON documents: their serialised form is the command line's `--json`.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use crate::error::Error;

/// Result of a call as a JSON document with its members in their order.
///
/// [`Report::problem`] says that the call was carried out and found something wrong: an audit that found differences,
/// an import with refused lines.
#[derive(Debug, Clone)]
pub struct Report {
    text: String,
    value: Value,
    details: Map<String, Value>,
    notices: Vec<String>,
    problem: Option<Error>,
}

impl Report {
    pub(crate) fn new(document: &impl Serialize) -> Result<Self, Error> {
        let text =
            serde_json::to_string(document).map_err(|_| Error::bug("a result that is no JSON"))?;
        let value =
            serde_json::from_str(&text).map_err(|_| Error::bug("a result that is no JSON"))?;
        Ok(Self {
            text,
            value,
            details: Map::new(),
            notices: Vec::new(),
            problem: None,
        })
    }

    /// Adds a fact that is not part of the document.
    pub(crate) fn with(mut self, name: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).unwrap_or_default();
        self.details.insert(name.to_owned(), value);
        self
    }

    pub(crate) fn noticed(mut self, notices: impl IntoIterator<Item = String>) -> Self {
        self.notices.extend(notices);
        self
    }

    pub(crate) fn but(mut self, problem: Option<Error>) -> Self {
        self.problem = problem;
        self
    }

    /// The document, with members in no particular order.
    #[must_use]
    pub const fn value(&self) -> &Value {
        &self.value
    }

    /// The text at a JSON pointer (RFC 6901).
    #[must_use]
    pub fn text(&self, pointer: &str) -> Option<&str> {
        self.value.pointer(pointer)?.as_str()
    }

    /// The number at a JSON pointer (RFC 6901).
    #[must_use]
    pub fn number(&self, pointer: &str) -> Option<u64> {
        self.value.pointer(pointer)?.as_u64()
    }

    /// The items of the list at a JSON pointer, each as JSON with its members in their order.
    #[must_use]
    pub fn each(&self, pointer: &str) -> Vec<String> {
        let root: Option<Ordered> = serde_json::from_str(&self.text).ok();
        let found = root.as_ref().and_then(|root| root.at(pointer));
        let Some(Ordered::List(items)) = found else {
            return Vec::new();
        };
        let items = items.iter().map(serde_json::to_string);
        items.collect::<Result<_, _>>().unwrap_or_default()
    }

    /// A fact beside the document, for people.
    #[must_use]
    pub fn detail(&self, name: &str) -> &Value {
        self.details.get(name).unwrap_or(&Value::Null)
    }

    /// Remarks for the person who runs the program, each one line.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Problem that the call found; `None` if all is well.
    #[must_use]
    pub const fn problem(&self) -> Option<&Error> {
        self.problem.as_ref()
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ordered: Ordered = serde_json::from_str(&self.text).map_err(S::Error::custom)?;
        ordered.serialize(serializer)
    }
}

/// JSON whose members keep their order.
enum Ordered {
    Scalar(Value),
    List(Vec<Self>),
    Members(Vec<(String, Self)>),
}

impl Ordered {
    /// The value at a pointer of member names.
    fn at(&self, pointer: &str) -> Option<&Self> {
        pointer.split('/').skip(1).try_fold(self, |value, name| {
            let Self::Members(members) = value else {
                return None;
            };
            members
                .iter()
                .find_map(|(own, value)| (own == name).then_some(value))
        })
    }
}

impl Serialize for Ordered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Scalar(value) => value.serialize(serializer),
            Self::List(items) => items.serialize(serializer),
            Self::Members(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Ordered;

            fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str("JSON")
            }

            fn visit_unit<E>(self) -> Result<Ordered, E> {
                Ok(Ordered::Scalar(Value::Null))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Ordered, E> {
                Ok(Ordered::Scalar(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Ordered, E> {
                Ok(Ordered::Scalar(value.into()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Ordered, E> {
                Ok(Ordered::Scalar(value.into()))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Ordered, E> {
                Ok(Ordered::Scalar(value.into()))
            }

            fn visit_str<E>(self, value: &str) -> Result<Ordered, E> {
                Ok(Ordered::Scalar(value.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Ordered, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Ordered::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Ordered, A::Error> {
                let mut members = Vec::new();
                while let Some(entry) = entries.next_entry()? {
                    members.push(entry);
                }
                Ok(Ordered::Members(members))
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order() {
        let text = r#"{"z":1,"a":[{"y":null,"b":-2.5e-7},true],"m":"\u0001"}"#;
        let ordered: Ordered = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&ordered).unwrap(), text);
    }
}
