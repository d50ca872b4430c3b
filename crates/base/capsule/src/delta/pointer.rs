//! JSON pointers (RFC 6901): the one spelling of a place in a document.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use core::str::FromStr;

use counterfoil_types::json::Limits;

use super::error::DeltaError;
use super::size::string_bytes;

/// The most tokens of a pointer: no document is deeper.
pub const MAX_POINTER_DEPTH: usize = Limits::CONTENT.depth;

/// A place in a document. `""` is the root, `"/a/0"` the first element of the member `a`.
///
/// At most [`MAX_POINTER_DEPTH`] tokens. Names are compared byte for byte, without Unicode
/// normalisation. Whether `0` is a name or an index depends on the document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Pointer(String);

impl Pointer {
    /// The text, as RFC 6901 writes it.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether it names the whole document.
    pub(super) const fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of tokens, 0 for the root.
    pub(super) fn depth(&self) -> usize {
        depth(&self.0)
    }

    /// Its tokens, `~1` and `~0` read as `/` and `~`.
    pub(super) fn tokens(&self) -> impl Iterator<Item = Cow<'_, str>> {
        tokens(&self.0)
    }

    /// The place that it lies in, and its last token; nothing for the root.
    pub(super) fn split(&self) -> Option<(&str, Cow<'_, str>)> {
        let (parent, token) = self.0.rsplit_once('/')?;
        Some((parent, unescaped(token)))
    }

    /// Returns whether `other` lies below this place.
    pub(super) fn contains(&self, other: &Self) -> bool {
        let below = other.0.strip_prefix(self.as_str());
        below.is_some_and(|rest| rest.starts_with('/'))
    }

    /// Bytes of the pointer as a canonical JSON string.
    pub(super) fn bytes(&self) -> usize {
        string_bytes(&self.0)
    }

    /// A pointer of tokens that come from a document within the limits.
    pub(super) fn of<'t>(tokens: impl Iterator<Item = Cow<'t, str>>) -> Self {
        let mut text = String::new();
        tokens.for_each(|token| push(&mut text, &token));
        Self(text)
    }

    /// The place `token` in the place `parent`, which is the text of a pointer.
    pub(super) fn below(parent: &str, token: &str) -> Self {
        let mut text = parent.to_string();
        push(&mut text, token);
        Self(text)
    }
}

impl FromStr for Pointer {
    type Err = DeltaError;

    /// # Errors
    /// [`DeltaError::NotAPointer`] without `/` in front, with a `~` before anything but `0` and `1`, or
    /// with more than 64 tokens.
    fn from_str(text: &str) -> Result<Self, DeltaError> {
        let escapes = text.split('~').skip(1);
        let escaped = escapes.into_iter().all(|rest| rest.starts_with(['0', '1']));
        let rooted = text.is_empty() || text.starts_with('/');
        if rooted && escaped && depth(text) <= MAX_POINTER_DEPTH {
            Ok(Self(text.to_string()))
        } else {
            Err(DeltaError::NotAPointer)
        }
    }
}

/// Returns the tokens of a text that is known to be a JSON pointer, `~1` and `~0` read as `/` and `~`.
pub fn tokens(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescaped)
}

/// The index that a token is: `0`, or digits of which the first is not `0` (RFC 6901 §4).
pub(super) fn index(token: &str) -> Option<usize> {
    let digits = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = token.len() > 1 && token.starts_with('0');
    token.parse().ok().filter(|_| digits && !leading_zero)
}

fn depth(pointer: &str) -> usize {
    pointer.bytes().filter(|byte| *byte == b'/').count()
}

/// `~1` goes first: `~01` is the name `~1`, not `/` (RFC 6901 §4).
fn unescaped(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(token)
    }
}

fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn tokens_are_read_and_written_alike() {
        let cases: [(&str, &[&str]); 5] = [
            ("", &[]),
            ("/", &[""]),
            ("/a//0", &["a", "", "0"]),
            ("/a~1b/~0/~01", &["a/b", "~", "~1"]),
            (
                "/\u{e9}/e\u{301}/__proto__",
                &["é", "e\u{301}", "__proto__"],
            ),
        ];
        for (text, tokens) in cases {
            let pointer: Pointer = text.parse().unwrap();
            assert_eq!(pointer.tokens().collect::<Vec<_>>(), tokens, "{text}");
            assert_eq!(Pointer::of(pointer.tokens()), pointer, "{text}");
            assert_eq!(pointer.depth(), tokens.len(), "{text}");
        }
    }

    #[test]
    fn what_is_no_pointer_is_refused() {
        for text in ["a", "#/a", " /a", "/~", "/a~2b", "/~~0", "/~0~"] {
            assert_eq!(
                text.parse::<Pointer>(),
                Err(DeltaError::NotAPointer),
                "{text}"
            );
        }
        assert!("/x".repeat(64).parse::<Pointer>().is_ok());
        assert!("/x".repeat(65).parse::<Pointer>().is_err());
    }
}
