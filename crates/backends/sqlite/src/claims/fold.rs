//! Beliefs from indexes: of a line only those claims are read that may hold at the instant that is asked about (I3, I8).

use counterfoil_claims::belief::{
    Belief, BeliefStatus, HistoryEntry, LookUp, Question, believe, believe_from, has_ended,
    history, parents_in_view,
};
use counterfoil_claims::time::{Micros, Window};
use counterfoil_claims::{Cardinality, ClaimInView, ClaimRef, Line, Settings, Unit};
use counterfoil_life::entries;
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::DidKey;

use super::line::LineRow;
use super::tree;
use super::unit_row::UnitRow;
use super::units::Units;

/// Maximum number of units of a line whose belief is compared with that of its index.
const MAX_REFOLDED: usize = 512;

/// A question with the host's settings.
#[derive(Clone, Copy)]
pub(crate) struct QuestionContext<'s> {
    pub(crate) question: Question,
    pub(crate) settings: &'s Settings,
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

impl Units<'_> {
    /// The later of the clock and of all that the agent has recorded: a clock that went back hides nothing.
    pub(crate) fn present_us(&self, agent: &DidKey, now_us: u64) -> Result<u64, StoreError> {
        let latest = self.agent_row(agent)?.map(|(_, latest)| latest);
        let recorded = entries::last_recorded(self.sides().index, agent)?;
        let recorded = recorded.map(|last| last.recorded.micros());
        Ok(now_us
            .max(latest.unwrap_or_default())
            .max(recorded.unwrap_or_default()))
    }

    /// The belief of a line.
    pub(crate) fn believe(
        &self,
        line: &Line,
        asking: QuestionContext<'_>,
    ) -> Result<Belief, StoreError> {
        let rows = self.rows(line, asking)?;
        let belief = self.believe_rows(line, &rows, asking)?;
        if cfg!(debug_assertions) {
            self.has_not_moved(line, asking, &belief)?;
        }
        Ok(belief)
    }

    /// Fails if the units of the line give another belief than its index does: it moved without a write (I10). Folds lines
    /// of at most [`MAX_REFOLDED`] units.
    pub(crate) fn has_not_moved(
        &self,
        line: &Line,
        QuestionContext { question, settings }: QuestionContext<'_>,
        belief: &Belief,
    ) -> Result<(), StoreError> {
        let asking = QuestionContext { question, settings };
        let units = self.units_of_names(line, asking)?;
        if units.len() > MAX_REFOLDED {
            return Ok(());
        }
        let whole = self.looking_up(&line.agent, settings, |look_up| {
            believe(line, &units, question, settings, Some(look_up))
        })?;
        if whole == *belief {
            return Ok(());
        }
        Err(StoreError::corrupt(
            StoreLocation::table("claim_line"),
            "a belief moved without a write (I10); rebuild the index",
        ))
    }

    /// The rows of a line and of those of the other names of its subject, as far as there are any.
    pub(super) fn rows(
        &self,
        line: &Line,
        QuestionContext { question, settings }: QuestionContext<'_>,
    ) -> Result<Vec<LineRow>, StoreError> {
        let names = settings.aliases.names(&line.subject, question.as_of_us);
        let rows = names.into_iter().map(|subject| {
            self.row(&Line {
                subject,
                ..line.clone()
            })
        });
        rows.filter_map(Result::transpose).collect()
    }

    /// The belief of a line by its row and those of the other names of its subject.
    pub(super) fn believe_rows(
        &self,
        line: &Line,
        rows: &[LineRow],
        QuestionContext { question, settings }: QuestionContext<'_>,
    ) -> Result<Belief, StoreError> {
        let cardinality = self.cardinality(rows, question)?;
        let claims = self.around(rows, question)?;
        let mut belief = self.folded(line, cardinality, &claims, question, settings)?;
        if belief.status == BeliefStatus::NoBelief {
            for row in rows {
                if self.has_ended(row, question)? {
                    belief.status = BeliefStatus::Ended;
                }
            }
        }
        Ok(belief)
    }

    /// The fold, with ancestors looked up as they are asked for. An error on the way is this one's.
    fn folded(
        &self,
        line: &Line,
        cardinality: Cardinality,
        claims: &[ClaimInView],
        question: Question,
        settings: &Settings,
    ) -> Result<Belief, StoreError> {
        self.looking_up(&line.agent, settings, |look_up| {
            believe_from(line, cardinality, claims, question, settings, Some(look_up))
        })
    }

    /// What `fold` makes of ancestors that it looks up here. An error on the way is this one's.
    fn looking_up<T>(
        &self,
        agent: &DidKey,
        settings: &Settings,
        fold: impl FnOnce(LookUp<'_>) -> T,
    ) -> Result<T, StoreError> {
        let fault = std::cell::RefCell::new(None);
        let folded = fold(&|reference: &ClaimRef, question| {
            self.parents(agent, reference, question, settings)
                .unwrap_or_else(|error| {
                    *fault.borrow_mut() = Some(error);
                    None
                })
        });
        match fault.into_inner() {
            Some(error) => Err(error),
            None => Ok(folded),
        }
    }

    /// The claims that a claim was derived from, if it holds at the question.
    fn parents(
        &self,
        agent: &DidKey,
        reference: &ClaimRef,
        question: Question,
        settings: &Settings,
    ) -> Result<Option<Vec<ClaimRef>>, StoreError> {
        let Some(unit) = self.named(reference)? else {
            return Ok(None);
        };
        if unit.line().agent != *agent {
            return Ok(None);
        }
        let rows = self.rows(unit.line(), QuestionContext { question, settings })?;
        if rows.is_empty() {
            return Ok(None);
        }
        let cardinality = self.cardinality(&rows, question)?;
        let view = self.view(unit)?;
        let mut fault = None;
        let parents = parents_in_view(&view, question, settings, || {
            let claims = self.around(&rows, question).unwrap_or_else(|error| {
                fault = Some(error);
                Vec::new()
            });
            (cardinality, claims)
        });
        match fault {
            Some(error) => Err(error),
            None => Ok(parents),
        }
    }

    /// Returns the cardinality of a line, or of those of several names, by the units until the question's `as_of`.
    pub(super) fn cardinality(
        &self,
        rows: &[LineRow],
        question: Question,
    ) -> Result<Cardinality, StoreError> {
        let said = |first: Option<u64>| first.is_some_and(|first| first <= question.as_of_us);
        let registered = match rows {
            [row] if row.latest <= question.as_of_us => row.registered.map(|(known, _)| known),
            rows => {
                let mut last = None;
                for row in rows.iter().filter(|row| row.registered.is_some()) {
                    UnitRow::walk(self.derived(), row, |unit| {
                        let known = unit.registered;
                        let known = known.filter(|_| unit.stamp_us <= question.as_of_us);
                        // Among several lines time orders the units.
                        let time_us = if rows.len() == 1 { 0 } else { unit.stamp_us };
                        last = last.max(known.map(|known| ((time_us, unit.number), known)));
                        Ok(true)
                    })?;
                }
                last.map(|(_, registered)| registered)
            }
        };
        let one = rows.iter().any(|row| said(row.one));
        let many = rows.iter().any(|row| said(row.many));
        Ok(Cardinality::of_line(registered, one, many))
    }

    /// The claims of these lines that may hold at the instant of a question, each with all units that name it: as of the last unit of
    /// a line the tree says which windows hold the instant, as of any other time they are looked at row by row.
    fn around(&self, rows: &[LineRow], question: Question) -> Result<Vec<ClaimInView>, StoreError> {
        let mut indexes = Vec::new();
        for row in rows {
            if row.in_tree && row.latest <= question.as_of_us {
                let at = instant(question.valid_at);
                tree::touching(self.derived(), row, at, &mut |kept| {
                    indexes.push(kept.index);
                    true
                })?;
                continue;
            }
            self.scan(row, question, |index, standing| {
                let may_hold = match standing {
                    Standing::InForce(window) => window.contains(question.valid_at),
                    Standing::NotInForce => false,
                    // A claim without a start may have got one, or lost it: then its stamp is its own start.
                    Standing::Changed(own) => {
                        own.contains(question.valid_at)
                            || (own.start.is_some() && own.end.is_none())
                    }
                };
                indexes.extend(may_hold.then_some(index));
                Ok(true)
            })?;
        }
        indexes.sort_unstable();
        let views = indexes
            .into_iter()
            .map(|index| self.view(self.present(index)?));
        views.collect()
    }

    /// Tests whether some claim of the line has ended at the question.
    fn has_ended(&self, row: &LineRow, question: Question) -> Result<bool, StoreError> {
        let mut ended = false;
        self.scan(row, question, |index, standing| {
            ended = match standing {
                Standing::InForce(window) => window.end.is_some_and(|end| end <= question.valid_at),
                Standing::NotInForce => false,
                Standing::Changed(_) => has_ended(&self.view(self.present(index)?)?, question),
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
        mut each: impl FnMut(u64, Standing) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let as_of_us = question.as_of_us;
        UnitRow::walk(self.derived(), row, |unit| {
            if unit.tag.is_none() || unit.stamp_us > as_of_us {
                return Ok(true);
            }
            let standing = match (unit.changed, unit.window) {
                (Some((changed_us, own)), _) if as_of_us < changed_us => Standing::Changed(own),
                (_, Some(window)) => Standing::InForce(window),
                (_, None) => Standing::NotInForce,
            };
            each(unit.index, standing)
        })
    }

    /// Every claim of a line, and of those of the other names of its subject, with its state.
    pub(crate) fn history(
        &self,
        line: &Line,
        asking: QuestionContext<'_>,
    ) -> Result<Vec<HistoryEntry>, StoreError> {
        let units = self.units_of_names(line, asking)?;
        Ok(history(line, &units, asking.question, asking.settings))
    }

    /// The units of a line and of those of the other names of its subject, until the question's `as_of`.
    fn units_of_names(
        &self,
        line: &Line,
        QuestionContext { question, settings }: QuestionContext<'_>,
    ) -> Result<Vec<Unit>, StoreError> {
        let mut units = Vec::new();
        for subject in settings.aliases.names(&line.subject, question.as_of_us) {
            let line = Line {
                subject,
                ..line.clone()
            };
            units.append(&mut self.line_units(&line, Some(question.as_of_us))?);
        }
        Ok(units)
    }

    /// The units of a line in the order of their numbers.
    pub(crate) fn line_units(
        &self,
        line: &Line,
        as_of_us: Option<u64>,
    ) -> Result<Vec<Unit>, StoreError> {
        let Some(row) = self.row(line)? else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        UnitRow::walk(self.derived(), &row, |unit| {
            let is_known = as_of_us.is_none_or(|as_of_us| unit.stamp_us <= as_of_us);
            found.extend(is_known.then_some(unit));
            Ok(true)
        })?;
        found.sort_unstable_by_key(|unit| (unit.number, unit.index));
        found
            .into_iter()
            .map(|unit| self.read(unit.index, row.agent, unit.stamp_us))
            .collect()
    }
}

/// The window that holds one instant.
pub(super) const fn instant(at: Micros) -> Window {
    Window {
        start: Some(at),
        end: Some(at.saturating_add(1)),
    }
}
