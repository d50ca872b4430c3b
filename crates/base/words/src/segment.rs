//! Runs of a text: words of an alphabet, and writing in which pairs of characters stand for words.

use unicode_normalization::char::is_combining_mark;

use crate::fold::is_word_part;

/// A run of a text that no space or mark interrupts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run<'t> {
    /// A word.
    Word(&'t str),
    /// Writing that sets no spaces between words, or joins particles to them.
    Dense(&'t str),
}

/// Returns the runs of `text` that hold a letter or a digit.
pub(crate) fn runs(text: &str) -> impl Iterator<Item = Run<'_>> {
    // Characters of Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer.
    let is_dense = |letter| {
        is_han(letter)
            || is_hiragana(letter)
            || matches!(letter,
                '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' // Katakana
                | '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7a3}' // Hangul
                | '\u{0e00}'..='\u{0eff}' // Thai and Lao
                | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}') // Burmese and Khmer
    };
    let unbroken = text.split(|letter| !is_word_part(letter));
    unbroken
        .flat_map(move |part| by_kind(part, is_dense))
        .filter(|(_, run)| run.contains(char::is_alphanumeric))
        .map(|(dense, run)| match dense {
            true => Run::Dense(run),
            false => Run::Word(run),
        })
}

/// Cuts `text` where the kind of its characters changes. A mark belongs to the character before it.
pub(crate) fn by_kind<K: PartialEq + Copy>(text: &str, kind: impl Fn(char) -> K) -> Vec<(K, &str)> {
    let mut parts: Vec<(K, &str)> = Vec::new();
    let mut open: Option<(K, usize)> = None;
    for (at, letter) in text.char_indices() {
        if open.is_some() && is_combining_mark(letter) {
            continue;
        }
        let now = kind(letter);
        match open {
            Some((before, _)) if before == now => {}
            Some((before, start)) => {
                parts.extend(text.get(start..at).map(|part| (before, part)));
                open = Some((now, at));
            }
            None => open = Some((now, at)),
        }
    }
    if let Some((last, start)) = open {
        parts.extend(text.get(start..).map(|part| (last, part)));
    }
    parts
}

/// Characters of a run, each with the marks that follow it.
pub(crate) fn clusters(run: &str) -> Vec<&str> {
    let starts = run.char_indices().filter(|(_, it)| !is_combining_mark(*it));
    let starts: Vec<usize> = starts.map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([run.len()]);
    let pairs = starts.iter().zip(ends);
    pairs
        .filter_map(|(start, end)| run.get(*start..end))
        .collect()
}

pub(crate) fn is_han(letter: char) -> bool {
    matches!(letter,
        '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

pub(crate) fn is_hiragana(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{309f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_marks_and_between_kinds_of_writing() {
        let cut: Vec<Run<'_>> = runs("Ada's 3.5kg: 买iPhone手机！cafe\u{301} \u{301}").collect();
        let word = Run::Word;
        let dense = Run::Dense;
        assert_eq!(
            cut,
            [
                word("Ada"),
                word("s"),
                word("3"),
                word("5kg"),
                dense("买"),
                word("iPhone"),
                dense("手机"),
                word("cafe\u{301}"),
            ]
        );
    }

    #[test]
    fn a_mark_stays_with_its_character() {
        assert_eq!(clusters("กี่วัน"), ["กี่", "วั", "น"]);
        assert_eq!(clusters("手机"), ["手", "机"]);
    }
}
