//! Characters that hide or reorder text (R18).

/// Does a text hold control characters other than line feed and tab, bidirectional controls, or invisible characters?
///
/// The meaning of the text is not checked: an instruction in it is data as well.
pub fn is_suspicious(text: &str) -> bool {
    text.bytes().any(|byte| !(0x20..0x7f).contains(&byte)) && text.chars().any(hides)
}

/// The joiners and marks of U+200B to U+200F are among them, as their effect on words is the same as that of hidden words.
const fn hides(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        // Bidirectional controls, line and paragraph separators.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        // Of no width, or fillers that look like none.
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' => true,
        '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}' => true,
        // Variation selectors but those of emoji, byte order mark, annotations, tags.
        '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => true,
        '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_suspicious;

    #[test]
    fn plain_text_of_any_script_is_not_suspicious() {
        for text in [
            "",
            "pruning is identity — what you forget",
            "a\n\tb",
            "日本語",
            "שלום",
            "é",
            "❤️",
            "ß",
        ] {
            assert!(!is_suspicious(text), "{text:?}");
        }
    }

    /// R18: a text that reads otherwise than it is.
    #[test]
    fn characters_that_hide_or_reorder_are_suspicious() {
        let hidden = [
            "a\rb",
            "\u{1b}[2J",
            "a\u{7f}",
            "\u{85}",
            "\u{202e}gnp",
            "\u{2066}x\u{2069}",
            "a\u{200b}b",
            "\u{feff}a",
            "a\u{ad}b",
            "\u{e0041}\u{e0042}",
            "\u{3164}",
            "a\u{2028}b",
            "a\u{fe01}",
        ];
        for text in hidden {
            assert!(is_suspicious(text), "{text:?}");
        }
    }
}
