//! What ends a command, by the exit code that it becomes: the numbers are a contract.

use std::io;

use counterfoil_store::{Blame, StoreError};
use counterfoil_types::json::JsonError;
use counterfoil_verify::Verdict;

/// Exit code of a command that did what was asked, or of a proposal that was approved.
pub(crate) const DONE: u8 = 0;
const REFUSED: u8 = 1;
const UNPROVEN: u8 = 2;
/// Exit code of a command line or an input that cannot be used.
pub(crate) const INPUT: u8 = 3;
const STORE: u8 = 4;
/// What a shell reports for a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;

/// Why a command did not do what was asked. The text is one line: what is wrong; what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// What was typed or handed in cannot be used: exit 3.
    #[error("{0}")]
    Input(String),
    /// A check that was asked for failed: exit 1.
    #[error("{0}")]
    Refused(String),
    /// A check that was asked for could not be made: exit 2.
    #[error("{0}")]
    Unproven(String),
    /// The store, its keys or its folder cannot be used: exit 4.
    #[error("{0}")]
    Place(String),
    /// The store said so: exit 3 when the caller has to act, 4 otherwise.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store said so in the middle of a long task: exit as for [`Failure::Store`].
    #[error("{source} ({kept} turns are in the store; run the same import again to add the rest)")]
    Midway {
        /// How many turns were acknowledged before.
        kept: u64,
        /// What the store said.
        source: StoreError,
    },
    /// Ctrl-C: exit 130.
    #[error("{0}")]
    Interrupted(String),
    /// The answer could not be written: exit 4, or quietly 0 when nobody reads any more.
    #[error("the answer cannot be written: {0}; free the disk or choose another output")]
    Output(#[from] io::Error),
    /// The report is there, and the proposal is not approved: exit 1 or 2, nothing more to say.
    #[error("")]
    NotApproved(Verdict),
    /// A state that the code rules out: exit 4.
    #[error("a fault in counterfoil ({0}): please report it")]
    Bug(&'static str),
}

impl Failure {
    /// What is wrong with the input, and what to do about it.
    pub(crate) fn input(what: impl core::fmt::Display, cure: impl core::fmt::Display) -> Self {
        Self::Input(format!("{what}; {cure}"))
    }

    /// A document that is not the JSON that we read.
    pub(crate) fn json(name: impl core::fmt::Display, error: &JsonError) -> Self {
        match error {
            // The other errors say themselves what to do.
            JsonError::Syntax { .. } => {
                Self::input(format_args!("{name}: {error}"), "mend it, or save it again")
            }
            _ => Self::Input(format!("{name}: {error}")),
        }
    }

    /// What is wrong with the store's folder or keys, and what to do about it.
    pub(crate) fn place(what: impl core::fmt::Display, cure: impl core::fmt::Display) -> Self {
        Self::Place(format!("{what}; {cure}"))
    }

    /// What was found not to hold, and what to do about it.
    pub(crate) fn refused(what: impl core::fmt::Display, cure: impl core::fmt::Display) -> Self {
        Self::Refused(format!("{what}; {cure}"))
    }

    /// What could not be checked, and what to do about it.
    pub(crate) fn unproven(what: impl core::fmt::Display, cure: impl core::fmt::Display) -> Self {
        Self::Unproven(format!("{what}; {cure}"))
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Input(_) => INPUT,
            Self::Refused(_) => REFUSED,
            Self::Unproven(_) => UNPROVEN,
            Self::Store(error) | Self::Midway { source: error, .. } => store_code(error),
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => DONE,
            Self::Place(_) | Self::Output(_) | Self::Bug(_) => STORE,
            Self::Interrupted(_) => INTERRUPTED,
            Self::NotApproved(verdict) => counterfoil_verify::exit_code(*verdict),
        }
    }

    /// Whether there is anything to say on standard error.
    pub(crate) fn is_silent(&self) -> bool {
        match self {
            Self::NotApproved(_) => true,
            Self::Output(error) => error.kind() == io::ErrorKind::BrokenPipe,
            _ => false,
        }
    }
}

/// The keys are part of the store here, not something that the caller hands in.
fn store_code(error: &StoreError) -> u8 {
    match error {
        StoreError::WrongLogKey { .. } | StoreError::KeyNotCurrent { .. } => STORE,
        StoreError::SegmentRefused { .. } => REFUSED,
        error if error.blame() == Blame::Caller => INPUT,
        _ => STORE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_codes_are_those_of_the_contract() {
        assert_eq!(Failure::input("a", "b").code(), 3);
        assert_eq!(Failure::refused("a", "b").code(), 1);
        assert_eq!(Failure::unproven("a", "b").code(), 2);
        assert_eq!(Failure::place("a", "b").code(), 4);
        assert_eq!(Failure::Bug("a").code(), 4);
        assert_eq!(Failure::NotApproved(Verdict::Rejected).code(), 1);
        assert_eq!(Failure::NotApproved(Verdict::Indeterminate).code(), 2);
        assert_eq!(Failure::from(StoreError::DiskFull).code(), 4);
        let asked = StoreError::OutOfRange {
            what: "size",
            asked: 9,
            size: 2,
        };
        assert_eq!(Failure::from(asked).code(), 3);
    }

    #[test]
    fn a_reader_who_has_left_is_no_failure() {
        let gone = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!((gone.code(), gone.is_silent()), (0, true));
        let full = Failure::from(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!((full.code(), full.is_silent()), (4, false));
    }
}
