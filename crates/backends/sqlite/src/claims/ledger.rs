//! The claims of one agent inside of a write transaction: what the gate asks, and what it lets in (I5, I6, I9).

use std::cell::RefCell;
use std::rc::Rc;

use counterfoil_capsule::Kind;
use counterfoil_claims::time::{Micros, Window};
use counterfoil_claims::{
    Act, ClaimError, ClaimInView, ClaimRef, FactValue, LineName, LineState, LineView, Unit,
};
use counterfoil_life::entries::{self, Sides};
use counterfoil_store::StoreError;
use counterfoil_store::claims::ClaimTxn;
use counterfoil_types::{DidKey, Scope, WorldId};
use rusqlite::Connection;

use super::fold::instant;
use super::line::{LineRow, is_external};
use super::unit_row::UnitRow;
use super::units::Units;
use super::{indexing, recent, tags};

/// So many claims of a tag are looked at, even if fewer of a value are wanted: equal tags are not equal values.
const SOME: usize = 64;

/// One agent's lines.
pub(crate) struct Ledger<'c> {
    units: Units<'c>,
    agent: DidKey,
    /// The line of few claims that was asked for last, by its number, and its claims.
    recent: RefCell<Option<(u64, Rc<[UnitRow]>)>>,
    fault: RefCell<Option<StoreError>>,
}

impl<'c> Ledger<'c> {
    pub(crate) const fn new(sides: Sides<'c>, derived: &'c Connection, agent: DidKey) -> Self {
        Self {
            units: Units::new(sides, derived),
            agent,
            recent: RefCell::new(None),
            fault: RefCell::new(None),
        }
    }

    /// The error behind the last one that the engine heard of.
    pub(super) fn behind(&self, error: &ClaimError) -> StoreError {
        let fault = self.fault.borrow_mut().take();
        fault.unwrap_or_else(|| StoreError::Unavailable {
            doing: "looking at claims",
            detail: error.to_string(),
        })
    }

    /// Answers about a line by its row; the default where nothing of it is known.
    fn on_line<T: Default>(
        &self,
        line: LineName<'_>,
        answer: impl FnOnce(&LineRow) -> Result<T, StoreError>,
    ) -> Result<T, ClaimError> {
        let row = self.units.row(&line.of(self.agent));
        self.told(row.and_then(|row| match row {
            Some(row) => answer(&row),
            None => Ok(T::default()),
        }))
    }

    /// The engine's view of an error; the error itself is kept for the store.
    fn told<T>(&self, answer: Result<T, StoreError>) -> Result<T, ClaimError> {
        answer.map_err(|error| {
            let told = ClaimError::View(error.to_string());
            *self.fault.borrow_mut() = Some(error);
            told
        })
    }

    /// The newest claims in force that touch `window` and that `wanted` takes, at most `limit`.
    fn newest(
        &self,
        row: &LineRow,
        window: Window,
        limit: usize,
        wanted: &dyn Fn(&UnitRow) -> Result<bool, StoreError>,
    ) -> Result<Vec<ClaimInView>, StoreError> {
        let derived = self.units.derived();
        if !row.in_tree {
            let recent = self.recent(row)?;
            let touching = recent.iter().rev().filter(|it| it.touches(window));
            return self.first(touching.copied(), limit, wanted);
        }
        let touching = recent::of_tree(derived, row, window, recent::MANY + 1)?;
        if touching.len() <= recent::MANY {
            return self.first(touching, limit, wanted);
        }
        let newest = recent::newest_touching(derived, row, window)?;
        let found = self.first(newest, limit, wanted)?;
        if found.len() >= limit {
            return Ok(found);
        }
        let touching = recent::of_tree(derived, row, window, usize::MAX)?;
        self.first(touching, limit, wanted)
    }

    /// The first of `claims` that `wanted` takes, at most `limit`.
    fn first(
        &self,
        claims: impl IntoIterator<Item = UnitRow>,
        limit: usize,
        wanted: &dyn Fn(&UnitRow) -> Result<bool, StoreError>,
    ) -> Result<Vec<ClaimInView>, StoreError> {
        let mut found = Vec::new();
        for kept in claims {
            if found.len() >= limit {
                break;
            }
            if wanted(&kept)? {
                found.push(self.units.view(self.units.present(kept.index)?)?);
            }
        }
        Ok(found)
    }

