//! Rust source as text: code and comments apart.
//!
//! A full parser would cost a build of `syn` for few questions. The scanner knows exactly the tokens in which
//! other tokens can hide: comments, strings, raw strings, characters.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Error;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Text,
}

/// The code of `text` and its comments, documentation included. In each, all else is blank, the insides of strings and
/// characters too, and each byte of the text is at its place. Text that is not Rust gives views that mean nothing, and
/// never a panic.
pub fn code_and_comments(text: &str) -> (String, String) {
    let (mut code, mut comments) = (String::with_capacity(text.len()), String::new());
    let mut rest = text;
    let mut after_word = false;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = token(rest, after_word);
        let (token, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let bytes = token.bytes();
        let blank: String = bytes.map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
        code.push_str(if kind == Kind::Code { token } else { &blank });
        comments.push_str(if kind == Kind::Comment { token } else { &blank });
        // A lifetime's name is no prefix of a raw string.
        after_word = kind == Kind::Code && (first.is_alphanumeric() || matches!(first, '_' | '\''));
        rest = tail;
    }
    (code, comments)
}

/// The kind and length in bytes of the token at the start of `rest`; at least one character.
fn token(rest: &str, after_word: bool) -> (Kind, usize) {
    if rest.starts_with("//") {
        return (Kind::Comment, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        let (mut depth, mut at) = (0_usize, 0);
        while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
            (depth, at) = match tail.chars().next() {
                _ if tail.starts_with("/*") => (depth + 1, at + 2),
                _ if tail.starts_with("*/") => (depth - 1, at + 2),
                first => (depth, at + first.map_or(1, char::len_utf8)),
            };
            if depth == 0 {
                break;
            }
        }
        return (Kind::Comment, at);
    }
    // `r"..."`, `r#"..."#`, and the same after `b` and `c`.
    let raw = ["br", "cr", "r"]
        .into_iter()
        .find_map(|prefix| rest.strip_prefix(prefix));
    if let Some(raw) = raw.filter(|_| !after_word) {
        let quoted = raw.trim_start_matches('#');
        if let Some(body) = quoted.strip_prefix('"') {
            let close = format!("\"{}", "#".repeat(raw.len() - quoted.len()));
            let end = body
                .find(&close)
                .map_or(body.len(), |end| end + close.len());
            return (Kind::Text, rest.len() - body.len() + end);
        }
    }
    let mut characters = rest.chars();
    let next = [characters.next(), characters.next(), characters.next()];
    match next {
        [Some('"'), ..] => (Kind::Text, quoted(rest, '"')),
        // A character literal and not a lifetime: `'a'`, `'\n'`, `'\u{1F9FE}'`.
        [Some('\''), Some('\\'), _] | [Some('\''), Some(_), Some('\'')] => {
            (Kind::Text, quoted(rest, '\''))
        }
        [first, ..] => (Kind::Code, first.map_or(0, char::len_utf8)),
    }
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
        let (code, comments) = code_and_comments(text);
        assert_eq!((code.len(), comments.len()), (text.len(), text.len()));
        assert_eq!(code.lines().count(), 2);
        assert!(comments.contains("yes") && !comments.contains("no"));
        assert!(comments.contains("d */") && !code.contains(" d "));
        assert!(code.contains("&'static str") && !code.contains('é'));
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
            let (code, _) = code_and_comments(hidden);
            assert!(!code.contains("extern"), "{hidden}");
        }
        for shown in [
            "'\"'; extern crate std;",
            "'\\''; extern crate std;",
            "r_\"\"; extern crate std;",
        ] {
            let (code, _) = code_and_comments(shown);
            assert!(code.contains("extern crate std"), "{shown}");
        }
    }
}
