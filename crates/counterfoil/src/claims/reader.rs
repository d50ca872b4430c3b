//! Readers of claims in a text: the rules on this machine, or the model that `extract.toml` names.

use std::sync::Arc;

use counterfoil_claims::ports::{ClaimProposal, Extractor, Passage};
#[cfg(feature = "endpoint")]
use counterfoil_extract::ExtractError;
use counterfoil_extract::RuleExtractor;
#[cfg(feature = "endpoint")]
use counterfoil_extract::endpoint::{EndpointConfig, EndpointExtractor, KeySource};
use tokio::task::spawn_blocking;
#[cfg(feature = "endpoint")]
use zeroize::Zeroizing;

use crate::error::Error;
#[cfg(feature = "endpoint")]
use crate::error::ErrorKind;
use crate::home::Home;
#[cfg(feature = "endpoint")]
use crate::{files, keys};

/// Name of the settings file.
#[cfg(feature = "endpoint")]
const FILE: &str = "extract.toml";
/// Largest settings file, and largest key, in bytes.
#[cfg(feature = "endpoint")]
const MAX_BYTES: usize = 64 * 1024;

/// Reader of claims. It works on threads of its own, as a model is waited for.
#[derive(Clone)]
pub(super) enum Reader {
    Rules(Arc<RuleExtractor>),
    #[cfg(feature = "endpoint")]
    Endpoint(Arc<Threaded>),
}

/// Proposals of one memory, and reasons for which parts of the answer were none.
pub(super) type Proposed = (Vec<ClaimProposal>, Vec<String>);

/// Reason for the failure of a reading.
pub(super) enum ReadError {
    /// This memory cannot be read; another may.
    Memory(String),
    /// No memory can be read.
    All(Error),
}

impl Reader {
    pub(super) async fn open(with_model: bool, home: &Home) -> Result<Self, Error> {
        if !with_model {
            return Ok(Self::Rules(Arc::new(RuleExtractor::default())));
        }
        #[cfg(feature = "endpoint")]
        {
            let (config, key) = settings(home)?;
            let opened = spawn_blocking(move || EndpointExtractor::new(&config, key)).await;
            let opened = opened.map_err(|_| Error::bug("a reader panicked"))?;
            let opened = opened.map_err(|error| Error::new(ErrorKind::Input, error))?;
            Ok(Self::Endpoint(Arc::new(Threaded(Some(opened)))))
        }
        #[cfg(not(feature = "endpoint"))]
        Err(Error::input(
            format_args!(
                "this build asks no models for the store in {}",
                home.dir().display()
            ),
            "read with --with rules, or build with --features endpoint",
        ))
    }

    /// Reads one memory.
    pub(super) async fn read(&self, passage: Passage) -> Result<Proposed, ReadError> {
        let reader = self.clone();
        let read = spawn_blocking(move || reader.propose(&passage)).await;
        read.map_err(|_| ReadError::All(Error::bug("a reader panicked")))?
    }

    fn propose(&self, passage: &Passage) -> Result<Proposed, ReadError> {
        match self {
            Self::Rules(rules) => match rules.extract(passage) {
                Ok(proposals) => Ok((proposals, Vec::new())),
                Err(error) => Err(ReadError::Memory(error.to_string())),
            },
            #[cfg(feature = "endpoint")]
            Self::Endpoint(reader) => {
                let Threaded(Some(endpoint)) = reader.as_ref() else {
                    return Err(ReadError::All(Error::bug("a reader without extractor")));
                };
                match endpoint.propose(passage) {
                    Ok((proposals, skipped)) => {
                        let skipped = skipped.into_iter();
                        let skipped = skipped.map(|(at, why)| format!("claim {at}: {why}"));
                        Ok((proposals, skipped.collect()))
                    }
                    Err(
                        error @ (ExtractError::TooLong { .. }
                        | ExtractError::TooLarge { .. }
                        | ExtractError::NoAnswer { .. }
                        | ExtractError::CutOff),
                    ) => Err(ReadError::Memory(error.to_string())),
                    Err(error) => Err(ReadError::All(Error::new(ErrorKind::Input, error))),
                }
            }
        }
    }
}

/// Extractor that is dropped on a thread: its runtime must not end in an async task.
#[cfg(feature = "endpoint")]
pub(super) struct Threaded(Option<EndpointExtractor>);

#[cfg(feature = "endpoint")]
impl Drop for Threaded {
    fn drop(&mut self) {
        let extractor = self.0.take();
        std::thread::spawn(move || drop(extractor));
    }
}

/// Reads `extract.toml`, and the key from the first line of its file, which must be private to its owner, or from its
/// variable.
#[cfg(feature = "endpoint")]
fn settings(home: &Home) -> Result<(EndpointConfig, Option<Zeroizing<String>>), Error> {
    let path = home.dir().join(FILE);
    let shown = path.display();
    if !path.exists() {
        return Err(Error::input(
            format_args!("{shown} is not there, so nobody knows which model to ask"),
            "write it as docs/format/extract.md shows, or read with --with rules",
        ));
    }
    let text = |path: &std::path::Path| {
        let bytes = files::read("file", path, MAX_BYTES, ErrorKind::Input)?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Error::input(
                format_args!("{} is not UTF-8", path.display()),
                "save it again",
            )
        })?;
        Ok::<_, Error>(Zeroizing::new(text))
    };
    let config = EndpointConfig::parse(&text(&path)?)
        .map_err(|error| Error::input(format_args!("{shown}: {error}"), "mend it"))?;
    let found = match config.key() {
        KeySource::None => return Ok((config, None)),
        KeySource::Environment(name) => Zeroizing::new(std::env::var(name).unwrap_or_default()),
        KeySource::File(path) => {
            let path = home.dir().join(path);
            if let Ok(found) = std::fs::metadata(&path) {
                keys::check_private(&path, &found)?;
            }
            text(&path)?
        }
    };
    let key = found.lines().next().unwrap_or_default().trim();
    if key.is_empty() {
        return Err(Error::input(
            "the key of the endpoint is empty",
            "set what `key-env` or `key-file` in extract.toml names",
        ));
    }
    Ok((config, Some(Zeroizing::new(key.to_owned()))))
}
