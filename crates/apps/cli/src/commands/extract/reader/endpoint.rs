//! `extract.toml` and its key; the key never stands on a command line.

use std::fs;
use std::path::Path;

use counterfoil_claims::ports::Passage;
use counterfoil_extract::endpoint::{EndpointConfig, EndpointError, EndpointExtractor, KeySource};
use counterfoil_verify::read_file;
use zeroize::Zeroizing;

use super::{Failed, Proposed};
use crate::failure::{ErrorKind, Failure};
use crate::home::Home;

/// The name of the file.
const FILE: &str = "extract.toml";
/// No such file, and no key, is longer, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// Reads configuration and key; what it gives makes the extractor.
pub(super) fn opening(
    home: &Home,
) -> Result<impl FnOnce() -> Result<EndpointExtractor, Failure> + Send + 'static, Failure> {
    let path = home.dir().join(FILE);
    if !path.exists() {
        return Err(Failure::input(
            format_args!(
                "{} is not there, so nobody knows which model to ask",
                path.display()
            ),
            "write it as docs/format/extract.md shows, or read with --with rules",
        ));
    }
    let text = text(&path)?;
    let config = EndpointConfig::parse(&text)
        .map_err(|error| Failure::input(format_args!("{}: {error}", path.display()), "mend it"))?;
    let key = key(home, config.key())?;
    Ok(move || {
        EndpointExtractor::new(&config, key)
            .map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))
    })
}

fn text(path: &Path) -> Result<Zeroizing<String>, Failure> {
    let bytes = read_file("file", path, MAX_BYTES)
        .map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::input(
            format_args!("{} is not UTF-8", path.display()),
            "save it again",
        )
    })?;
    Ok(Zeroizing::new(text))
}

/// Reads the key from the first line of the file, which must be private to its owner, or from the variable.
fn key(home: &Home, source: &KeySource) -> Result<Option<Zeroizing<String>>, Failure> {
    let found = match source {
        KeySource::None => return Ok(None),
        KeySource::Environment(name) => Zeroizing::new(std::env::var(name).unwrap_or_default()),
        KeySource::File(path) => {
            let path = home.dir().join(path);
            if let Ok(found) = fs::metadata(&path) {
                counterfoil::internal::check_private(&path, &found)?;
            }
            text(&path)?
        }
    };
    let key = found.lines().next().unwrap_or_default().trim();
    if key.is_empty() {
        return Err(Failure::input(
            "the key of the endpoint is empty",
            "set what `key-env` or `key-file` in extract.toml names",
        ));
    }
    Ok(Some(Zeroizing::new(key.to_owned())))
}

pub(super) fn propose(asked: &EndpointExtractor, passage: &Passage) -> Result<Proposed, Failed> {
    match asked.propose(passage) {
        Ok(proposed) => Ok(Proposed {
            proposals: proposed.proposals,
            skipped: proposed
                .skipped
                .into_iter()
                .map(|(at, why)| format!("claim {at}: {why}"))
                .collect(),
        }),
        Err(
            error @ (EndpointError::TooLong(_)
            | EndpointError::TooLarge { .. }
            | EndpointError::NoAnswer { .. }
            | EndpointError::CutOff),
        ) => Err(Failed::OfThis(error.to_string())),
        Err(error) => Err(Failed::OfAll(Failure::new(
            ErrorKind::Input,
            error.to_string(),
        ))),
    }
}
