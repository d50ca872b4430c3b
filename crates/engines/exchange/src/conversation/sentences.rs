//! Sentences of a paragraph, each as it stands there.

/// Each sentence of a paragraph, without the space around it. One ends with `.`, `?` or `!`, closing quotes and brackets
/// included, before a space.
pub(super) fn sentences(paragraph: &str) -> impl Iterator<Item = &str> {
    let mut rest = paragraph.trim_start();
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (sentence, after) = rest.split_at_checked(end(rest)).unwrap_or((rest, ""));
        rest = after.trim_start();
        Some(sentence.trim_end())
    })
}

/// Where the first sentence of a text ends.
fn end(text: &str) -> usize {
    let mut has_ended = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '.' | '?' | '!' => has_ended = true,
            '"' | '\'' | ')' | ']' | '\u{201d}' | '\u{2019}' | '*' | '_' => {}
            _ if has_ended && letter.is_whitespace() => return at,
            _ => has_ended = false,
        }
    }
    text.len()
}
