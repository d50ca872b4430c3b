//! Keys of applications: bearer tokens of which the memory's folder holds hashes alone (docs/format/directory.md, API-1).

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use counterfoil::{Error, Scope, Timestamp};
use serde::{Deserialize, Serialize};

/// File of the keys in the memory's folder.
const FILE: &str = "api-keys.json";
/// File that is locked while the keys are changed.
const LOCK: &str = "api-keys.lock";
/// `type` of the file.
const KIND: &str = "counterfoil/api-keys";
/// `version` of the file.
const VERSION: &str = "1";
/// Largest file, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Most keys that are kept.
const MAX_KEYS: usize = 1_000;
/// Longest name of a key, in bytes.
const MAX_NAME: usize = 64;
/// Longest life of a key, in days.
const MAX_DAYS: u64 = 3_650;
/// Beginning of a token.
const PREFIX: &str = "cfk_";
/// Context of the hash of a token.
const CONTEXT: &str = "counterfoil 2026-11-28 api-key token";
const MICROS_PER_SECOND: u64 = 1_000_000;

macro_rules! words {
    ($(#[$about:meta])* $name:ident: $($(#[$doc:meta])* $variant:ident = $word:literal,)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// The word in files, on the command line and in answers.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(word: &str) -> Result<Self, String> {
                match word {
                    $($word => Ok(Self::$variant),)*
                    _ => Err(format!("choose from {}", [$($word),*].join(", "))),
                }
            }
        }
    };
}

words! {
    /// Right of a key: the operations that it may call.
    Right:
    /// Reads memories, versions and receipts, and recalls.
    Recall = "recall",
    /// Stores memories and new versions.
    Remember = "remember",
    /// Hides memories.
    Forget = "forget",
    /// Erases memories; keys of the channel `user` alone have it (API-5).
    Erase = "erase",
    /// Reads beliefs and contested ones.
    Believe = "believe",
    /// States facts.
    State = "state",
    /// Makes proposals and proofs of beliefs.
    Prove = "prove",
    /// Exports capsules.
    Export = "export",
    /// Imports files of other programs, and follows and ends its imports.
    Import = "import",
    /// Reads numbers of the server and of the store as a whole; keys without a scope alone have it (API-6).
    Metrics = "metrics",
}

words! {
    /// Provenance of all that is said under a key; no request changes it (API-3).
    ApiChannel:
    /// The user's own application, such as a form that the user fills in.
    User = "user",
    /// A program that observes, such as a sensor or an import.
    Tool = "tool",
    /// A language model, or a program that passes on what one says.
    Model = "model",
}

/// Grants of a key that is to be made.
#[derive(Debug, Clone)]
pub struct KeyRequest {
    /// Name of the application, 1 to 64 bytes of printable text.
    pub name: String,
    /// Scope to which the key is bound; the empty one is the whole memory.
    pub scope: Scope,
    /// Rights, at least one.
    pub can: Vec<Right>,
    /// Provenance of all that is said under the key.
    pub channel: ApiChannel,
    /// Life of the key, 1 hour to 3,650 days.
    pub expires: Lifetime,
}

/// Life of a key: `30d` or `12h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
    seconds: u64,
}

impl FromStr for Lifetime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let hours = match text.split_at_checked(text.len().saturating_sub(1)) {
            Some((number, "d")) => number.parse::<u64>().ok().and_then(|it| it.checked_mul(24)),
            Some((number, "h")) => number.parse::<u64>().ok(),
            _ => None,
        };
        let hours = hours.filter(|hours| (1..=MAX_DAYS * 24).contains(hours));
        let hours = hours.ok_or("write hours or days, from 1h to 3650d, such as 30d")?;
        Ok(Self {
            seconds: hours * 3_600,
        })
    }
}

/// A key as the folder holds it: without its token.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    id: String,
    name: String,
    hash: String,
    scope: Scope,
    can: Vec<Right>,
    channel: ApiChannel,
    created: String,
    expires: String,
}

impl ApiKey {
    /// Public id, `key_…`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Name of the application.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Scope to which the key is bound.
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Rights of the key.
    pub fn can(&self) -> &[Right] {
        &self.can
    }

