//! Terms of the index, and the terms that a word of a question can be in it.

use crate::Language;
use crate::fold::folded;
use crate::language::stem;
use crate::segment::{Run, clusters, runs};

/// Version of the rules by which texts become terms. An index that was made by other rules finds nothing reliably.
pub const RULES: u32 = 2;

/// One way in which a word or a phrase can be in an index: terms, one directly after the other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Form {
    /// The terms; never empty, and none of them is.
    pub terms: Vec<String>,
    /// True if the last term is the beginning of a term of the index.
    pub is_prefix: bool,
}

/// Returns the terms of a text, in their order, separated by one space. A term holds letters, digits and marks alone.
///
/// Of writing without spaces each two characters that follow one another are a term, and the last one of a run is another.
pub fn index_terms(text: &str) -> String {
    let language = Language::of_text(text);
    let mut terms = String::with_capacity(text.len());
    for run in runs(text) {
        match run {
            Run::Word(word) => push(&mut terms, &stem(word, language)),
            Run::Dense(run) => {
                let run = folded(run);
                let characters = clusters(&run);
                pairs(&characters).for_each(|pair| push(&mut terms, &pair));
                characters
                    .last()
                    .iter()
                    .for_each(|last| push(&mut terms, last));
            }
        }
    }
    terms
}

fn push(terms: &mut String, term: &str) {
    if !terms.is_empty() && !term.is_empty() {
        terms.push(' ');
    }
    terms.push_str(term);
}

fn pairs(characters: &[&str]) -> impl Iterator<Item = String> {
    characters.windows(2).map(<[&str]>::concat)
}

/// Returns the forms of a word or phrase of a question in texts of any of `languages`, each once; of all languages if there are none.
/// English is always one of them, as texts that show no language count as English. Empty if there is neither letter nor digit.
pub fn forms(phrase: &str, languages: &[Language]) -> Vec<Form> {
    let (english, all) = ([Language::English], &Language::ALL[..]);
    let languages = match languages {
        [] => all.iter(),
        some => some.iter(),
    };
    let mut forms: Vec<Form> = Vec::new();
    for language in languages.chain(&english) {
        let form = form(phrase, *language);
        if let Some(form) = form.filter(|form| !forms.contains(form)) {
            forms.push(form);
        }
    }
    forms
}

fn form(phrase: &str, language: Language) -> Option<Form> {
    let mut runs = runs(phrase).peekable();
    let (mut terms, mut is_prefix) = (Vec::new(), false);
    while let Some(run) = runs.next() {
        match run {
            Run::Word(word) => terms.push(stem(word, language)),
            Run::Dense(run) => {
                let run = folded(run);
                let characters = clusters(&run);
                terms.extend(pairs(&characters));
                // The writing of the text may go on where the phrase ends.
                let is_last = runs.peek().is_none();
                is_prefix = is_last && characters.len() == 1;
                if !is_last || is_prefix {
                    terms.extend(characters.last().map(|last| (*last).to_owned()));
                }
            }
        }
    }
    terms.retain(|term| !term.is_empty());
    (!terms.is_empty()).then_some(Form { terms, is_prefix })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(phrase: &str, languages: &[Language]) -> Vec<String> {
        let star = |form: Form| match form.is_prefix {
            true => format!("{}*", form.terms.join(" ")),
            false => form.terms.join(" "),
        };
        forms(phrase, languages).into_iter().map(star).collect()
    }

    #[test]
    fn a_text_becomes_terms_of_its_language() {
        for (text, terms) in [
            ("She painted the Café.", "she paint the cafe"),
            ("Die Rechnungen sind nicht da", "die rechnung sind nicht da"),
            ("我不吃香菜。买iPhone", "我不 不吃 吃香 香菜 菜 买 iphon"),
            ("กี่วัน", "กี่วั วัน น"),
            ("한국어를", "한국 국어 어를 를"),
            (" !?", ""),
        ] {
            assert_eq!(index_terms(text), terms, "{text}");
        }
    }

    #[test]
    fn a_word_has_a_form_for_each_language_that_the_question_may_be_in() {
        let german = [Language::German];
        assert_eq!(of("Rechnungen", &german), ["rechnung", "rechnungen"]);
        assert_eq!(of("painting", &[Language::English]), ["paint"]);
        assert!(of("Rechnungen", &[]).contains(&"rechnung".to_owned()));
        assert_eq!(of("香菜", &german), ["香菜"]);
        assert_eq!(of("车", &german), ["车*"]);
        assert_eq!(of("?", &[]), [""; 0]);
    }

    #[test]
    fn a_phrase_is_a_sequence_of_terms() {
        let english = [Language::English];
        assert_eq!(of("the red kites", &english), ["the red kite"]);
        assert_eq!(of("买新手机", &english), ["买新 新手 手机"]);
        assert_eq!(of("新手机 case", &english), ["新手 手机 机 case"]);
    }

    proptest! {
        /// Each phrase of whole words is found where the text has it, whatever the script.
        #[test]
        fn a_text_holds_its_own_phrases(words in proptest::collection::vec("\\PC{1,8}|[a-zé]{1,9}|[一-十買車]{1,4}", 1..8), from in 0usize..8) {
            let text = words.join(" ");
            let language = Language::of_text(&text);
            let phrase = words.get(from..).unwrap_or_default().join(" ");
            let terms = index_terms(&text);
            if let Some(form) = form(&phrase, language) {
                let wanted = format!(" {}", form.terms.join(" "));
                let found = format!(" {terms} ").contains(&wanted);
                prop_assert!(found, "{wanted:?} in {terms:?}");
            }
        }

        #[test]
        fn no_term_holds_syntax(text in any::<String>()) {
            let terms = index_terms(&text);
            prop_assert!(terms.split(' ').all(|term| term.chars().all(crate::fold::is_word_part)));
            prop_assert!(terms.is_empty() || terms.split(' ').all(|term| !term.is_empty()));
        }

        /// The stemmers are of another project: no word makes one panic.
        #[test]
        fn every_word_has_a_stem(word in "\\PC{1,12}|[a-zäöüßéèçñå]{1,16}|[а-я]{1,12}|[α-ω]{1,12}|[ء-ي]{1,12}|[஀-௿]{1,12}") {
            for language in Language::ALL {
                stem(&word, language);
            }
        }
    }
}
