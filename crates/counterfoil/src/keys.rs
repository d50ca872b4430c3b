//! Key files: secrets in folders of their own, apart from the database that they sign for (capsules 4.7).
//!
//! Whoever can read the log's file can sign another history; whoever can read the agent's can speak
//! for it; whoever has the recovery folder as well can take it over. A file is 0600, or it is
//! refused, and may be sealed under a passphrase besides.

mod files;
mod format;
mod passphrase;
mod sealing;

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::str::FromStr;

use counterfoil_capsule::SecretKey;
use counterfoil_store::open_plain;
use counterfoil_types::DidKey;
use zeroize::{Zeroize, Zeroizing};

use self::files::new_private_file;
use self::format::{Content, Parsed, heading, parse, text};
use self::sealing::Sealed;
use crate::error::Error;

pub(crate) use self::files::{beside, make_folder, rename, sync_folder_of};
pub(crate) use self::files::{check_not_writable, check_private};
pub(crate) use self::format::Use;
pub(crate) use self::passphrase::{Passphrase, Prompt};

/// No key file is longer, in bytes.
const MAX_BYTES: u64 = 4096;

/// A key as its file holds it.
pub(crate) struct Key {
    pub(crate) purpose: Use,
    pub(crate) secret: SecretKey,
    pub(crate) guarded: Guarded,
}

/// Protection of the secret in a key file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Guarded {
    /// The file contains the secret in plain text.
    #[default]
    No,
    /// The secret is sealed under the passphrase.
    ByPassphrase,
}

impl Key {
    /// The public half.
    pub(crate) fn public(&self) -> DidKey {
        DidKey::from_public_key(self.secret.public_key())
    }
}

/// Makes a fresh secret.
pub(crate) fn fresh() -> Result<SecretKey, Error> {
    let mut seed = Zeroizing::new([0_u8; 32]);
    fill(seed.as_mut())?;
    Ok(SecretKey::from_seed(*seed))
}

/// The same secret once more.
pub(crate) fn copy(key: &SecretKey) -> SecretKey {
    SecretKey::from_seed(*key.expose_seed())
}

/// Fills `bytes` from the system.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes).map_err(|error| {
        Error::place(
            format_args!("the system gives no random bytes ({error})"),
            "try again when it does",
        )
    })
}

/// Writes a key into a new file that only its owner may read.
pub(crate) fn write(path: &Path, key: &Key, passphrase: &Passphrase) -> Result<(), Error> {
    write_private(path, written(key, passphrase)?.as_bytes())?;
    let found = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if key.guarded == Guarded::ByPassphrase || check_private(path, &found).is_ok() {
        return Ok(());
    }
    // A plain secret does not stay on a medium that lets everyone read it, whatever mode is asked for.
    let _ = fs::remove_file(path);
    Err(Error::place(
        format_args!("others can read every file at {}", path.display()),
        "seal the keys with --passphrase, or choose another medium",
    ))
}

/// Writes a new file that only its owner may read.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let attempt = || -> io::Result<()> {
        let mut file = new_private_file(path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        sync_folder_of(path)
    };
    attempt().map_err(|error| unwritable(path, &error))
}

/// Writes a key in place of the one that is there, as a whole or not at all.
pub(crate) fn replace(path: &Path, key: &Key, passphrase: &Passphrase) -> Result<(), Error> {
    must_be_no_link(path)?;
    let beside = beside(path, ".part");
    // What an earlier attempt left is worth nothing: the file itself was not touched.
    let _ = fs::remove_file(&beside);
    write(&beside, key, passphrase)?;
    rename(&beside, path)
}

/// Refuses a link where a key is to be replaced: the old secret would stay where it leads.
pub(crate) fn must_be_no_link(path: &Path) -> Result<(), Error> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Err(Error::place(
            format_args!(
                "{} is a link, and the key that it leads to would stay there",
                path.display()
            ),
            "put the key file itself in its place",
        )),
        _ => Ok(()),
    }
}

/// Writes the public half of a key on one line of a new file: what others need to check what the
/// key signs, and no secret.
pub(crate) fn write_public(path: &Path, key: &str) -> Result<(), Error> {
    fs::write(path, format!("{key}\n")).map_err(|error| unwritable(path, &error))
}

/// Reads the public half of a key; `None` when there is no such file.
pub(crate) fn read_public<K: FromStr>(path: &Path) -> Result<Option<K>, Error> {
    let mut text = String::new();
    let read = open_plain(path).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
        Ok(_) => text
            .strip_suffix('\n')
            .and_then(|line| line.parse().ok())
            .map(Some)
            .ok_or_else(|| damaged(path)),
    }
}

/// Reads a key and refuses it when anyone but its owner could. A sealed one is opened with the
/// passphrase.
pub(crate) fn read(path: &Path, passphrase: &Passphrase) -> Result<Key, Error> {
    let parsed = parsed(path)?;
    let (secret, guarded) = match parsed.content {
        Content::Plain(secret) => (secret, Guarded::No),
        Content::Sealed(sealed) => {
            let given = passphrase.to_open(path)?;
            let opened = sealed.open(given, &parsed.heading);
            let secret = opened.ok_or_else(|| {
                Error::place(
                    format_args!("the passphrase does not open {}", path.display()),
                    "give the one that it was sealed with, or put an unsealed copy back",
                )
            })?;
            (secret, Guarded::ByPassphrase)
        }
    };
    Ok(Key {
        purpose: parsed.purpose,
        secret,
        guarded,
    })
}

