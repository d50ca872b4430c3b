//! Names in questions: other names of the subjects that a question names (`claim alias`).

use std::collections::BTreeSet;

use counterfoil_claims::{Aliases, Identifier};
use counterfoil_store::text_index::{MAX_READINGS, MAX_TERMS, Reading, TextQuery};
use counterfoil_words::{Language, forms, index_terms};

use crate::query::{content_words, words_of};

/// The most readings of a question by the names of subjects: by its own words, and by each other name of a subject that it
/// names.
const MAX_PHRASINGS: usize = 8;

/// The words of a question, and those with the words of another name in the place of a name that they hold.
pub(crate) fn readings_of(
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
    while readings.len() < MAX_PHRASINGS
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
            if readings.len() < MAX_PHRASINGS && reading.len() <= MAX_TERMS {
                readings.insert(reading);
            }
        }
    }
    readings
}

/// Other names of the subjects that a question names, as readings of the words by which it does.
pub(crate) fn name_readings(query: &TextQuery, aliases: &Aliases, as_of_us: u64) -> Vec<Reading> {
    let (words, languages) = (query.terms(), &query.languages);
    let mut readings = Vec::new();
    let names = aliases.others(as_of_us);
    let mains: BTreeSet<&Identifier> = names.map(|(_, _, main)| main).collect();
    for main in mains {
        let names = aliases.names(main, as_of_us);
        for name in &names {
            let said = of_name(name);
            let terms_of = |part: &String| words.iter().position(|it| is_same(it, part, languages));
            let Some(terms) = said
                .iter()
                .map(terms_of)
                .collect::<Option<BTreeSet<usize>>>()
            else {
                continue;
            };
            for other in names.iter().filter(|other| *other != name) {
                let texts: Vec<String> = of_name(other).difference(&said).cloned().collect();
                if texts.is_empty() {
                    continue;
                }
                readings.extend(terms.iter().map(|term| Reading {
                    term: *term,
                    words: name.to_string(),
                    name: other.to_string(),
                    texts: texts.clone(),
                }));
                if readings.len() >= MAX_READINGS {
                    return readings;
                }
            }
        }
    }
    readings
}

/// The words of a name, as a question holds them: pairs of characters where nothing separates words.
pub(crate) fn of_name(name: &Identifier) -> BTreeSet<String> {
    let words = words_of(name.as_str());
    words
        .flat_map(|word| content_words(&word).unwrap_or_default())
        .collect()
}

/// Tests whether a word of a question finds a word of a name: letter case, accents and endings do not count.
pub(crate) fn is_same(asked: &str, name: &str, languages: &[Language]) -> bool {
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

    /// A word counts as each other name of the subject that it names, and a name of several words where all are there.
    #[test]
    fn a_word_is_read_as_other_names() {
        let recorded = |name: &str| (named(name), 0, Some(named("Robert Smith")));
        let aliases = Aliases::new([recorded("Bob"), recorded("@rob")]);
        let read = |words: &[&str]| {
            let query = TextQuery::new(words.iter().copied()).unwrap();
            let readings = name_readings(&query, &aliases, 0).into_iter();
            let shown = |it: Reading| format!("{} {} {}", it.term, it.name, it.texts.join(" "));
            readings.map(shown).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(
            read(&["where", "bob"]),
            "1 Robert Smith robert smith; 1 @rob rob"
        );
        assert_eq!(
            read(&["smith", "robert"]),
            "0 @rob rob; 1 @rob rob; 0 Bob bob; 1 Bob bob"
        );
        assert_eq!(read(&["smith"]), "");
        assert_eq!(read(&["kite"]), "");
    }
}
