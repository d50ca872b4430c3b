//! Lists of beliefs about subjects that have several names: one belief for the lines of all of them (docs/format/claims.md 7).

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_claims::belief::{Belief, BeliefStatus};
use counterfoil_claims::{Identifier, Line};
use counterfoil_store::StoreError;
use counterfoil_types::DidKey;
use rusqlite::params;

use super::fold::QuestionContext;
use super::line::{LineRow, identifier, line_named, names};
use super::lists::{Listing, Which};
use super::units::Units;
use crate::statement::Statements;

impl Units<'_> {
    /// Beliefs by subject, predicate and scope, at most `limit`. A subject with several names has its main one.
    pub(crate) fn beliefs(
        &self,
        agent: DidKey,
        listing: Listing<'_>,
        limit: usize,
        asking: QuestionContext<'_>,
    ) -> Result<Vec<Belief>, StoreError> {
        let Listing { which, after, .. } = listing;
        let [subject, predicate, scope] = after;
        let (aliases, as_of_us) = (&asking.settings.aliases, asking.question.as_of_us);
        let mut mains: BTreeSet<Identifier> = BTreeSet::new();
        if which == Which::Contested {
            let others = aliases.others(as_of_us);
            mains.extend(others.map(|(_, _, main)| main.clone()));
        } else {
            let names = aliases.names(&identifier("subject", subject)?, as_of_us);
            mains.extend(names.first().filter(|_| names.len() > 1).cloned());
        }
        if mains.is_empty() {
            return self.beliefs_of_lines(agent, listing, limit, asking);
        }
        let mut found = Vec::new();
        for main in mains {
            let after = match which {
                Which::Contested if main.as_str() < subject.as_str() => continue,
                Which::Contested if main.as_str() > subject.as_str() => ("", ""),
                _ => (predicate.as_str(), scope.as_str()),
            };
            if found.len() < limit {
                let left = limit - found.len();
                found.extend(self.beliefs_of_names(
                    agent,
                    listing,
                    (&main, None, after),
                    (left, asking),
                )?);
            }
        }
        if which == Which::Contested {
            found.extend(self.beliefs_of_lines(agent, listing, limit, asking)?);
            found.sort_by_cached_key(|belief| names(&belief.line));
            found.truncate(limit);
        }
        Ok(found)
    }

    /// Beliefs of the lines with these names in the scope of `line`, at most `limit`, by their scopes.
    pub(crate) fn believe_within(
        &self,
        line: &Line,
        limit: usize,
        asking: QuestionContext<'_>,
    ) -> Result<Vec<Belief>, StoreError> {
        let names = asking
            .settings
            .aliases
            .names(&line.subject, asking.question.as_of_us);
        let main = names.first().unwrap_or(&line.subject);
        let listing = Listing {
            which: Which::Subject,
            scope: &line.scope,
            after: &Default::default(),
        };
        let of = Some(&line.predicate);
        self.beliefs_of_names(line.agent, listing, (main, of, ("", "")), (limit, asking))
    }

    /// Beliefs of the subject of a main name, by predicate and scope.
    fn beliefs_of_names(
        &self,
        agent: DidKey,
        Listing { which, scope, .. }: Listing<'_>,
        (main, of, after): (&Identifier, Option<&Identifier>, (&str, &str)),
        (limit, asking): (usize, QuestionContext<'_>),
    ) -> Result<Vec<Belief>, StoreError> {
        let mut found = Vec::new();
        let Some(number) = self.agent_number(&agent)? else {
            return Ok(found);
        };
        let sql = format!(
            "SELECT {} FROM claim_line
             WHERE agent = ?1 AND subject = ?2 AND predicate = coalesce(?3, predicate)",
            LineRow::COLUMNS
        );
        let as_of_us = asking.question.as_of_us;
        // In the order of the texts, by which a list goes on.
        let mut lines = BTreeMap::new();
        for name in asking.settings.aliases.names(main, as_of_us) {
            let (name, of) = (name.as_str(), of.map(Identifier::as_str));
            let asked = params![number, name, of];
            self.derived().visit(&sql, asked, LineRow::read, |row| {
                let (row, names) = row?;
                let line = line_named(agent, &names)?;
                let [_, predicate, last] = names;
                // Only a row that was checked may be passed over.
                if row.earliest <= as_of_us
                    && (predicate.as_str(), last.as_str()) > after
                    && line.scope.contains(scope)
                {
                    let subject = main.clone();
                    lines.insert((predicate, last), Line { subject, ..line });
                }
                Ok(true)
            })?;
            let sql = "SELECT line FROM claim_line WHERE agent = ?1 AND subject = ?2";
            let rows = self.derived().list(sql, params![number, name])?;
            self.require_lines(number, Some(name), &rows)?;
        }
        for line in lines.into_values() {
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
