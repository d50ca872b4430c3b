//! Languages that Latin letters are read in, and how a text shows its own.

use rust_stemmers::{Algorithm, Stemmer};

use crate::fold::{folded, lower};
use crate::function_words as words;
use crate::segment::{Run, runs};

/// Number of words at the beginning of a text that show its language.
const MAX_WORDS: usize = 256;

/// Longest word that is stemmed, in bytes.
const MAX_STEMMED_BYTES: usize = 64;

/// Letters that loanwords in English lose.
const NATIVE: [char; 8] = ['ä', 'ö', 'ü', 'ß', 'å', 'ø', 'æ', 'œ'];

/// A language that is written in Latin letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is the name of a language")]
pub enum Language {
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Swedish,
    Danish,
    Norwegian,
    Finnish,
    Hungarian,
}

impl Language {
    /// Every language. Of two that a text shows equally the first counts.
    pub const ALL: [Self; 12] = [
        Self::English,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Italian,
        Self::Portuguese,
        Self::Dutch,
        Self::Swedish,
        Self::Danish,
        Self::Norwegian,
        Self::Finnish,
        Self::Hungarian,
    ];

    /// Returns the language of a text: the one with most function words in it. A text without any counts as English, and so does
    /// one that shows English and others equally, unless it is spelled as English is not.
    pub fn of_text(text: &str) -> Self {
        let shown = Self::shown(text);
        let is_english = shown.contains(&Self::English) && !is_spelled_otherwise(text);
        let mut others = shown.iter().filter(|it| **it != Self::English);
        match others.next() {
            Some(other) if !is_english => *other,
            _ => Self::English,
        }
    }

    /// Returns the languages with most function words in the text: several if it shows them equally, none if it holds no
    /// function word.
    pub fn shown(text: &str) -> Vec<Self> {
        let mut counts = [0_usize; Self::ALL.len()];
        let words = runs(text).filter_map(|run| match run {
            // One letter is an initial or a unit as often as a word.
            Run::Word(word) if (2..=MAX_STEMMED_BYTES).contains(&word.len()) => Some(word),
            _ => None,
        });
        for word in words.take(MAX_WORDS) {
            let word = lower(word);
            for (language, count) in Self::ALL.iter().zip(&mut counts) {
                *count += usize::from(contains(language.function_words(), &word));
            }
        }
        let most = counts.iter().copied().max().unwrap_or_default();
        let counted = Self::ALL.into_iter().zip(counts);
        let shown = counted.filter(|(_, count)| most > 0 && *count == most);
        shown.map(|(language, _)| language).collect()
    }

    const fn function_words(self) -> &'static [&'static str] {
        match self {
            Self::English => &words::ENGLISH,
            Self::German => &words::GERMAN,
            Self::French => &words::FRENCH,
            Self::Spanish => &words::SPANISH,
            Self::Italian => &words::ITALIAN,
            Self::Portuguese => &words::PORTUGUESE,
            Self::Dutch => &words::DUTCH,
            Self::Swedish => &words::SWEDISH,
            Self::Danish => &words::DANISH,
            Self::Norwegian => &words::NORWEGIAN,
            Self::Finnish => &words::FINNISH,
            Self::Hungarian => &words::HUNGARIAN,
        }
    }

    const fn algorithm(self) -> Algorithm {
        match self {
            Self::English => Algorithm::English,
            Self::German => Algorithm::German,
            Self::French => Algorithm::French,
            Self::Spanish => Algorithm::Spanish,
            Self::Italian => Algorithm::Italian,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Dutch => Algorithm::Dutch,
            Self::Swedish => Algorithm::Swedish,
            Self::Danish => Algorithm::Danish,
            Self::Norwegian => Algorithm::Norwegian,
            Self::Finnish => Algorithm::Finnish,
            Self::Hungarian => Algorithm::Hungarian,
        }
    }
}

/// Returns true if words of a text have letters that English spells without: one word with a letter that no loanword in English
/// has (`ä`, `ß`), or two with accents (`é`). Words that begin with a capital letter do not count, as they may be names.
fn is_spelled_otherwise(text: &str) -> bool {
    let words = runs(text).filter_map(|run| match run {
        Run::Word(word) if word.starts_with(char::is_lowercase) => Some(lower(word)),
        _ => None,
    });
    let is_accented =
        |letter: char| !letter.is_ascii() && Script::of_letter(letter) == Script::Latin;
    let accented = words
        .take(MAX_WORDS)
        .filter(|word| word.contains(is_accented));
    accented
        .map(|word| if word.contains(NATIVE) { 2 } else { 1 })
        .sum::<usize>()
        >= 2
}

