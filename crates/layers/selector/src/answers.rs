//! Beliefs that answer a question: claims that hold all of its words and whose subject it names (docs/recall.md).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use counterfoil_claims::{Line, Unit};
use counterfoil_store::text_index::{MAX_TERMS, TextHit, TextQuery};
use counterfoil_types::{SelectedMemory, SelectionRequest};

use crate::beliefs::{BeliefLookup, HitStanding, is_past, not_withheld};
use crate::names::{is_same, of_name, readings_of};
use crate::query::words_of;
use crate::text_selector::TextSelector;
use crate::{Annotation, BeliefStanding, SelectError};

/// The most claims of one reading that are looked at.
const MAX_CLAIMS: usize = 256;

/// Subject of statements in the first person by an unknown speaker.
const USER: &str = "user";

/// The first person singular in English, German and French.
const FIRST_PERSON: &[&str] = &[
    "i", "me", "my", "mine", "myself", "ich", "mich", "mir", "mein", "meine", "meinem", "meinen",
    "meiner", "meines", "je", "j", "moi", "mon", "ma", "mes",
];

/// A claim that answers.
struct Answer {
    hit: TextHit,
    unit: Unit,
    belief: BeliefStanding,
    words: Vec<String>,
}

impl TextSelector {
    /// Claims of the asking agent that answer the query, each with its log index: those believed or contested now, and of a
    /// line without any the last that has ended. The shorter subject and predicate come first, then the later claim.
    /// At most half of `limit`, and one.
    ///
    /// Memories that such claims cite are noted in `lookup`.
    pub(crate) async fn answers(
        &self,
        query: &TextQuery,
        limit: usize,
        lookup: &mut BeliefLookup<'_>,
        request: &SelectionRequest,
    ) -> Result<Vec<(u64, SelectedMemory, Annotation)>, SelectError> {
        let mut found = self.answering_claims(query, lookup, request).await?;
        let mut lines: Vec<(&Line, &mut Vec<Answer>)> = found.iter_mut().collect();
        let length = |line: &Line| line.subject.as_str().len() + line.predicate.as_str().len();
        lines.sort_by_key(|(line, _)| length(line));
        let is_now = |answer: &&Answer| {
            matches!(
                answer.belief,
                BeliefStanding::Believed { .. } | BeliefStanding::Contested { .. }
            )
        };
        let mut candidates: Vec<&Answer> = Vec::new();
        for (_, claims) in lines {
            claims.sort_by_key(|answer| Reverse(answer.hit.index));
            let now = candidates.len();
            candidates.extend(claims.iter().filter(is_now));
            if candidates.len() == now {
                candidates.extend(claims.iter().find(|answer| is_past(&answer.belief)));
            }
        }
        let mut answers = Vec::new();
        for answer in candidates {
            if answers.len() == limit.div_ceil(2) {
                break;
            }
            if !lookup.select(&answer.unit, &answer.belief).await? {
                continue;
            }
            let standing = HitStanding {
                belief: Some(answer.belief.clone()),
                drawn: None,
            };
            let asked = query.with_terms(&answer.words)?;
            let fetched = self.store.get(&answer.hit.world_id).await;
            let hit = (&answer.hit, fetched, f64::INFINITY);
            let examined = self.examine(hit, standing, &asked, request);
            if let Some((memory, annotation)) = examined? {
                answers.push((answer.hit.index, memory, annotation));
            }
        }
        Ok(answers)
    }

    /// Claims that hold all words of one reading, by their lines.
    async fn answering_claims(
        &self,
        query: &TextQuery,
        lookup: &mut BeliefLookup<'_>,
        request: &SelectionRequest,
    ) -> Result<BTreeMap<Line, Vec<Answer>>, SelectError> {
        let mut found: BTreeMap<Line, Vec<Answer>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let (words, languages) = (query.terms(), &query.languages);
        let asked = [
            Some(words.to_vec()),
            of_user(request.query().as_str(), words),
        ];
        let (aliases, as_of_us) = (lookup.aliases(), lookup.as_of_us());
        let readings = asked.iter().flatten();
        let readings =
            readings.flat_map(|words| readings_of((words, languages), aliases, as_of_us));
        let readings: BTreeSet<Vec<String>> = readings.collect();
        for words in readings.into_iter().filter(|words| words.len() > 1) {
            let query = query.with_terms(&words)?.page(0, MAX_CLAIMS);
            let hits = self.index.claims_with_all(&query).await?;
            for (hit, unit) in lookup.with_units(hits).await? {
                let Some(unit) = unit else { continue };
                // One of the words is of the subject, and one is not: who is asked about, and what.
                let subject = of_name(&unit.line().subject);
                let is_of_subject =
                    |word: &String| subject.iter().any(|name| is_same(word, name, languages));
                if !words.iter().any(is_of_subject) || words.iter().all(is_of_subject) {
                    continue;
                }
                let is_own = unit.line().agent.to_string() == request.selector().actor_id();
                if !is_own || !seen.insert(hit.index) {
                    continue;
                }
                // A belief that rests on a claim which is withheld is not given.
                let Some(belief) = not_withheld(lookup.standing(&unit).await)? else {
                    continue;
                };
                lookup.note_sources(&unit, belief.as_ref());
                if let Some(belief) = belief {
                    let line = lookup.main_line(&unit).await?;
                    found.entry(line).or_default().push(Answer {
                        hit,
                        unit,
                        belief,
                        words: words.clone(),
                    });
                }
            }
        }
        Ok(found)
    }
}

/// The words of a question in the first person, which is about the user; `None` for another one.
fn of_user(query: &str, words: &[String]) -> Option<Vec<String>> {
    let is_first_person = |word: &String| FIRST_PERSON.contains(&word.as_str());
    if !words_of(query).any(|word| is_first_person(&word)) {
        return None;
    }
    let rest = words
        .iter()
        .filter(|word| !is_first_person(word) && *word != USER);
    Some(
        [USER.to_owned()]
            .iter()
            .chain(rest)
            .take(MAX_TERMS)
            .cloned()
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::content_words;

    #[test]
    fn the_first_person_is_the_user() {
        let of = |query: &str| {
            let words = content_words(query).unwrap();
            of_user(query, &words).map(|words| words.join(" "))
        };
        assert_eq!(of("Where do I live?").as_deref(), Some("user live"));
        assert_eq!(of("mein Arzt").as_deref(), Some("user arzt"));
        assert_eq!(of("Where does Ida live?"), None);
    }
}
