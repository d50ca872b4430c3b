//! The two sides that scripts and vectors are run on: the oracle, and the engine over its store, in the oracle's plain words.

use counterfoil_claims_tests::Oracle;
use counterfoil_claims_tests::answer::{Answer, Belief, Past, Status};
use counterfoil_claims_tests::calendar::Micros;
use counterfoil_claims_tests::request::{Cardinality, Id, Request};

pub(crate) type LineName = (String, String);

/// About when, as known when; `None`: the present.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) valid_at: Option<Micros>,
    pub(crate) as_of: Option<Micros>,
}

/// What a host has set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Host {
    pub(crate) has_oracle: bool,
    pub(crate) registered: Vec<(String, Cardinality)>,
}

/// One memory, of several agents. Units and Worlds are named by their numbers in the order in which they were written.
pub(crate) trait Backend {
    /// Sets the clock, which stands still until it is set again.
    fn clock(&mut self, now: Micros);

    /// Remembers a World that is no claim, in the chain of that number.
    fn remember(&mut self, agent: u8, chain: usize);

    fn write(&mut self, request: &Request) -> Answer;

    /// Records from `since` on that a name is another one of `main`, or of none.
    fn name(&mut self, since: Micros, name: &str, main: Option<&str>);

    /// The process ends and another one opens the store.
    fn reopen(&mut self) {}

    fn believe(&mut self, agent: u8, line: &LineName, asked: Asked) -> Belief;

    /// The beliefs of a subject, by predicate.
    fn subject(&mut self, agent: u8, subject: &str, asked: Asked) -> Vec<(String, Belief)>;

    fn history(&mut self, agent: u8, line: &LineName, asked: Asked) -> Vec<Past>;

    /// Lines that are contested.
    fn contested(&mut self, agent: u8, asked: Asked) -> Vec<LineName>;

    /// Claims that wait for a verdict, the oldest first.
    fn pending(&mut self, agent: u8) -> Vec<Id>;

    /// Units of a line with their stamps, in the order of their numbers.
    fn units(&mut self, agent: u8, line: &LineName) -> Vec<(Id, Micros)>;

    /// The newest units of the ledger in their order; only those about `claim`, if one is named.
    fn ledger(&mut self, agent: u8, claim: Option<Id>, limit: usize) -> Vec<Id>;
}

/// The oracle with a clock.
pub(crate) struct Naive {
    pub(crate) oracle: Oracle,
    pub(crate) now: Micros,
}

impl Naive {
    pub(crate) fn new(host: &Host, now: Micros) -> Self {
        Self {
            oracle: Oracle::new(host.has_oracle, host.registered.clone()),
            now,
        }
    }

    /// Instant and time of knowledge of a question.
    pub(crate) fn question(&self, agent: u8, asked: Asked) -> (Micros, Micros) {
        let as_of = asked
            .as_of
            .unwrap_or_else(|| self.oracle.present(agent, self.now));
        (asked.valid_at.unwrap_or(as_of), as_of)
    }
}

impl Backend for Naive {
    fn clock(&mut self, now: Micros) {
        self.now = now;
    }

    fn remember(&mut self, agent: u8, chain: usize) {
        self.oracle.remember(agent, self.now, chain);
    }

    fn write(&mut self, request: &Request) -> Answer {
        self.oracle.write(self.now, request)
    }

    /// The oracle says itself since when.
    fn name(&mut self, _since: Micros, name: &str, main: Option<&str>) {
        self.oracle.name(self.now, name, main);
    }

    fn believe(&mut self, agent: u8, line: &LineName, asked: Asked) -> Belief {
        let (valid_at, as_of) = self.question(agent, asked);
        self.oracle.believe(agent, line, valid_at, as_of)
    }

    fn subject(&mut self, agent: u8, subject: &str, asked: Asked) -> Vec<(String, Belief)> {
        let (_, as_of) = self.question(agent, asked);
        let subject = self.oracle.main(subject, as_of);
        let lines = self.oracle.lines(agent, as_of).into_iter();
        lines
            .filter(|line| line.0 == subject)
            .map(|line| (line.1.clone(), self.believe(agent, &line, asked)))
            .collect()
    }

    fn history(&mut self, agent: u8, line: &LineName, asked: Asked) -> Vec<Past> {
        let (valid_at, as_of) = self.question(agent, asked);
        self.oracle.history(agent, line, valid_at, as_of)
    }

    fn contested(&mut self, agent: u8, asked: Asked) -> Vec<LineName> {
        let (_, as_of) = self.question(agent, asked);
        let lines = self.oracle.lines(agent, as_of).into_iter();
        lines
            .filter(|line| self.believe(agent, line, asked).status == Status::Contested)
            .collect()
    }

    fn pending(&mut self, agent: u8) -> Vec<Id> {
        let present = self.oracle.present(agent, self.now);
        self.oracle.pending(agent, present)
    }

    fn units(&mut self, agent: u8, line: &LineName) -> Vec<(Id, Micros)> {
        let all = self.oracle.entries().iter();
        all.filter(|entry| entry.agent == agent && entry.line == *line)
            .map(|entry| (entry.id, entry.stamp))
            .collect()
    }

    fn ledger(&mut self, agent: u8, claim: Option<Id>, limit: usize) -> Vec<Id> {
        let units = self.oracle.entries().iter().filter(|entry| {
            let about = entry.target().unwrap_or(entry.id);
            entry.agent == agent && claim.is_none_or(|claim| claim == about)
        });
        let mut units: Vec<Id> = units.map(|entry| entry.id).collect();
        units.split_off(units.len().saturating_sub(limit))
    }
}
