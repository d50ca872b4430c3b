//! Lists over the lines of an agent: a subject's beliefs, what is contested, what waits for a verdict, the ledger (I7).

use std::collections::BTreeSet;
use std::slice;

use counterfoil_claims::belief::{Belief, BeliefStatus};
use counterfoil_claims::gate::{is_pending, rivals_of};
use counterfoil_claims::{Cardinality, ClaimRef, Identifier, Settings, Unit};
use counterfoil_store::StoreError;
use counterfoil_types::{DidKey, Scope};
use rusqlite::params;

use super::checks::{signed, unsigned};
use super::fold::QuestionContext;
use super::ledger::Ledger;
use super::line::{LineRow, Names, line_named};
use super::units::{Units, named_by};
use super::{linked, tags};
use crate::statement::Statements;

/// The most that a list holds.
pub(crate) const MAX_LIST: usize = 1_000;

/// Lines of an agent that a list of beliefs is about.
#[derive(Clone, Copy)]
pub(crate) struct Listing<'a> {
    pub(crate) which: Which,
    /// Scope that theirs contain.
    pub(crate) scope: &'a Scope,
    /// They follow the line of these names, of [`Which::Subject`] within its subject.
    pub(crate) after: &'a Names,
}

/// Filter for beliefs of an agent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// Those of one subject.
    Subject,
    /// Those that are contested.
    Contested,
}

impl Units<'_> {
    /// Beliefs by subject, predicate and scope. For contested ones only lines are folded on which external claims of different values may ever have overlapped, and none of subjects with
    /// several names.
    pub(super) fn beliefs_of_lines(
        &self,
        agent: DidKey,
        Listing {
            which,
            scope,
            after: [subject, predicate, last],
        }: Listing<'_>,
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
                let rows = self.derived().list(sql, params![number, subject])?;
                self.require_lines(number, Some(subject), &rows)?;
                "subject = ?2 AND (predicate, scope) > (?3, ?4)"
            }
            Which::Contested => {
                let listed = self.listed([linked::RIVALS, number])?;
                let sql = "SELECT line FROM claim_line WHERE agent = ?1 AND rivalry = 2";
                let rows = self.derived().list(sql, [number])?;
                self.require_known(&listed, &rows, |_| true)?;
                "rivalry = 2 AND (subject, predicate, scope) > (?2, ?3, ?4)"
            }
        };
        let sql = format!(
            "SELECT {} FROM claim_line
             WHERE agent = ?1 AND {only} ORDER BY subject, predicate, scope",
            LineRow::COLUMNS
        );
        self.derived().visit(
            &sql,
            params![number, subject, predicate, last],
            LineRow::read,
            |row| {
                let (row, names) = row?;
                // Only a row that was checked may be passed over.
                if row.earliest > asking.question.as_of_us {
                    return Ok(true);
                }
                let line = line_named(agent, &names)?;
                if !line.scope.contains(scope) {
                    return Ok(true);
                }
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

    /// Predicates that the agent has used in a scope.
    pub(crate) fn predicates(
        &self,
        agent: &DidKey,
        subject: Option<&Identifier>,
        scope: &Scope,
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
                let (row, names) = row?;
                rows.insert(signed(row.line));
                let line = line_named(*agent, &names)?;
                found.extend(line.scope.contains(scope).then_some(line.predicate));
                Ok(true)
            },
        )?;
        self.require_lines(number, subject.map(Identifier::as_str), &rows)?;
        Ok(found.into_iter().take(MAX_LIST).collect())
    }

    /// Returns a page of units in a scope.
    pub(crate) fn ledger(
        &self,
        (agent, scope): (&DidKey, &Scope),
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
                        let unit = self.read(unsigned(index), of, unsigned(stamp))?;
                        units.extend(unit.line().scope.contains(scope).then_some(unit));
                    }
                    Ok(units.len() < limit)
                })?;
                units.reverse();
                units
            }
        };
        units.retain(|unit| unit.index() < before && unit.line().scope.contains(scope));
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
