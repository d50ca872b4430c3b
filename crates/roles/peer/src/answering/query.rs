//! Queries of a question: words without any syntax, and a span of time (case 86).

use counterfoil_capsule::World;
use counterfoil_exchange::answering::claim_of_world;
use counterfoil_exchange::documents::MemoryQuery;
use counterfoil_selector::{SelectError, content_words};
use counterfoil_store::StoreError;
use counterfoil_store::text_index::{TextHit, TextIndex, TextQuery};
use counterfoil_types::{TimeRange, UnixMillis};

use crate::Host;

/// Most candidates that are examined.
pub(super) const MOST_EXAMINED: usize = 256;

/// Derives the beginning of words that occur nowhere from random bytes, so that they cannot be guessed.
pub(super) fn decoy(drawn: [u8; 16]) -> String {
    let letter = |nibble: u8| char::from(b'a'.saturating_add(nibble & 15));
    let letters = drawn
        .iter()
        .flat_map(|byte| [letter(*byte), letter(byte >> 4)]);
    letters.collect()
}

/// Returns as many words that occur nowhere, but at least one.
pub(super) fn decoys(decoy: &str, count: usize) -> Vec<String> {
    let numbers = 0..count.max(1);
    numbers.map(|number| format!("{decoy}{number}")).collect()
}

/// Returns the distinct words of the question and its keywords, without those that have no letter or digit.
pub(super) fn words_of(query: &MemoryQuery) -> Vec<String> {
    let keywords = query.keywords.iter().map(|word| word.as_str());
    let text: Vec<&str> = std::iter::once(query.natural.as_str())
        .chain(keywords)
        .collect();
    content_words(&text.join(" ")).unwrap_or_default()
}

/// Returns the asked span of time in milliseconds, with its first one and without its end; `None` if it is empty.
pub(super) fn range(query: &MemoryQuery) -> Option<Option<TimeRange>> {
    let Some((from, until)) = query.time_range else {
        return Some(None);
    };
    let after = from.map(|from| from.micros().div_ceil(1000).saturating_sub(1));
    let before = until.map(|until| until.micros().div_ceil(1000));
    let millis = |at: Option<u64>| at.map(UnixMillis::new).transpose().ok();
    TimeRange::new(millis(after)?, millis(before)?)
        .ok()
        .map(Some)
}

/// Returns the text query of an agent for its own memories.
pub(super) fn query_of(
    host: &Host,
    words: &[String],
    range: Option<TimeRange>,
) -> Result<TextQuery, StoreError> {
    let mut query = TextQuery::new(words)?;
    query.actor = Some(host.signer.agent().to_string());
    query.time_range = range;
    Ok(query)
}

/// Returns true if the index finds a memory by its own words, so it was neither forgotten nor replaced.
pub(super) async fn is_found(
    host: &Host,
    index: &dyn TextIndex,
    world: &World,
) -> Result<bool, SelectError> {
    let Some(claim) = claim_of_world(world.content_value()) else {
        return Ok(false);
    };
    let Ok(words) = content_words(claim.content.as_str()) else {
        return Ok(false);
    };
    let query = query_of(host, &words, None)?.page(0, MOST_EXAMINED);
    let page = index.search(&query).await?;
    let same = |hit: &TextHit| {
        hit.world_id == *world.world_id() && hit.replaced.is_none() && hit.contest.is_none()
    };
    Ok(page.iter().any(same))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_words_that_are_nowhere() {
        let decoy = decoy([0xa5; 16]);
        assert_eq!(decoys(&decoy, 0).len(), 1);
        let words = decoys(&decoy, 2);
        assert_eq!(words.len(), 2);
        assert_eq!(content_words(&words.join(" ")).unwrap(), words);
    }
}
