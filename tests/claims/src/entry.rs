//! What the oracle remembers: one plain entry for each unit.

use crate::answer::{Disposition, Done};
use crate::calendar::{Granule, Micros};
use crate::request::{Cardinality, Cited, Id, Request, Statement, Who};

/// A unit.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its place in the list.
    pub id: Id,
    /// Whose.
    pub agent: u8,
    /// The line.
    pub line: (String, String),
    /// Its number on the line.
    pub number: usize,
    /// Transaction time.
    pub stamp: Micros,
    /// Who stands behind it, as the gate found.
    pub who: Who,
    /// What the gate decided.
    pub disposition: Disposition,
    /// Which row.
    pub row: u8,
    /// What it cites, with the source of each.
    pub anchors: Vec<(Cited, Source)>,
    /// What it was derived from.
    pub derived_from: Vec<Id>,
    /// What it does.
    pub act: Act,
    /// What was asked.
    pub request: Request,
    /// What was answered.
    pub answer: Done,
}

/// A source of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The user said so.
    User,
    /// The host has seen it.
    FirstHand,
    /// Another agent said so.
    Peer(u8),
    /// A memory, by its chain.
    Chain(usize),
    /// A claim as evidence of a verdict.
    Unit(Id),
}

/// What an entry does.
#[derive(Debug, Clone)]
#[expect(
    missing_docs,
    reason = "the words are those of docs/format/claims.md 2"
)]
pub enum Act {
    Claim {
        said: Box<Statement>,
        cardinality: Cardinality,
        registered: Option<Cardinality>,
        /// Those that it may name.
        supersedes: Vec<Id>,
    },
    Bound {
        target: Id,
        at: Granule,
    },
    Reopen {
        target: Id,
        undoes: Vec<Id>,
    },
    Supersede {
        target: Id,
        by: Id,
    },
    Affirm {
        target: Id,
        rivals: Vec<Id>,
    },
    Deny {
        target: Id,
    },
    Undecided {
        target: Id,
    },
    Release {
        target: Id,
    },
    Corroborate {
        target: Id,
        sources: Vec<Source>,
    },
    Confirm {
        target: Id,
    },
    Retract {
        target: Id,
        /// Those whose place it took, and that hold again.
        frees: Vec<Id>,
    },
}

impl Entry {
    /// A unit that cites nothing, before it has a number and an answer.
    pub(crate) fn new(request: &Request, line: &(String, String), stamp: Micros, act: Act) -> Self {
        Self {
            id: 0,
            agent: request.agent,
            line: line.clone(),
            number: 0,
            stamp,
            who: request.who,
            disposition: Disposition::NoChange,
            row: 0,
            anchors: Vec::new(),
            derived_from: Vec::new(),
            act,
            request: request.clone(),
            answer: crate::writing::nothing(Disposition::NoChange, 0, 0),
        }
    }

    /// The statement of a claim.
    #[must_use]
    pub const fn statement(&self) -> Option<&Statement> {
        match &self.act {
            Act::Claim { said, .. } => Some(said),
            _ => None,
        }
    }

    /// The value of a claim; empty for what is none.
    #[must_use]
    pub fn value(&self) -> &str {
        self.statement().map_or("", |said| said.value.as_str())
    }

    /// The claim that it is about; `None` for a claim.
    #[must_use]
    pub const fn target(&self) -> Option<Id> {
        match &self.act {
            Act::Claim { .. } => None,
            Act::Bound { target, .. }
            | Act::Reopen { target, .. }
            | Act::Supersede { target, .. }
            | Act::Affirm { target, .. }
            | Act::Deny { target }
            | Act::Undecided { target }
            | Act::Release { target }
            | Act::Corroborate { target, .. }
            | Act::Confirm { target }
            | Act::Retract { target, .. } => Some(*target),
        }
    }

    /// What it rests on: its anchors, or who says so.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        sources(self.who, &self.anchors)
    }
}

/// The sources of something that `who` says and that cites `anchors`.
#[must_use]
pub fn sources(who: Who, anchors: &[(Cited, Source)]) -> Vec<Source> {
    if !anchors.is_empty() {
        return anchors.iter().map(|(_, source)| *source).collect();
    }
    match who {
        Who::User => vec![Source::User],
        Who::FirstHand => vec![Source::FirstHand],
        Who::Peer { number, .. } => vec![Source::Peer(number)],
        Who::Model | Who::Recall => Vec::new(),
    }
}
