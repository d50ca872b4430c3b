//! Names of subjects and predicates: one form for what looks the same (I6; docs/format/claims.md 1).

use alloc::string::String;
use core::fmt;

use counterfoil_types::text_form;
use unicode_normalization::UnicodeNormalization;

use crate::ClaimError;

/// The longest identifier, in bytes of its normal form.
pub(crate) const MAX_IDENTIFIER_BYTES: usize = 512;

/// A subject or a predicate, in Unicode normal form C.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identifier(String);

impl Identifier {
    /// Brings `text` to NFC and takes it. `what` names it in an error.
    ///
    /// # Errors
    /// [`ClaimError::Identifier`] when it is empty, longer than 512 bytes, has a control character, or begins or ends
    /// with white space.
    pub fn new(what: &'static str, text: &str) -> Result<Self, ClaimError> {
        let refused = |must| ClaimError::Identifier { what, must };
        // Normal forms are at most three times as long: what is far too long is not normalised.
        if text.len() > 4 * MAX_IDENTIFIER_BYTES {
            return Err(refused("at most 512 bytes"));
        }
        let text: String = match text.is_ascii() {
            true => text.into(),
            false => text.nfc().collect(),
        };
        if text.is_empty() {
            return Err(refused("not empty"));
        }
        if text.len() > MAX_IDENTIFIER_BYTES {
            return Err(refused("at most 512 bytes"));
        }
        if text.contains(char::is_control) {
            return Err(refused("without control characters"));
        }
        if text.trim().len() != text.len() {
            return Err(refused("without white space at its ends"));
        }
        Ok(Self(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text in lower case, with hyphens for spaces and underscores: spellings of one predicate, or of a domain, fold alike.
    pub fn folded(&self) -> String {
        self.0.to_lowercase().replace([' ', '_'], "-")
    }
}

text_form! {
    Identifier: "1 to 512 bytes of text in NFC, without control characters and without space at its ends",
        = |text| Identifier::new("", text).ok().filter(|name| name.as_str() == text);
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLM-1: what looks the same is one name.
    #[test]
    fn both_normal_forms_are_one_name() {
        let composed = Identifier::new("subject", "caf\u{e9}").unwrap();
        let decomposed = Identifier::new("subject", "cafe\u{301}").unwrap();
        assert_eq!(composed, decomposed);
        assert_eq!(decomposed.as_str(), "caf\u{e9}");
    }

    /// CLM-1: the same texts are refused on every backend.
    #[test]
    fn what_is_no_name_is_refused() {
        let refused = |text: &str| Identifier::new("subject", text).is_err();
        for text in ["", " ", " a", "a\n", "a\0b", "\u{85}", "a\u{2003}"] {
            assert!(refused(text), "{text:?}");
        }
        assert!(!refused(&"x".repeat(MAX_IDENTIFIER_BYTES)));
        assert!(refused(&"x".repeat(MAX_IDENTIFIER_BYTES + 1)));
        assert!(refused(&"x".repeat(1 << 20)));
        assert!(!refused("a b"));
    }
}