    /// Provenance of all that is said under the key.
    pub const fn channel(&self) -> ApiChannel {
        self.channel
    }

    /// End of its life, RFC 3339.
    pub fn expires(&self) -> &str {
        &self.expires
    }

    /// Returns true if the key has this right.
    pub(crate) fn may(&self, right: Right) -> bool {
        let is_granted = self.can.contains(&right);
        let is_fitting = match right {
            Right::Erase => self.channel == ApiChannel::User,
            Right::Metrics => self.scope.is_empty(),
            _ => true,
        };
        is_granted && is_fitting
    }

    fn is_alive(&self, now: u64) -> bool {
        let expires: Option<Timestamp> = self.expires.parse().ok();
        expires.is_some_and(|expires| now < expires.micros())
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    #[serde(rename = "type")]
    kind: String,
    version: String,
    keys: Vec<ApiKey>,
}

/// Keys in the folder of a memory. Each call reads the file again, so a revoked key ends at once.
#[derive(Debug, Clone)]
pub struct ApiKeys {
    dir: PathBuf,
}

impl ApiKeys {
    /// The keys of the memory in this folder.
    pub fn in_folder(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
        }
    }

    /// Makes a key. Returns it with its token, which is kept nowhere.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](counterfoil::ErrorKind::Input) for grants that no key has, and
    /// [`ErrorKind::Place`](counterfoil::ErrorKind::Place) for a folder that cannot be used.
    pub fn create(&self, request: KeyRequest) -> Result<(ApiKey, String), Error> {
        let name_fits = (1..=MAX_NAME).contains(&request.name.len());
        if !name_fits || request.name.chars().any(char::is_control) {
            return Err(Error::input(
                "that is no name of an application",
                "write 1 to 64 bytes of printable text",
            ));
        }
        let mut can = request.can;
        can.sort_unstable();
        can.dedup();
        if can.is_empty() {
            return Err(Error::input(
                "the key may do nothing",
                "name its rights with --can",
            ));
        }
        if can.contains(&Right::Erase) && request.channel != ApiChannel::User {
            return Err(Error::input(
                "only the user's own applications erase",
                "leave `erase` out, or give the key --channel user",
            ));
        }
        if can.contains(&Right::Metrics) && !request.scope.is_empty() {
            return Err(Error::input(
                "metrics are of the whole memory, and the key is bound to a scope",
                "leave `metrics` out, or make a key for it without a scope",
            ));
        }
        let _lock = self.lock()?;
        let mut file = self.read()?;
        if file.keys.len() >= MAX_KEYS {
            return Err(Error::input(
                format_args!("there are {MAX_KEYS} keys"),
                "revoke one that is not used",
            ));
        }
        let (id, secret) = (random::<6>()?, random::<32>()?);
        let token = format!("{PREFIX}{id}_{secret}");
        let now = now()?;
        let key = ApiKey {
            id: format!("key_{id}"),
            name: request.name,
            hash: hash(&token).to_hex().to_string(),
            scope: request.scope,
            can,
            channel: request.channel,
            created: time(now)?,
            expires: time(now.saturating_add(request.expires.seconds * MICROS_PER_SECOND))?,
        };
        file.keys.push(key.clone());
        self.write(&file)?;
        Ok((key, token))
    }

