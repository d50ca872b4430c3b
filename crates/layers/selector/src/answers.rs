//! Beliefs that answer a question: claims that hold all of its words and whose subject it names (docs/recall.md).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use counterfoil_claims::{Aliases, Identifier, Line, Unit};
use counterfoil_store::StoreError;
use counterfoil_store::text_index::{MAX_TERMS, TextHit, TextQuery};
use counterfoil_types::{SelectedMemory, SelectionRequest};
use counterfoil_words::{Language, forms, index_terms};

use crate::beliefs::{BeliefLookup, HitStanding, is_past};
use crate::query::{content_words, words_of};
use crate::text_selector::TextSelector;
use crate::{Annotation, BeliefStanding, SelectError};

/// The most claims of one reading that are looked at.
const MAX_CLAIMS: usize = 256;

/// The most readings of a question by the names of subjects: by its own words, and by each other name of a subject that it
/// names.
const MAX_READINGS: usize = 8;

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
            let examined = self.examine((&answer.hit, f64::INFINITY), standing, &asked, request);
            if let Some((memory, annotation)) = examined.await? {
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
            for hit in self.index.claims_with_all(&query).await? {
                let unit = match lookup.claim_unit(&hit).await {
                    Err(SelectError::Store(StoreError::Withheld { .. })) => continue,
                    unit => unit?,
                };
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
                let belief = match lookup.standing(&unit).await {
                    Err(SelectError::Store(StoreError::Withheld { .. })) => continue,
                    belief => belief?,
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

/// The words of a question, and those with the words of another name in the place of a name that they hold.
fn readings_of(
    (words, languages): (&[String], &[Language]),
    aliases: &Aliases,
    as_of_us: u64,
) -> BTreeSet<Vec<String>> {
    let is_of = |word: &String, name: &BTreeSet<String>| {
        name.iter().any(|part| is_same(word, part, languages))
    };
    let is_asked = |part: &String| words.iter().any(|word| is_same(word, part, languages));
    let mut readings = BTreeSet::from([words.to_vec()]);
    let names = aliases.others(as_of_us);
    let mut names = names.flat_map(|(name, _, main)| [(name, main), (main, main)]);
    while readings.len() < MAX_READINGS
        && let Some((name, main)) = names.next()
    {
        let said = of_name(name);
        if said.is_empty() || !said.iter().all(is_asked) {
            continue;
        }
        for other in aliases.names(main, as_of_us) {
            let other = of_name(&other);
            let rest = words.iter();
            let rest = rest.filter(|word| !is_of(word, &said) && !is_of(word, &other));
            let reading: Vec<String> = other.iter().chain(rest).cloned().collect();
            if readings.len() < MAX_READINGS && reading.len() <= MAX_TERMS {
                readings.insert(reading);
            }
        }
    }
    readings
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

/// The words of a name, as a question holds them: pairs of characters where nothing separates words.
fn of_name(name: &Identifier) -> BTreeSet<String> {
    let words = words_of(name.as_str());
    words
        .flat_map(|word| content_words(&word).unwrap_or_default())
        .collect()
}

/// Tests whether a word of a question finds a word of a name: letter case, accents and endings do not count.
fn is_same(asked: &str, name: &str, languages: &[Language]) -> bool {
    let terms = index_terms(name);
    let holds = |term: &String, is_prefix: bool| {
        let mut terms = terms.split(' ');
        terms.any(|it| it == term || is_prefix && it.starts_with(term.as_str()))
    };
    let mut forms = forms(asked, languages).into_iter();
    forms.any(|form| form.terms.iter().all(|term| holds(term, form.is_prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Identifier {
        Identifier::new("subject", text).unwrap()
    }

    /// A name that the question holds is read as each other name of its subject, from the time of the record on.
    #[test]
    fn a_question_is_read_under_each_name() {
        let recorded = |name: &str, since_us| (named(name), since_us, Some(named("@anna")));
        let aliases = Aliases::new([recorded("Anna Lind", 5), recorded("Annie", 9)]);
        let read = |words: &[&str], at_us| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let readings = readings_of((&words, &[Language::English]), &aliases, at_us);
            let joined: BTreeSet<String> = readings.iter().map(|words| words.join(" ")).collect();
            joined.into_iter().collect::<Vec<_>>().join("; ")
        };
        assert_eq!(
            read(&["annie", "live"], 9),
            "anna lind live; anna live; annie live"
        );
        assert_eq!(read(&["annie", "live"], 8), "annie live");
        assert_eq!(
            read(&["live", "lind", "anna"], 8),
            "anna lind live; anna live; anna live lind; live lind anna"
        );
        assert_eq!(read(&["lind", "live"], 9), "lind live");
    }

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
