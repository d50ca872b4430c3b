//! Lists of beliefs about subjects that have several names: one belief for the lines of all of them (docs/format/claims.md 7).

use std::collections::BTreeSet;

use counterfoil_claims::belief::{Belief, BeliefStatus};
use counterfoil_claims::{Identifier, Line};
use counterfoil_store::StoreError;
use counterfoil_types::DidKey;
use rusqlite::params;

use super::checks::signed;
use super::fold::QuestionContext;
use super::line::LineRow;
use super::lists::{Which, named};
use super::units::Units;
use crate::statement::Statements;

impl Units<'_> {
    /// Beliefs by subject and predicate that follow the subject and the predicate `after`, at most `limit`. A subject with several
    /// names has its main one.
    pub(crate) fn beliefs(
        &self,
        agent: DidKey,
        (which, after): (Which, (&str, &str)),
        limit: usize,
        asking: QuestionContext<'_>,
    ) -> Result<Vec<Belief>, StoreError> {
        let (aliases, as_of_us) = (&asking.settings.aliases, asking.question.as_of_us);
        let mut mains: BTreeSet<Identifier> = BTreeSet::new();
        if which == Which::Contested {
            let others = aliases.others(as_of_us);
            mains.extend(others.map(|(_, _, main)| main.clone()));
        } else {
            let names = aliases.names(&named("subject", after.0)?, as_of_us);
            mains.extend(names.first().filter(|_| names.len() > 1).cloned());
        }
        if mains.is_empty() {
            return self.beliefs_of_lines(agent, (which, after), limit, asking);
        }
        let mut found = Vec::new();
        for main in mains {
            let after = match which {
                Which::Contested if main.as_str() < after.0 => continue,
                Which::Contested if main.as_str() > after.0 => "",
                _ => after.1,
            };
            if found.len() < limit {
                let left = limit - found.len();
                found.extend(self.beliefs_of_names(agent, (which, &main, after), left, asking)?);
            }
        }
        if which == Which::Contested {
            found.extend(self.beliefs_of_lines(agent, (which, after), limit, asking)?);
            found.sort_by(|one, other| one.line.cmp(&other.line));
            found.truncate(limit);
        }
        Ok(found)
    }

    /// Beliefs of the subject of a main name, by predicate.
    fn beliefs_of_names(
        &self,
        agent: DidKey,
        (which, main, after): (Which, &Identifier, &str),
        limit: usize,
        asking: QuestionContext<'_>,
    ) -> Result<Vec<Belief>, StoreError> {
        let mut found = Vec::new();
        let Some(number) = self.agent_number(&agent)? else {
            return Ok(found);
        };
        let sql = format!(
            "SELECT {} FROM claim_line WHERE agent = ?1 AND subject = ?2",
            LineRow::COLUMNS
        );
        let as_of_us = asking.question.as_of_us;
        let mut predicates = BTreeSet::new();
        for name in asking.settings.aliases.names(main, as_of_us) {
            let (of, mut rows) = (params![number, name.as_str()], BTreeSet::new());
            self.derived().visit(&sql, of, LineRow::read, |row| {
                let (row, _, predicate) = row?;
                rows.insert(signed(row.line));
                // Only a row that was checked may be passed over.
                if row.earliest <= as_of_us && predicate.as_str() > after {
                    predicates.insert(predicate);
                }
                Ok(true)
            })?;
            self.require_lines(number, Some(name.as_str()), &rows)?;
        }
        for predicate in predicates {
            let line = Line {
                agent,
                subject: main.clone(),
                predicate: named("predicate", &predicate)?,
            };
            let belief = self.believe_rows(&line, &self.rows(&line, asking)?, asking)?;
            if which == Which::Subject || belief.status == BeliefStatus::Contested {
                found.push(belief);
            }
            if found.len() >= limit {
                break;
            }
        }
        Ok(found)
    }
}
