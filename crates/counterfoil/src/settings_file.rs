//! A settings file of a store (docs/format/directory.md): a missing one stands for the defaults; whatever is in it that
//! has no meaning is an error which names it, and what to write instead.

use std::fs;
use std::io;
use std::path::Path;

use toml::Table;

use crate::error::{Error, ErrorKind};
use crate::files;

/// No such file is longer, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Problem with a setting, and its correction.
#[derive(Debug, PartialEq)]
pub(crate) struct Wrong {
    pub(crate) what: String,
    pub(crate) cure: String,
}

/// The settings in the file at `path`.
///
/// # Errors
/// The file cannot be read, or something in it has no meaning.
pub(crate) fn read<T: Default>(
    path: &Path,
    parse: impl FnOnce(&str) -> Result<T, Wrong>,
) -> Result<T, Error> {
    let found = fs::symlink_metadata(path);
    if found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(T::default());
    }
    let bytes = files::read("settings", path, MAX_BYTES, ErrorKind::Place)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Error::place(
            format_args!("{} is not UTF-8", path.display()),
            "save it again",
        )
    })?;
    check(path, &text, parse)
}

/// The settings in a text that is, or is to become, the file at `path`.
///
/// # Errors
/// Something in it has no meaning, or it is too long.
pub(crate) fn check<T>(
    path: &Path,
    text: &str,
    parse: impl FnOnce(&str) -> Result<T, Wrong>,
) -> Result<T, Error> {
    let parsed = match text.len() > MAX_BYTES {
        true => Err(Wrong::new(
            format_args!("larger than {MAX_BYTES} bytes"),
            "shorten it",
        )),
        false => parse(text),
    };
    parsed.map_err(|wrong| {
        Error::place(
            format_args!("{}: {}", path.display(), wrong.what),
            &wrong.cure,
        )
    })
}

/// The tables of such a file.
///
/// # Errors
/// It is not TOML; the line is named.
pub(crate) fn table(text: &str) -> Result<Table, Wrong> {
    text.parse().map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
        Wrong::new(format_args!("line {line}: {}", error.message()), "mend it")
    })
}

impl Wrong {
    pub(crate) fn new(what: impl ToString, cure: impl ToString) -> Self {
        Self {
            what: what.to_string(),
            cure: cure.to_string(),
        }
    }

    /// There is no such setting; there are those that are `known`.
    pub(crate) fn unknown(key: &str, known: &str) -> Self {
        Self::new(format_args!("`{key}` is no setting"), known)
    }

    /// Problem of a value that the setting does not accept.
    pub(crate) fn must_be(key: &str, what: &str) -> Self {
        Self::new(
            format_args!("`{key}` has no meaning"),
            format!("write {what}"),
        )
    }
}
