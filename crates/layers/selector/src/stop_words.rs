//! English words that ask or join and name nothing: they match everywhere and rank nothing.

/// Returns true if `word`, in lower case, is a question word, an auxiliary verb, an article, a pronoun, a
/// preposition, a conjunction, or what an apostrophe splits off. `may` is not: it is a month.
pub(crate) fn contains(word: &str) -> bool {
    SORTED.binary_search(&word).is_ok()
}

const SORTED: &[&str] = &[
    "a", "about", "am", "an", "and", "are", "aren", "as", "at", "be", "been", "being", "but", "by",
    "can", "could", "couldn", "d", "did", "didn", "do", "does", "doesn", "doing", "done", "for",
    "from", "had", "hadn", "has", "hasn", "have", "haven", "having", "he", "her", "here", "him",
    "his", "how", "i", "if", "in", "into", "is", "isn", "it", "its", "ll", "m", "me", "might",
    "must", "my", "no", "nor", "not", "of", "on", "onto", "or", "our", "over", "re", "s", "shall",
    "she", "should", "shouldn", "so", "t", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "us", "ve", "was", "wasn", "we", "were", "weren",
    "what", "when", "where", "which", "who", "whom", "whose", "why", "will", "with", "would",
    "wouldn", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_in_lower_case() {
        assert!(SORTED.windows(2).all(|two| two[0] < two[1]));
        assert!(
            SORTED
                .iter()
                .all(|word| word.chars().all(|c| c.is_ascii_lowercase()))
        );
    }

    #[test]
    fn names_of_months_and_days_are_searched_for() {
        for word in ["may", "march", "sun", "sunday", "august"] {
            assert!(!contains(word), "{word}");
        }
    }
}
