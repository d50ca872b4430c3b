//! Reads units back: from the content of their capsules, or from the batch that is being written.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use counterfoil_claims::{Act, ClaimInView, ClaimRef, Line, Unit};
use counterfoil_life::entries::Sides;
use counterfoil_life::{did_text, entries};
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::json::{self, Limits};
use counterfoil_types::{DidKey, Scope, WorldId};
use rusqlite::{Connection, Row, params};

use super::checks::{Check, damaged, signed, unsigned};
use super::line::LineRow;
use super::unit_row::UnitRow;
use super::{linked, tags};
use crate::statement::Statements;

/// Units by their log index and by their name.
pub(crate) struct Units<'c> {
    /// Transactions that read the log and the indexes.
    sides: Sides<'c>,
    /// Connection of the derived tables.
    derived: &'c Connection,
    agents: RefCell<BTreeMap<i64, DidKey>>,
    /// The agent whose number was looked up last.
    number: Cell<Option<(DidKey, i64)>>,
    /// The number of the agent whose units were remembered, and their latest stamp.
    latest: Cell<Option<(i64, u64)>>,
    /// The line whose row was looked up or written last.
    line: RefCell<Option<(Line, Option<LineRow>)>>,
    /// Units that are remembered and not yet in the log.
    ahead: BTreeMap<u64, Unit>,
    ahead_by_name: BTreeMap<WorldId, u64>,
}

impl<'c> Units<'c> {
    pub(crate) const fn new(sides: Sides<'c>, derived: &'c Connection) -> Self {
        Self {
            sides,
            derived,
            agents: RefCell::new(BTreeMap::new()),
            number: Cell::new(None),
            latest: Cell::new(None),
            line: RefCell::new(None),
            ahead: BTreeMap::new(),
            ahead_by_name: BTreeMap::new(),
        }
    }

