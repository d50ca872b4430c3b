//! Lists of beliefs to their end, page by page: the present is read once, for all pages (CLM-30).

use std::sync::Arc;

use counterfoil_claims::belief::Belief;
use counterfoil_claims::{Identifier, Settings};
use counterfoil_types::DidKey;

use crate::StoreError;
use crate::claim_store::{AsOf, ClaimStore};

/// The most lines that are read at once, which is what a page of [`ClaimStore::believe_subject`] holds.
const PAGE: usize = 1000;

/// The beliefs of every line of a subject, by predicate.
///
/// # Errors
/// When the store cannot tell.
pub async fn believe_whole_subject(
    store: &dyn ClaimStore,
    agent: DidKey,
    subject: &Identifier,
    asked: AsOf,
    settings: &Arc<Settings>,
) -> Result<Vec<Belief>, StoreError> {
    let mut found: Vec<Belief> = Vec::new();
    loop {
        let after = found.last().map(|last| last.line.predicate.clone());
        let (asked, settings) = (as_before(&found, asked), Arc::clone(settings));
        let page = store
            .believe_subject(agent, subject.clone(), after, asked, settings)
            .await?;
        let is_last = page.len() < PAGE;
        found.extend(page);
        if is_last {
            return Ok(found);
        }
    }
}

/// The first `limit` beliefs that are contested, in the order of subject and predicate (I7).
///
/// # Errors
/// When the store cannot tell.
pub async fn all_contested(
    store: &dyn ClaimStore,
    agent: DidKey,
    asked: AsOf,
    limit: usize,
    settings: &Arc<Settings>,
) -> Result<Vec<Belief>, StoreError> {
    let mut found: Vec<Belief> = Vec::new();
    while found.len() < limit {
        let after = found
            .last()
            .map(|last| (last.line.subject.clone(), last.line.predicate.clone()));
        let size = PAGE.min(limit - found.len());
        let (asked, settings) = (as_before(&found, asked), Arc::clone(settings));
        let page = store.contested(agent, asked, after, size, settings).await?;
        let is_last = page.len() < size;
        found.extend(page);
        if is_last {
            break;
        }
    }
    Ok(found)
}

/// The question of the pages before.
fn as_before(found: &[Belief], asked: AsOf) -> AsOf {
    found
        .first()
        .map_or(asked, |first| AsOf::from(first.question))
}
