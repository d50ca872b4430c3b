//! The one error of the facade, grouped by who has to act.

use core::fmt::Display;

use counterfoil_store::StoreError;
use counterfoil_types::json::JsonError;

/// Party that has to act on an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller: an argument or a document cannot be used.
    Input,
    /// The caller: a check was made, and it failed.
    Refused,
    /// The caller: a check could not be made.
    Unproven,
    /// The operator: what is stored is not what was sealed, and is not handed out.
    Withheld,
    /// The operator: the folder, its keys or its settings cannot be used.
    Place,
    /// The operator: the database cannot be used.
    Store,
    /// The person who ended the task; work acknowledged before is kept.
    Interrupted,
    /// The authors of this crate.
    Bug,
}

/// Failure of a call. Its text is one line: the problem, a semicolon, the next step.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    kind: ErrorKind,
    text: String,
    next: Option<String>,
    #[source]
    store: Option<Box<StoreError>>,
}

impl ErrorKind {
    /// The kind as a stable word for programs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Refused => "refused",
            Self::Unproven => "unproven",
            Self::Withheld => "withheld",
            Self::Place => "place",
            Self::Store => "store",
            Self::Interrupted => "interrupted",
            Self::Bug => "bug",
        }
    }

    /// The kind as a sentence, the same for each error of the kind (RFC 9457, `title`).
    pub const fn title(self) -> &'static str {
        match self {
            Self::Input => "An argument or a document cannot be used",
            Self::Refused => "A check was made and failed",
            Self::Unproven => "A check could not be made",
            Self::Withheld => "A memory is not what was sealed and is withheld",
            Self::Place => "The folder, its keys or its settings cannot be used",
            Self::Store => "The database cannot be used",
            Self::Interrupted => "The task was ended by a person",
            Self::Bug => "The program has a fault",
        }
    }
}

impl Error {
    /// Party that has to act.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    #[doc(hidden)]
    pub fn new(kind: ErrorKind, text: impl Display) -> Self {
        Self {
            kind,
            text: text.to_string(),
            next: None,
            store: None,
        }
    }

    fn with_next(kind: ErrorKind, problem: impl Display, next: impl Display) -> Self {
        let next = next.to_string();
        Self {
            next: Some(next.clone()),
            ..Self::new(kind, format_args!("{problem}; {next}"))
        }
    }

    /// Next step, which is the end of the text behind `; `; `None` where the text has all of it.
    pub fn next(&self) -> Option<&str> {
        self.next.as_deref()
    }

    /// Problem, without the next step.
    pub fn problem(&self) -> &str {
        let next = self.next.as_ref();
        let problem =
            next.and_then(|next| self.text.strip_suffix(next.as_str())?.strip_suffix("; "));
        problem.unwrap_or(&self.text)
    }

    #[doc(hidden)]
    pub fn input(problem: impl Display, cure: impl Display) -> Self {
        Self::with_next(ErrorKind::Input, problem, cure)
    }

    #[doc(hidden)]
    pub fn json(name: impl Display, error: &JsonError) -> Self {
        match error {
            // The other errors name the next step themselves.
            JsonError::Syntax { .. } => {
                Self::input(format_args!("{name}: {error}"), "mend it, or save it again")
            }
            _ => Self::new(ErrorKind::Input, format_args!("{name}: {error}")),
        }
    }

    #[doc(hidden)]
    pub fn place(problem: impl Display, cure: impl Display) -> Self {
        Self::with_next(ErrorKind::Place, problem, cure)
    }

    #[doc(hidden)]
    pub fn refused(problem: impl Display, cure: impl Display) -> Self {
        Self::with_next(ErrorKind::Refused, problem, cure)
    }

    #[doc(hidden)]
    pub fn unproven(problem: impl Display, cure: impl Display) -> Self {
        Self::with_next(ErrorKind::Unproven, problem, cure)
    }

    #[doc(hidden)]
    pub fn bug(state: &str) -> Self {
        Self::new(
            ErrorKind::Bug,
            format_args!("a fault in counterfoil ({state}): please report it"),
        )
    }

    /// The store's error in the middle of an import that had acknowledged `kept` turns.
    #[doc(hidden)]
    pub fn midway(kept: u64, source: StoreError) -> Self {
        let mut error = Self::from(source);
        error.text = format!(
            "{} ({kept} turns are in the store; run the same import again to add the rest)",
            error.text
        );
        error
    }

    /// The store's error that caused this one, or else this one.
    #[doc(hidden)]
    pub fn into_store(self) -> Result<StoreError, Self> {
        match self.store {
            Some(error) => Ok(*error),
            None => Err(self),
        }
    }

    /// The store's error that caused this one.
    #[doc(hidden)]
    pub fn store(&self) -> Option<&StoreError> {
        self.store.as_deref()
    }
}

/// The keys are part of the store here, not something that the caller hands in.
impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let kind = match &error {
            StoreError::Withheld { .. } => ErrorKind::Withheld,
            StoreError::Behind { .. } => ErrorKind::Unproven,
            StoreError::WrongLogKey { .. } | StoreError::KeyNotCurrent { .. } => ErrorKind::Store,
            StoreError::SegmentRefused { .. }
            | StoreError::Commit { .. }
            | StoreError::Sealed { .. } => ErrorKind::Refused,
            error if error.is_callers() => ErrorKind::Input,
            _ => ErrorKind::Store,
        };
        Self {
            kind,
            text: error.to_string(),
            next: None,
            store: Some(Box::new(error)),
        }
    }
}