    /// Connection of the derived tables.
    pub(super) const fn derived(&self) -> &'c Connection {
        self.derived
    }

    /// Transactions that read the log and the indexes.
    pub(super) const fn sides(&self) -> Sides<'c> {
        self.sides
    }

    /// Keeps a unit that is about to be appended.
    pub(super) fn keep(&mut self, unit: &Unit) {
        self.ahead.insert(unit.index(), unit.clone());
        let name = unit.reference().clone();
        self.ahead_by_name.insert(name, unit.index());
    }

    /// Tests whether the unit at a log index is about to be appended.
    pub(super) fn is_ahead(&self, index: u64) -> bool {
        self.ahead.contains_key(&index)
    }

    /// The unit at a log index; `None` where there is none, or none that is known.
    pub(super) fn at(&self, index: u64) -> Result<Option<Unit>, StoreError> {
        if let Some(unit) = self.ahead.get(&index) {
            return Ok(Some(unit.clone()));
        }
        let place = linked::list(self.derived, [linked::UNIT, signed(index)])?.pop();
        place
            .map(|[_, _, _, agent, stamp]| self.read(index, agent, unsigned(stamp)))
            .transpose()
    }

    /// The unit at a log index that a row names.
    pub(super) fn present(&self, index: u64) -> Result<Unit, StoreError> {
        self.at(index)?.ok_or_else(|| damaged("claim_entry"))
    }

    /// Number of the unit at a log index, and the newest other unit of its line whose content is there.
    pub(crate) fn place(&self, index: u64) -> Result<Option<(u64, u64)>, StoreError> {
        let Some(unit) = self.at(index)? else {
            return Ok(None);
        };
        let row = self
            .row(unit.line())?
            .ok_or_else(|| damaged("claim_line"))?;
        let mut beside = None;
        UnitRow::walk(self.derived, &row, |other| {
            let body = self.sides.ground.body(other.index)?;
            let is_there = other.index != index && body.is_some_and(|body| body.salt.is_some());
            beside = is_there.then_some(other.index);
            Ok(!is_there)
        })?;
        Ok(beside.map(|beside| (unit.number(), beside)))
    }

    /// The unit at `index`, given what its row says.
    pub(super) fn read(&self, index: u64, agent: i64, stamp: u64) -> Result<Unit, StoreError> {
        if let Some(unit) = self.ahead.get(&index) {
            return Ok(unit.clone());
        }
        let damaged = |detail: &dyn std::fmt::Display| {
            StoreError::corrupt(StoreLocation::entry("body", index), detail)
        };
        let ground = self.sides.ground;
        // The gate hands out nothing: what it lets in rests on rows that show when they were changed.
        let content = match ground.read_check() {
            None => ground.body(index)?.and_then(|body| body.payload),
            Some(_) => entries::capsule(ground, index)?
                .and_then(|stored| stored.payload)
                .map(|payload| payload.text.into_bytes()),
        };
        let content = content.ok_or_else(|| damaged(&"the content of a unit is not there"))?;
        let world = json::parse(&content, Limits::CONTENT).map_err(|error| damaged(&error))?;
        let name = world
            .get("worldId")
            .and_then(|name| name.as_str())
            .and_then(|name| WorldId::new(name).ok());
        let (Some(name), Some(data)) = (name, world.get("data")) else {
            return Err(damaged(&"the content is no World"));
        };
        Unit::parse(name, self.agent(agent)?, index, stamp, data).map_err(|error| damaged(&error))
    }

    /// The name of the unit at a log index, which may be erased.
    pub(super) fn name_at(&self, index: u64) -> Result<WorldId, StoreError> {
        match self.ahead.get(&index) {
            Some(unit) => Ok(unit.reference().clone()),
            None => entries::world_at(self.sides.index, index),
        }
    }

    /// The unit of that name.
    pub(crate) fn named(&self, name: &ClaimRef) -> Result<Option<Unit>, StoreError> {
        if let Some(index) = self.ahead_by_name.get(name) {
            return self.at(*index);
        }
        match entries::index_of(self.sides.index, name)? {
            Some(index) => self.at(index),
            None => Ok(None),
        }
    }

    /// A claim with all units of its line that say something of it.
    pub(super) fn view(&self, claim: Unit) -> Result<ClaimInView, StoreError> {
        let mut assertions = Vec::new();
        for index in self.naming(claim.reference())? {
            let unit = self.present(index)?;
            if unit.line() == claim.line() && named_by(&unit).contains(&claim.reference()) {
                assertions.push(unit);
            }
        }
        let mut takers: Vec<Unit> = Vec::new();
        for unit in &assertions {
            let taker = match unit.act() {
                Act::Claim(_) => Some(unit.clone()),
                Act::Supersede { by, .. } => self.named(by)?,
                Act::Affirm { target, .. } if target != claim.reference() => self.named(target)?,
                _ => None,
            };
            let known = |taker: &Unit| takers.iter().any(|it| it.reference() == taker.reference());
            takers.extend(taker.filter(|taker| !known(taker)));
        }
        Ok(ClaimInView {
            claim,
            assertions,
            takers,
        })
    }

    /// Log indices of units that may name a claim, in the order of the log.
    pub(super) fn naming(&self, name: &ClaimRef) -> Result<Vec<u64>, StoreError> {
        self.listed([linked::NAMED, tags::of_name(name)])
    }

    /// The log indices that entries with this prefix end with, in their order.
    pub(super) fn listed<const N: usize>(&self, prefix: [i64; N]) -> Result<Vec<u64>, StoreError> {
        let found = linked::list(self.derived, prefix)?.into_iter().rev();
        let last = found.map(|entry| entry.get(N).copied().unwrap_or_default());
        Ok(last.map(unsigned).collect())
    }

    /// The number of an agent; `None` when none of its units is known.
    pub(super) fn agent_number(&self, agent: &DidKey) -> Result<Option<i64>, StoreError> {
        if let Some((known, number)) = self.number.get()
            && known == *agent
        {
            return Ok(Some(number));
        }
        let number = self.agent_row(agent)?.map(|(number, _)| number);
        self.number.set(number.map(|number| (*agent, number)));
        Ok(number)
    }

    /// Number and latest stamp of an agent.
    pub(super) fn agent_row(&self, agent: &DidKey) -> Result<Option<(i64, u64)>, StoreError> {
        let did = did_text(agent);
        let sql = "SELECT id, did, latest, checked FROM claim_agent WHERE did = ?1";
        if let Some(row) = self.derived.find_with(sql, [&did], read_agent)? {
            return row.map(|(number, _, latest)| Some((number, latest)));
        }
        match self
            .listed([linked::AGENT, tags::of_text(&did)])?
            .is_empty()
        {
            true => Ok(None),
            false => Err(damaged("claim_agent")),
        }
    }

    /// Gives the agent of a first unit its number, which is the log index of that unit.
    pub(super) fn begin_agent(&self, unit: &Unit) -> Result<i64, StoreError> {
        let (number, did) = (signed(unit.index()), did_text(&unit.line().agent));
        self.write_agent(number, &did, unit.stamp().micros())?;
        let entry = [linked::AGENT, tags::of_text(&did), number, 0, 0];
        linked::add(self.derived, entry)?;
        Ok(number)
    }

    fn write_agent(&self, number: i64, did: &str, latest: u64) -> Result<(), StoreError> {
        self.derived.run(
            // A row that is replaced would be taken out of the index of names and put in again.
            "INSERT INTO claim_agent (id, did, latest, checked) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (id) DO UPDATE SET latest = excluded.latest, checked = excluded.checked",
            params![number, did, latest, agent_check(number, did, latest)],
        )
    }

    /// Notes when a unit of an agent was recorded, until [`Units::finish`] writes it.
    pub(super) fn note_stamp(&self, agent: i64, stamp_us: u64) -> Result<(), StoreError> {
        let latest = match self.latest.get() {
            Some((known, latest)) if known == agent => stamp_us.max(latest),
            _ => {
                self.finish()?;
                stamp_us
            }
        };
        self.latest.set(Some((agent, latest)));
        Ok(())
    }

    /// Writes the noted rows. Called when all units are indexed.
    pub(super) fn finish(&self) -> Result<(), StoreError> {
        let Some((agent, latest)) = self.latest.take() else {
            return Ok(());
        };
        let (did, before) = self.agent_numbered(agent)?;
        self.write_agent(agent, &did, latest.max(before))
    }

    /// The row of a line; `None` when nothing of it is known.
    pub(super) fn row(&self, line: &Line) -> Result<Option<LineRow>, StoreError> {
        if let Some((known, row)) = &*self.line.borrow()
            && known == line
        {
            return Ok(row.clone());
        }
        let row = match self.agent_number(&line.agent)? {
            Some(agent) => LineRow::find(self.derived(), agent, line)?,
            None => None,
        };
        if let (None, Some(agent)) = (&row, self.agent_number(&line.agent)?) {
            let [subject, predicate] = tags::of_line(line);
            let found = self.listed([linked::LINE, agent, subject, predicate])?;
            self.require_known(&found, &BTreeSet::new(), |found| found == line)?;
        }
        self.line.replace(Some((line.clone(), row.clone())));
        Ok(row)
    }

    /// Refuses lines of the list that have no row, if `asked` says that they were asked for: the list has hashes of names.
    pub(super) fn require_known(
        &self,
        listed: &[u64],
        rows: &BTreeSet<i64>,
        asked: impl Fn(&Line) -> bool,
    ) -> Result<(), StoreError> {
        for line in listed.iter().filter(|line| !rows.contains(&signed(**line))) {
            if asked(self.present(*line)?.line()) {
                return Err(damaged("claim_line"));
            }
        }
        Ok(())
    }

    /// To be called when the row of a line was written.
    pub(super) fn note_row(&self, line: &Line, row: LineRow) {
        self.line.replace(Some((line.clone(), Some(row))));
    }

    /// The unit that an agent wrote under an idempotency key in a scope.
    pub(crate) fn keyed(
        &self,
        agent: &DidKey,
        key: &str,
        scope: &Scope,
    ) -> Result<Option<Unit>, StoreError> {
        let Some(number) = self.agent_number(agent)? else {
            return Ok(None);
        };
        for index in self.listed([linked::KEY, number, tags::of_key(key)])? {
            let unit = self.present(index)?;
            if unit.key() == Some(key) && unit.line().scope.contains(scope) {
                return Ok(Some(unit));
            }
        }
        Ok(None)
    }

    fn agent(&self, number: i64) -> Result<DidKey, StoreError> {
        if let Some(agent) = self.agents.borrow().get(&number) {
            return Ok(*agent);
        }
        let (did, _) = self.agent_numbered(number)?;
        let agent = did.parse().map_err(|error| {
            StoreError::corrupt(StoreLocation::table("claim_agent"), format!("{error}"))
        })?;
        self.agents.borrow_mut().insert(number, agent);
        Ok(agent)
    }

    /// Name and latest stamp of the agent with that number.
    fn agent_numbered(&self, number: i64) -> Result<(String, u64), StoreError> {
        let sql = "SELECT id, did, latest, checked FROM claim_agent WHERE id = ?1";
        match self.derived.find_with(sql, [number], read_agent)? {
            Some(row) => row.map(|(_, did, latest)| (did, latest)),
            None => Err(damaged("claim_agent")),
        }
    }
}

