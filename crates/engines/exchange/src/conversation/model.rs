//! The port for a language model: it only proposes (MRP-51).

use alloc::string::String;
use alloc::vec::Vec;

use super::{Heard, Proposal, Proposed, ProposedRequest, ProposedResponse};

/// A language model that reads messages. What it says is derived by a model: it is confirmed by somebody, or stays a draft.
/// It holds no key and signs nothing.
pub trait LanguageModel {
    /// What a message may mean.
    fn propose(&self, message: &str) -> Vec<ModelProposal>;
}

/// What a model proposes: words, never a document. It becomes a [`Proposal`] only by [`confirm`](Self::confirm).
#[derive(Debug, Clone, PartialEq)]
pub struct ModelProposal(Proposal);

impl ModelProposal {
    /// That somebody asks.
    #[must_use]
    pub const fn question(addressee: Option<String>, question: ProposedRequest) -> Self {
        Self::of(addressee, Proposed::Question(question))
    }

    /// That somebody answers.
    #[must_use]
    pub const fn answer(addressee: Option<String>, answer: ProposedResponse) -> Self {
        Self::of(addressee, Proposed::Answer(answer))
    }

    /// What is proposed, for whoever is to confirm it.
    #[must_use]
    pub const fn draft(&self) -> &Proposed {
        &self.0.what
    }

    /// Somebody has looked at it and says that it is meant so. It is still called [`Heard::Model`].
    #[must_use]
    pub fn confirm(self) -> Proposal {
        self.0
    }

    const fn of(addressee: Option<String>, what: Proposed) -> Self {
        Self(Proposal {
            heard: Heard::Model,
            addressee,
            what,
        })
    }
}
