//! Heads outside: the last checkpoint of the log in places that are not put back with the store (docs/format/directory.md).
//!
//! The first lies in the user's state folder and is written with each commit. Others are named with `--head` or in a file
//! beside it, and are written behind.

mod witness;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use counterfoil_life::{KnownHead, signed_in};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::StoreError;
use counterfoil_verifier::Checkpoint;
use counterfoil_verifier::dangerous::checkpoint_signed_by;
use counterfoil_verifier::note::VerifierKey;

use crate::error::{Error, ErrorKind};
use crate::files::write_file;
use crate::keys;
use crate::notices::Notices;
use crate::settings_file;

/// Environment variable that names the state folder; empty is as absent.
const VARIABLE: &str = "COUNTERFOIL_STATE_DIR";
/// The longest that a command may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most that a command may answer.
const MAX_BYTES: u64 = 16 * 1024;

/// A place that `--head` names.
#[derive(Debug, Clone, PartialEq, Eq)]
enum HeadPlace {
    File(PathBuf),
    /// A program and its arguments; `get` or `put` is added.
    Command(Vec<String>),
    /// The URL of a witness.
    Witness(String),
}

/// A checkpoint that a place holds, and its note; `None` while it holds none.
type Held = Option<(Checkpoint, String)>;

/// A log and its store, and the places that were named for its head.
pub(crate) struct HeadPlaces<'h> {
    pub(crate) dir: &'h Path,
    pub(crate) key: VerifierKey,
    /// The store follows another one: it lags behind the log that it shows, and never writes it.
    pub(crate) follows: bool,
    pub(crate) named: &'h [String],
    pub(crate) notices: &'h Notices,
}

/// The user's state folder: `$COUNTERFOIL_STATE_DIR`, `$XDG_STATE_HOME/counterfoil`, or `~/.local/state/counterfoil`. `None` for an
/// account without a home.
fn state_folder() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from);
    let given = named(VARIABLE).filter(|dir| !dir.as_os_str().is_empty());
    let xdg = || named("XDG_STATE_HOME").filter(|dir| dir.is_absolute());
    let home = || std::env::home_dir().filter(|dir| dir.is_absolute());
    given.or_else(|| {
        let state = xdg().or_else(|| Some(home()?.join(".local/state")));
        Some(state?.join("counterfoil"))
    })
}

/// The file of this log, in this folder, in the state folder: a copy of the store elsewhere has one of its own. `None` for an account without a home, and for a follower.
fn state_file(home: &HeadPlaces<'_>) -> Option<PathBuf> {
    if home.follows {
        return None;
    }
    let dir = fs::canonicalize(home.dir).ok()?;
    let text = format!("{}\n{}", home.key, dir.display());
    let digest = blake3::hash(text.as_bytes()).to_hex();
    let name = digest.get(..32)?;
    Some(state_folder()?.join("heads").join(name))
}

/// Makes the folder of the file, if it can be made.
pub(crate) fn writable_state_file(home: &HeadPlaces<'_>) -> Option<PathBuf> {
    let file = state_file(home)?;
    keys::make_folder(file.parent()?).ok()?;
    Some(file)
}

/// Checkpoints of this log in the state folder and the places that were named. A place that cannot be reached is named in a
/// notice, but for the state folder, of which `check` speaks: neither holds up anybody.
pub(crate) fn known(home: &HeadPlaces<'_>) -> Result<Vec<KnownHead>, Error> {
    let mut heads = Vec::new();
    let state = state_file(home).map(HeadPlace::File);
    for (name, place) in all(home)? {
        if let HeadPlace::Witness(url) = &place {
            heads.extend(witness::contradicted(home, (&name, url))?);
        }
        match get(home, &place) {
            Err(error) if error.kind() != ErrorKind::Unproven && state.as_ref() == Some(&place) => {
            }
            Ok(head) => heads.extend(head.map(|(checkpoint, note)| KnownHead::Signed {
                place: name,
                checkpoint,
                note,
            })),
            Err(error) if error.kind() == ErrorKind::Unproven => return Err(error),
            Err(error) => home.notices.add(format_args!("head {error}")),
        }
    }
    Ok(heads)
}