    /// Lists the keys, expired ones included.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn list(&self) -> Result<Vec<ApiKey>, Error> {
        Ok(self.read()?.keys)
    }

    /// Keys that are valid at this moment.
    pub(crate) fn alive(&self) -> Result<Vec<ApiKey>, Error> {
        let (mut keys, now) = (self.list()?, now()?);
        keys.retain(|key| key.is_alive(now));
        Ok(keys)
    }

    /// Takes a key away, by its id.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](counterfoil::ErrorKind::Input) when there is no such key.
    pub fn revoke(&self, id: &str) -> Result<ApiKey, Error> {
        let _lock = self.lock()?;
        let mut file = self.read()?;
        let position = file.keys.iter().position(|key| key.id == id);
        let position = position.ok_or_else(|| {
            Error::input(
                "there is no such key",
                "take an id from `counterfoil key-for --list`",
            )
        })?;
        let key = file.keys.remove(position);
        self.write(&file)?;
        Ok(key)
    }

    /// The key of a token, if it is alive at this moment. The hashes are compared in constant time.
    pub(crate) fn of_token(&self, token: &str) -> Result<Option<ApiKey>, Error> {
        let public = token.strip_prefix(PREFIX).and_then(|it| it.split_once('_'));
        let Some((id, _)) = public else {
            return Ok(None);
        };
        let (hash, now) = (hash(token), now()?);
        let of_id = |key: &ApiKey| key.id.strip_prefix("key_") == Some(id);
        let found = self.read()?.keys.into_iter().find(of_id);
        // `blake3::Hash` is compared in constant time.
        let fits = |key: &ApiKey| blake3::Hash::from_hex(&key.hash).is_ok_and(|it| it == hash);
        Ok(found.filter(|key| fits(key) && key.is_alive(now)))
    }

    fn lock(&self) -> Result<File, Error> {
        let path = self.dir.join(LOCK);
        let locked = File::create(&path).and_then(|file| file.lock().map(|()| file));
        locked.map_err(|error| unusable(&path, &error))
    }

    fn read(&self) -> Result<KeyFile, Error> {
        let path = self.dir.join(FILE);
        let found = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(KeyFile::empty()),
            found => found.map_err(|error| unusable(&path, &error))?,
        };
        if !found.is_file() || is_open_to_others(&found) || found.len() > MAX_BYTES {
            return Err(Error::place(
                format_args!("{} is not a plain file of its owner alone", path.display()),
                "make the keys again: remove it, and run `counterfoil key-for`",
            ));
        }
        let mut bytes = Vec::new();
        let read = File::open(&path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
        read.map_err(|error| unusable(&path, &error))?;
        let file: Option<KeyFile> = serde_json::from_slice(&bytes).ok();
        let file = file.filter(|file| file.kind == KIND && file.version == VERSION);
        // The cause might quote the file.
        file.ok_or_else(|| {
            Error::place(
                format_args!("{} is no file of keys", path.display()),
                "make the keys again: remove it, and run `counterfoil key-for`",
            )
        })
    }

    fn write(&self, file: &KeyFile) -> Result<(), Error> {
        let path = self.dir.join(FILE);
        let json = serde_json::to_string_pretty(file);
        let json = json.map_err(|_| Error::bug("keys that are no JSON"))? + "\n";
        let write = || -> io::Result<()> {
            // Its owner alone may read a temporary file, and it keeps that mode.
            let mut temporary = tempfile::NamedTempFile::new_in(&self.dir)?;
            temporary.write_all(json.as_bytes())?;
            temporary.as_file().sync_all()?;
            temporary.persist(&path).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(|error| unusable(&path, &error))
    }
}

impl KeyFile {
    fn empty() -> Self {
        Self {
            kind: KIND.to_owned(),
            version: VERSION.to_owned(),
            keys: Vec::new(),
        }
    }
}

fn hash(token: &str) -> blake3::Hash {
    blake3::Hash::from_bytes(blake3::derive_key(CONTEXT, token.as_bytes()))
}

/// Random bytes in hexadecimal digits.
pub(crate) fn random<const N: usize>() -> Result<String, Error> {
    let mut bytes = [0_u8; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::place(
            format_args!("the system gives no random bytes ({error})"),
            "try again when it does",
        )
    })?;
    Ok(hex::encode(bytes))
}

/// Microseconds since 1970.
pub(crate) fn now() -> Result<u64, Error> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    let now = now.and_then(|now| u64::try_from(now.as_micros()).ok());
    now.ok_or_else(|| Error::place("the clock is before 1970", "set the clock"))
}

/// A time as RFC 3339, in whole seconds.
pub(crate) fn time(micros: u64) -> Result<String, Error> {
    let whole = micros / MICROS_PER_SECOND * MICROS_PER_SECOND;
    let time = Timestamp::from_micros(whole);
    let time =
        time.map_err(|_| Error::place("the clock is beyond the year 9999", "set the clock"))?;
    Ok(time.to_string())
}

fn unusable(path: &Path, error: &io::Error) -> Error {
    Error::place(
        format_args!("{} cannot be used ({})", path.display(), error.kind()),
        "check the folder and its permissions",
    )
}

