//! Rust source as text: code and comments apart.
//!
//! A full parser would cost a build of `syn` for few questions. The scanner knows exactly the tokens in which
//! other tokens can hide: comments, strings, raw strings, characters.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Error;

/// Code and comments of one source text; each byte of the text is at the same place of its view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Views {
    /// The code: comments and the insides of strings and characters are blank.
    pub code: String,
    /// The comments, documentation included: all else is blank.
    pub comments: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Text,
}

impl Views {
    /// Splits `text`. Text that is not Rust gives views that mean nothing, and never a panic.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut views = Self {
            code: String::with_capacity(text.len()),
            comments: String::new(),
        };
        let mut rest = text;
        let mut after_word = false;
        while let Some(first) = rest.chars().next() {
            let (kind, length) = token(rest, after_word);
            let (token, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
            views.push(token, kind);
            // A lifetime's name is no prefix of a raw string.
            after_word =
                kind == Kind::Code && (first.is_alphanumeric() || matches!(first, '_' | '\''));
            rest = tail;
        }
        views
    }

    fn push(&mut self, token: &str, kind: Kind) {
        let blank: String = token
            .bytes()
            .map(|b| if b == b'\n' { '\n' } else { ' ' })
            .collect();
        self.code
            .push_str(if kind == Kind::Code { token } else { &blank });
        self.comments
            .push_str(if kind == Kind::Comment { token } else { &blank });
    }
}

/// The kind and length in bytes of the token at the start of `rest`; at least one character.
fn token(rest: &str, after_word: bool) -> (Kind, usize) {
    let one = rest.chars().next().map_or(0, char::len_utf8);
    if rest.starts_with("//") {
        return (Kind::Comment, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (Kind::Comment, block_comment(rest));
    }
    if let Some(length) = (!after_word).then(|| raw_text(rest)).flatten() {
        return (Kind::Text, length);
    }
    if rest.starts_with('"') {
        return (Kind::Text, quoted(rest, '"'));
    }
    match character_literal(rest) {
        Some(length) => (Kind::Text, length),
        None => (Kind::Code, one),
    }
}

fn block_comment(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
        let step = if tail.starts_with("/*") {
            depth += 1;
            2
        } else if tail.starts_with("*/") {
            depth -= 1;
            2
        } else {
            tail.chars().next().map_or(1, char::len_utf8)
        };
        at += step;
        if depth == 0 {
            break;
        }
    }
    at
}

/// `r"..."`, `r#"..."#`, and the same after `b` and `c`.
fn raw_text(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "r"]
        .into_iter()
        .find(|prefix| rest.starts_with(prefix))?;
    let after = rest.get(prefix.len()..)?;
    let hashes = after.chars().take_while(|c| *c == '#').count();
    let body = after.get(hashes..)?.strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = body
        .find(&close)
        .map_or(body.len(), |end| end + close.len());
    Some(prefix.len() + hashes + 1 + end)
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        if !escaped && character == quote {
            return at + character.len_utf8();
        }
        escaped = !escaped && character == '\\';
    }
    rest.len()
}

/// A character literal and not a lifetime: `'a'`, `'\n'`, `'\u{1F9FE}'`.
fn character_literal(rest: &str) -> Option<usize> {
    let mut characters = rest.chars();
    if characters.next() != Some('\'') {
        return None;
    }
    let inside = characters.next()?;
    (inside == '\\' || characters.next() == Some('\'')).then(|| quoted(rest, '\''))
}

/// All `.rs` files in and below `folder`, in the order of their paths.
///
/// # Errors
/// [`Error::Read`] with the folder that could not be listed.
pub(crate) fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |source| Error::Read {
        path: folder.to_path_buf(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("rs"))
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A source file's text.
///
/// # Errors
/// [`Error::Read`] when there is no such file or it is not UTF-8.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.to_path_buf(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_views_keep_the_shape_of_the_text() {
        let text =
            "let a = \"// no\"; // yes\n/* b /* c */ d */ let e = 'é'; let g: &'static str;\n";
        let views = Views::of(text);
        assert_eq!(
            (views.code.len(), views.comments.len()),
            (text.len(), text.len())
        );
        assert_eq!(views.code.lines().count(), 2);
        assert!(views.comments.contains("yes") && !views.comments.contains("no"));
        assert!(views.comments.contains("d */") && !views.code.contains(" d "));
        assert!(views.code.contains("&'static str") && !views.code.contains('é'));
    }

    #[test]
    fn quotes_inside_of_other_tokens_hide_nothing() {
        for hidden in [
            r##"r#"" extern crate std; "#"##,
            r#""\" extern crate std;""#,
            "// \" extern crate std;",
            r#"b"extern crate std;""#,
            "/* ' extern crate std; */",
        ] {
            assert!(!Views::of(hidden).code.contains("extern"), "{hidden}");
        }
        for shown in [
            "'\"'; extern crate std;",
            "'\\''; extern crate std;",
            "r_\"\"; extern crate std;",
        ] {
            assert!(
                Views::of(shown).code.contains("extern crate std"),
                "{shown}"
            );
        }
    }
}