/// The state file and the places, each with its name.
fn all(home: &HeadPlaces<'_>) -> Result<Vec<(String, HeadPlace)>, Error> {
    let state = state_file(home);
    let state = state.map(|file| (file.display().to_string(), HeadPlace::File(file)));
    let mut all: Vec<_> = state.into_iter().collect();
    all.extend(further(home)?);
    Ok(all)
}

/// The places that `--head` names, and those in the list beside the state file.
fn further(home: &HeadPlaces<'_>) -> Result<Vec<(String, HeadPlace)>, Error> {
    let list = state_file(home).map(|state| state.with_extension("places"));
    // A home that is closed or gone is as one without the list.
    let listed = match list.filter(|list| fs::metadata(list).is_ok()) {
        Some(list) => settings_file::read(&list, |text| {
            let lines = text.lines().map(|line| line.trim().to_owned());
            let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
            Ok(lines.collect::<Vec<_>>())
        })?,
        None => Vec::new(),
    };
    listed.iter().chain(home.named).map(parse).collect()
}

fn parse(name: impl AsRef<str>) -> Result<(String, HeadPlace), Error> {
    let name = name.as_ref();
    let place = match name.split_once(':') {
        Some(("cmd", command)) if !command.trim().is_empty() => {
            HeadPlace::Command(command.split_whitespace().map(str::to_owned).collect())
        }
        Some(("witness", url)) if is_web(url) => HeadPlace::Witness(url.to_owned()),
        Some(("file", path)) if !path.is_empty() => HeadPlace::File(path.into()),
        // A letter before a colon is a drive.
        Some((scheme, _)) if scheme.len() > 1 && !scheme.contains(['/', '\\', '.']) => {
            return Err(Error::input(
                format_args!("{name} is no place for a head"),
                "name a file, a command as cmd:PROGRAM, or a witness as witness:URL",
            ));
        }
        _ if name.is_empty() => {
            return Err(Error::input(
                "a place for a head has no name",
                "name a file",
            ));
        }
        _ => HeadPlace::File(name.into()),
    };
    Ok((name.to_owned(), place))
}

fn is_web(url: &str) -> bool {
    let url = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    url.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace))
}

fn foreign(name: &dyn core::fmt::Display) -> Error {
    Error::unproven(
        format_args!(
            "{name} holds something else than a checkpoint of this log, so nothing is read or written"
        ),
        "put the checkpoint back that it held, name another place, or add --unsafe to read",
    )
}

/// The checkpoint that the place holds, or of a witness the last one that it has cosigned for this account. [`ErrorKind::Unproven`]
/// for one that the log has not signed.
fn get(home: &HeadPlaces<'_>, place: &HeadPlace) -> Result<Held, Error> {
    let key = &home.key;
    match place {
        HeadPlace::Witness(url) => witness::cosigned(home, url),
        HeadPlace::File(path) => match signed_in(path, key) {
            Err(StoreError::GuardMismatch { .. }) => Err(foreign(&path.display())),
            other => Ok(other?),
        },
        HeadPlace::Command(words) => {
            let note = run(words, "get", "")?;
            if note.is_empty() {
                return Ok(None);
            }
            match checkpoint_signed_by(key, &note) {
                Some(checkpoint) => Ok(Some((checkpoint, note))),
                None => Err(foreign(&words.join(" "))),
            }
        }
    }
}

/// Submits the last signed checkpoint to the witnesses of which this account knows nothing, before another one is signed. What they
/// contradict is among the [`known`] heads then.
pub(crate) fn introduce(home: &HeadPlaces<'_>, guard: &Path) {
    let Ok(Some((last, note))) = signed_in(guard, &home.key) else {
        return;
    };
    for (_, place) in further(home).unwrap_or_default() {
        if let HeadPlace::Witness(url) = place {
            // Whoever cannot be reached is named when the next entry is submitted.
            drop(witness::introduce(home, &url, (&last, &note)));
        }
    }
}

