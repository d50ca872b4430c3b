//! Lists of beliefs to their end, page by page: the present is read once, for all pages (CLM-30).

use std::sync::Arc;

use counterfoil_claims::belief::Belief;
use counterfoil_claims::{Identifier, Line, Settings, Unit};
use counterfoil_types::{DidKey, Scope};

use crate::StoreError;
use crate::claim_store::{AsOf, ClaimStore};

/// The most lines that are read at once, which is what a page of [`ClaimStore::believe_subject`] holds.
const PAGE: usize = 1000;

/// The beliefs of every line of a subject in a scope, by predicate and scope.
///
/// # Errors
/// When the store cannot tell.
pub async fn believe_whole_subject(
    store: &dyn ClaimStore,
    agent: DidKey,
    (subject, scope): (&Identifier, &Scope),
    asked: AsOf,
    settings: &Arc<Settings>,
) -> Result<Vec<Belief>, StoreError> {
    let mut found: Vec<Belief> = Vec::new();
    loop {
        let after = found.last().map(|last| last.line.clone());
        let (asked, settings) = (as_before(&found, asked), Arc::clone(settings));
        let page = store
            .believe_subject(
                agent,
                subject.clone(),
                scope.clone(),
                after,
                asked,
                settings,
            )
            .await?;
        let is_last = page.len() < PAGE;
        found.extend(page);
        if is_last {
            return Ok(found);
        }
    }
}

/// The first `limit` beliefs in a scope that are contested, in the order of subject, predicate and scope (I7).
///
/// # Errors
/// When the store cannot tell.
pub async fn all_contested(
    store: &dyn ClaimStore,
    (agent, scope): (DidKey, &Scope),
    asked: AsOf,
    limit: usize,
    settings: &Arc<Settings>,
) -> Result<Vec<Belief>, StoreError> {
    let mut found: Vec<Belief> = Vec::new();
    while found.len() < limit {
        let after = found.last().map(|last| last.line.clone());
        let size = PAGE.min(limit - found.len());
        let (asked, settings) = (as_before(&found, asked), Arc::clone(settings));
        let page = store
            .contested(agent, scope.clone(), asked, after, size, settings)
            .await?;
        let is_last = page.len() < size;
        found.extend(page);
        if is_last {
            break;
        }
    }
    Ok(found)
}

/// The units of a line and of those of the other names of its subject, recorded until `as_of_us`, in their
/// order: what a fold takes.
///
/// # Errors
/// When the store cannot tell.
pub async fn units_of_names(
    store: &dyn ClaimStore,
    line: &Line,
    as_of_us: u64,
    settings: &Settings,
) -> Result<Vec<Unit>, StoreError> {
    let mut units = Vec::new();
    for subject in settings.aliases.names(&line.subject, as_of_us) {
        let line = Line {
            subject,
            ..line.clone()
        };
        units.append(&mut store.units(line, Some(as_of_us)).await?);
    }
    if units.iter().any(|unit| unit.line().subject != line.subject) {
        units.sort_by_key(|unit| (unit.stamp(), unit.number()));
    }
    Ok(units)
}

/// The question of the pages before.
fn as_before(found: &[Belief], asked: AsOf) -> AsOf {
    found
        .first()
        .map_or(asked, |first| AsOf::from(first.question))
}
