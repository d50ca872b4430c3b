//! Scripts: sequences of operations over few subjects, values and instants, so that they collide.

mod generate;
mod resolve;

use counterfoil_claims_tests::calendar::Micros;
use counterfoil_claims_tests::request::{Cardinality, Valid, Who};

use crate::backend::{Host, LineName};

/// When each script begins: an hour before 2029. Stores take no clock before 2026.
pub(crate) const BEGIN: Micros = 1_861_916_400_000_000;

pub(crate) const DATES: &[&str] = &[
    "2028",
    "2029",
    "2030",
    "2028-03",
    "2028-12",
    "2029-01",
    "2029-06",
    "2028-03-15",
    "2028-12-31",
    "2029-01-01",
    "2029-06-15",
    "2029-06-15T12:00:00Z",
    "2029-01-01T00:00:00Z",
    "2029-06-30T23:30:00+02:00",
];

const LINES: &[(&str, &str)] = &[("s", "p"), ("s", "q"), ("t", "p")];
/// Records about names; the last is of a subject that nobody speaks of.
const NAMES: &[(&str, Option<&str>)] = &[
    ("t", Some("s")),
    ("t", Some("s")),
    ("s", Some("t")),
    ("t", None),
    ("s", None),
    ("u", Some("t")),
];
const VALUES: &[&str] = &["\"a\"", "\"b\"", "\"c\""];

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Script {
    pub(crate) host: HostIs,
    pub(crate) steps: Vec<Step>,
}

/// What the host has set, in short.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HostIs {
    pub(crate) has_oracle: bool,
    pub(crate) registered: Option<(usize, Cardinality)>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    pub(crate) op: Op,
    pub(crate) asks: Vec<Ask>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Op {
    /// The clock moves, also back.
    Clock(Micros),
    Remember {
        agent: u8,
        chain: usize,
    },
    State(Said),
    Assert {
        agent: u8,
        who: Who,
        key: Option<u8>,
        target: Pick,
        by_line: bool,
        asserted: Verb,
        evidence: Option<Evidence>,
    },
    Reopen,
    /// A name is another one of a subject, or of none.
    Name(&'static str, Option<&'static str>),
}

/// A claim, by what there is when the script comes to it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    pub(crate) agent: u8,
    pub(crate) who: Who,
    pub(crate) key: Option<u8>,
    pub(crate) line: usize,
    pub(crate) value: usize,
    pub(crate) valid: Option<Valid>,
    pub(crate) cardinality: Cardinality,
    pub(crate) extracted: bool,
    pub(crate) replaces: bool,
    pub(crate) asks: bool,
    pub(crate) supersedes: Vec<Pick>,
    pub(crate) anchors: Vec<usize>,
    pub(crate) derived_from: Vec<Pick>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verb {
    End(Option<usize>),
    Reopen,
    Supersede(Pick),
    Release,
    Retract(bool),
    Affirm,
    Deny,
    Undecided,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Evidence {
    World(usize),
    Claim(Pick),
}

/// A unit, by what there is when the script comes to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Pick {
    /// A claim of the agent on the line in question.
    OnLine(usize),
    /// A claim of the agent.
    Claim(usize),
    /// Any unit, of anybody.
    Unit(usize),
    Nobody,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ask {
    pub(crate) valid_at: Option<When>,
    pub(crate) as_of: Option<When>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum When {
    /// The begin or the end of a date, and so many microseconds.
    Date(usize, bool, Micros),
    /// The stamp of a unit, and so many microseconds.
    Stamp(usize, Micros),
}

impl Script {
    pub(crate) fn host(&self) -> Host {
        let registered = self.host.registered.into_iter();
        Host {
            has_oracle: self.host.has_oracle,
            registered: registered
                .map(|(line, cardinality)| (LINES[line].1.to_owned(), cardinality))
                .collect(),
        }
    }
}

pub(crate) fn line_name(line: usize) -> LineName {
    (LINES[line].0.to_owned(), LINES[line].1.to_owned())
}

pub(crate) fn lines() -> impl Iterator<Item = LineName> {
    (0..LINES.len()).map(line_name)
}