/// Writes the last signed checkpoint into each place that holds an earlier one or none. `written` is the size that was written the
/// last time, and `guard` the file beside the keys; returns the size that was written now. Witnesses are given a proof from `store`.
pub(crate) fn write_behind(
    home: &HeadPlaces<'_>,
    (guard, store): (&Path, &SqliteStore),
    written: u64,
) -> Result<u64, Error> {
    let places = further(home)?;
    if places.is_empty() {
        return Ok(written);
    }
    let Some((last, note)) = signed_in(guard, &home.key)? else {
        return Ok(written);
    };
    if last.size() <= written {
        return Ok(written);
    }
    for (name, place) in places {
        let put = get(home, &place).and_then(|held| match (held, &place) {
            (Some((held, _)), _) if held.size() >= last.size() => Ok(()),
            (_, HeadPlace::Witness(url)) => {
                witness::submit(home, url, (guard, (&last, &note)), store)
            }
            (_, HeadPlace::File(path)) => write_file(path, &note),
            (_, HeadPlace::Command(words)) => run(words, "put", &note).map(drop),
        });
        match put {
            Err(error) if error.kind() == ErrorKind::Unproven => {
                home.notices.add(format_args!("head {name}: {error}"));
            }
            Err(error) => home.notices.add(format_args!("head {name} lags: {error}")),
            Ok(()) => {}
        }
    }
    Ok(last.size())
}

/// Tests whether there are places beside the state file.
pub(crate) fn are_written_behind(home: &HeadPlaces<'_>) -> bool {
    further(home).is_ok_and(|places| !places.is_empty())
}

/// For each place its name, and how many entries of `size` it lacks, or that it holds none or cannot be reached.
pub(crate) fn lags(home: &HeadPlaces<'_>, size: u64) -> Result<Vec<String>, Error> {
    let lag = |(name, place)| match get(home, &place) {
        Ok(Some((held, _))) => match size.saturating_sub(held.size()) {
            0 => format!("{name}: up to date"),
            lag => format!("{name}: {lag} behind"),
        },
        Ok(None) => format!("{name}: nothing there yet"),
        Err(error) => format!("{name}: not reached ({error})"),
    };
    Ok(all(home)?.into_iter().map(lag).collect())
}

/// Runs the command with `get` or `put`; returns what it wrote. It is ended after ten seconds.
fn run(words: &[String], action: &str, input: &str) -> Result<String, Error> {
    let failed = |why: &dyn core::fmt::Display| {
        Error::place(
            format_args!("`{} {action}` failed ({why})", words.join(" ")),
            "run it by hand to see why",
        )
    };
    let (program, arguments) = words
        .split_first()
        .ok_or(Error::bug("a head without a program"))?;
    let mut child = Command::new(program)
        .args(arguments)
        .arg(action)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&error))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that reads nothing is judged by how it ends.
        drop(stdin.write_all(input.as_bytes()));
    }
    let (sender, answer) = mpsc::channel();
    let stdout = child.stdout.take();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = stdout.map(|out| out.take(MAX_BYTES).read_to_string(&mut text));
        // Nobody waits any more after the limit.
        drop(sender.send(read.transpose().map(|_| text)));
    });
    let until = Instant::now() + PATIENCE;
    let ended = wait(&mut child, until).map_err(|error| failed(&error))?;
    if !ended {
        return Err(failed(&"it takes longer than 10 seconds, or fails"));
    }
    let left = until.saturating_duration_since(Instant::now());
    let answer = answer
        .recv_timeout(left)
        .map_err(|_| failed(&"it does not end"))?;
    answer.map_err(|error| failed(&error))
}

/// Waits until `until`, and ends the program then. Returns true if it ended well by itself.
fn wait(child: &mut Child, until: Instant) -> std::io::Result<bool> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if Instant::now() >= until {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