/// Number, name and latest stamp of an agent; an error when the row is not as it was written.
fn read_agent(row: &Row<'_>) -> rusqlite::Result<Result<(i64, String, u64), StoreError>> {
    let parse = || -> rusqlite::Result<Option<(i64, String, u64)>> {
        let (number, did, latest): (_, String, _) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let is_as_written = row.get::<_, i64>(3)? == agent_check(number, &did, latest);
        Ok(is_as_written.then_some((number, did, latest)))
    };
    Ok(parse()
        .unwrap_or_default()
        .ok_or_else(|| damaged("claim_agent")))
}

fn agent_check(number: i64, did: &str, latest: u64) -> i64 {
    let check = Check::new().number(number).text(did);
    check.number(signed(latest)).finish()
}

/// The claims of its line that a unit names.
pub(super) fn named_by(unit: &Unit) -> Vec<&ClaimRef> {
    let (own, others): (Option<&ClaimRef>, &[ClaimRef]) = match unit.act() {
        Act::Claim(claim) => (None, &claim.supersedes),
        Act::Affirm { target, rivals } => (Some(target), rivals),
        Act::Retract { target, frees, .. } => (Some(target), frees),
        Act::Supersede { target, by } => (Some(target), core::slice::from_ref(by)),
        act => (act.target(), &[]),
    };
    own.into_iter().chain(others).collect()
}
