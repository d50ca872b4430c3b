//! The floor: the checkpoint that was given out in anchors. An authority that holds it asks every
//! receipt to prove that the log continues from there, so later receipts do (proof.md §3 step 7).

use std::fs;
use std::io;
use std::path::PathBuf;

use counterfoil_store::open_plain;
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::dangerous::checkpoint_signed_by;

use crate::error::{Error, ErrorKind};
use crate::files;
use crate::home::Home;

/// No floor file is longer, in bytes.
const MAX_BYTES: u64 = 16 << 10;

/// The floor that was given out, if any was.
pub(crate) fn given_out(home: &Home) -> Result<Option<Checkpoint>, Error> {
    let path = path(home);
    let text = match fs::metadata(&path) {
        Ok(found) if found.len() > MAX_BYTES => return Err(damaged(home)),
        Ok(_) => open_plain(&path).and_then(io::read_to_string),
        Err(error) => Err(error),
    };
    match text {
        Ok(note) => checkpoint_signed_by(&home.log_public()?, &note)
            .map(Some)
            .ok_or_else(|| damaged(home)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(damaged(home)),
        Err(error) => Err(Error::place(
            format_args!("{} cannot be read ({error})", path.display()),
            "check your rights, or name a floor with --floor",
        )),
    }
}

/// Keeps the checkpoint that is being given out.
pub(crate) fn give_out(home: &Home, note: &str) -> Result<(), Error> {
    files::write_file(&path(home), note).map_err(|error| match error.kind() {
        ErrorKind::Input => Error::place(
            format_args!("the floor cannot be kept in {}", home.dir().display()),
            "make the folder writable, or give out anchors with --no-floor",
        ),
        _ => error,
    })
}

/// The size that receipts shall prove to continue.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asked {
    /// It was named on the command line.
    Named(u64),
    /// A size in anchors that were given out.
    GivenOut(u64),
}

/// Named floor, or else the one that was given out; `None` for no floor.
pub(crate) fn asked(home: &Home, named: Option<u64>) -> Result<Option<Asked>, Error> {
    let floor = match named {
        Some(size) => Some(Asked::Named(size)),
        None => given_out(home)?.map(|floor| Asked::GivenOut(floor.size())),
    };
    Ok(floor.filter(|floor| floor.size() > 0))
}

impl Asked {
    /// In entries of the log.
    pub(crate) const fn size(self) -> u64 {
        match self {
            Self::Named(size) | Self::GivenOut(size) => size,
        }
    }

    /// Refuses a floor that a log of `held` entries does not reach.
    pub(crate) fn must_lie_in(self, held: u64) -> Result<(), Error> {
        match self {
            Self::Named(floor) if floor > held => Err(Error::input(
                format_args!("a floor of {floor} lies beyond the log, which holds {held} entries"),
                "name a size that the log has had",
            )),
            Self::GivenOut(floor) if floor > held => Err(Error::place(
                format_args!(
                    "anchors were given out for {floor} entries, but the log holds {held}: it \
                     looks like a restored backup"
                ),
                "put the later database back, or use --floor 0",
            )),
            _ => Ok(()),
        }
    }
}

/// Checkpoint in a signed note, without a check of its signatures.
pub(crate) fn checkpoint_in(note: &str) -> Option<Checkpoint> {
    Checkpoint::from_note(note).ok()
}

fn path(home: &Home) -> PathBuf {
    home.dir().join("floor")
}

fn damaged(home: &Home) -> Error {
    Error::place(
        format_args!(
            "{} is not a checkpoint that this log has signed",
            path(home).display()
        ),
        "remove it, and use --floor SIZE for anchors given out before",
    )
}
