//! The first thing that is wrong with a document, and where.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use serde::de::{self, Expected, Unexpected};

/// Longest part of a foreign member name in a message, in characters.
const MAX_NAME: usize = 64;
/// Requirement on an integer (RFC 7493 §2.2).
pub(super) const SAFE_INTEGER: &str = "an integer from 0 to 9007199254740991";

/// The first member of a document that is wrong: its JSON Pointer (RFC 6901) and the requirement that it misses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    at: String,
    must: Option<String>,
}

impl Fault {
    /// A member that must be something else; `at` is its JSON Pointer, empty for the document itself.
    pub fn new(at: impl Into<String>, must: impl Into<String>) -> Self {
        Self {
            at: at.into(),
            must: Some(must.into()),
        }
    }

    /// A member of the document that its format does not have.
    pub fn unknown(name: &str) -> Self {
        Self {
            at: step(name),
            must: None,
        }
    }

    /// JSON Pointer of the member, empty for the document itself.
    pub fn pointer(&self) -> &str {
        &self.at
    }

    /// Requirement on the member, such as "a string"; `None` for a member that the format does not have.
    pub fn requirement(&self) -> Option<&str> {
        self.must.as_deref()
    }

    /// The same fault in a document that lies at `outer`, a JSON Pointer, in another one.
    #[must_use]
    pub fn under(mut self, outer: &str) -> Self {
        self.at.insert_str(0, outer);
        self
    }

    pub(super) fn under_member(self, name: &str) -> Self {
        self.under(&step(name))
    }

    fn expected(expected: &dyn Expected) -> Self {
        let must = expected.to_string();
        // The names of primitive types, as serde spells them.
        Self::new(
            "",
            match must.as_str() {
                "u64" => SAFE_INTEGER,
                "u32" => "an integer from 0 to 4294967295",
                "u8" => "an integer from 0 to 255",
                "f64" => "a number",
                _ => &must,
            },
        )
    }
}

/// One step of a JSON Pointer.
fn step(name: &str) -> String {
    let name: String = name.chars().take(MAX_NAME).collect();
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = match self.at.as_str() {
            "" => "the document",
            at => at,
        };
        match &self.must {
            Some(must) => write!(f, "{at} must be {must}"),
            None => write!(f, "{at} is not a member of this document; remove it"),
        }
    }
}

impl core::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(must: T) -> Self {
        Self::new("", must.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expected(expected)
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::expected(expected)
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::expected(expected)
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new("", format!("one of {}", expected.join(", ")))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::unknown(field)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(step(field), "there")
    }
}
