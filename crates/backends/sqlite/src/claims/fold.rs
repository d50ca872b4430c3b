//! Beliefs from indexes: of a line only those claims are read that may hold at the instant that is asked about (I3, I8).

use counterfoil_claims::belief::{
    Ancestor, Belief, BeliefStatus, HistoryEntry, LineFacts, Question, believe_from, has_ended,
    history,
};
use counterfoil_claims::time::Window;
use counterfoil_claims::{
    Cardinality, ClaimInView, ClaimRef, CurrencyLimits, Line, Settings, Unit,
};
use counterfoil_store::{AsOf, StoreError};
use rusqlite::{Connection, Row, params};

use super::line::{LineRow, cardinality_numbered};
use super::tree;
use super::units::Units;
use crate::derivation::Sides;
use crate::error::{at, from_sqlite};
use crate::rows;
use crate::statement::Statements;
use counterfoil_store::StoreLocation;
use counterfoil_types::DidKey;

/// Reader of claims, inside of one read transaction.
pub(super) struct Reader<'c> {
    pub(super) units: Units<'c>,
    pub(super) connection: &'c Connection,
}

/// A question with the host's settings.
#[derive(Clone, Copy)]
pub(super) struct QuestionContext<'s> {
    pub(super) question: Question,
    pub(super) settings: &'s Settings,
}

/// Effect of a claim at the time of a question, by its row.
enum Standing {
    /// It is in force, with this window.
    InForce(Window),
    /// It is not.
    NotInForce,
    /// It was changed since: what holds at that time only its units say. Its own window.
    Changed(Window),
}

impl<'c> Reader<'c> {
    pub(super) const fn new(connection: &'c Connection) -> Self {
        Self {
            units: Units::new(Sides::both(connection)),
            connection,
        }
    }

    /// The later of the clock and of all that the agent has recorded: a clock that went back hides nothing.
    pub(super) fn present(&self, agent: &DidKey, now_us: u64) -> Result<u64, StoreError> {
        let latest: Option<u64> = self
            .connection
            .find(
                "SELECT latest FROM claim_agent WHERE did = ?1",
                [agent.to_string()],
            )
            .map_err(at(StoreLocation::table("claim_agent")))?;
        let recorded = rows::last_recorded(self.connection, agent)?;
        let recorded = recorded.map(|recorded| recorded.micros());
        Ok(now_us
            .max(latest.unwrap_or_default())
            .max(recorded.unwrap_or_default()))
    }

    pub(super) fn question(
        &self,
        agent: &DidKey,
        asked: AsOf,
        now_us: u64,
    ) -> Result<Question, StoreError> {
        Ok(asked.at(self.present(agent, now_us)?))
    }

    /// The row of a line; `None` when nothing of it is known.
    pub(super) fn row(&self, line: &Line) -> Result<Option<LineRow>, StoreError> {
        self.units.row(line)
    }

    /// The belief of a line.
    pub(super) fn believe(
        &self,
        line: &Line,
        asking: QuestionContext<'_>,
    ) -> Result<Belief, StoreError> {
        let row = self.row(line)?;
        self.believe_row(line, row.as_ref(), asking)
    }

    pub(super) fn believe_row(
        &self,
        line: &Line,
        row: Option<&LineRow>,
        QuestionContext { question, settings }: QuestionContext<'_>,
    ) -> Result<Belief, StoreError> {
        let limits = settings.limits_of(&line.predicate);
        let Some(row) = row else {
            return self.folded(line, LineFacts::default(), &[], question, limits);
        };
        let mut facts = LineFacts {
            cardinality: self.cardinality(row, question)?,
            ended: false,
        };
        let claims = self.around(row, question)?;
        let belief = self.folded(line, facts, &claims, question, limits)?;
        if belief.status != BeliefStatus::NoBelief || !self.has_ended(row, question)? {
            return Ok(belief);
        }
        facts.ended = true;
        self.folded(line, facts, &claims, question, limits)
    }

    /// The fold, with ancestors looked up as they are asked for. An error on the way is this one's.
    fn folded(
        &self,
        line: &Line,
        facts: LineFacts,
        claims: &[ClaimInView],
        question: Question,
        limits: CurrencyLimits,
    ) -> Result<Belief, StoreError> {
        let fault = std::cell::RefCell::new(None);
        let lineage = |reference: &ClaimRef, question| {
            self.ancestor(&line.agent, reference, question)
                .unwrap_or_else(|error| {
                    *fault.borrow_mut() = Some(error);
                    None
                })
        };
        let belief = believe_from(line, facts, claims, question, limits, Some(&lineage));
        match fault.into_inner() {
            Some(error) => Err(error),
            None => Ok(belief),
        }
    }

    fn ancestor(
        &self,
        agent: &DidKey,
        reference: &ClaimRef,
        question: Question,
    ) -> Result<Option<Ancestor>, StoreError> {
        let Some(unit) = self.units.named(reference)? else {
            return Ok(None);
        };
        if unit.line().agent != *agent {
            return Ok(None);
        }
        let Some(row) = self.row(unit.line())? else {
            return Ok(None);
        };
        let facts = LineFacts {
            cardinality: self.cardinality(&row, question)?,
            ended: false,
        };
        let view = self.units.view(unit)?;
        let mut fault = None;
        let ancestor = Ancestor::of_view(&view, question, || {
            let claims = self.around(&row, question).unwrap_or_else(|error| {
                fault = Some(error);
                Vec::new()
            });
            (facts, claims)
        });
        match fault {
            Some(error) => Err(error),
            None => Ok(ancestor),
        }
    }

