//! Folding: what two spellings of one word have in common.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Returns `word` in lower case and composed form, with its accents: what lists of words are compared with.
pub(crate) fn lower(word: &str) -> String {
    word.to_lowercase().nfc().collect()
}

/// Returns `word` in lower case without accents, compatible characters as their ordinary ones. Vowel signs of other scripts
/// than Latin, Greek and Cyrillic remain.
pub(crate) fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let lower = word.to_lowercase();
    let accents = '\u{300}'..='\u{36f}';
    let bare = lower.nfkd().filter(|letter| !accents.contains(letter));
    let parts = bare.nfkc().filter(|letter| is_word_part(*letter));
    let mut folded = String::with_capacity(lower.len());
    for part in parts {
        match part {
            'ß' => folded.push_str("ss"),
            other => folded.extend(other.to_lowercase()),
        }
    }
    folded
}

/// Returns true for letters, digits, and marks that belong to the letter before them.
pub(crate) fn is_word_part(letter: char) -> bool {
    letter.is_alphanumeric() || is_combining_mark(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_accents_and_width_do_not_count() {
        for (word, same) in [
            ("CAFE\u{301}", "cafe"),
            ("Café", "cafe"),
            ("Straße", "strasse"),
            ("Ǆ", "dz"),
            ("２０２４", "2024"),
            ("ﾊﾞｽ", "バス"),
            ("が", "が"),
            ("Ёлка", "елка"),
            ("한국", "한국"),
            ("हिन्दी", "हिन्दी"),
        ] {
            assert_eq!(folded(word), same, "{word}");
        }
    }
}
