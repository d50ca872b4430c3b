//! What is asked of the oracle: plain data.

/// The place of an entry in the oracle's list: how units are named here.
pub type Id = usize;

/// A name that no entry has.
pub const NOBODY: Id = usize::MAX;

/// Through which channel somebody speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// A model.
    Model,
    /// What came back from recall.
    Recall,
    /// Another agent.
    Peer {
        /// Which.
        number: u8,
        /// How far it is trusted, 0 to 3.
        level: u8,
    },
    /// The host.
    FirstHand,
    /// The user.
    User,
}

impl Who {
    /// The standing: models and recall, peers, user and host.
    #[must_use]
    pub const fn standing(self) -> u8 {
        match self {
            Self::Model | Self::Recall => 0,
            Self::Peer { .. } => 1,
            Self::FirstHand | Self::User => 2,
        }
    }

    /// Counts for a side: other agents do from level 2 on.
    #[must_use]
    pub const fn counts(self) -> bool {
        match self {
            Self::Peer { level, .. } => level >= 2,
            _ => true,
        }
    }

    /// Whether it comes from outside.
    #[must_use]
    pub const fn is_external(self) -> bool {
        self.standing() > 0
    }
}

/// What is said of cardinality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cardinality {
    /// Nothing.
    Unknown,
    /// One value at a time.
    One,
    /// A set.
    Many,
}

/// When a claim is said to hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Valid {
    /// From when.
    pub from: Option<String>,
    /// Until when.
    pub until: Option<String>,
    /// How sure that is.
    pub confidence: f64,
}

/// A World that is cited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cited {
    /// A memory, by its number.
    World(usize),
    /// A unit.
    Unit(Id),
}

/// A claim that somebody wants to be remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Of whom.
    pub subject: String,
    /// What of it.
    pub predicate: String,
    /// Canonical JSON.
    pub value: String,
    /// When.
    pub valid: Option<Valid>,
    /// What is said of the line's cardinality.
    pub said: Cardinality,
    /// Whose place it takes.
    pub supersedes: Vec<Id>,
    /// What it cites.
    pub anchors: Vec<Cited>,
    /// What it was derived from.
    pub derived_from: Vec<Id>,
    /// Whether an extractor proposes it.
    pub extracted: bool,
    /// Whether it takes the place of what its source has said before.
    pub replaces: bool,
    /// A second value of its source is refused.
    pub asks: bool,
}

impl Statement {
    /// Of a line and a value, in canonical JSON, and nothing else.
    #[must_use]
    pub fn of(subject: &str, predicate: &str, value: &str) -> Self {
        Self {
            subject: subject.to_owned(),
            predicate: predicate.to_owned(),
            value: value.to_owned(),
            valid: None,
            said: Cardinality::Unknown,
            supersedes: Vec::new(),
            anchors: Vec::new(),
            derived_from: Vec::new(),
            extracted: false,
            replaces: false,
            asks: false,
        }
    }
}

/// What an assertion is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A claim.
    Claim(Id),
    /// The one claim of a line that is live.
    Line(String, String),
}

/// What is asserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asserted {
    /// It ended; `None`: when that is recorded.
    End(Option<String>),
    /// It holds again.
    Reopen,
    /// Another has its place.
    Supersede(Id),
    /// It leaves quarantine.
    Release,
    /// It was said wrongly.
    Retract(Option<String>),
    /// It holds.
    Affirm,
    /// It does not hold.
    Deny,
    /// Nobody knows.
    Undecided,
}

/// What is wanted.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    /// A claim.
    State(Statement),
    /// An assertion, and what a verdict rests on.
    Assert(Target, Asserted, Vec<Cited>),
}

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Whose memory.
    pub agent: u8,
    /// Who speaks.
    pub who: Who,
    /// Idempotency key.
    pub key: Option<String>,
    /// What is wanted.
    pub wish: Wish,
}
