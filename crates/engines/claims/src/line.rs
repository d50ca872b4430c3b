//! A subject-line, and how many values it may hold at a time.

use counterfoil_types::DidKey;

use crate::Identifier;

/// (agent, subject, predicate): what belief is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line {
    /// Whose belief.
    pub agent: DidKey,
    /// Of whom or what.
    pub subject: Identifier,
    /// What of it.
    pub predicate: Identifier,
}

/// How many values a line may hold at an instant (I5: a proposal unless the host has registered it).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Cardinality {
    /// Nobody said; differing values contest each other.
    #[default]
    Unknown,
    /// One: a birthplace.
    One,
    /// A set: languages.
    Many,
}

impl Cardinality {
    /// All, in the order of their declaration.
    pub const ALL: [Self; 3] = [Self::Unknown, Self::One, Self::Many];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::One => "one",
            Self::Many => "many",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}
