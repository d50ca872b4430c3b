//! The access matrix of specification section 9.1, as data: role and part of the memory to rule that forbids it.

use crate::Role;

/// Part of the memory that a Counterfoil crate gives to its dependents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Names and shapes alone.
    Vocabulary,
    /// Layer 1, and the backends.
    Store,
    /// Capsules: the seal around a World, and its receipt.
    Capsule,
    /// The half of layer 2 that needs a World.
    Prove,
    /// The half of layer 2 that needs none.
    VerifyProof,
    /// Layer 3.
    Selector,
    /// Layer 4, creating and attaching; and all else that an Actor may.
    TraceWrite,
    /// Layer 4, reading.
    TraceRead,
    /// Deciding on a trace.
    Decide,
    /// The engine of claims: the gate that lets them in, and the fold.
    Claims,
    /// The documents that agents send each other.
    Exchange,
    /// A Counterfoil crate that this table does not list: allowed to the Actor alone, so that a new crate
    /// has to be judged before it can be reached.
    Unlisted,
}

const PARTS: &[(&str, Part)] = &[
    ("counterfoil-types", Part::Vocabulary),
    ("counterfoil-verifier", Part::VerifyProof),
    ("counterfoil-trace", Part::TraceRead),
    ("counterfoil-authority", Part::Decide),
    ("counterfoil-verify", Part::Decide),
    ("counterfoil-claims", Part::Claims),
    ("counterfoil-exchange", Part::Exchange),
    ("counterfoil-capsule", Part::Capsule),
    ("counterfoil-memory-verifier", Part::Prove),
    ("counterfoil-prover", Part::Prove),
    ("counterfoil-memory-store", Part::Store),
    ("counterfoil-store", Part::Store),
    ("counterfoil-life", Part::Store),
    ("counterfoil-sqlite", Part::Store),
    ("counterfoil-words", Part::Store),
    ("counterfoil-dates", Part::Store),
    ("counterfoil-memory-selector", Part::Selector),
    ("counterfoil-selector", Part::Selector),
    ("counterfoil-trace-writer", Part::TraceWrite),
    ("counterfoil-claim-memory", Part::TraceWrite),
    ("counterfoil-actor", Part::TraceWrite),
    ("counterfoil", Part::TraceWrite),
    ("counterfoil-api", Part::TraceWrite),
    ("counterfoil-mcp", Part::TraceWrite),
    ("counterfoil-peer", Part::Selector),
    ("counterfoil-http", Part::Selector),
    ("counterfoil-mailbox", Part::Selector),
];

impl Part {
    /// The part that the package `name` gives, or `None` when it is not a Counterfoil crate.
    pub(crate) fn of_package(name: &str) -> Option<Self> {
        let listed = PARTS
            .iter()
            .find(|(package, _)| *package == name)
            .map(|(_, part)| *part);
        let ours = name == "counterfoil" || name.starts_with("counterfoil-");
        listed.or_else(|| ours.then_some(Self::Unlisted))
    }
}

impl Role {
    /// The rule ids that keep this role from `part`, and the prohibition; `None` when the matrix allows it.
    pub(crate) const fn forbids(self, part: Part) -> Option<(&'static str, &'static str)> {
        let rule = match (self, part) {
            (Self::Actor, _)
            | (
                Self::Authority | Self::Store | Self::Selector | Self::Verifier | Self::Prover,
                Part::Vocabulary | Part::VerifyProof,
            )
            | (Self::Authority, Part::TraceRead | Part::Decide)
            | (
                Self::Store | Self::Selector,
                Part::Store | Part::Capsule | Part::Claims | Part::Exchange,
            )
            | (Self::Selector, Part::Prove | Part::Selector)
            | (Self::Prover, Part::Capsule | Part::Prove) => return None,
            (Self::Projection, _) => ("M-10, CR-11, FP-03", "a Projection has no access to memory"),
            (Self::Host, _) => ("FP-13", "a Host has no access to memory"),
            (Self::Core, _) => ("FP-14", "the Core has no access to memory"),
            (Self::Authority, Part::Store) => ("FP-16", "an Authority does not call the Store"),
            (Self::Authority, Part::Capsule | Part::Prove) => {
                ("FP-15", "an Authority does not call prove")
            }
            (Self::Authority, Part::Selector) => {
                ("M-4, CR-12, FP-04", "an Authority does not select again")
            }
            (Self::Authority, _) => (
                "section 9.2.3",
                "an Authority reaches only the crates authority, verify, trace, verifier and types",
            ),
            (Self::Store, _) => (
                "section 4.3.2",
                "a Store is called, and calls neither prove nor a Selector nor a trace",
            ),
            (Self::Selector, Part::TraceWrite) => (
                "section 9.2.1",
                "a trace is created and attached by an Actor alone",
            ),
            (Self::Selector, _) => (
                "section 4.3.2",
                "a Selector calls the Store and prove, and returns to an Actor",
            ),
            (Self::Verifier | Self::Prover, Part::Store) => (
                "M-8, CR-16, FP-09",
                "neither half of a Verifier calls the Store",
            ),
            // A trace names who selected, so a verifier has no business with it (M-8: no actor context).
            (Self::Verifier | Self::Prover, Part::TraceRead | Part::TraceWrite | Part::Decide) => (
                "M-8, CR-16, FP-11",
                "neither half of a Verifier has access to an actor's context",
            ),
            (Self::Verifier, _) => (
                "M-8, CR-16",
                "a Verifier reaches only the crates verifier and types",
            ),
            (Self::Prover, _) => (
                "M-8, CR-16",
                "a Prover reaches only the crates memory-verifier, prover, capsule, verifier and types",
            ),
        };
        Some(rule)
    }
}

/// Tests whether `from` is the library of authorities and `to` the engine behind it, which folds a proven belief again. The
/// library hands on neither the gate nor channels (decision 0015).
pub(crate) fn is_fold(from: &str, to: &str) -> bool {
    (from, to) == ("counterfoil-verify", "counterfoil-claims")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_that_is_not_ours_is_no_part_of_the_memory() {
        for name in ["serde", "counter", "counterfoils", "my-counterfoil-store"] {
            assert_eq!(Part::of_package(name), None, "{name}");
        }
    }

    #[test]
    fn a_crate_of_ours_that_nobody_has_judged_is_for_the_actor_alone() {
        let part = Part::of_package("counterfoil-new").unwrap();
        assert_eq!(part, Part::Unlisted);
        for role in Role::ALL {
            assert_eq!(role.forbids(part).is_none(), role == Role::Actor, "{role}");
        }
    }
}
