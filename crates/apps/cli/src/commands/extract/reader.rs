//! Who reads: the rules on this machine, or the model that `extract.toml` names.

use std::sync::mpsc::{Sender, channel};
use std::thread;

use counterfoil_claims::ports::{ClaimProposal, Extractor, Passage};
use counterfoil_extract::RuleExtractor;
use tokio::sync::oneshot;

use crate::args::ReaderName;
use crate::failure::Failure;
use crate::home::Home;

#[cfg(feature = "endpoint")]
mod endpoint;

/// Reader on a thread of its own: waiting for another machine is not allowed where the store is waited for.
pub(super) struct Reader {
    asks: Sender<Ask>,
}

/// A memory to read, and where the answer goes.
struct Ask {
    passage: Passage,
    answer: oneshot::Sender<Result<Proposed, Failed>>,
}

enum Kind {
    Rules(RuleExtractor),
    #[cfg(feature = "endpoint")]
    Endpoint(Box<counterfoil_extract::endpoint::EndpointExtractor>),
}

/// Proposals read in one memory.
pub(super) struct Proposed {
    pub(super) proposals: Vec<ClaimProposal>,
    /// Reasons for which parts of the answer were no proposals.
    pub(super) skipped: Vec<String>,
}

/// Reason for the failure of a reading.
pub(super) enum Failed {
    /// Another memory may be read.
    OfThis(String),
    /// No other will be either.
    OfAll(Failure),
}

/// Reason for the end of the reading.
pub(super) enum Ended {
    Interrupted,
    Failed(Failure),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Reader {
    pub(super) async fn open(name: ReaderName, home: &Home) -> Result<Self, Failure> {
        let make = making(name, home)?;
        let (asks, asked) = channel::<Ask>();
        let (made, is_made) = oneshot::channel();
        thread::spawn(move || match make() {
            Ok(kind) => {
                // Whoever does not hear it is gone, and asks nothing.
                let _ = made.send(Ok(()));
                for Ask { passage, answer } in asked {
                    let _ = answer.send(kind.propose(&passage));
                }
            }
            Err(failure) => {
                let _ = made.send(Err(failure));
            }
        });
        is_made.await.map_err(|_| gone())??;
        Ok(Self { asks })
    }

    /// Reads one memory.
    pub(super) async fn read(&self, passage: Passage) -> Result<Proposed, Failed> {
        let (answer, answered) = oneshot::channel();
        let asked = self.asks.send(Ask { passage, answer });
        asked.map_err(|_| Failed::OfAll(gone()))?;
        answered.await.map_err(|_| Failed::OfAll(gone()))?
    }
}

fn gone() -> Failure {
    Failure::bug("a reader panicked")
}

type Make = Box<dyn FnOnce() -> Result<Kind, Failure> + Send>;

fn making(name: ReaderName, home: &Home) -> Result<Make, Failure> {
    match name {
        ReaderName::Rules => Ok(Box::new(|| Ok(Kind::Rules(RuleExtractor::default())))),
        #[cfg(feature = "endpoint")]
        ReaderName::Endpoint => {
            let open = endpoint::opening(home)?;
            Ok(Box::new(move || Ok(Kind::Endpoint(Box::new(open()?)))))
        }
        #[cfg(not(feature = "endpoint"))]
        ReaderName::Endpoint => Err(Failure::input(
            format_args!(
                "this build asks no models for the store in {}",
                home.dir().display()
            ),
            "read with --with rules, or build with --features endpoint",
        )),
    }
}

impl Kind {
    fn propose(&self, passage: &Passage) -> Result<Proposed, Failed> {
        match self {
            Self::Rules(rules) => match rules.extract(passage) {
                Ok(proposals) => Ok(Proposed {
                    proposals,
                    skipped: Vec::new(),
                }),
                Err(error) => Err(Failed::OfThis(error.to_string())),
            },
            #[cfg(feature = "endpoint")]
            Self::Endpoint(asked) => endpoint::propose(asked, passage),
        }
    }
}
