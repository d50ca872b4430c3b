//! A question, taken apart: words to look for, phrases that have to be there, and what must not be.

use std::collections::BTreeSet;

use crate::Language;
use crate::fold::{folded, is_word_part, lower};
use crate::language::{is_function_word, is_particle};
use crate::segment::{Run, by_kind, clusters, is_han, is_hiragana, runs};

/// Marks that end a question.
const QUESTION_MARKS: [char; 3] = ['?', '？', '؟'];

/// Parts of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// Words to look for, in lower case, each once and in their order. Of writing without spaces these are pairs of characters.
    pub words: Vec<String>,
    /// Texts in double quotes, as they are: each has to be there. None in a sentence that ends with a question mark, where quotes
    /// name a title that the answer need not repeat.
    pub phrases: Vec<String>,
    /// Words and quoted texts with a minus before them: none may be there.
    pub excluded: Vec<String>,
    /// Languages that the question may be in; none if it shows none.
    pub languages: Vec<Language>,
}

impl Question {
    /// Words of a text that asks nothing: quotes and minuses are marks like any other.
    pub fn plain(text: &str) -> Self {
        let languages = Language::shown(text);
        Self {
            words: words(text, &languages),
            languages,
            ..Self::default()
        }
    }

    /// Takes a question apart.
    ///
    /// Function words of its languages are no words to look for, unless nothing else is there. A double quote without a second
    /// one is a mark like any other. A minus excludes the word or the quoted text directly after it where it is the first character
    /// or follows a space, and a letter or a double quote follows it.
    pub fn parse(text: &str) -> Self {
        let (mut phrases, mut excluded) = (Vec::new(), Vec::new());
        let mut rest = String::with_capacity(text.len());
        let mut ahead = text;
        let mut before = ' ';
        while let Some(letter) = ahead.chars().next() {
            let after = ahead.get(letter.len_utf8()..).unwrap_or_default();
            let is_open = before.is_whitespace();
            let part = match letter {
                '"' => quoted(ahead).map(|(inner, after)| (inner, after, &mut phrases)),
                '-' if is_open && after.starts_with('"') => {
                    quoted(after).map(|(inner, after)| (inner, after, &mut excluded))
                }
                '-' if is_open && after.starts_with(char::is_alphabetic) => {
                    let end = after.find(|it: char| it.is_whitespace() || it == '"');
                    let (word, _) = after.split_at(end.unwrap_or(after.len()));
                    let word = word.trim_end_matches(|it| !is_word_part(it));
                    let (word, after) = after.split_at(word.len());
                    Some((word, after, &mut excluded))
                }
                _ => None,
            };
            match part {
                Some((inner, after, list)) => {
                    if letter == '"' {
                        rest.push_str(inner);
                    }
                    rest.push(' ');
                    list.push(inner.to_owned());
                    (ahead, before) = (after, '"');
                }
                None => {
                    rest.push(letter);
                    (ahead, before) = (after, letter);
                }
            }
        }
        if text.trim_end().ends_with(QUESTION_MARKS) {
            phrases.clear();
        }
        Self {
            phrases,
            excluded,
            ..Self::plain(&rest)
        }
    }
}

/// The text between the double quote at the beginning and the next one, if it holds a word, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let (inner, after) = text.strip_prefix('"')?.split_once('"')?;
    inner
        .contains(char::is_alphanumeric)
        .then_some((inner, after))
}

fn words(text: &str, languages: &[Language]) -> Vec<String> {
    let english = [Language::English];
    let languages = match languages {
        [] => &english,
        some => some,
    };
    let naming = runs(text).flat_map(|run| match run {
        Run::Word(word) => {
            let is_naming = !is_function_word(&lower(word), languages);
            Vec::from_iter(is_naming.then(|| word.to_lowercase()))
        }
        Run::Dense(run) => dense_words(&folded(run)),
    });
    let naming = distinct(naming);
    if !naming.is_empty() {
        return naming;
    }
    distinct(runs(text).flat_map(|run| match run {
        Run::Word(word) => vec![word.to_lowercase()],
        Run::Dense(run) => pairs_of(&folded(run)),
    }))
}

fn distinct(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    words.filter(|word| seen.insert(word.clone())).collect()
}

/// Longest function word of Chinese, in characters.
const LONGEST_PARTICLE: usize = 4;

