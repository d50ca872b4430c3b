//! Ports for extractors and oracles. They propose; nothing here can commit (I5).

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use counterfoil_types::WorldId;

use crate::time::ValidTime;
use crate::{Cardinality, FactValue, Identifier, Unit};

/// Verdict of an oracle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OracleVerdict {
    /// The claim holds; its rivals do not.
    Affirm,
    /// The claim does not hold.
    Deny,
    /// No verdict: the claim stays contested.
    Unknown,
}

/// Effect of a proposal on what its line holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Change {
    /// States a value beside the others; of a line of one value, in the place of what the same speaker said earlier.
    #[default]
    None,
    /// The value takes the place of all earlier ones, of any source: "moved to Porto".
    Replaces,
    /// The value holds no longer after [`ClaimProposal::valid`]'s `until`: "no longer at Acme". The value `null` means
    /// each value that the line has then: "I quit my job".
    Ends,
}

/// A claim that an extractor read out of a text. There is nothing in it that would commit it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimProposal {
    /// Subject.
    pub subject: Identifier,
    /// Predicate.
    pub predicate: Identifier,
    /// The value.
    pub value: FactValue,
    /// Valid time that the text gives.
    pub valid: Option<ValidTime>,
    /// Cardinality that the extractor assumes for the line.
    pub cardinality: Cardinality,
    /// Effect on the line.
    pub change: Change,
    /// Place of the statement in the text, in bytes; `None` where the extractor does not know it.
    pub span: Option<Range<usize>>,
}

/// A text to extract from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// World of the passage, which the proposals cite.
    pub world: WorldId,
    /// Speaker, if known.
    pub speaker: Option<String>,
    /// Text of the passage.
    pub text: String,
    /// Time of the utterance, microseconds since 1970.
    pub said_at_us: i64,
}

/// Reads claims out of texts.
pub trait Extractor {
    /// Error of the extractor.
    type Error;

    /// Proposals, at most 256.
    ///
    /// # Errors
    /// When the text cannot be read by it.
    fn extract(&self, passage: &Passage) -> Result<Vec<ClaimProposal>, Self::Error>;
}

/// Judge of contested claims.
pub trait Oracle {
    /// Error of the oracle.
    type Error;

    /// A verdict on a claim that waits and that `rivals` contradict, and the Worlds that it rests on.
    ///
    /// # Errors
    /// When it cannot be asked; the claim goes on waiting.
    fn judge(
        &self,
        claim: &Unit,
        rivals: &[Unit],
    ) -> Result<(OracleVerdict, Vec<WorldId>), Self::Error>;
}
