//! Texts of a bounded length.

use alloc::format;
use alloc::string::String;
use core::fmt;

use serde::de::{Deserialize, Deserializer};
use serde::{Serialize, Serializer};

/// A text of 1 to `MAX` bytes without NUL.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<const MAX: usize>(String);

/// A text is empty, too long, or holds NUL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a text of 1 to {limit} bytes without NUL is wanted, and this has {found}")]
pub struct TextError {
    /// Limit in bytes.
    pub limit: usize,
    /// Length of the text in bytes.
    pub found: usize,
}

impl<const MAX: usize> Text<MAX> {
    /// Takes a text.
    ///
    /// # Errors
    /// [`TextError`] if it is empty, longer than `MAX` bytes or holds NUL.
    pub fn new(text: impl Into<String>) -> Result<Self, TextError> {
        let text = text.into();
        match Self::fits(&text) {
            true => Ok(Self(text)),
            false => Err(TextError {
                limit: MAX,
                found: text.len(),
            }),
        }
    }

    fn fits(text: &str) -> bool {
        (1..=MAX).contains(&text.len()) && !text.contains('\0')
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn must() -> String {
        format!("a text of 1 to {MAX} bytes without NUL")
    }
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<const MAX: usize> Serialize for Text<MAX> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0)
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Text<MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        super::from_text(from, &Self::must(), |text| {
            // A text that is too long is not copied.
            Self::fits(text).then(|| Self(text.into()))
        })
    }
}