    /// Returns the line's cardinality by the units until the question's `as_of`.
    pub(super) fn cardinality(
        &self,
        row: &LineRow,
        question: Question,
    ) -> Result<Cardinality, StoreError> {
        let said = |first: Option<u64>| first.is_some_and(|first| first <= question.as_of_us);
        let registered = match row.registered {
            None => None,
            Some((registered, _)) if row.latest <= question.as_of_us => Some(registered),
            Some(_) => self.registered_until(row, question.as_of_us)?,
        };
        Ok(Cardinality::of_line(
            registered,
            said(row.one),
            said(row.many),
        ))
    }

    fn registered_until(
        &self,
        row: &LineRow,
        as_of_us: u64,
    ) -> Result<Option<Cardinality>, StoreError> {
        let number: Option<u8> = self.connection.find(
            "SELECT registered FROM claim_unit
                 WHERE line = ?1 AND registered IS NOT NULL AND stamp <= ?2
                 ORDER BY number DESC LIMIT 1",
            params![row.line, as_of_us],
        )?;
        Ok(number.and_then(cardinality_numbered))
    }

    /// The claims that may hold at the instant of a question, each with all units that name it.
    fn around(&self, row: &LineRow, question: Question) -> Result<Vec<ClaimInView>, StoreError> {
        let indexes = match row.in_tree && row.latest <= question.as_of_us {
            true => self.present_around(row, question)?,
            false => self.scanned_around(row, question)?,
        };
        let views = indexes
            .into_iter()
            .map(|index| self.units.view(self.units.present(index)?));
        views.collect()
    }

    /// As of the last unit: the tree says which windows hold the instant.
    fn present_around(&self, row: &LineRow, question: Question) -> Result<Vec<u64>, StoreError> {
        let window = Window {
            start: Some(question.valid_at),
            end: Some(question.valid_at.saturating_add(1)),
        };
        let mut indexes = Vec::new();
        tree::touching(self.connection, row, window, &mut |kept| {
            indexes.push(kept.index);
            true
        })?;
        indexes.sort_unstable();
        Ok(indexes)
    }

    /// As of any time: row by row.
    fn scanned_around(&self, row: &LineRow, question: Question) -> Result<Vec<u64>, StoreError> {
        let mut indexes = Vec::new();
        self.scan(row, question, &mut |index, standing| {
            let may_hold = match standing {
                Standing::InForce(window) => window.contains(question.valid_at),
                Standing::NotInForce => false,
                // A claim without a start may have got one, or lost it: then its stamp is its own start.
                Standing::Changed(own) => {
                    own.contains(question.valid_at) || (own.start.is_some() && own.end.is_none())
                }
            };
            if may_hold {
                indexes.push(index);
            }
            Ok(true)
        })?;
        Ok(indexes)
    }

    /// Tests whether some claim of the line has ended at the question.
    fn has_ended(&self, row: &LineRow, question: Question) -> Result<bool, StoreError> {
        let mut ended = false;
        self.scan(row, question, &mut |index, standing| {
            ended = match standing {
                Standing::InForce(window) => window.end.is_some_and(|end| end <= question.valid_at),
                Standing::NotInForce => false,
                Standing::Changed(_) => {
                    has_ended(&self.units.view(self.units.present(index)?)?, question)
                }
            };
            Ok(!ended)
        })?;
        Ok(ended)
    }

    /// Looks at each claim of a line that was recorded until the question's `as_of`, while `each` says to go on.
    fn scan(
        &self,
        row: &LineRow,
        question: Question,
        each: &mut dyn FnMut(u64, Standing) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT idx, force, start, until, changed, own_start, own_until FROM claim_unit
                 WHERE line = ?1 AND tag IS NOT NULL AND stamp <= ?2 ORDER BY idx",
            )
            .map_err(from_sqlite)?;
        let mut rows = statement
            .query(params![row.line, question.as_of_us])
            .map_err(from_sqlite)?;
        while let Some(row) = rows.next().map_err(from_sqlite)? {
            let (index, standing) = standing(row, question.as_of_us).map_err(from_sqlite)?;
            if !each(index, standing)? {
                break;
            }
        }
        Ok(())
    }

    /// Every claim of a line with its state.
    pub(super) fn history(
        &self,
        line: &Line,
        QuestionContext { question, settings }: QuestionContext<'_>,
    ) -> Result<Vec<HistoryEntry>, StoreError> {
        let units = self.line_units(line, Some(question.as_of_us))?;
        let limits = settings.limits_of(&line.predicate);
        Ok(history(line, &units, question, limits))
    }

    /// The units of a line in the order of their numbers.
    pub(super) fn line_units(
        &self,
        line: &Line,
        as_of_us: Option<u64>,
    ) -> Result<Vec<Unit>, StoreError> {
        let Some(row) = self.row(line)? else {
            return Ok(Vec::new());
        };
        let found: Vec<(u64, i64, u64)> = self.connection.list(
            "SELECT idx, agent, stamp FROM claim_unit WHERE line = ?1
                 AND (?2 IS NULL OR stamp <= ?2) ORDER BY number, idx",
            params![row.line, as_of_us],
        )?;
        found
            .into_iter()
            .map(|(index, agent, stamp)| self.units.read(index, agent, stamp))
            .collect()
    }
}

fn standing(row: &Row<'_>, as_of_us: u64) -> rusqlite::Result<(u64, Standing)> {
    let index = row.get(0)?;
    let changed: Option<u64> = row.get(4)?;
    let (first, is_changed) = match changed.is_some_and(|changed| as_of_us < changed) {
        true => (5, true),
        false => (2, false),
    };
    let window = Window {
        start: row.get(first)?,
        end: row.get(first + 1)?,
    };
    let standing = match (is_changed, row.get(1)?) {
        (true, _) => Standing::Changed(window),
        (false, true) => Standing::InForce(window),
        (false, false) => Standing::NotInForce,
    };
    Ok((index, standing))
}
