//! The engine by itself, over a view that is a list: no store, no index, no signature.

mod view;

use std::collections::BTreeSet;

use counterfoil_claims::belief::{self, Question};
use counterfoil_claims::gate;
use counterfoil_claims::{
    Act, ClaimError, ClaimOutcome, ClaimRef, Disposition, FactValue, GateDecision, Identifier,
    Settings, Unit,
};
use counterfoil_claims_tests::answer::{Answer, Belief, Past, Status};
use counterfoil_claims_tests::calendar::Micros;
use counterfoil_claims_tests::request::{Id, Request};
use counterfoil_store::ClaimRequest;
use counterfoil_types::{DidKey, WorldId};

use crate::backend::{Asked, Backend, Host, LineName, Noted, newest};
use crate::engine::{self, Names, did, identifier, micros};
use view::View;

type Served = (DidKey, Identifier, Identifier, FactValue);

/// All units of all agents.
pub(crate) struct Pure {
    names: Names,
    settings: Settings,
    now: u64,
    units: Vec<Unit>,
    chains: Vec<usize>,
    stamps: Vec<(DidKey, u64)>,
    served: Vec<Served>,
    handed_out: Vec<(u8, Id)>,
    re_entries: Vec<(Served, u64)>,
}

impl Pure {
    pub(crate) fn new(host: &Host, now: Micros) -> Self {
        Self {
            names: Names::default(),
            settings: engine::settings(host),
            now: u64::try_from(now).unwrap(),
            units: Vec::new(),
            chains: Vec::new(),
            stamps: Vec::new(),
            served: Vec::new(),
            handed_out: Vec::new(),
            re_entries: Vec::new(),
        }
    }

    fn last(&self, agent: DidKey) -> Option<u64> {
        let all = self.stamps.iter().filter(|(whose, _)| *whose == agent);
        all.map(|(_, stamp)| *stamp).max()
    }

    fn stamp(&self, agent: DidKey) -> u64 {
        self.last(agent)
            .map_or(self.now, |last| self.now.max(last + 1))
    }

    fn question(&self, agent: DidKey, asked: Asked) -> Question {
        let last = self.last(agent).unwrap_or(0);
        engine::asked(asked).at(self.now.max(last))
    }

    fn on_line(&self, line: &counterfoil_claims::Line) -> Vec<Unit> {
        let units = self.units.iter().filter(|unit| unit.line() == line);
        units.cloned().collect()
    }

    fn belief(&self, line: &counterfoil_claims::Line, question: Question) -> belief::Belief {
        let ancestry = |reference: &ClaimRef, question| {
            let unit = self
                .units
                .iter()
                .find(|unit| unit.reference() == reference)?;
            belief::parents_on_line(reference, &self.on_line(unit.line()), question)
        };
        let limits = self.settings.limits_of(&line.predicate);
        belief::believe(line, &self.on_line(line), question, limits, Some(&ancestry))
    }

    fn lines(&self, agent: u8) -> BTreeSet<counterfoil_claims::Line> {
        let units = self.units.iter();
        units
            .map(|unit| unit.line().clone())
            .filter(|line| line.agent == did(agent))
            .collect()
    }

    fn decide(&mut self, agent: DidKey, told: &ClaimRequest) -> Result<ClaimOutcome, ClaimError> {
        let stamp = self.stamp(agent);
        let view = View {
            agent,
            stamp,
            all: self,
        };
        let decision = match told {
            ClaimRequest::Submit(submission) => {
                gate::judge(&view, submission, &self.settings, stamp)?
            }
            ClaimRequest::Assert(assertion) => {
                gate::assert(&view, assertion, &self.settings, stamp)?
            }
            other => panic!("a request that is unknown here: {other:?}"),
        };
        let re_entry = match &decision {
            GateDecision::Write(approved) => approved.because().re_entry,
            GateDecision::Nothing(outcome) => outcome.because.re_entry,
            _ => false,
        };
        if let (true, ClaimRequest::Submit(said)) = (re_entry, told) {
            let what = (
                agent,
                said.subject().clone(),
                said.predicate().clone(),
                said.value().clone(),
            );
            self.re_entries.push((what, stamp));
        }
        let GateDecision::Write(approved) = decision else {
            return Ok(ClaimOutcome::of_nothing(&decision).unwrap());
        };
        let name = WorldId::new(format!("unit-{}", self.units.len())).unwrap();
        let index = u64::try_from(self.units.len()).unwrap();
        let unit = Unit::parse(name, agent, index, stamp, approved.document()).unwrap();
        let outcome = ClaimOutcome::of_unit(&unit);
        self.units.push(unit);
        self.stamps.push((agent, stamp));
        Ok(outcome)
    }
}