/// Pairs of characters that name something. Japanese writes endings and particles in Hiragana, and most names of things otherwise;
/// in Chinese, function words are between the others, and the longest of them counts.
fn dense_words(run: &str) -> Vec<String> {
    if run.contains(is_hiragana) {
        let parts = by_kind(run, |letter| (is_hiragana(letter), is_han(letter)));
        let naming = parts.iter().filter(|((hiragana, _), _)| !hiragana);
        return naming.flat_map(|(_, part)| pairs_of(part)).collect();
    }
    if !run.chars().all(is_han) {
        return pairs_of(run);
    }
    let (mut parts, mut ahead, mut part) = (Vec::new(), run, 0);
    while let Some(first) = ahead.chars().next() {
        let lengths = ahead.char_indices().map(|(at, it)| at + it.len_utf8());
        let lengths: Vec<usize> = lengths.take(LONGEST_PARTICLE).collect();
        let particle = lengths.into_iter().rev().filter_map(|end| ahead.get(..end));
        let length = particle
            .map(|it| (it.len(), is_particle(it)))
            .find(|(_, is_particle)| *is_particle);
        let at = run.len() - ahead.len();
        if let Some((length, _)) = length {
            parts.extend(run.get(part..at));
            part = at + length;
        }
        let step = length.map_or(first.len_utf8(), |(length, _)| length);
        ahead = ahead.get(step..).unwrap_or_default();
    }
    parts.extend(run.get(part..));
    let naming = parts.into_iter().filter(|part| !part.is_empty());
    naming.flat_map(pairs_of).collect()
}

/// Each two characters that follow one another, or the only one.
fn pairs_of(run: &str) -> Vec<String> {
    match clusters(run).as_slice() {
        [one] => vec![(*one).to_owned()],
        several => several.windows(2).map(<[&str]>::concat).collect(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(question: &str) -> Vec<String> {
        Question::parse(question).words
    }

    #[test]
    fn function_words_are_left_out_in_the_language_of_the_question() {
        for (question, words) in [
            (
                "When did Ada's sister paint the Sunrise?",
                &["ada", "sister", "paint", "sunrise"][..],
            ),
            (
                "Wo hat Silke eine Stelle bekommen?",
                &["silke", "stelle", "bekommen"],
            ),
            ("Quel était le code du portail ?", &["code", "portail"]),
            ("我的自行车是什么颜色的？", &["自行", "行车", "颜色"]),
            ("猫が魚を食べた", &["猫", "魚", "食"]),
            ("Где ключи?", &["ключи"]),
            ("cafe\u{301}s élan", &["cafe\u{301}s", "élan"]),
            ("What happened in May 2023?", &["happened", "may", "2023"]),
            ("Who are you?", &["who", "are", "you"]),
            ("的了", &["的了"]),
            ("paint PAINT Paint blue", &["paint", "blue"]),
            ("?", &[]),
        ] {
            assert_eq!(of(question), words, "{question}");
        }
    }

    #[track_caller]
    fn assert_parts(question: &str, words: &[&str], phrases: &[&str], excluded: &[&str]) {
        let parsed = Question::parse(question);
        assert_eq!(parsed.words, words, "{question}");
        assert_eq!(parsed.phrases, phrases, "{question}");
        assert_eq!(parsed.excluded, excluded, "{question}");
    }

    #[test]
    fn quoted_texts_are_required_and_a_minus_excludes() {
        assert_parts(
            "who saw \"the red kite\"",
            &["saw", "red", "kite"],
            &["the red kite"],
            &[],
        );
        assert_parts(
            "kite -red -\"long harbour\"",
            &["kite"],
            &[],
            &["red", "long harbour"],
        );
        assert_parts(
            "who saw \"Red Kites\"? ",
            &["saw", "red", "kites"],
            &[],
            &[],
        );
        assert_parts("-red", &[], &[], &["red"]);
        assert_eq!(Question::plain("-red \"kite\"").words, ["red", "kite"]);
        assert_parts("kite -e-mail?", &["kite"], &[], &["e-mail"]);
        assert_parts(
            "well-known e-mail",
            &["well", "known", "e", "mail"],
            &[],
            &[],
        );
        assert_parts("kite - red", &["kite", "red"], &[], &[]);
        assert_parts("-5 degrees", &["5", "degrees"], &[], &[]);
        assert_parts("kite --red", &["kite", "red"], &[], &[]);
    }

    #[test]
    fn quotes_without_a_partner_or_a_word_are_marks() {
        assert_parts("a 5\" kite", &["5", "kite"], &[], &[]);
        assert_parts("kite \"\" \"?\"", &["kite"], &[], &[]);
        assert_parts("kite -\"red", &["kite", "red"], &[], &[]);
    }

    proptest! {
        #[test]
        fn a_word_holds_no_syntax_and_no_control(question in any::<String>()) {
            for word in of(&question) {
                prop_assert!(word.chars().all(is_word_part), "{word:?}");
            }
        }
    }
}