/// Returns true if `word`, in lower case, is a function word of any of `languages`, or of the one of its script.
pub(crate) fn is_function_word(word: &str, languages: &[Language]) -> bool {
    match Script::of(word) {
        Script::Latin => {
            let mut lists = languages.iter().map(|language| language.function_words());
            lists.any(|list| contains(list, word))
        }
        Script::Cyrillic => contains(&words::RUSSIAN, word),
        Script::Greek | Script::Arabic | Script::Tamil | Script::Other => false,
    }
}

/// Returns true if the writing is a function word of Chinese.
pub(crate) fn is_particle(writing: &str) -> bool {
    contains(&words::CHINESE, writing)
}

fn contains(list: &[&str], word: &str) -> bool {
    list.binary_search(&word).is_ok()
}

/// Returns the stem of a word, folded: Latin letters by `language`, others by the language of their script. What holds a digit, or
/// is longer than 64 bytes, is not stemmed.
pub(crate) fn stem(word: &str, language: Language) -> String {
    if word.len() > MAX_STEMMED_BYTES || word.contains(char::is_numeric) {
        return folded(word);
    }
    let algorithm = match Script::of(word) {
        Script::Latin => language.algorithm(),
        Script::Cyrillic => Algorithm::Russian,
        Script::Greek => Algorithm::Greek,
        Script::Arabic => Algorithm::Arabic,
        Script::Tamil => Algorithm::Tamil,
        Script::Other => return folded(word),
    };
    // In English an accent is a spelling; elsewhere endings are told by it.
    let word = match algorithm {
        Algorithm::English => folded(word),
        _ => lower(word),
    };
    folded(&Stemmer::create(algorithm).stem(&word))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
    Arabic,
    Tamil,
    Other,
}

impl Script {
    /// The script of the first letter.
    fn of(word: &str) -> Self {
        let first = word.chars().find(|letter| letter.is_alphabetic());
        first.map_or(Self::Other, Self::of_letter)
    }

    const fn of_letter(letter: char) -> Self {
        match letter {
            '\u{0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Self::Latin,
            '\u{400}'..='\u{52f}' => Self::Cyrillic,
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Self::Greek,
            '\u{600}'..='\u{6ff}' => Self::Arabic,
            '\u{b80}'..='\u{bff}' => Self::Tamil,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_in_lower_case() {
        let lists = Language::ALL.map(Language::function_words);
        for list in lists
            .into_iter()
            .chain([&words::RUSSIAN[..], &words::CHINESE])
        {
            assert!(list.windows(2).all(|two| two[0] < two[1]), "{list:?}");
            assert!(list.iter().all(|word| lower(word) == *word));
        }
    }

    #[test]
    fn names_of_english_months_and_days_are_searched_for() {
        for word in ["may", "march", "sun", "sunday", "august"] {
            assert!(!is_function_word(word, &[Language::English]), "{word}");
        }
    }

    #[test]
    fn function_words_show_the_language() {
        for (text, language) in [
            ("She painted the café", Language::English),
            (
                "Der Kellerschlüssel hängt nicht mehr am Brett",
                Language::German,
            ),
            ("Où est passé le vélo de ma sœur ?", Language::French),
            ("¿Dónde está la bicicleta de mi hermano?", Language::Spanish),
            (
                "De fiets van mijn zus staat niet in het schuurtje",
                Language::Dutch,
            ),
            ("milk, eggs, bread", Language::English),
            ("Was übernimmt Deniz?", Language::German),
            ("что он купил", Language::English),
            ("Zoë lives in Köln", Language::English),
            ("Chloë was in Łódź", Language::English),
            ("Ida sat in a café", Language::English),
            ("Ida’s car was in Ghent – 我家", Language::English),
            ("wir waren in Köln", Language::German),
            ("in der küche", Language::German),
            ("schlüssel in küche", Language::German),
            ("on a réservé à Reims", Language::French),
        ] {
            assert_eq!(Language::of_text(text), language, "{text}");
        }
        for text in ["milk, eggs, bread", "e-mail to Y. O.", ""] {
            assert!(
                !Language::shown(text).contains(&Language::Spanish),
                "{text}"
            );
        }
        assert_eq!(Language::shown("milk, eggs, bread, vitamin e"), []);
    }

    #[test]
    fn a_word_is_stemmed_by_its_language_or_its_script() {
        for (word, language, expected) in [
            ("painting", Language::English, "paint"),
            ("Rechnungen", Language::German, "rechnung"),
            ("Häuser", Language::German, "haus"),
            ("mangées", Language::French, "mang"),
            ("книгами", Language::English, "книг"),
            ("2nd", Language::English, "2nd"),
        ] {
            assert_eq!(stem(word, language), expected, "{word}");
        }
    }
}