/// Purpose and protection of a key file, read without opening its secret.
pub(crate) fn peek(path: &Path) -> Result<(Use, Guarded), Error> {
    let parsed = parsed(path)?;
    let guarded = match parsed.content {
        Content::Plain(_) => Guarded::No,
        Content::Sealed(_) => Guarded::ByPassphrase,
    };
    Ok((parsed.purpose, guarded))
}

/// Reads a key file. A file with a plain secret must be closed to others; a sealed one
/// may lie on a medium that knows no owners.
fn parsed(path: &Path) -> Result<Parsed, Error> {
    let file = open_plain(path).map_err(|error| unreadable(path, &error))?;
    let found = file.metadata().map_err(|error| unreadable(path, &error))?;
    let mut text = Zeroizing::new(String::new());
    file.take(MAX_BYTES)
        .read_to_string(&mut text)
        .map_err(|error| unreadable(path, &error))?;
    let parsed = parse(&text).ok_or_else(|| damaged(path))?;
    if let Content::Plain(_) = parsed.content {
        check_private(path, &found)?;
    }
    Ok(parsed)
}

fn written(key: &Key, passphrase: &Passphrase) -> Result<Zeroizing<String>, Error> {
    let content = match key.guarded {
        Guarded::No => Content::Plain(copy(&key.secret)),
        Guarded::ByPassphrase => {
            let mut random = [0_u8; 40];
            fill(&mut random)?;
            let heading = heading(&key.purpose);
            let sealed = Sealed::new(&key.secret, passphrase.to_seal()?, &heading, random);
            random.zeroize();
            Content::Sealed(sealed.ok_or_else(|| {
                Error::place(
                    "there are not 64 MiB of memory to seal a key with",
                    "end other programs and try again",
                )
            })?)
        }
    };
    Ok(text(&key.purpose, &content))
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    Error::place(
        format_args!("the key {} cannot be written ({error})", path.display()),
        "choose a folder that you may write to, with --dir",
    )
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    let shown = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => Error::place(
            format_args!("the key {shown} is missing"),
            "put it back from your own copy; without it this store can be audited but not used",
        ),
        io::ErrorKind::InvalidData => damaged(path),
        _ => Error::place(
            format_args!("the key {shown} cannot be read ({error})"),
            "run as its owner, or give the owner the right to read it",
        ),
    }
}

fn damaged(path: &Path) -> Error {
    Error::place(
        format_args!("{} is not a key file of counterfoil", path.display()),
        "put the right one back from your own copy",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn log_key(guarded: Guarded) -> Key {
        Key {
            purpose: Use::Log("example.org/log".into()),
            secret: SecretKey::from_seed([7; 32]),
            guarded,
        }
    }

    fn passphrase(folder: &Path, text: &str) -> Passphrase {
        let path = folder.join("passphrase");
        fs::write(&path, text).unwrap();
        Passphrase::new(Some(path), None)
    }

    #[test]
    fn a_key_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.key");
        let none = Passphrase::default();
        write(&path, &log_key(Guarded::No), &none).unwrap();
        let read = read(&path, &none).unwrap();
        assert_eq!(read.purpose, Use::Log("example.org/log".into()));
        assert_eq!(read.guarded, Guarded::No);
        assert_eq!(read.public(), log_key(Guarded::No).public());
        let again = write(&path, &log_key(Guarded::No), &none);
        assert!(again.is_err(), "never overwritten");
    }

    #[test]
    fn a_sealed_key_needs_its_passphrase() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.key");
        let right = passphrase(folder.path(), "swordfish");
        write(&path, &log_key(Guarded::No), &right).unwrap();
        replace(&path, &log_key(Guarded::ByPassphrase), &right).unwrap();
        let back = read(&path, &right).unwrap();
        assert_eq!(back.guarded, Guarded::ByPassphrase);
        assert_eq!(back.public(), log_key(Guarded::No).public());
        assert_eq!(peek(&path).unwrap().1, Guarded::ByPassphrase);
        let wrong = passphrase(folder.path(), "herring");
        let said = read(&path, &wrong).map(drop).unwrap_err();
        assert!(said.to_string().contains("does not open"), "{said}");
        assert_eq!(said.kind(), ErrorKind::Place);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_may_read_is_refused_with_the_cure() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.key");
        let none = Passphrase::default();
        write(&path, &log_key(Guarded::No), &none).unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let error = read(&path, &none).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("chmod 600"), "{error}");
        assert_eq!(error.kind(), ErrorKind::Place);
    }

    #[test]
    fn a_missing_key_is_named() {
        let error = read(Path::new("/nowhere/agent.key"), &Passphrase::default())
            .map(|_| ())
            .unwrap_err();
        assert!(error.to_string().contains("is missing"), "{error}");
    }
}
