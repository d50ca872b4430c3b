//! Exit codes of failed commands: the numbers are a contract.

use core::fmt::Display;
use std::io;

use counterfoil::Error;
pub(crate) use counterfoil::ErrorKind;
use counterfoil_claims::ClaimError;
use counterfoil_types::json::JsonError;
use counterfoil_verify::Verdict;
use serde_json::{Value, json};

/// Exit code of success, or of a proposal that was approved.
pub(crate) const DONE: u8 = 0;
const REFUSED: u8 = 1;
const UNPROVEN: u8 = 2;
/// Exit code of a command line or an input that cannot be used.
pub(crate) const INPUT: u8 = 3;
const STORE: u8 = 4;
/// Exit code that a shell reports for a program ended by Ctrl-C.
const INTERRUPTED: u8 = 130;

/// Failure of a command. The text is one line: the problem, a semicolon, the next step.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The memory's error; its kind decides the exit code.
    #[error(transparent)]
    Memory(#[from] Error),
    /// The answer could not be written: exit 4, or quietly 0 after a closed pipe.
    #[error("the answer cannot be written: {0}; free the disk or choose another output")]
    Output(#[from] io::Error),
    /// The report is printed, and the proposal is not approved: exit 1 or 2, no further text.
    #[error("")]
    NotApproved(Verdict),
    /// Memories were withheld, and each is named: exit 2, no further text.
    #[error("")]
    Withheld,
}

impl Failure {
    /// An error of this kind whose text is complete.
    pub(crate) fn new(kind: ErrorKind, text: impl Display) -> Self {
        Error::new(kind, text).into()
    }

    /// Problem with the input, and the next step: exit 3.
    pub(crate) fn input(problem: impl Display, cure: impl Display) -> Self {
        Error::input(problem, cure).into()
    }

    /// A document that is not strict JSON: exit 3.
    pub(crate) fn json(name: impl Display, error: &JsonError) -> Self {
        Error::json(name, error).into()
    }

    /// Problem with the store's folder or keys, and the next step: exit 4.
    pub(crate) fn place(problem: impl Display, cure: impl Display) -> Self {
        Error::place(problem, cure).into()
    }

    /// Failed check, and the next step: exit 1.
    pub(crate) fn refused(problem: impl Display, cure: impl Display) -> Self {
        Error::refused(problem, cure).into()
    }

    /// A state that the code rules out: exit 4.
    pub(crate) fn bug(state: &str) -> Self {
        Error::bug(state).into()
    }

    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Memory(error) => match error.kind() {
                ErrorKind::Input => INPUT,
                ErrorKind::Refused => REFUSED,
                ErrorKind::Unproven | ErrorKind::Withheld => UNPROVEN,
                ErrorKind::Interrupted => INTERRUPTED,
                _ => STORE,
            },
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => DONE,
            Self::Output(_) => STORE,
            Self::NotApproved(verdict) => counterfoil_verify::exit_code(*verdict),
            Self::Withheld => UNPROVEN,
        }
    }

    /// The failure as a document (RFC 9457), on one line.
    pub(crate) fn to_json(&self) -> Value {
        let kind = match self {
            Self::Memory(error) => error.kind(),
            Self::Withheld => ErrorKind::Withheld,
            _ => ErrorKind::Place,
        };
        let (detail, next) = match self {
            Self::Memory(error) => (error.problem().to_owned(), error.next()),
            Self::Withheld => (
                "memories were withheld".to_owned(),
                Some("run `counterfoil check`"),
            ),
            other => (other.to_string(), None),
        };
        problem(kind, &detail, next, self.code())
    }

    /// Returns true if the requested memory is withheld.
    pub(crate) fn is_withheld(&self) -> bool {
        matches!(self, Self::Memory(error) if error.kind() == ErrorKind::Withheld)
    }

    /// Returns true if the exit code is the whole answer.
    pub(crate) fn is_silent(&self) -> bool {
        match self {
            Self::NotApproved(_) | Self::Withheld => true,
            Self::Output(error) => error.kind() == io::ErrorKind::BrokenPipe,
            Self::Memory(_) => false,
        }
    }
}

/// A problem as a document (RFC 9457), with the exit code of the program.
pub(crate) fn problem(kind: ErrorKind, detail: &str, next: Option<&str>, exit: u8) -> Value {
    let mut problem = json!({
        "type": "counterfoil/error",
        "version": "1",
        "title": kind.title(),
        "detail": detail,
        "code": kind.code(),
        "exit": exit,
    });
    if let (Some(next), Some(members)) = (next, problem.as_object_mut()) {
        members.insert("next".to_owned(), next.into());
    }
    problem
}

impl From<ClaimError> for Failure {
    fn from(error: ClaimError) -> Self {
        Error::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_codes_are_those_of_the_contract() {
        for (failure, code) in [
            (Failure::input("a", "b"), 3),
            (Failure::refused("a", "b"), 1),
            (Failure::new(ErrorKind::Unproven, "a"), 2),
            (Failure::place("a", "b"), 4),
            (Failure::bug("a"), 4),
            (Failure::new(ErrorKind::Interrupted, "a"), 130),
            (Failure::NotApproved(Verdict::Rejected), 1),
            (Failure::NotApproved(Verdict::Indeterminate), 2),
            (Failure::Withheld, 2),
            (Failure::new(ErrorKind::Store, "a"), 4),
            (Failure::from(ClaimError::Key), 3),
        ] {
            assert_eq!(failure.code(), code, "{failure:?}");
        }
    }

    #[test]
    fn a_reader_who_has_left_is_no_failure() {
        let gone = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!((gone.code(), gone.is_silent()), (0, true));
        let full = Failure::from(io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!((full.code(), full.is_silent()), (4, false));
    }
}
