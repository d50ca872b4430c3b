//! Errors of the memory of facts.

use counterfoil_claims::ClaimError;
use counterfoil_prover::ProveError;
use counterfoil_store::StoreError;

/// A fact that was not written, or a question without an answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimMemoryError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A claim, an assertion or a question was refused: the gate wrote nothing.
    #[error(transparent)]
    Refused(#[from] ClaimError),
    /// A question as of a time at which nothing had been recorded yet.
    #[error("nothing was recorded before 1970; ask as of a later time")]
    BeforeRecords,
    /// That nothing is known cannot be shown.
    #[error(
        "nothing was recorded of this line by then, and that something is not there has no proof; ask as of a later time, or \
         of another line"
    )]
    NoUnits,
    /// Something was recorded under several names of the subject.
    #[error(
        "claims of it were recorded under {names}, and a proof is of one name: it would leave out what the others say. Ask as of a \
         time before the names were one, or take the others back"
    )]
    SeveralNames {
        /// Names under which there are claims, the main one first, as a text.
        names: String,
    },
    /// More units than one document may hold.
    #[error("the line has {found} units; a proof holds at most {limit}. Ask as of an earlier time")]
    TooManyUnits {
        /// Number of units.
        found: usize,
        /// Largest number of units in a proof.
        limit: usize,
    },
    /// A forgotten claim without which another belief follows. The proof shows all units of its line.
    #[error(
        "a claim of this line is forgotten, and a proof of the belief would bring it back; ask as of a time before it was forgotten"
    )]
    Forgotten,
    /// A unit whose content is gone.
    #[error(
        "unit {number} of the line is erased or archived, and without it the belief cannot be folded again; restore it if it \
         was archived, or ask as of a time before it"
    )]
    UnitGone {
        /// Its number on the line.
        number: u64,
    },
    /// Units that do not follow one another: two stores of the agent went on with the line apart from each other.
    #[error(
        "unit {number} of the line does not follow the one before it: it was written in two places, and which of them goes on \
         cannot be proven; ask as of a time before it"
    )]
    Apart {
        /// Its number on the line.
        number: u64,
    },
    /// A unit that counts as recorded earlier than its capsule says.
    #[error(
        "unit {number} of the line was recorded while the clock was ahead, and its capsule says a time that was corrected \
         since: ask as of a time before it"
    )]
    ClockCorrected {
        /// Its number on the line.
        number: u64,
    },
    /// A document that no authority would read.
    #[error(
        "the proof has more than {limit} bytes: its units are too large. Ask as of an earlier time"
    )]
    ProofTooLarge {
        /// Largest size of a proof, in bytes.
        limit: usize,
    },
    /// A unit whose content is not the one of its entry.
    #[error("unit {number} of the line does not prove: {found}; audit the store")]
    UnitUnproven {
        /// Its number on the line.
        number: u64,
        /// The fault.
        found: ProveError,
    },
    /// The belief of the store differs from that of its units.
    #[error(
        "the units of the line do not give the belief that the store states; audit the store, or ask again"
    )]
    Disagrees,
    /// The log's own checkpoint cannot be read.
    #[error("the checkpoint of the log cannot be read; audit the store")]
    Checkpoint,
}
