//! Key of a model's endpoint: settings name its place, and never hold it.

use std::env;
use std::fs;
use std::path::PathBuf;

use zeroize::Zeroizing;

use crate::error::{Error, ErrorKind};
use crate::{files, keys};

/// Largest file of a key, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Place of a key.
#[derive(Debug, Clone)]
pub(crate) enum EndpointKey {
    /// Environment variable.
    Variable(String),
    /// First line of a file, which must be private to its owner.
    File(PathBuf),
}

impl EndpointKey {
    /// Reads the key that `settings`, the name of a file, names.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] when there is none, or when others may read its file.
    pub(crate) fn read(&self, settings: &str) -> Result<Zeroizing<String>, Error> {
        let found = match self {
            Self::Variable(name) => Zeroizing::new(env::var(name).unwrap_or_default()),
            Self::File(path) => {
                if let Ok(found) = fs::metadata(path) {
                    keys::check_private(path, &found)?;
                }
                let bytes = files::read("file", path, MAX_BYTES, ErrorKind::Input)?;
                let text = String::from_utf8(bytes).map_err(|_| {
                    Error::input(
                        format_args!("{} is not UTF-8", path.display()),
                        "save it again",
                    )
                })?;
                Zeroizing::new(text)
            }
        };
        let key = found.lines().next().unwrap_or_default().trim();
        if key.is_empty() {
            return Err(Error::input(
                "the key of the endpoint is empty",
                format_args!("set what `key-env` or `key-file` in {settings} names"),
            ));
        }
        Ok(Zeroizing::new(key.to_owned()))
    }
}
