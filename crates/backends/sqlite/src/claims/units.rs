//! Reads units back: from the content of their capsules, or from the batch that is being written.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use counterfoil_claims::{Act, ClaimInView, ClaimRef, Line, Unit};
use counterfoil_life::entries::Sides;
use counterfoil_life::{did_text, entries};
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::json::{self, Limits};
use counterfoil_types::{DidKey, WorldId};
use rusqlite::{Connection, params};

use super::line::LineRow;
use super::tags;
use crate::error::at;
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

    /// The unit at a log index; `None` where there is none, or none that is known.
    pub(super) fn at(&self, index: u64) -> Result<Option<Unit>, StoreError> {
        if let Some(unit) = self.ahead.get(&index) {
            return Ok(Some(unit.clone()));
        }
        let sql = "SELECT agent, stamp FROM claim_unit WHERE idx = ?1";
        let row: Option<(i64, u64)> = self
            .derived()
            .find(sql, [index])
            .map_err(at(StoreLocation::entry("claim_unit", index)))?;
        row.map(|(agent, stamp)| self.read(index, agent, stamp))
            .transpose()
    }

    /// The unit at a log index that a row of `claim_unit` names.
    pub(super) fn present(&self, index: u64) -> Result<Unit, StoreError> {
        self.at(index)?.ok_or_else(|| {
            StoreError::corrupt(
                StoreLocation::entry("claim_unit", index),
                "there is no unit",
            )
        })
    }

    /// The unit at `index`, given what its row says.
    pub(super) fn read(&self, index: u64, agent: i64, stamp: u64) -> Result<Unit, StoreError> {
        if let Some(unit) = self.ahead.get(&index) {
            return Ok(unit.clone());
        }
        let damaged = |detail: &dyn std::fmt::Display| {
            StoreError::corrupt(StoreLocation::entry("body", index), detail)
        };
        let content = self
            .sides
            .ground
            .body(index)?
            .and_then(|body| body.payload)
            .ok_or_else(|| damaged(&"the content of a unit is not there"))?;
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
        self.derived().list(
            "SELECT idx FROM claim_named WHERE tag = ?1 ORDER BY idx",
            [tags::of_name(name)],
        )
    }

    /// The number of an agent; `None` when none of its units is known.
    pub(super) fn agent_number(&self, agent: &DidKey) -> Result<Option<i64>, StoreError> {
        if let Some((known, number)) = self.number.get()
            && known == *agent
        {
            return Ok(Some(number));
        }
        let sql = "SELECT id FROM claim_agent WHERE did = ?1";
        let number: Option<i64> = self.derived().find(sql, [did_text(agent)])?;
        self.number.set(number.map(|number| (*agent, number)));
        Ok(number)
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
        self.derived().run(
            "UPDATE claim_agent SET latest = max(latest, ?2) WHERE id = ?1",
            params![agent, latest],
        )
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
        self.line.replace(Some((line.clone(), row.clone())));
        Ok(row)
    }

    /// To be called when the row of a line was written.
    pub(super) fn note_row(&self, line: &Line, row: LineRow) {
        self.line.replace(Some((line.clone(), Some(row))));
    }

    /// The unit that an agent wrote under an idempotency key.
    pub(crate) fn keyed(&self, agent: &DidKey, key: &str) -> Result<Option<Unit>, StoreError> {
        let Some(number) = self.agent_number(agent)? else {
            return Ok(None);
        };
        let indexes: Vec<u64> = self.derived().list(
            "SELECT idx FROM claim_key WHERE agent = ?1 AND tag = ?2 ORDER BY idx",
            params![number, tags::of_key(key)],
        )?;
        for index in indexes {
            let unit = self.present(index)?;
            if unit.key() == Some(key) {
                return Ok(Some(unit));
            }
        }
        Ok(None)
    }

    fn agent(&self, number: i64) -> Result<DidKey, StoreError> {
        if let Some(agent) = self.agents.borrow().get(&number) {
            return Ok(*agent);
        }
        let sql = "SELECT did FROM claim_agent WHERE id = ?1";
        let did: String = self.derived().get(sql, [number])?;
        let agent = did.parse().map_err(|error| {
            StoreError::corrupt(StoreLocation::table("claim_agent"), format!("{error}"))
        })?;
        self.agents.borrow_mut().insert(number, agent);
        Ok(agent)
    }
}

/// The claims of its line that a unit names.
pub(super) fn named_by(unit: &Unit) -> Vec<&ClaimRef> {
    let (own, others): (Option<&ClaimRef>, &[ClaimRef]) = match unit.act() {
        Act::Claim(claim) => (None, &claim.supersedes),
        Act::Affirm { target, rivals } => (Some(target), rivals),
        Act::Supersede { target, by } => (Some(target), core::slice::from_ref(by)),
        act => (act.target(), &[]),
    };
    own.into_iter().chain(others).collect()
}
