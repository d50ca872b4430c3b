//! Standing of a memory in its log, against the rules of a policy (docs/format/standing.md, docs/format/policy.md).

use counterfoil_trace::types::{WorldId, words};
use counterfoil_verifier::map::{KeyMark, MemoryStanding};

use crate::{ForgottenRule, MemoryCause, Policy};

words! {
    /// Departure of a memory from being current, by the word of its log. Ordered: the worse is the greater.
    #[derive(PartialOrd, Ord)]
    pub enum Departure {
        /// A later version follows it.
        Superseded = "superseded",
        /// Its author or the owner of the log forgot it for itself.
        ForgottenByActor = "forgotten-by-actor",
        /// It was forgotten for all.
        Forgotten = "forgotten",
        /// Its content was erased.
        Erased = "erased",
        /// Its chain has two capsules of one number, or a resolution left its branch.
        Forked = "forked",
        /// The key that signed it is not believed from an entry on that is not after it.
        Compromised = "compromised",
    }
}

/// Standing of one memory at the checkpoint of its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) memory: MemoryStanding,
    /// Mark on the key that signed it, from an entry at or before its own.
    pub(crate) mark: Option<KeyMark>,
}

impl Standing {
    /// Departures, the worst first, each with the log index of the entry that caused it.
    pub(crate) fn departures(&self) -> impl Iterator<Item = (Departure, u64)> {
        let (memory, mark) = (&self.memory, self.mark);
        [
            (Departure::Compromised, mark.map(|mark| mark.record)),
            (Departure::Forked, memory.forked),
            (Departure::Erased, memory.erased),
            (Departure::Forgotten, memory.forgotten_global),
            (Departure::ForgottenByActor, memory.forgotten_actor),
            (
                Departure::Superseded,
                memory.superseded.as_ref().map(|it| it.0),
            ),
        ]
        .into_iter()
        .filter_map(|(departure, entry)| Some((departure, entry?)))
    }

    /// The next version, where the log names it.
    pub(crate) fn successor(&self) -> Option<&WorldId> {
        self.memory.superseded.as_ref()?.1.as_ref()
    }

    /// The worst departure that the policy refuses.
    pub(crate) fn refused(&self, policy: &Policy) -> Option<MemoryCause> {
        let refuses = |departure: &Departure| match departure {
            Departure::Superseded => policy.require_current,
            Departure::ForgottenByActor => policy.refuse_forgotten == ForgottenRule::All,
            Departure::Forgotten => policy.refuse_forgotten >= ForgottenRule::Global,
            Departure::Erased => policy.refuse_erased,
            Departure::Forked => policy.refuse_forked,
            Departure::Compromised => policy.refuse_compromised,
        };
        let mut departures = self.departures();
        let (departure, entry) = departures.find(|(departure, _)| refuses(departure))?;
        Some(MemoryCause::Departed { departure, entry })
    }
}
