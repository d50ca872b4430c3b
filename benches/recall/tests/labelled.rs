//! The form of the labelled set: what its README says of it holds.

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use counterfoil_bench_recall::corpus::{Corpus, Question, Turn};
    use counterfoil_bench_recall::labelled::{LANGUAGES, load};
    use counterfoil_selector::content_words;

    /// Words of German and French that name nothing. English ones are those that a recall leaves out.
    const FUNCTION_WORDS: &[&str] = &[
        "am", "das", "den", "der", "die", "ein", "eine", "er", "hat", "ihm", "im", "in", "ist",
        "kam", "man", "nicht", "schon", "sein", "seine", "seiner", "sich", "um", "und", "war",
        "was", "welche", "welches", "wer", "wo", "zu", "à", "a", "au", "de", "du", "elle", "est",
        "et", "il", "l", "la", "le", "les", "lui", "on", "plus", "que", "quel", "quelle", "qui",
        "sa", "si", "son", "t", "un", "une",
    ];

    /// Number of letters at the beginning by which two words are of one stem.
    const STEM: usize = 5;

    #[test]
    fn there_are_enough_memories_and_questions_of_each_kind() {
        let set = load().unwrap();
        assert!(set.turns.len() >= 300, "{}", set.turns.len());
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for question in &set.questions {
            *counts.entry(question.kind.as_str()).or_default() += 1;
            assert!(LANGUAGES.contains(&question.language.as_str()));
            assert_eq!(question.answerable, question.kind != "unanswerable");
        }
        let kinds = [
            ("exact", 20),
            ("paraphrase", 60),
            ("name", 20),
            ("time", 20),
            ("multi-hop", 20),
            ("negation", 20),
            ("unanswerable", 60),
        ];
        assert_eq!(counts.len(), kinds.len(), "{counts:?}");
        for (kind, least) in kinds {
            assert!(counts[kind] >= least, "{kind}: {counts:?}");
        }
        let answerable = set.questions.iter().filter(|question| question.answerable);
        assert!(answerable.count() >= 200);
        let texts: BTreeSet<&str> = set.questions.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(
            texts.len(),
            set.questions.len(),
            "a question is there twice"
        );
    }

    /// Several memories answer a multi-hop question, and all are of the language of the question.
    #[test]
    fn memories_that_answer_fit_their_question() {
        let set = load().unwrap();
        for question in &set.questions {
            for answer in answers(&set, question) {
                let language = format!("{}-", question.language);
                assert!(
                    answer.conversation.starts_with(&language),
                    "{}",
                    question.text
                );
            }
            let several = question.evidence.len() > 1;
            assert!(several || question.kind != "multi-hop", "{}", question.text);
        }
    }

    #[test]
    fn a_paraphrase_shares_no_content_word_with_what_answers_it() {
        let set = load().unwrap();
        for question in set.questions.iter().filter(|it| it.kind == "paraphrase") {
            for answer in answers(&set, question) {
                let said = format!("{} {}", answer.speaker, answer.text);
                let shared = shared(&question.text, &said);
                assert!(shared.is_empty(), "{}: {shared:?}", question.text);
            }
        }
    }

    #[test]
    fn words_of_one_stem_are_seen_as_shared() {
        assert_eq!(
            shared("painted fences", "She paints a fence"),
            ["painted", "fences"]
        );
        assert_eq!(shared("Hunde", "der Hund"), ["hunde"]);
        assert_eq!(shared("金鱼呢", "两条金鱼"), ["金鱼"]);
        assert!(shared("What did the dog eat?", "the cat did").is_empty());
    }

    fn answers<'s>(set: &'s Corpus, question: &'s Question) -> impl Iterator<Item = &'s Turn> {
        question.evidence.iter().map(|place| &set.turns[*place])
    }

    /// Words of the question, or pairs of Chinese characters, that `said` has, too.
    fn shared(question: &str, said: &str) -> Vec<String> {
        let said = units(said);
        let is_shared = |word: &String| said.iter().any(|other| of_one_stem(word, other));
        units(question).into_iter().filter(is_shared).collect()
    }

    fn units(text: &str) -> Vec<String> {
        let mut units = Vec::new();
        for word in content_words(text).unwrap() {
            let letters: Vec<char> = word.chars().collect();
            match letters
                .iter()
                .any(|letter| ('\u{4e00}'..='\u{9fff}').contains(letter))
            {
                true => units.extend(letters.windows(2).map(|pair| pair.iter().collect())),
                false if FUNCTION_WORDS.contains(&word.as_str()) => {}
                false => units.push(word),
            }
        }
        units
    }

    fn of_one_stem(one: &str, other: &str) -> bool {
        let [one, other]: [Vec<char>; 2] = [one, other].map(|word| word.chars().collect());
        let (short, long) = match one.len() < other.len() {
            true => (one, other),
            false => (other, one),
        };
        let begins_alike = short.len() >= STEM && long[..STEM] == short[..STEM];
        let is_ending = short.len() >= 3 && long.len() - short.len() <= 2;
        short == long || begins_alike || (is_ending && long.starts_with(&short))
    }
}