#[cfg(unix)]
fn is_open_to_others(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;

    found.permissions().mode() & 0o077 != 0
}

/// Access is not a matter of mode bits here.
#[cfg(not(unix))]
const fn is_open_to_others(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> KeyRequest {
        KeyRequest {
            name: "kitchen".to_owned(),
            scope: "user=kit".parse().unwrap(),
            can: vec![Right::Remember, Right::Recall, Right::Recall],
            channel: ApiChannel::Model,
            expires: "1h".parse().unwrap(),
        }
    }

    /// API-1; mutant `token-any`: the id of a key was enough.
    #[test]
    fn a_token_is_kept_nowhere_and_every_byte_of_it_counts() {
        let folder = tempfile::tempdir().unwrap();
        let keys = ApiKeys::in_folder(folder.path());
        let (key, token) = keys.create(request()).unwrap();
        let found = keys.of_token(&token).unwrap().unwrap();
        assert_eq!(found.id(), key.id());
        assert_eq!(found.can(), [Right::Recall, Right::Remember]);
        let kept = fs::read_to_string(folder.path().join(FILE)).unwrap();
        let secret = token.rsplit('_').next().unwrap();
        assert!(!kept.contains(secret) && !format!("{key:?}").contains(secret));
        for at in 0..token.len() {
            let mut other = token.clone().into_bytes();
            other[at] ^= 1;
            let other = String::from_utf8(other).unwrap();
            assert!(keys.of_token(&other).unwrap().is_none(), "{at}");
        }
        for other in [
            "",
            "cfk_",
            "cfk__",
            key.id(),
            &token[..token.len() - 1],
            &format!("{token}0"),
        ] {
            assert!(keys.of_token(other).unwrap().is_none(), "{other}");
        }
    }

    /// API-1; mutant `key-forever`.
    #[test]
    fn a_key_ends_when_it_expires_or_is_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let keys = ApiKeys::in_folder(folder.path());
        let (key, token) = keys.create(request()).unwrap();
        let (other, _) = keys.create(request()).unwrap();
        let path = folder.path().join(FILE);
        let text = fs::read_to_string(&path).unwrap();
        let expired = text.replace(
            &format!("\"expires\": \"{}", key.expires()),
            "\"expires\": \"2020-01-01T00:00:00.000000Z",
        );
        assert_ne!(text, expired);
        fs::write(&path, expired).unwrap();
        assert!(keys.of_token(&token).unwrap().is_none());
        fs::write(&path, text).unwrap();
        assert!(keys.of_token(&token).unwrap().is_some());
        keys.revoke(key.id()).unwrap();
        assert!(keys.of_token(&token).unwrap().is_none());
        assert!(keys.revoke(key.id()).is_err());
        let left: Vec<_> = keys.list().unwrap().into_iter().map(|key| key.id).collect();
        assert_eq!(left, [other.id]);
    }

    #[test]
    fn grants_that_no_key_has_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let keys = ApiKeys::in_folder(folder.path());
        for wrong in [
            KeyRequest {
                name: String::new(),
                ..request()
            },
            KeyRequest {
                name: "a\nb".to_owned(),
                ..request()
            },
            KeyRequest {
                name: "a".repeat(65),
                ..request()
            },
            KeyRequest {
                can: Vec::new(),
                ..request()
            },
            KeyRequest {
                can: vec![Right::Erase],
                ..request()
            },
            KeyRequest {
                can: vec![Right::Metrics],
                ..request()
            },
        ] {
            assert!(keys.create(wrong).is_err());
        }
        assert!(keys.list().unwrap().is_empty());
        for wrong in ["", "d", "0d", "3651d", "1", "-1d", "1.5d", "1w", "é"] {
            assert!(wrong.parse::<Lifetime>().is_err(), "{wrong}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_or_that_is_none_is_refused() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let keys = ApiKeys::in_folder(folder.path());
        let (_, token) = keys.create(request()).unwrap();
        let path = folder.path().join(FILE);
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(keys.of_token(&token).is_err());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(keys.of_token(&token).is_ok());
        fs::write(&path, "{}").unwrap();
        assert!(keys.of_token(&token).is_err());
    }
}