    /// The claims of a line of few.
    fn recent(&self, row: &LineRow) -> Result<Rc<[UnitRow]>, StoreError> {
        if let Some((known, recent)) = &*self.recent.borrow()
            && *known == row.line
        {
            return Ok(Rc::clone(recent));
        }
        let recent: Rc<[UnitRow]> = UnitRow::claims(self.units.derived(), row)?.into();
        self.recent.replace(Some((row.line, Rc::clone(&recent))));
        Ok(recent)
    }
}

fn says(unit: &Unit, value: &FactValue) -> bool {
    matches!(unit.act(), Act::Claim(claim) if claim.value == *value)
}

impl LineView for Ledger<'_> {
    fn line(&self, line: LineName<'_>) -> Result<LineState, ClaimError> {
        self.on_line(line, |row| {
            Ok(LineState {
                last: Some(self.units.name_at(row.last)?),
                ..row.state()
            })
        })
    }

    fn of_value(
        &self,
        line: LineName<'_>,
        value: &FactValue,
        window: Window,
        limit: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError> {
        self.on_line(line, |row| {
            let tag = tags::of_value(value);
            let mut of_tag = match row.in_tree {
                true => recent::of_tag(self.units.derived(), row, (tag, limit.max(SOME)))?,
                false => self.recent(row)?.to_vec(),
            };
            of_tag.retain(|it| it.tag == Some(tag) && it.matters(window));
            of_tag.sort_unstable_by_key(|it| it.number);
            let mut found = Vec::new();
            for it in of_tag.iter().rev() {
                if found.len() >= limit {
                    break;
                }
                let claim = self.units.present(it.index)?;
                // Equal tags are not equal values.
                if says(&claim, value) {
                    found.push(self.units.view(claim)?);
                }
            }
            found.reverse();
            Ok(found)
        })
    }

    fn touching(
        &self,
        line: LineName<'_>,
        window: Window,
        but: &FactValue,
        limit: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError> {
        let tag = tags::of_value(but);
        // Equal tags are not equal values.
        let other = |kept: &UnitRow| {
            Ok::<_, StoreError>(
                kept.tag != Some(tag) || !says(&self.units.present(kept.index)?, but),
            )
        };
        self.on_line(line, |row| {
            self.newest(row, window, limit, &|kept| {
                Ok(is_external(kept.class) && other(kept)?)
            })
        })
    }

    fn live(
        &self,
        line: LineName<'_>,
        at: Micros,
        limit: usize,
    ) -> Result<Vec<ClaimInView>, ClaimError> {
        self.on_line(line, |row| {
            self.newest(row, instant(at), limit, &|_| Ok(true))
        })
    }

    fn claim(&self, reference: &ClaimRef) -> Result<Option<ClaimInView>, ClaimError> {
        let claim = self.units.named(reference).and_then(|claim| {
            let own = |unit: &Unit| {
                unit.line().agent == self.agent && matches!(unit.act(), Act::Claim(_))
            };
            let claim = claim.filter(own);
            claim.map(|claim| self.units.view(claim)).transpose()
        });
        self.told(claim)
    }

    fn anchor(&self, world: &WorldId) -> Result<Option<String>, ClaimError> {
        let ground = self.units.sides().ground;
        let anchor = || {
            let Some(index) = entries::index_of(ground, world)? else {
                return Ok(None);
            };
            let chain = entries::state(ground, index)?.chain.to_string();
            // A body in an archive is no unit: those stay.
            let header = entries::header(ground, index)?;
            let is_unit = header.is_some_and(|header| header.kind() == Kind::Claim);
            Ok((!is_unit).then_some(chain))
        };
        self.told(anchor())
    }

    fn keyed(&self, key: &str, scope: &Scope) -> Result<Option<Unit>, ClaimError> {
        self.told(self.units.keyed(&self.agent, key, scope))
    }
}

impl ClaimTxn for Ledger<'_> {
    fn index_unit(&mut self, unit: &Unit) -> Result<(), StoreError> {
        self.units.keep(unit);
        self.recent.replace(None);
        indexing::index_unit(&self.units, unit)
    }

    fn finish(&mut self) -> Result<(), StoreError> {
        self.units.finish()
    }

    fn take_fault(&mut self) -> Option<StoreError> {
        self.fault.take()
    }
}
