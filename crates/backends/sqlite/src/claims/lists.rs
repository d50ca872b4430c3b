//! Lists over the lines of an agent: a subject's beliefs, what is contested, what waits for a verdict, the ledger (I7).

use std::collections::BTreeSet;
use std::slice;

use counterfoil_claims::belief::{Belief, BeliefStatus};
use counterfoil_claims::gate::{is_pending, rivals_of};
use counterfoil_claims::{Cardinality, ClaimRef, Identifier, Line, Settings, Unit};
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::DidKey;
use rusqlite::params;

use super::checks::{signed, unsigned};
use super::fold::QuestionContext;
use super::ledger::Ledger;
use super::line::LineRow;
use super::units::{Units, named_by};
use super::{linked, tags};
use crate::statement::Statements;

/// The most that a list holds.
pub(crate) const MAX_LIST: usize = 1_000;

/// Filter for beliefs of an agent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// Those of one subject.
    Subject,
    /// Those that are contested.
    Contested,
}

impl Units<'_> {
    /// Beliefs by subject and predicate, of lines that follow the subject and the predicate `after`. For contested ones
    /// only lines are folded on which external claims of different values may ever have overlapped, and none of subjects with
    /// several names.
    pub(super) fn beliefs_of_lines(
        &self,
        agent: DidKey,
        (which, after): (Which, (&str, &str)),
        limit: usize,
        asking: QuestionContext<'_>,
    ) -> Result<Vec<Belief>, StoreError> {
        let mut beliefs = Vec::new();
        let number = self.agent_number(&agent)?;
        let Some(number) = number.filter(|_| limit > 0) else {
            return Ok(beliefs);
        };
        let only = match which {
            Which::Subject => {
                let sql = "SELECT line FROM claim_line WHERE agent = ?1 AND subject = ?2";
                let rows = self.derived().list(sql, params![number, after.0])?;
                self.require_lines(number, Some(after.0), &rows)?;
                "subject = ?2 AND predicate > ?3"
            }
            Which::Contested => {
                let listed = self.listed([linked::RIVALS, number])?;
                let sql = "SELECT line FROM claim_line WHERE agent = ?1 AND rivalry = 2";
                let rows = self.derived().list(sql, [number])?;
                self.require_known(&listed, &rows, |_| true)?;
                "rivalry = 2 AND (subject, predicate) > (?2, ?3)"
            }
        };
        let sql = format!(
            "SELECT {} FROM claim_line
             WHERE agent = ?1 AND {only} ORDER BY subject, predicate",
            LineRow::COLUMNS
        );
        self.derived().visit(
            &sql,
            params![number, after.0, after.1],
            LineRow::read,
            |row| {
                let (row, subject, predicate) = row?;
                // Only a row that was checked may be passed over.
                if row.earliest > asking.question.as_of_us {
                    return Ok(true);
                }
                let line = Line {
                    agent,
                    subject: named("subject", &subject)?,
                    predicate: named("predicate", &predicate)?,
                };
                let row = slice::from_ref(&row);
                if which == Which::Contested {
                    let (settings, as_of_us) = (asking.settings, asking.question.as_of_us);
                    let by_units = self.cardinality(row, asking.question)?;
                    let vocabulary = &settings.vocabulary;
                    let known = vocabulary.cardinality(&line.predicate, by_units, as_of_us);
                    let names = settings.aliases.names(&line.subject, as_of_us);
                    if known == Cardinality::Many || names.len() > 1 {
                        return Ok(true);
                    }
                }
                let belief = self.believe_rows(&line, row, asking)?;
                if which == Which::Subject || belief.status == BeliefStatus::Contested {
                    beliefs.push(belief);
                }
                Ok(beliefs.len() < limit)
            },
        )?;
        Ok(beliefs)
    }

    /// Claims that wait for a verdict, the oldest first.
    pub(crate) fn pending(
        &self,
        agent: &DidKey,
        present_us: u64,
        settings: &Settings,
    ) -> Result<Vec<(Unit, Vec<Unit>, u64)>, StoreError> {
        let mut pending = Vec::new();
        let Some(number) = self.agent_number(agent)? else {
            return Ok(pending);
        };
        let view = Ledger::new(self.sides(), self.derived(), *agent);
        for index in self.listed([linked::PENDING, number])? {
            let claim = self.view(self.present(index)?)?;
            if let Some(expires_us) = is_pending(&claim, present_us, settings) {
                let rivals = rivals_of(&view, &claim.claim, settings, present_us);
                let rivals = rivals.map_err(|error| view.behind(&error))?;
                pending.push((claim.claim, rivals, expires_us));
            }
            if pending.len() == MAX_LIST {
                break;
            }
        }
        Ok(pending)
    }

    /// Predicates that the agent has used.
    pub(crate) fn predicates(
        &self,
        agent: &DidKey,
        subject: Option<&Identifier>,
    ) -> Result<Vec<Identifier>, StoreError> {
        let Some(number) = self.agent_number(agent)? else {
            return Ok(Vec::new());
        };
        let (mut rows, mut found) = (BTreeSet::new(), BTreeSet::new());
        let sql = format!(
            "SELECT {} FROM claim_line WHERE agent = ?1 AND (?2 IS NULL OR subject = ?2)",
            LineRow::COLUMNS
        );
        self.derived().visit(
            &sql,
            params![number, subject.map(Identifier::as_str)],
            LineRow::read,
            |row| {
                let (row, _, predicate) = row?;
                rows.insert(signed(row.line));
                found.insert(predicate);
                Ok(true)
            },
        )?;
        self.require_lines(number, subject.map(Identifier::as_str), &rows)?;
        let found = found.iter().take(MAX_LIST);
        found.map(|text| named("predicate", text)).collect()
    }

    /// Returns a page of units.
    pub(crate) fn ledger(
        &self,
        agent: &DidKey,
        claim: Option<&ClaimRef>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Unit>, StoreError> {
        let Some(number) = self.agent_number(agent)? else {
            return Ok(Vec::new());
        };
        let limit = limit.min(MAX_LIST);
        let before = before.unwrap_or(u64::MAX);
        let mut units = match claim {
            Some(claim) => self.about(agent, claim)?,
            None => {
                let mut units = Vec::new();
                let bounds = (
                    linked::least([linked::UNIT]),
                    linked::least([linked::UNIT, signed(before)]),
                );
                linked::walk(self.derived(), bounds, &mut |[_, index, _, of, stamp]| {
                    if of == number && units.len() < limit {
                        units.push(self.read(unsigned(index), of, unsigned(stamp))?);
                    }
                    Ok(units.len() < limit)
                })?;
                units.reverse();
                units
            }
        };
        units.retain(|unit| unit.index() < before);
        let older = units.len().saturating_sub(limit);
        Ok(units.split_off(older))
    }

    /// Refuses a list of lines of an agent, or of one subject, that lacks one.
    pub(super) fn require_lines(
        &self,
        agent: i64,
        subject: Option<&str>,
        rows: &BTreeSet<i64>,
    ) -> Result<(), StoreError> {
        let listed = match subject {
            Some(subject) => linked::list(
                self.derived(),
                [linked::LINE, agent, tags::of_text(subject)],
            )?,
            None => linked::list(self.derived(), [linked::LINE, agent])?,
        };
        let listed: Vec<u64> = listed
            .into_iter()
            .map(|[.., line]| unsigned(line))
            .collect();
        self.require_known(&listed, rows, |line| {
            subject.is_none_or(|subject| line.subject.as_str() == subject)
        })
    }

    /// A claim and the units that name it, in the order of the log.
    fn about(&self, agent: &DidKey, claim: &ClaimRef) -> Result<Vec<Unit>, StoreError> {
        let mut indexes: BTreeSet<u64> = self.naming(claim)?.into_iter().collect();
        indexes.extend(self.named(claim)?.map(|unit| unit.index()));
        let mut units = Vec::with_capacity(indexes.len());
        for index in indexes {
            let unit = self.present(index)?;
            let about = unit.reference() == claim || named_by(&unit).contains(&claim);
            if about && unit.line().agent == *agent {
                units.push(unit);
            }
        }
        Ok(units)
    }
}

/// An identifier in a row of a line.
pub(super) fn named(what: &'static str, text: &str) -> Result<Identifier, StoreError> {
    Identifier::new(what, text)
        .map_err(|error| StoreError::corrupt(StoreLocation::table("claim_line"), error))
}
