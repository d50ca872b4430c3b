//! A subject-line, and the number of values that it may hold at a time.

use counterfoil_types::{DidKey, words};

use crate::Identifier;

/// Agent, subject and predicate: the unit of belief.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line {
    /// Agent that holds the belief.
    pub agent: DidKey,
    /// Subject of its claims.
    pub subject: Identifier,
    /// Predicate of its claims.
    pub predicate: Identifier,
}

words! {
    /// Number of values that a line may hold at an instant (I5: a proposal unless the host has registered it).
    #[derive(PartialOrd, Ord, Hash, Default)]
    pub enum Cardinality {
        /// Not stated: differing values contest each other.
        #[default]
        Unknown = "unknown",
        /// One: a birthplace.
        One = "one",
        /// A set: languages.
        Many = "many",
    }
}

impl Cardinality {
    /// Returns the cardinality of a line: `registered`, that of the last unit with one, else `one` before `many` if an
    /// external claim outside of quarantine gave it.
    pub const fn of_line(registered: Option<Self>, said_one: bool, said_many: bool) -> Self {
        match (registered, said_one, said_many) {
            (Some(registered), _, _) => registered,
            (None, true, _) => Self::One,
            (None, false, true) => Self::Many,
            (None, false, false) => Self::Unknown,
        }
    }
}
