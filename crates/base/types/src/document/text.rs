//! Texts of a bounded length.

use alloc::format;
use alloc::string::String;
use core::fmt;

use serde::de::{Deserialize, Deserializer};
use serde::{Serialize, Serializer};

use super::FormError;

macro_rules! text {
    ($(#[$doc:meta])* $name:ident, $without:literal, $excluded:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name<const MAX: usize>(String);

        impl<const MAX: usize> $name<MAX> {
            /// Takes a text.
            ///
            /// # Errors
            /// [`FormError`] if it is empty, longer than `MAX` bytes, or holds an excluded character.
            pub fn new(text: impl Into<String>) -> Result<Self, FormError> {
                let text = text.into();
                if Self::fits(&text) {
                    return Ok(Self(text));
                }
                let (limit, found, without) = (MAX, text.len(), $without);
                Err(FormError::Text { limit, found, without })
            }

            fn fits(text: &str) -> bool {
                (1..=MAX).contains(&text.len()) && !text.contains($excluded)
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Requirement on the text, for messages.
            pub fn must() -> String {
                format!("a text of 1 to {MAX} bytes without {}", $without)
            }
        }

        impl<const MAX: usize> fmt::Display for $name<MAX> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl<const MAX: usize> Serialize for $name<MAX> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(&self.0)
            }
        }

        impl<'de, const MAX: usize> Deserialize<'de> for $name<MAX> {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                super::from_text(from, &Self::must(), |text| {
                    // A text that is too long is not copied.
                    Self::fits(text).then(|| Self(text.into()))
                })
            }
        }
    };
}

text! {
    /// A text of 1 to `MAX` bytes without NUL.
    Text, "NUL", '\0'
}

text! {
    /// A text of 1 to `MAX` bytes without control characters: one line for people.
    Line, "control characters", char::is_control
}
