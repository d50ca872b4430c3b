//! A subject-line, and the number of values that it may hold at a time.

use counterfoil_types::{DidKey, Scope, words};

use crate::Identifier;

/// Agent, subject and predicate, in a scope: the unit of belief. Claims of another scope neither support nor contest those of a line
/// (decision 0075).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line {
    /// Agent that holds the belief.
    pub agent: DidKey,
    /// Subject of its claims.
    pub subject: Identifier,
    /// Predicate of its claims.
    pub predicate: Identifier,
    /// Scope of its claims.
    pub scope: Scope,
}

impl Line {
    /// What tells the line from others of its agent.
    pub const fn name(&self) -> LineName<'_> {
        LineName {
            subject: &self.subject,
            predicate: &self.predicate,
            scope: &self.scope,
        }
    }
}

/// What tells a line from others of its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineName<'a> {
    /// Subject of its claims.
    pub subject: &'a Identifier,
    /// Predicate of its claims.
    pub predicate: &'a Identifier,
    /// Scope of its claims.
    pub scope: &'a Scope,
}

impl LineName<'_> {
    /// The line of an agent.
    pub fn of(self, agent: DidKey) -> Line {
        Line {
            agent,
            subject: self.subject.clone(),
            predicate: self.predicate.clone(),
            scope: self.scope.clone(),
        }
    }
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
