//! The kinds of contradictions (capsules 4.8).

use crate::verdict::Check;

counterfoil_types::words! {
    /// Kind of a contradiction.
    #[derive(PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum ContradictionKind {
        /// Not of its format.
        Schema = "schema",
        /// Hashes do not hold.
        Integrity = "integrity",
        /// A content differs from its header or its delta.
        State = "state",
        /// Time does not grow.
        Chronology = "chronology",
        /// A signature that does not hold, or a key or an agent that may not.
        Authorization = "authorization",
        /// Numbers, links and ids do not fit.
        Sequence = "sequence",
        /// One place, two statements of one signer.
        Equivocation = "equivocation",
        /// Something accepted does not verify any more.
        Corruption = "corruption",
        /// Something was sent again that counts once.
        Replay = "replay",
        /// One request, two responses.
        ResponseEquivocation = "response_equivocation",
        /// One source has caused more than are written down one by one.
        Summary = "summary",
    }
}

impl ContradictionKind {
    /// The kind of a check that failed when a capsule came in.
    pub const fn of(check: Check) -> Self {
        match check {
            Check::Schema | Check::Limits | Check::Canonical | Check::Version => Self::Schema,
            // The protocol's authorization check confirms the signature.
            Check::Key | Check::Signature | Check::Policy => Self::Authorization,
            // A body is not signed but named: who sent the wrong one may be anyone.
            Check::Mutation | Check::Body => Self::Integrity,
            Check::Sequence => Self::Sequence,
            Check::Chronology => Self::Chronology,
            Check::State => Self::State,
        }
    }
}
