//! Errors of documents, and refusals of proofs of belief.

use counterfoil_authority::types::WorldId;
use counterfoil_authority::types::document::Fault;
use counterfoil_authority::types::json::JsonError;
use counterfoil_authority::verifier::Refusal;

/// Bytes that are no proof of belief, or refusal of one. Its maker is to blame, but where the text says that the anchors
/// do not fit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BeliefError {
    /// Not JSON as we accept it.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// Another document.
    #[error("no proof of belief: its format must be \"counterfoil/belief/v1\"")]
    Format,
    /// A member that is missing, unknown or malformed.
    #[error("{0}; docs/format/belief.md lists the members")]
    Member(#[from] Fault),
    /// A unit that is not disclosed as it must be, or differs from the recorded and signed one.
    #[error("units[{position}]: {cause}")]
    Unit {
        /// Its place in the document, from 0.
        position: usize,
        /// Its fault.
        cause: Refusal,
    },
    /// A capsule of another kind.
    #[error(
        "units[{0}] is a capsule of another kind than a claim unit: it never came through the gate"
    )]
    NoUnit(usize),
    /// A claim unit whose content is none.
    #[error("units[{position}]: {cause}")]
    Malformed {
        /// Its place in the document.
        position: usize,
        /// Its fault.
        cause: Fault,
    },
    /// A unit of another agent.
    #[error("units[{0}] is signed by another agent than the one whose belief is claimed")]
    OtherAgent(usize),
    /// A unit of another line.
    #[error("units[{position}] is about {subject:?} / {predicate:?}, which is another line")]
    OtherLine {
        /// Its place in the document.
        position: usize,
        /// Its subject.
        subject: String,
        /// Its predicate.
        predicate: String,
    },
    /// A number that is not the next one: a unit is left out, given twice or out of its place.
    #[error(
        "units[{position}] has the number {found} on its line: a unit is missing, or they are not in order"
    )]
    Gap {
        /// Its place in the document, which is the number that it must have.
        position: usize,
        /// The number that it has.
        found: u64,
    },
    /// A unit that follows another one than the one before it.
    #[error(
        "units[{position}] does not name the unit before it as its previous: it is of another history of the line"
    )]
    Previous {
        /// Its place in the document.
        position: usize,
        /// Unit that it names.
        found: Option<WorldId>,
    },
    /// A unit that was recorded before the one before it.
    #[error("units[{0}] was recorded before the unit that it follows")]
    Order(usize),
    /// A unit that the question leaves out.
    #[error("units[{0}] was recorded after the time as of which was asked; it has no place here")]
    After(usize),
    /// Units under different checkpoints.
    #[error(
        "units[{0}] is proven under another checkpoint than the units before it; ask for the proof again"
    )]
    TwoCheckpoints(usize),
    /// A unit whose header names another line.
    #[error("units[{0}] has the tag of another line in its header")]
    OtherTag(usize),
    /// The lookup of the line does not hold.
    #[error("line: {0}")]
    Line(Refusal),
    /// The map of the log counts other units of the line.
    #[error(
        "the log has {counted} units of this line at its checkpoint, and {shown} are shown, or others: ask for the proof again"
    )]
    Unshown {
        /// Number of units with the tag of the line in the document.
        shown: u64,
        /// Number of units in the log.
        counted: u64,
    },
    /// A record of trust that is not disclosed as it must be, or differs from the recorded and signed one.
    #[error("trust/records[{position}]: {cause}")]
    Trust {
        /// Its place in the document, from 0.
        position: usize,
        /// Its fault.
        cause: Refusal,
    },
    /// A record that is none of trust, of another agent, or out of its place.
    #[error(
        "trust/records[{0}] is no record of trust of the agent whose belief is claimed, or is not in the order of the log"
    )]
    TrustOfAnother(usize),
    /// A record of trust with another content.
    #[error("trust/records[{position}]: {cause}")]
    TrustMalformed {
        /// Its place in the document.
        position: usize,
        /// Its fault.
        cause: Fault,
    },
    /// Documents in the records that no trust can be read from.
    #[error("trust: {0}")]
    TrustUnread(String),
    /// The lookup of the records of trust does not hold.
    #[error("trust: {0}")]
    TrustLookup(Refusal),
    /// Records of trust under a checkpoint without a map.
    #[error(
        "trust: the checkpoint has no map that counts records of trust; ask for the proof without them"
    )]
    TrustUncounted,
    /// The map of the log counts other records of trust.
    #[error(
        "the log has {counted} records of trust of this agent at its checkpoint, and {shown} are shown, or others: ask for the proof again"
    )]
    TrustLeftOut {
        /// Number of records in the document.
        shown: usize,
        /// Number of records in the log.
        counted: u64,
    },
    /// The units say something else.
    #[error("the units give another belief than the one that is claimed: {folded}")]
    OtherBelief {
        /// Belief of the units, as the document would have to state it.
        folded: String,
    },
}

impl BeliefError {
    /// Stable name for programs, in kebab-case.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Json(_) | Self::Format | Self::Member(_) => "no-proof",
            Self::Unit { .. } => "unit-refused",
            Self::NoUnit(_) => "no-unit",
            Self::Malformed { .. } => "unit-malformed",
            Self::OtherAgent(_) => "other-agent",
            Self::OtherLine { .. } => "other-line",
            Self::Gap { .. } => "unit-missing",
            Self::Previous { .. } => "other-history",
            Self::Order(_) => "out-of-order",
            Self::After(_) => "after-as-of",
            Self::TwoCheckpoints(_) => "two-checkpoints",
            Self::OtherTag(_) => "other-tag",
            Self::Line(_) => "line-refused",
            Self::Unshown { .. } => "later-units",
            Self::TrustLeftOut { .. } => "trust-left-out",
            Self::Trust { .. }
            | Self::TrustOfAnother(_)
            | Self::TrustMalformed { .. }
            | Self::TrustUnread(_)
            | Self::TrustLookup(_)
            | Self::TrustUncounted => "trust-refused",
            Self::OtherBelief { .. } => "other-belief",
        }
    }
}
