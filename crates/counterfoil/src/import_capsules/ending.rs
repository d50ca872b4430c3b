//! Completeness of an export up to the end of its log: its entries against a signed checkpoint (C6, C44).

use std::fs;
use std::io;
use std::path::Path;

use counterfoil_capsule::CapsuleDocument;
use counterfoil_store::log::Frontier;
use counterfoil_store::open_plain;
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::dangerous::checkpoint_signed_by;
use serde::Serialize;

use crate::error::Error;
use crate::files::unreadable;
use crate::home::Home;
use crate::import::turns::ImportOptions;

/// The most bytes of a file with a checkpoint.
const MAX_NOTE: u64 = 16 << 10;

/// End of the exported log, as far as it is known.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "state")]
pub(super) enum End {
    /// No checkpoint says where it ends: heads may be missing.
    #[default]
    Unknown,
    /// The file holds every entry that the checkpoint counts.
    Complete { size: u64 },
    /// Entries are missing at the end.
    Truncated { size: u64, found: u64 },
    /// It is not the log that the checkpoint is of.
    OtherHistory { size: u64 },
}

/// Compares the entries of the file with a checkpoint, as they come.
pub(super) struct Ending {
    expected: Option<Checkpoint>,
    frontier: Frontier,
    /// The first line that is no entry ends the log as far as the file has it.
    broken: bool,
}

impl Ending {
    pub(super) fn expected(home: &Home, options: &ImportOptions) -> Result<Self, Error> {
        let expected = options
            .checkpoint
            .as_ref()
            .map(|path| {
                let note = read_note(path)?;
                let key = match &options.log_key {
                    Some(key) => key.clone(),
                    None => home.log_public()?,
                };
                checkpoint_signed_by(&key, &note).ok_or_else(|| {
                    Error::input(
                        format_args!("{} is not signed by the log {key}", path.display()),
                        "name the key of the exported log with --log-key",
                    )
                })
            })
            .transpose()?;
        Ok(Self {
            expected,
            frontier: Frontier::default(),
            broken: false,
        })
    }

    pub(super) fn take(&mut self, line: &[u8]) {
        let Some(expected) = &self.expected else {
            return;
        };
        if self.broken || self.frontier.size() == expected.size() {
            return;
        }
        let entry = CapsuleDocument::parse(line).ok();
        match entry.and_then(|document| document.entry().ok()) {
            Some(entry) => drop(self.frontier.append(entry.leaf_hash())),
            None => self.broken = true,
        }
    }

    pub(super) fn found(&self) -> End {
        let Some(expected) = &self.expected else {
            return End::Unknown;
        };
        let (size, found) = (expected.size(), self.frontier.size());
        match found < size {
            true => End::Truncated { size, found },
            false if self.frontier.root() == expected.root() => End::Complete { size },
            false => End::OtherHistory { size },
        }
    }
}

/// A signed note in a file.
pub(crate) fn read_note(path: &Path) -> Result<String, Error> {
    let long = fs::metadata(path).is_ok_and(|found| found.len() > MAX_NOTE);
    if long {
        return Err(Error::input(
            format_args!("{} is too long for a checkpoint", path.display()),
            "name the output of `counterfoil log checkpoint`",
        ));
    }
    let note = open_plain(path).and_then(io::read_to_string);
    note.map_err(|error| unreadable(path, &error))
}
