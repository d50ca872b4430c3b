//! A key chain as another agent has exported it: which keys it signed with, one after the other (capsules 4.7).

use std::path::Path;

use counterfoil_capsule::keys::{KeyDocument, KeyHistory};
use counterfoil_capsule::{CapsuleDocument, Header, Kind, Surroundings, Verdict};
use counterfoil_types::DidKey;
use counterfoil_types::json::{self, Limits};

use crate::error::{Error, ErrorKind};
use crate::{files, text};

/// No such file is longer, in bytes.
const MAX_BYTES: usize = 16 << 20;
/// No such file has more capsules.
const MAX_RECORDS: usize = 10_000;

/// The keys of the agent, in their order.
///
/// # Errors
/// The file cannot be read, or is no key chain whose every signature holds.
pub(crate) fn read(path: &Path) -> Result<Vec<DidKey>, Error> {
    let bytes = files::read("key chain", path, MAX_BYTES, ErrorKind::Input)?;
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    let mut fold = Fold::default();
    for (at, line) in lines.enumerate() {
        if at >= MAX_RECORDS {
            return Err(bad(path, at, "it has too many capsules"));
        }
        fold.take(line).map_err(|why| bad(path, at, why))?;
    }
    match fold.history {
        Some(history) => Ok(history.keys().to_vec()),
        None => Err(bad(path, 0, "it is empty")),
    }
}

#[derive(Default)]
struct Fold {
    history: Option<KeyHistory>,
    before: Option<Header>,
}

impl Fold {
    fn take(&mut self, line: &[u8]) -> Result<(), String> {
        let capsule = CapsuleDocument::parse(line).map_err(|error| error.to_string())?;
        let header = capsule.header();
        let number = header.key_number();
        let around = Surroundings {
            predecessor: self.before.as_ref(),
            key: self
                .history
                .as_ref()
                .and_then(|history| history.key_at(number)),
            ..Surroundings::default()
        };
        let verdict = capsule.check(&around);
        if verdict != Verdict::Valid {
            return Err(format!("the capsule does not hold: {verdict:?}"));
        }
        let Kind::Record(kind) = header.kind() else {
            return Err("it is no capsule of a key chain".to_owned());
        };
        let payload = capsule.payload().ok_or("its content is missing")?;
        let payload = json::parse(payload.text.as_bytes(), Limits::CONTENT);
        let payload = payload.map_err(|error| error.to_string())?;
        let document = KeyDocument::parse(kind, &payload).ok_or("it is no record of keys")?;
        let document = document.map_err(|error| error.to_string())?;
        match (&mut self.history, &document) {
            (Some(history), document) => history.extend(header, document),
            (None, KeyDocument::Inception(inception)) => {
                KeyHistory::begin(header, inception).map(|begun| self.history = Some(begun))
            }
            (None, _) => return Err("the chain does not begin with its first record".to_owned()),
        }
        .map_err(|error| error.to_string())?;
        self.before = Some(header.clone());
        Ok(())
    }
}

fn bad(path: &Path, at: usize, why: impl core::fmt::Display) -> Error {
    Error::input(
        format_args!(
            "line {} of {} is no key chain ({})",
            at.saturating_add(1),
            path.display(),
            text::name(why)
        ),
        "ask the agent for what its `counterfoil key export` writes",
    )
}
