//! Sources of the passphrase of sealed keys: a file, the environment, or the person.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use counterfoil_store::open_plain;
use zeroize::Zeroizing;

use super::check_private;
use crate::error::Error;
use crate::notices::Notices;

/// The environment variable that holds it; empty is as absent.
const VARIABLE: &str = "COUNTERFOIL_PASSPHRASE";
/// The most bytes of a passphrase.
const MAX_BYTES: usize = 1024;
/// Next step if no person can be asked.
const WAYS: &str = "set COUNTERFOIL_PASSPHRASE, or name a file with --passphrase-file";

/// A passphrase that is asked for once, when it is first needed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Passphrase {
    file: Option<PathBuf>,
    prompt: Option<Prompt>,
    known: Arc<OnceLock<Secret>>,
    notices: Notices,
}

/// Asks a person for a passphrase, without echoing the input.
pub(crate) type Prompt = fn(&str) -> io::Result<String>;

#[derive(Clone)]
struct Secret(Zeroizing<String>);

impl core::fmt::Debug for Secret {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

impl Passphrase {
    /// From this file, if one is named, or else the environment, or else the person.
    pub(crate) fn new(file: Option<PathBuf>, prompt: Option<Prompt>) -> Self {
        Self {
            file,
            prompt,
            known: Arc::default(),
            notices: Notices::default(),
        }
    }

    pub(crate) const fn notices(&self) -> &Notices {
        &self.notices
    }

    /// The passphrase that opens the key at `path`.
    pub(crate) fn to_open(&self, path: &Path) -> Result<&str, Error> {
        self.known_or(|| match self.given()? {
            Some(given) => Ok(given),
            None => self.ask(&format!("Passphrase for {}: ", path.display())),
        })
    }

    /// The passphrase to seal keys with. A person is asked twice.
    pub(crate) fn to_seal(&self) -> Result<&str, Error> {
        self.known_or(|| match self.given()? {
            Some(given) => Ok(given),
            None => {
                let first = self.ask("New passphrase: ")?;
                if *first != *self.ask("Again: ")? {
                    return Err(Error::input("the two passphrases differ", "try again"));
                }
                Ok(first)
            }
        })
    }

    /// Returns true if a file or the environment holds one, so that no person is asked.
    pub(crate) fn is_given(&self) -> bool {
        let in_environment = || std::env::var_os(VARIABLE).is_some_and(|text| !text.is_empty());
        self.file.is_some() || in_environment()
    }

    fn known_or(
        &self,
        find: impl FnOnce() -> Result<Zeroizing<String>, Error>,
    ) -> Result<&str, Error> {
        if let Some(known) = self.known.get() {
            return Ok(&known.0);
        }
        let found = find()?;
        if found.is_empty() || found.len() > MAX_BYTES {
            return Err(Error::input(
                "a passphrase is 1 to 1024 bytes",
                "choose another one",
            ));
        }
        Ok(&self.known.get_or_init(|| Secret(found)).0)
    }

    fn given(&self) -> Result<Option<Zeroizing<String>>, Error> {
        if let Some(file) = &self.file {
            return self.first_line(file).map(Some);
        }
        match std::env::var(VARIABLE) {
            Ok(text) if text.is_empty() => Ok(None),
            Ok(text) => Ok(Some(Zeroizing::new(text))),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(_)) => Err(Error::input(
                format_args!("{VARIABLE} is not UTF-8"),
                "write it in UTF-8, or name a file with --passphrase-file",
            )),
        }
    }

    /// The first line of a file, without what ends it.
    fn first_line(&self, path: &Path) -> Result<Zeroizing<String>, Error> {
        let text = open_plain(path).and_then(io::read_to_string);
        let text = text.map(Zeroizing::new);
        let text = text.map_err(|error| {
            Error::input(
                format_args!(
                    "the passphrase in {} cannot be read ({error})",
                    path.display()
                ),
                "check the path after --passphrase-file",
            )
        })?;
        if let Ok(found) = fs::metadata(path)
            && found.is_file()
            && let Err(open) = check_private(path, &found)
        {
            self.notices
                .add(format_args!("the passphrase is no secret: {open}"));
        }
        let line = text.lines().next().unwrap_or_default();
        Ok(Zeroizing::new(line.to_owned()))
    }

    /// Asks the person.
    fn ask(&self, prompt: &str) -> Result<Zeroizing<String>, Error> {
        let ask = self.prompt.ok_or_else(|| {
            Error::place(
                "a passphrase is needed, and there is nobody to ask for it",
                WAYS,
            )
        })?;
        ask(prompt).map(Zeroizing::new).map_err(|error| {
            Error::place(
                format_args!("the passphrase cannot be asked for ({error})"),
                WAYS,
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn the_first_line_of_the_file_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("passphrase");
        for (text, expected) in [("a b\n", "a b"), ("a b\r\nmore", "a b"), (" x ", " x ")] {
            fs::write(&path, text).unwrap();
            let passphrase = Passphrase::new(Some(path.clone()), None);
            assert_eq!(passphrase.to_open(&path).unwrap(), expected);
            // It is read once.
            fs::write(&path, "other").unwrap();
            assert_eq!(passphrase.to_seal().unwrap(), expected);
        }
        fs::write(&path, "\n").unwrap();
        let empty = Passphrase::new(Some(path.clone()), None);
        assert_eq!(empty.to_open(&path).unwrap_err().kind(), ErrorKind::Input);
    }

    #[test]
    fn a_passphrase_is_never_printed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p");
        fs::write(&path, "swordfish").unwrap();
        let passphrase = Passphrase::new(Some(path.clone()), None);
        passphrase.to_open(&path).unwrap();
        assert!(!format!("{passphrase:?}").contains("swordfish"));
    }
}
