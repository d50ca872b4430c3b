//! Lists over the lines of an agent: a subject's beliefs, what is contested, what waits for a verdict, the ledger (I7).

use std::collections::BTreeSet;

use counterfoil_claims::belief::{Belief, BeliefStatus};
use counterfoil_claims::gate::{is_pending, rivals_of};
use counterfoil_claims::ports::Case;
use counterfoil_claims::{Cardinality, ClaimRef, Identifier, Line, Settings, Unit};
use counterfoil_store::{LedgerEntry, StoreError};
use counterfoil_types::DidKey;
use rusqlite::params;

use super::fold::{QuestionContext, Reader};
use super::ledger::Ledger;
use super::line::{LineRow, Selection, Which};
use super::units::named_by;
use crate::error::from_sqlite;
use crate::statement::Statements;

/// The most that a list holds.
const MAX_LIST: usize = 1_000;

impl Reader<'_> {
    /// The beliefs of a subject, by predicate.
    pub(super) fn believe_subject(
        &self,
        agent: DidKey,
        subject: &Identifier,
        after: Option<&Identifier>,
        asking: QuestionContext<'_>,
    ) -> Result<Vec<Belief>, StoreError> {
        let mut beliefs = Vec::new();
        let Some(number) = self.units.agent_number(&agent)? else {
            return Ok(beliefs);
        };
        let selection = Selection {
            agent: number,
            which: Which::Subject,
            after: (subject.as_str(), after.map_or("", Identifier::as_str)),
            as_of_us: asking.question.as_of_us,
        };
        LineRow::each_of(
            self.connection,
            selection,
            &mut |subject, predicate, row| {
                let line = Line {
                    agent,
                    subject,
                    predicate,
                };
                beliefs.push(self.believe_row(&line, Some(row), asking)?);
                Ok(beliefs.len() < MAX_LIST)
            },
        )?;
        Ok(beliefs)
    }

    /// Beliefs that are contested. Only lines are folded on which external claims of different values may ever have
    /// overlapped.
    pub(super) fn contested(
        &self,
        agent: DidKey,
        after: Option<&(Identifier, Identifier)>,
        limit: usize,
        asking: QuestionContext<'_>,
    ) -> Result<Vec<Belief>, StoreError> {
        let mut beliefs = Vec::new();
        let number = self.units.agent_number(&agent)?;
        let Some(number) = number.filter(|_| limit > 0) else {
            return Ok(beliefs);
        };
        let selection = Selection {
            agent: number,
            which: Which::Rivals,
            after: after.map_or(("", ""), |(subject, predicate)| {
                (subject.as_str(), predicate.as_str())
            }),
            as_of_us: asking.question.as_of_us,
        };
        LineRow::each_of(
            self.connection,
            selection,
            &mut |subject, predicate, row| {
                if self.cardinality(row, asking.question)? == Cardinality::Many {
                    return Ok(true);
                }
                let line = Line {
                    agent,
                    subject,
                    predicate,
                };
                let belief = self.believe_row(&line, Some(row), asking)?;
                if belief.status == BeliefStatus::Contested {
                    beliefs.push(belief);
                }
                Ok(beliefs.len() < limit)
            },
        )?;
        Ok(beliefs)
    }

    /// Claims that wait for a verdict, the oldest first.
    pub(super) fn pending(
        &self,
        agent: &DidKey,
        present_us: u64,
        settings: &Settings,
    ) -> Result<Vec<(Case, u64)>, StoreError> {
        let mut pending = Vec::new();
        let Some(number) = self.units.agent_number(agent)? else {
            return Ok(pending);
        };
        let view = Ledger::new(self.connection, *agent, present_us);
        let queued: Vec<u64> = self.connection.list(
            "SELECT idx FROM claim_pending WHERE agent = ?1 ORDER BY idx",
            [number],
        )?;
        for index in queued {
            let claim = self.units.view(self.units.present(index)?)?;
            if let Some(expires_us) = is_pending(&claim, present_us, settings) {
                let rivals = rivals_of(&view, &claim.claim).map_err(|error| view.behind(&error))?;
                let claim = claim.claim;
                pending.push((Case { claim, rivals }, expires_us));
            }
            if pending.len() == MAX_LIST {
                break;
            }
        }
        Ok(pending)
    }

    /// Predicates that the agent has used.
    pub(super) fn predicates(
        &self,
        agent: &DidKey,
        subject: Option<&Identifier>,
    ) -> Result<Vec<Identifier>, StoreError> {
        let Some(number) = self.units.agent_number(agent)? else {
            return Ok(Vec::new());
        };
        let found: Vec<String> = self
            .connection
            .prepare_cached(
                "SELECT DISTINCT predicate FROM claim_line
                 WHERE agent = ?1 AND (?2 IS NULL OR subject = ?2) ORDER BY predicate LIMIT ?3",
            )
            .and_then(|mut statement| {
                let subject = subject.map(Identifier::as_str);
                statement
                    .query_map(params![number, subject, MAX_LIST], |row| row.get(0))?
                    .collect()
            })
            .map_err(from_sqlite)?;
        let place = || counterfoil_store::StoreLocation::table("claim_line");
        let named = |text: &String| {
            Identifier::new("predicate", text).map_err(|error| StoreError::corrupt(place(), error))
        };
        found.iter().map(named).collect()
    }

    /// Returns a page of units and served claims.
    pub(super) fn ledger(
        &self,
        agent: &DidKey,
        claim: Option<&ClaimRef>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        let Some(number) = self.units.agent_number(agent)? else {
            return Ok(Vec::new());
        };
        let limit = limit.min(MAX_LIST);
        let mut units = match claim {
            Some(claim) => self.about(agent, claim)?,
            None => self.newest(number, before, limit)?,
        };
        units.retain(|unit| before.is_none_or(|before| unit.index() < before));
        let older = units.len().saturating_sub(limit);
        let mut entries = Vec::new();
        for unit in units.split_off(older) {
            let served = self.served(&unit)?;
            let stamp = unit.stamp().micros();
            entries.push((stamp, 0, LedgerEntry::Unit(Box::new(unit))));
            entries.extend(served.map(|(first_us, entry)| (first_us, 1, entry)));
        }
        entries.sort_by_key(|(at_us, rank, _)| (*at_us, *rank));
        Ok(entries.into_iter().map(|(_, _, entry)| entry).collect())
    }

    /// A claim and the units that name it, in the order of the log.
    fn about(&self, agent: &DidKey, claim: &ClaimRef) -> Result<Vec<Unit>, StoreError> {
        let mut indexes: BTreeSet<u64> = self.units.naming(claim)?.into_iter().collect();
        indexes.extend(self.units.named(claim)?.map(|unit| unit.index()));
        let mut units = Vec::with_capacity(indexes.len());
        for index in indexes {
            let unit = self.units.present(index)?;
            let about = unit.reference() == claim || named_by(&unit).contains(&claim);
            if about && unit.line().agent == *agent {
                units.push(unit);
            }
        }
        Ok(units)
    }

    /// The newest units of an agent before a place, in the order of the log.
    fn newest(
        &self,
        agent: i64,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Unit>, StoreError> {
        let mut indexes: Vec<u64> = self
            .connection
            .prepare_cached(
                "SELECT idx FROM claim_unit INDEXED BY claim_at
                 WHERE agent = ?1 AND idx < ?2 ORDER BY idx DESC LIMIT ?3",
            )
            .and_then(|mut statement| {
                let before = before
                    .map_or(Ok(i64::MAX), i64::try_from)
                    .unwrap_or(i64::MAX);
                statement
                    .query_map(params![agent, before, limit], |row| row.get(0))?
                    .collect()
            })
            .map_err(from_sqlite)?;
        indexes.reverse();
        indexes
            .into_iter()
            .map(|index| self.units.present(index))
            .collect()
    }

    fn served(&self, unit: &Unit) -> Result<Option<(u64, LedgerEntry)>, StoreError> {
        let served: Option<(u64, u64)> = self.connection.get_with(
            "SELECT min(first), sum(times) FROM claim_served WHERE idx = ?1",
            [unit.index()],
            |row| {
                let first: Option<u64> = row.get(0)?;
                Ok(first.zip(row.get(1)?))
            },
        )?;
        Ok(served.map(|(first_us, times)| {
            let entry = LedgerEntry::Served {
                claim: unit.reference().clone(),
                first_us,
                times,
            };
            (first_us, entry)
        }))
    }
}