impl Backend for Pure {
    fn clock(&mut self, now: Micros) {
        self.now = u64::try_from(now).unwrap();
    }

    fn remember(&mut self, agent: u8, chain: usize) {
        let stamp = self.stamp(did(agent));
        self.stamps.push((did(agent), stamp));
        let name = WorldId::new(format!("memory-{}", self.chains.len())).unwrap();
        self.names.worlds.push(name);
        self.chains.push(chain);
    }

    fn write(&mut self, request: &Request) -> Answer {
        let told = self.names.request(request);
        let answer = told.and_then(|told| self.decide(did(request.agent), &told));
        self.names.answer(answer)
    }

    fn serve(&mut self, agent: u8, claim: Id) {
        self.handed_out.push((agent, claim));
        let Act::Claim(body) = self.units[claim].act() else {
            panic!("only claims are served");
        };
        let line = self.units[claim].line();
        let (subject, predicate) = (line.subject.clone(), line.predicate.clone());
        self.served
            .push((did(agent), subject, predicate, body.value.clone()));
    }

    fn believe(&mut self, agent: u8, line: &LineName, asked: Asked) -> Belief {
        let question = self.question(did(agent), asked);
        self.names
            .belief(&self.belief(&engine::line(agent, line), question))
    }

    fn subject(&mut self, agent: u8, subject: &str, asked: Asked) -> Vec<(String, Belief)> {
        let lines = self.lines(agent).into_iter();
        let question = self.question(did(agent), asked);
        lines
            .filter(|line| line.subject == identifier(subject))
            .map(|line| {
                let belief = self.names.belief(&self.belief(&line, question));
                (line.predicate.as_str().to_owned(), belief)
            })
            .collect()
    }

    fn history(&mut self, agent: u8, line: &LineName, asked: Asked) -> Vec<Past> {
        let line = engine::line(agent, line);
        let question = self.question(did(agent), asked);
        let limits = self.settings.limits_of(&line.predicate);
        self.names.history(&belief::history(
            &line,
            &self.on_line(&line),
            question,
            limits,
        ))
    }

    fn contested(&mut self, agent: u8, asked: Asked) -> Vec<LineName> {
        let lines = self.lines(agent).into_iter();
        let names = lines.map(|line| {
            (
                line.subject.as_str().to_owned(),
                line.predicate.as_str().to_owned(),
            )
        });
        let names: Vec<LineName> = names.collect();
        names
            .into_iter()
            .filter(|line| self.believe(agent, line, asked).status == Status::Contested)
            .collect()
    }

    fn pending(&mut self, agent: u8) -> Vec<Id> {
        let present = self.now.max(self.last(did(agent)).unwrap_or(0));
        let waiting = |unit: &&Unit| {
            let named = self.units.iter().any(|by| match by.act() {
                Act::Affirm { target, rivals } => {
                    target == unit.reference() || rivals.contains(unit.reference())
                }
                Act::Deny { target } | Act::Undecided { target } => target == unit.reference(),
                _ => false,
            });
            unit.disposition() == Disposition::QueuedForAdjudication
                && unit.line().agent == did(agent)
                && !named
                && present.saturating_sub(unit.stamp().micros()) < 30 * 86_400_000_000
        };
        let waiting = self.units.iter().filter(waiting);
        waiting
            .map(|unit| self.names.id(unit.reference()))
            .collect()
    }

    fn units(&mut self, agent: u8, line: &LineName) -> Vec<(Id, Micros)> {
        let units = self.on_line(&engine::line(agent, line));
        let unit = |unit: &Unit| {
            (
                self.names.id(unit.reference()),
                micros(unit.stamp().micros()),
            )
        };
        units.iter().map(unit).collect()
    }

    fn ledger(&mut self, agent: u8, claim: Option<Id>, limit: usize) -> Vec<Noted> {
        let units = self.units.iter().filter(|unit| {
            let about = unit.act().target().unwrap_or(unit.reference());
            unit.line().agent == did(agent)
                && claim.is_none_or(|claim| self.names.id(about) == claim)
        });
        let units = units.map(|unit| Noted::Unit(self.names.id(unit.reference())));
        let served = self
            .handed_out
            .iter()
            .filter(|(whose, id)| *whose == agent && claim.is_none_or(|claim| claim == *id));
        let served = served.map(|(_, id)| Noted::Served(*id));
        newest(units.chain(served).collect(), limit)
    }
}
