//! Texts of a bounded length, and domains of knowledge (docs/format/exchange.md §1).

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

/// A text of 1 to `MAX` bytes without NUL.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<const MAX: usize>(String);

/// A text that is empty, too long, or holds NUL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a text of 1 to {limit} bytes without NUL is wanted, and this has {found}")]
pub struct NoText {
    /// The most bytes.
    pub limit: usize,
    /// How many there are.
    pub found: usize,
}

impl<const MAX: usize> Text<MAX> {
    /// This text.
    ///
    /// # Errors
    /// [`NoText`].
    pub fn new(text: impl Into<String>) -> Result<Self, NoText> {
        let text = text.into();
        if text.is_empty() || text.len() > MAX || text.contains('\0') {
            return Err(NoText {
                limit: MAX,
                found: text.len(),
            });
        }
        Ok(Self(text))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A domain of knowledge: 1 to 8 segments `[a-z0-9-]{1,64}` joined by `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Domain(String);

/// A text that is no domain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a domain is 1 to 8 words of a-z, 0-9 and - joined by /, such as memory-systems/pruning")]
pub struct NoDomain;

impl Domain {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Is `other` this domain or one inside of it? Segment by segment: `a` covers `a/b` and not `a-b` (case 92).
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        other
            .0
            .strip_prefix(self.0.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl FromStr for Domain {
    type Err = NoDomain;

    fn from_str(text: &str) -> Result<Self, NoDomain> {
        let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let segment = |part: &str| (1..=64).contains(&part.len()) && part.bytes().all(letter);
        let (mut segments, mut count) = (text.split('/'), 0_usize);
        let fits = segments.all(|part| {
            count += 1;
            count <= 8 && segment(part)
        });
        if fits {
            Ok(Self(text.into()))
        } else {
            Err(NoDomain)
        }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
