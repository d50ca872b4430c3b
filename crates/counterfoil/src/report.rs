//! Results as JSON documents with their members in order: [`Report::json`] is the command line's `--json`.

pub(crate) use counterfoil_types::document::object;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::error::Error;

/// Result of a call as a JSON document with its members in their order.
///
/// [`Report::problem`] says that the call was carried out and found something wrong: an audit that found differences,
/// an import with refused lines.
#[derive(Debug, Clone)]
pub struct Report {
    json: String,
    value: Value,
    details: Map<String, Value>,
    notices: Vec<String>,
    problem: Option<Error>,
}

impl Report {
    pub(crate) fn new(document: &impl Serialize) -> Result<Self, Error> {
        let no_json = |_| Error::bug("a result that is no JSON");
        let json = serde_json::to_string_pretty(document).map_err(no_json)?;
        let value = serde_json::from_str(&json).map_err(no_json)?;
        Ok(Self {
            json,
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

    /// The document as indented JSON, with its members in their order.
    pub const fn json(&self) -> &str {
        self.json.as_str()
    }

    /// The document, with members in no particular order.
    pub const fn value(&self) -> &Value {
        &self.value
    }

    /// The text at a JSON pointer (RFC 6901).
    pub fn text(&self, pointer: &str) -> Option<&str> {
        self.value.pointer(pointer)?.as_str()
    }

    /// The number at a JSON pointer (RFC 6901).
    pub fn number(&self, pointer: &str) -> Option<u64> {
        self.value.pointer(pointer)?.as_u64()
    }

    /// A fact beside the document, for people.
    pub fn detail(&self, name: &str) -> &Value {
        self.details.get(name).unwrap_or(&Value::Null)
    }

    /// Remarks for the person who runs the program, each one line.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Problem that the call found; `None` if all is well.
    pub const fn problem(&self) -> Option<&Error> {
        self.problem.as_ref()
    }
}
/// Serialises the document with its members sorted by name; [`Report::json`] keeps their order.
impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

/// A list that is left out where it is empty.
pub(crate) fn some<T>(list: &[T]) -> Option<&[T]> {
    (!list.is_empty()).then_some(list)
}
