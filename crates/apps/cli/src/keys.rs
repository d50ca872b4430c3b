//! Key files: two secrets in a folder of their own, apart from the database that they sign for.
//!
//! ```text
//! counterfoil/secret-key/v1
//! use log
//! name counterfoil.local/1a2b3c4d
//! seed <base64 of the 32-byte Ed25519 seed>
//! ```
//! `use` is `log` or `agent`; only a log has a `name`, the origin of its checkpoints. Whoever can
//! read the log's file can sign another history; whoever can read the agent's can speak for it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::str::FromStr;

use base64::{Engine, engine::general_purpose::STANDARD};
use counterfoil_capsule::SecretKey;
use zeroize::Zeroizing;

use crate::failure::Failure;

const HEADER: &str = "counterfoil/secret-key/v1";
/// No key file is longer, in bytes.
const MAX_BYTES: u64 = 4096;

/// What a key is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Use {
    /// It signs the checkpoints of the log of this name.
    Log(String),
    /// It signs what an agent remembers.
    Agent,
}

/// A key as its file holds it.
pub(crate) struct Key {
    pub(crate) purpose: Use,
    pub(crate) secret: SecretKey,
}

/// Makes a fresh secret.
pub(crate) fn fresh() -> Result<SecretKey, Failure> {
    let mut seed = Zeroizing::new([0_u8; 32]);
    fill(seed.as_mut())?;
    Ok(SecretKey::from_seed(*seed))
}

/// Fills `bytes` from the system.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), Failure> {
    getrandom::fill(bytes).map_err(|error| {
        Failure::place(
            format_args!("the system gives no random bytes ({error})"),
            "try again when it does",
        )
    })
}

/// Writes a key into a new file that only its owner may read.
pub(crate) fn write(path: &Path, key: &Key) -> Result<(), Failure> {
    let attempt = || -> io::Result<()> {
        let mut file = new_private_file(path)?;
        file.write_all(text(key).as_bytes())?;
        file.sync_all()
    };
    attempt().map_err(|error| {
        Failure::place(
            format_args!("the key {} cannot be written ({error})", path.display()),
            "choose a folder that you may write to, with --dir",
        )
    })
}

/// Writes the public half of a key on one line of a new file: what others need to check what the
/// key signs, and no secret.
pub(crate) fn write_public(path: &Path, key: &str) -> Result<(), Failure> {
    fs::write(path, format!("{key}\n")).map_err(|error| {
        Failure::place(
            format_args!("the key {} cannot be written ({error})", path.display()),
            "choose a folder that you may write to, with --dir",
        )
    })
}

/// Reads the public half of a key; `None` when there is no such file.
pub(crate) fn read_public<K: FromStr>(path: &Path) -> Result<Option<K>, Failure> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
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

/// Reads a key and refuses it when anyone but its owner could.
pub(crate) fn read(path: &Path) -> Result<Key, Failure> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let found = file.metadata().map_err(|error| unreadable(path, &error))?;
    if !found.is_file() {
        return Err(damaged(path));
    }
    check_private(path, &found)?;
    let mut text = Zeroizing::new(String::new());
    file.take(MAX_BYTES)
        .read_to_string(&mut text)
        .map_err(|error| unreadable(path, &error))?;
    parse(&text).ok_or_else(|| damaged(path))
}

/// Refuses a file whose mode lets its group or others in.
#[cfg(unix)]
pub(crate) fn check_private(path: &Path, found: &fs::Metadata) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;

    let mode = found.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let safe = if found.is_dir() { "700" } else { "600" };
    Err(Failure::place(
        format_args!("{} is open to others (mode {mode:o})", path.display()),
        format_args!(
            "if nobody can have read it, run: chmod {safe} {}; if someone can, make a new store",
            path.display()
        ),
    ))
}

/// Access is not a matter of mode bits here.
#[cfg(not(unix))]
pub(crate) fn check_private(_: &Path, _: &fs::Metadata) -> Result<(), Failure> {
    Ok(())
}

#[cfg(unix)]
fn new_private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

#[cfg(not(unix))]
fn new_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

fn text(key: &Key) -> Zeroizing<String> {
    let seed = Zeroizing::new(STANDARD.encode(key.secret.expose_seed().as_slice()));
    Zeroizing::new(match &key.purpose {
        Use::Log(name) => format!("{HEADER}\nuse log\nname {name}\nseed {}\n", seed.as_str()),
        Use::Agent => format!("{HEADER}\nuse agent\nseed {}\n", seed.as_str()),
    })
}

fn parse(text: &str) -> Option<Key> {
    let body = text
        .strip_prefix(HEADER)?
        .strip_prefix('\n')?
        .strip_suffix('\n')?;
    let mut lines = body.split('\n');
    let purpose = match lines.next()?.strip_prefix("use ")? {
        "log" => Use::Log(lines.next()?.strip_prefix("name ")?.to_owned()),
        "agent" => Use::Agent,
        _ => return None,
    };
    let seed = Zeroizing::new(STANDARD.decode(lines.next()?.strip_prefix("seed ")?).ok()?);
    let seed = Zeroizing::new(<[u8; 32]>::try_from(seed.as_slice()).ok()?);
    let secret = SecretKey::from_seed(*seed);
    lines.next().is_none().then_some(Key { purpose, secret })
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let shown = path.display();
    match error.kind() {
        io::ErrorKind::NotFound => Failure::place(
            format_args!("the key {shown} is missing"),
            "put it back from your own copy; without it this store can be audited but not used",
        ),
        io::ErrorKind::InvalidData => damaged(path),
        _ => Failure::place(
            format_args!("the key {shown} cannot be read ({error})"),
            "run as its owner, or give the owner the right to read it",
        ),
    }
}

fn damaged(path: &Path) -> Failure {
    Failure::place(
        format_args!("{} is not a key file of counterfoil", path.display()),
        "put the right one back from your own copy",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_key() -> Key {
        Key {
            purpose: Use::Log("example.org/log".into()),
            secret: SecretKey::from_seed([7; 32]),
        }
    }

    #[test]
    fn a_key_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.key");
        write(&path, &log_key()).unwrap();
        let read = read(&path).unwrap();
        assert_eq!(read.purpose, Use::Log("example.org/log".into()));
        assert_eq!(read.secret.public_key(), log_key().secret.public_key());
        assert!(write(&path, &log_key()).is_err(), "never overwritten");
    }

    #[test]
    fn anything_but_the_format_is_refused() {
        let good = text(&log_key());
        assert!(parse(&good).is_some());
        for bad in [
            "",
            good.trim_end(),
            &good.replace("v1", "v2"),
            &good.replace("use log", "use dog"),
            &good.replace("seed ", "seed A"),
            &format!("{}\n", good.as_str()),
            &good.replace('\n', "\r\n"),
        ] {
            assert!(parse(bad).is_none(), "{bad:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_may_read_is_refused_with_the_cure() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.key");
        write(
            &path,
            &Key {
                purpose: Use::Agent,
                secret: SecretKey::from_seed([1; 32]),
            },
        )
        .unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let error = read(&path).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("chmod 600"), "{error}");
        assert_eq!(error.code(), 4);
    }

    #[test]
    fn a_missing_key_is_named() {
        let error = read(Path::new("/nowhere/agent.key"))
            .map(|_| ())
            .unwrap_err();
        assert!(error.to_string().contains("is missing"), "{error}");
    }
}
