//! Readers of claims in a text: the rules on this machine, or the model that `extract.toml` names.

use std::sync::Arc;

use counterfoil_claims::ports::{ClaimProposal, Passage};
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
use crate::{endpoint_key::EndpointKey, files};

/// Name of the settings file.
#[cfg(feature = "endpoint")]
const FILE: &str = "extract.toml";
/// Largest settings file, in bytes.
#[cfg(feature = "endpoint")]
const MAX_BYTES: usize = 64 * 1024;

/// Reader of claims. It works on threads of its own, as a model is waited for.
#[derive(Clone)]
pub(super) enum Reader {
    Rules(Arc<RuleExtractor>),
    /// A model, and the most texts in one request.
    #[cfg(feature = "endpoint")]
    Endpoint(Arc<EndpointExtractor>, usize),
}

/// Most bytes of the texts that are read together, unless one alone has more.
const TOGETHER_BYTES: usize = 32 * 1024;

/// Most memories that the rules read together.
const RULES_TOGETHER: usize = 16;

/// A memory, with the turn that it follows in a conversation.
#[derive(Clone)]
pub(super) struct Turn {
    pub(super) before: Option<Passage>,
    pub(super) passage: Passage,
}

/// Proposals of one memory, and reasons for which parts of the answer were none.
pub(super) type Proposed = (Vec<ClaimProposal>, Vec<String>);

impl Reader {
    pub(super) async fn open(with_model: bool, home: &Home) -> Result<Self, Error> {
        if !with_model {
            return Ok(Self::Rules(Arc::new(RuleExtractor::default())));
        }
        #[cfg(feature = "endpoint")]
        {
            let (config, key) = settings(home)?;
            let batch = config.batch();
            let opened = spawn_blocking(move || EndpointExtractor::new(&config, key)).await;
            let opened = opened.map_err(|_| Error::bug("a reader panicked"))?;
            let opened = opened.map_err(|error| Error::new(ErrorKind::Input, error))?;
            Ok(Self::Endpoint(Arc::new(opened), batch))
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

    /// Returns true if so many turns with so many bytes are to be read before another joins them.
    pub(super) fn is_full(&self, turns: usize, bytes: usize) -> bool {
        match self {
            Self::Rules(_) => turns >= RULES_TOGETHER || bytes > TOGETHER_BYTES,
            #[cfg(feature = "endpoint")]
            Self::Endpoint(_, batch) => turns >= *batch || bytes > TOGETHER_BYTES,
        }
    }

    /// Reads memories, each with a result of its own; the outer error is for all.
    pub(super) async fn read(
        &self,
        turns: Vec<Turn>,
    ) -> Result<Vec<Result<Proposed, String>>, Error> {
        let reader = self.clone();
        let read = spawn_blocking(move || reader.propose(&turns)).await;
        read.map_err(|_| Error::bug("a reader panicked"))?
    }

    fn propose(&self, turns: &[Turn]) -> Result<Vec<Result<Proposed, String>>, Error> {
        match self {
            Self::Rules(rules) => {
                let read = |turn: &Turn| {
                    let proposals = rules.extract_after(turn.before.as_ref(), &turn.passage);
                    let proposals = proposals.map_err(|error| error.to_string())?;
                    Ok((proposals, Vec::new()))
                };
                Ok(turns.iter().map(read).collect())
            }
            #[cfg(feature = "endpoint")]
            Self::Endpoint(endpoint, _) => {
                let passages: Vec<Passage> =
                    turns.iter().map(|turn| turn.passage.clone()).collect();
                asked(endpoint, &passages)
            }
        }
    }
}

/// Asks about all texts together. Where the model gives no answer, it is asked about each half: one text may be why.
#[cfg(feature = "endpoint")]
fn asked(
    endpoint: &EndpointExtractor,
    passages: &[Passage],
) -> Result<Vec<Result<Proposed, String>>, Error> {
    match endpoint.propose(passages) {
        Ok(found) => {
            let read = |(proposals, skipped): (Vec<ClaimProposal>, Vec<(usize, String)>)| {
                let skipped = skipped.into_iter();
                let skipped = skipped.map(|(at, why)| format!("claim {at}: {why}"));
                Ok((proposals, skipped.collect()))
            };
            Ok(found.into_iter().map(read).collect())
        }
        Err(
            error @ (ExtractError::TooLong { .. }
            | ExtractError::TooLarge { .. }
            | ExtractError::NoAnswer { .. }
            | ExtractError::CutOff),
        ) => {
            let (first, second) = passages.split_at(passages.len() / 2);
            if first.is_empty() {
                return Ok(vec![Err(error.to_string())]);
            }
            let mut found = asked(endpoint, first)?;
            found.extend(asked(endpoint, second)?);
            Ok(found)
        }
        Err(error) => Err(Error::new(ErrorKind::Input, error)),
    }
}

/// Reads `extract.toml`, and the key that it names.
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
    let text = files::read("settings", &path, MAX_BYTES, ErrorKind::Input)?;
    let text = String::from_utf8(text)
        .map_err(|_| Error::input(format_args!("{shown} is not UTF-8"), "save it again"))?;
    let config = EndpointConfig::parse(&text)
        .map_err(|error| Error::input(format_args!("{shown}: {error}"), "mend it"))?;
    let key = match config.key() {
        KeySource::None => None,
        KeySource::Environment(name) => Some(EndpointKey::Variable(name.clone())),
        KeySource::File(path) => Some(EndpointKey::File(home.dir().join(path))),
    };
    let key = key.map(|key| key.read(FILE)).transpose()?;
    Ok((config, key))
}
