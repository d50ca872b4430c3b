//! The kinds of contradictions (capsules 4.8).

use crate::verdict::Check;

/// What kind of thing does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ContradictionKind {
    /// Not of its format.
    Schema,
    /// Hashes or signatures do not hold.
    Integrity,
    /// A content is not what its header or its delta says.
    State,
    /// Time does not grow.
    Chronology,
    /// A key or an agent that may not.
    Authorization,
    /// Numbers and links do not fit.
    Sequence,
    /// One place, two statements of one signer.
    Equivocation,
    /// Something accepted does not verify any more.
    Corruption,
    /// Something was sent again that counts once.
    Replay,
    /// One request, two responses.
    ResponseEquivocation,
    /// One source has caused more than are written down one by one.
    Summary,
}

impl ContradictionKind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Schema,
        Self::Integrity,
        Self::State,
        Self::Chronology,
        Self::Authorization,
        Self::Sequence,
        Self::Equivocation,
        Self::Corruption,
        Self::Replay,
        Self::ResponseEquivocation,
        Self::Summary,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Integrity => "integrity",
            Self::State => "state",
            Self::Chronology => "chronology",
            Self::Authorization => "authorization",
            Self::Sequence => "sequence",
            Self::Equivocation => "equivocation",
            Self::Corruption => "corruption",
            Self::Replay => "replay",
            Self::ResponseEquivocation => "response_equivocation",
            Self::Summary => "summary",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind of a check that failed when a capsule came in.
    #[must_use]
    pub const fn of(check: Check) -> Self {
        match check {
            Check::Schema | Check::Limits | Check::Canonical | Check::Version => Self::Schema,
            Check::Key | Check::Policy => Self::Authorization,
            // A body is not signed but named: who sent the wrong one may be anyone.
            Check::Signature | Check::Mutation | Check::Body => Self::Integrity,
            Check::Sequence => Self::Sequence,
            Check::Chronology => Self::Chronology,
            Check::State => Self::State,
        }
    }
}
