//! Queries of a question: words without any syntax, and a span of time (case 86).

use counterfoil_capsule::World;
use counterfoil_exchange::answering::claim_of_world;
use counterfoil_exchange::documents::MemoryQuery;
use counterfoil_selector::{SelectError, plain_query, with_times};
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

/// Returns the query for the distinct words of the question and its keywords in its languages, with the times that it names
/// relative to `now_us`; `None` if there is no letter and no digit. Other names of subjects are not read: they may not be shared.
pub(super) fn text_query_of(query: &MemoryQuery, now_us: u64) -> Option<TextQuery> {
    let keywords = query.keywords.iter().map(|word| word.as_str());
    let text: Vec<&str> = std::iter::once(query.natural.as_str())
        .chain(keywords)
        .collect();
    let text = text.join(" ");
    let now = UnixMillis::new(now_us / 1000).ok()?;
    Some(with_times(plain_query(&text).ok()?, &text, now))
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

/// Makes `query` one of the agent for its own memories.
pub(super) fn own(host: &Host, mut query: TextQuery) -> TextQuery {
    query.actor = Some(host.signer.agent().to_string());
    query
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
    let Ok(query) = plain_query(claim.content.as_str()) else {
        return Ok(false);
    };
    let query = own(host, query).page(0, MOST_EXAMINED);
    let page = index.search(&query).await?;
    let same = |hit: &TextHit| {
        hit.world_id == *world.world_id() && hit.replaced.is_none() && hit.contest.is_none()
    };
    Ok(page.iter().any(same))
}

#[cfg(test)]
mod tests {
    use counterfoil_selector::content_words;

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
