//! Ports for extractors and oracles. They propose; nothing here can commit (I5).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::WorldId;

use crate::time::ValidTime;
use crate::{Cardinality, FactValue, Identifier};

/// What an oracle says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OracleVerdict {
    /// The claim holds; its rivals do not.
    Affirm,
    /// The claim does not hold.
    Deny,
    /// It cannot be told.
    Unknown,
}

/// A claim that an extractor read out of a text. There is nothing in it that would commit it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimProposal {
    /// Of whom or what.
    pub subject: Identifier,
    /// What of it.
    pub predicate: Identifier,
    /// The value.
    pub value: FactValue,
    /// When it is said to hold.
    pub valid: Option<ValidTime>,
    /// What the extractor thinks of the line's cardinality.
    pub cardinality: Cardinality,
}

/// A text to extract from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The World that it stands in: what the proposals will cite.
    pub world: WorldId,
    /// Who speaks, if that is known.
    pub speaker: Option<String>,
    /// What is said.
    pub text: String,
    /// When it was said, microseconds since 1970.
    pub said_at_us: i64,
}

/// Reads claims out of texts.
pub trait Extractor {
    /// Why it could not.
    type Error;

    /// Proposals, at most 256.
    ///
    /// # Errors
    /// When the text cannot be read by it.
    fn extract(&self, passage: &Passage) -> Result<Vec<ClaimProposal>, Self::Error>;
}

/// A case for an oracle: the claim that waits, and those that contradict it.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The claim that waits.
    pub claim: crate::Unit,
    /// Those that contradict it.
    pub rivals: Vec<crate::Unit>,
}

/// Judges what is contested.
pub trait Oracle {
    /// Why it could not.
    type Error;

    /// A verdict and the Worlds that it rests on.
    ///
    /// # Errors
    /// When it cannot be asked; the claim goes on waiting.
    fn judge(&self, case: &Case) -> Result<(OracleVerdict, Vec<WorldId>), Self::Error>;
}
